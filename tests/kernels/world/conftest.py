"""The running hosts of all graphon generations."""

from tests.kernels.host.conftest import generation, host, hosts, newest, running

__all__ = ["generation", "host", "hosts", "newest", "running"]
