"""One host a generation serves the tests of a module: commands follow one another, as in a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kernels.host.driver import GENERATIONS, Host


@pytest.fixture(params=GENERATIONS, scope="module")
def generation(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def host(generation: str) -> Iterator[Host]:
    with Host(generation) as running:
        yield running


@pytest.fixture(scope="module")
def newest() -> Iterator[Host]:
    with Host("0.8") as running:
        yield running
