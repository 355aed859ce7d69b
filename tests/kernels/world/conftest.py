"""The host of each graphon generation, shared by the tests of a module."""

from tests.kernels.host.conftest import generation, host, newest

__all__ = ["generation", "host", "newest"]
