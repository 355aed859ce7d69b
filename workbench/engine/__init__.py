"""Builds and starts engine kernels, speaks their protocol, hands events to a sink."""
