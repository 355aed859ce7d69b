"""For the tests of the widgets: the runs of the Python API's tests, and a Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notebook.conftest import _no_settings_of_the_user, paused, recorded, wb
from tests.notebook.hostile import hostile_app
from tests.widgets.page import Shown, browsing, new_page
from workbench import Workbench
from workbench.notebook import Run

__all__ = ["_no_settings_of_the_user", "paused", "recorded", "wb"]


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    """One browser a module: Playwright's loop must not be there for the asynchronous tests of others."""
    with browsing() as browser:
        yield browser


@pytest.fixture
def show(chrome: Any) -> Iterator[Callable[..., Shown]]:
    """Show a widget in a page of its own; the page is checked for errors and dialogs at the end."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def shown(widget: Any, views: int = 1, **how: Any) -> Shown:
            return Shown(stack.enter_context(new_page(chrome, **how)), widget, views)

        yield shown


@pytest.fixture(scope="session")
def hostile_recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a run whose every text tries to become markup."""
    folder = tmp_path_factory.mktemp("hostile")
    bench = Workbench(folder / "workbench.duckdb", kernel="graphon-0.8", progress=False)
    from tests.notebook.hostile import ATTACK

    return folder / "workbench.duckdb", bench.run(hostile_app(folder), ATTACK).id


@pytest.fixture
def hostile(hostile_recorded: tuple[Path, str]) -> Run:
    """That run."""
    store, run_id = hostile_recorded
    return Workbench(store, progress=False).run_of(run_id)
