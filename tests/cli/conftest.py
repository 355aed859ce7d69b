"""Engine kernels that stay alive between commands, for tests that do not ask how a child starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from workbench.engine import session
from workbench.engine.client import Client
from workbench.engine.kernels import Kernel


class WarmKernels:
    """Takes the place of `Client`: lends one living child a kernel; one that failed is not lent again."""

    def __init__(self) -> None:
        self._alive: dict[str, Client] = {}

    @contextmanager
    def __call__(self, kernel: Kernel, options: Mapping[str, Any] | None = None) -> Iterator[Client]:
        client = self._alive.pop(kernel.name, None) or Client(kernel, options)
        try:
            yield client
        except BaseException:
            client.close()
            raise
        self._alive[kernel.name] = client

    def close(self) -> None:
        for client in self._alive.values():
            client.close()


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmKernels]:
    kernels = WarmKernels()
    yield kernels
    kernels.close()


@pytest.fixture
def warm_kernels(warm: WarmKernels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process reuse the children of earlier ones."""
    monkeypatch.setattr(session, "Client", warm)
    monkeypatch.setattr(session, "start_early", lambda *_: None)
