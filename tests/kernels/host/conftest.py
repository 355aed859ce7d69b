"""One running host a generation serves all tests of a process: commands follow one another in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernels.host.driver import GENERATIONS, Host


class Hosts:
    """Started when first asked for; a host that a test left in the middle of a command is replaced."""

    def __init__(self) -> None:
        self._running: dict[str, Host] = {}

    def get(self, name: str) -> Host:
        if name not in self._running:
            self._running[name] = Host(name)
        return self._running[name]

    def __getitem__(self, name: str) -> Host:
        return self.get(name)

    def drop_unfinished(self) -> None:
        for name, host in list(self._running.items()):
            if host.open_commands or not host.stays():
                host.close()
                del self._running[name]

    def close(self) -> None:
        for host in self._running.values():
            host.close()


@pytest.fixture(scope="session")
def running() -> Iterator[Hosts]:
    hosts = Hosts()
    yield hosts
    hosts.close()


@pytest.fixture
def hosts(running: Hosts) -> Iterator[Hosts]:
    """All generations, by name."""
    yield running
    running.drop_unfinished()


@pytest.fixture(params=GENERATIONS)
def generation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(generation: str, hosts: Hosts) -> Host:
    return hosts.get(generation)


@pytest.fixture
def newest(hosts: Hosts) -> Host:
    return hosts.get("0.8")
