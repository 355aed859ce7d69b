"""The graph draws and paints only what changed: it must look as if all had been drawn anew."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.samples import wide_graph, wide_run
from tests.tui import journals
from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk
from workbench.core.picture.looks import URGENCY
from workbench.tui.widgets.graph import sizes
from workbench.tui.widgets.graph.plan import Plan
from workbench.tui.widgets.graph.view import GraphView

PLAN = Plan(wide_graph(30, 50))
LOOKS = st.dictionaries(st.sampled_from(sorted(PLAN.shown.edges)), st.sampled_from(URGENCY))


@given(st.lists(LOOKS, min_size=1, max_size=4), st.sampled_from([sizes.FULL, sizes.LINE, sizes.OVERVIEW]))
@settings(max_examples=60, deadline=None)
def test_lines_drawn_step_by_step_are_those_drawn_at_once(
    steps: list[dict[str, str]], detail: sizes.Detail
) -> None:
    kept = PLAN.lines(detail, tidy=False)
    for looks in steps:
        last = kept.drawn(looks)  # type: ignore[arg-type]
    fresh = Plan(PLAN.shown).lines(detail, tidy=False).drawn(steps[-1])  # type: ignore[arg-type]
    assert last.text() == fresh.text()
    assert [list(last.runs(y)) for y in range(last.height)] == [
        list(fresh.runs(y)) for y in range(fresh.height)
    ]


async def test_stepping_selecting_and_panning_paint_what_a_full_paint_would(
    drive: Open, desk: FakeDesk
) -> None:
    desk.add("wide-1", "succeeded", *wide_run())
    async with drive("120x40", run="wide-1") as tui:
        view = tui.app.screen.query_one(GraphView)
        view.focus()
        for keys in (
            "g",
            "n",
            "n",
            "n",
            "p",
            "l",
            "j",
            "h",
            "L",
            "J",
            "H",
            "minus",
            "k",
            "n",
            "plus",
            "l",
            "K",
        ):
            await tui.press(keys)
            shown = tui.of("#graph")
            view.notify_style_update()
            view.refresh(layout=True)
            await tui.settle()
            assert tui.of("#graph") == shown, keys


async def test_a_container_is_entered_and_left_by_key_and_mouse(drive: Open, desk: FakeDesk) -> None:
    desk.add("loop-1", "running", *journals.looped())
    async with drive("120x40", run="loop-1") as tui:
        view = tui.app.screen.query_one(GraphView)
        view.focus()
        view.selected = "loop"
        await tui.press("enter")
        assert view.scope == "loop"
        view.focus()
        await tui.press("backspace")
        assert view.scope is None
        placed = view.layout_shown
        assert placed is not None
        view.selected = "loop"
        await tui.press("enter")
        assert view.scope == "loop"
        corner = view.content_region
        await tui.pilot.click(None, offset=(corner.right - 2, corner.bottom - 2), times=2)
        await tui.settle()
        assert view.scope is None
