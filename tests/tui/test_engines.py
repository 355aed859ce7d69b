"""One run on every engine, on the real engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui import recorded
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from workbench.errors import UsageError
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.compare.kernels import EnginesPanel, KernelsScreen
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.verbs.context import make_context
from workbench.verbs.engines import on_engines, run_missing
from workbench.verbs.resume import resume
from workbench.verbs.run import run

APP = Path(__file__).parents[2] / "fixtures" / "shapes" / "t1-if-else" / "app.yml"


async def engines(tui: Driver, run_id: str) -> KernelsScreen:
    screen = KernelsScreen(run_id)
    tui.app.push_screen(screen)
    await tui.until(lambda: screen.found is not None)
    return screen


@pytest.mark.kernel
async def test_a_run_is_run_on_the_engines_that_it_lacks_and_compared(home: Path) -> None:
    ctx = make_context()
    first = run(ctx, APP, query="hi", run_id="first")
    run(ctx, APP, query="something else", run_id="other", kernel="graphon-0.7")
    async with on_store(ctx) as tui:
        screen = await engines(tui, first.run_id)
        assert "not yet on graphon-0.7, graphon-0.6, graphon-0.5" in tui.of("#engines-head")
        assert "It ran on one engine only" in tui.of("#engines-causes")
        await tui.press("g")
        await tui.until(lambda: screen.found is not None and not screen.found.missing)
        assert "on 4 engines" in tui.of("#engines-head")
        assert "= Equal. All engines did and said the same." in tui.of("#engines-causes")
        panel = screen.query_one(EnginesPanel)
        assert panel.names == ("graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5")
        await tui.press("l", "enter")
        compared = tui.app.screen
        assert isinstance(compared, CompareScreen)
        await tui.until(lambda: compared.compared is not None)
        assert "graphon-0.6" in tui.of("#side-1")
        await tui.press("q", "h", "h", "enter")
        await tui.until(lambda: "Choose another column" in tui.text)
        await tui.press("o")
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "first"


@pytest.mark.kernel
async def test_engines_that_disagree_with_the_known_cause(home: Path) -> None:
    ctx = make_context()
    loop = APP.parents[2] / "containers" / "loop-pause" / "app.yml"
    first = run(ctx, loop, run_id="first")
    run_missing(ctx, first.run_id, ("graphon-0.5",))
    async with on_store(ctx) as tui:
        await engines(tui, "first")
        text = " ".join(tui.of("#engines-causes").replace("│", " ").split())
        assert "graphon-0.5" in text
        assert "graphon pauses inside loops and iterations from 0.7 on." in text
        assert "≠ status" in tui.of("#engines")


@pytest.mark.kernel
def test_forks_of_one_pause_are_found_by_what_was_submitted(home: Path) -> None:
    ctx = make_context()
    first = run(ctx, APP, query="hi", run_id="first", kernel="graphon-0.7")
    order = {"action": "approve", "fields": {"note": "n"}, "gate": "restored"}
    resume(ctx, first.run_id, fork=True, run_id="seven", **order)  # type: ignore[arg-type]
    resume(ctx, first.run_id, fork=True, run_id="reject", kernel="graphon-0.8", action="reject")
    found = on_engines(ctx, "seven")
    assert [r.run_id for r in found.compared.runs] == ["seven"]
    assert found.missing == ("graphon-0.8",), "older engines can't read the state"
    (eight,) = run_missing(ctx, "seven", found.missing)
    again = on_engines(ctx, "seven")
    assert [r.run_id for r in again.compared.runs] == [eight.run_id, "seven"]
    assert {r.streamed for r in again.compared.runs} == {"Hello n!"}
    assert not again.missing


def test_what_cannot_be_repeated_says_why(tmp_path: Path) -> None:
    ctx = recorded.context(tmp_path)
    recorded.paused(ctx)
    recorded.forked(ctx, "fork-1", "restored")
    found = on_engines(ctx, "fork-1")
    assert found.why_not == "It is a fork that did not go on from a pause with one form."
    with pytest.raises(UsageError, match="fork that did not go on"):
        run_missing(ctx, "fork-1", ("graphon-0.5",))


async def test_one_engine_by_key_and_mouse(tmp_path: Path) -> None:
    ctx = recorded.context(tmp_path)
    recorded.paused(ctx)
    recorded.forked(ctx, "new-1", "restored")
    recorded.forked(ctx, "old-1", "restored", kernel="graphon-0.7")
    async with on_store(ctx, "80x24") as tui:
        screen = await engines(tui, "new-1")
        panel = screen.query_one(EnginesPanel)
        assert [r.run_id for r in screen.found.compared.runs] == ["new-1", "old-1"]  # type: ignore[union-attr]
        assert "= streamed text" in tui.of("#engines")
        rows = tui.text.split("\n")
        y = next(i for i, line in enumerate(rows) if "status" in line)
        await tui.click(None, offset=(rows[y].index("succeeded") + 1, y))
        assert panel.column == 0
        await tui.click(None, offset=(rows[y].rindex("succeeded") + 1, y))
        assert isinstance(tui.app.screen, CompareScreen)
        await tui.press("q", "X")
        await tui.until(lambda: "Nothing that was started here" in tui.text)
        await tui.press("g")
        await tui.until(lambda: "ran on every engine" in tui.text)
        await tui.press("r", "q")
        assert not isinstance(tui.app.screen, KernelsScreen)
