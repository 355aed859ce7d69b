"""Every tour, from its first step to its last, on the real engine; its texts are held to what happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.tui.conftest import Driver
from workbench.records.tour import Tour
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.tour import TourScreen
from workbench.tui.screens.tour.going import TourDebugger, place_of
from workbench.tui.screens.tour.guide import Guide, Guided, GuideStrip
from workbench.tui.widgets.lines import LineView
from workbench.verbs.context import make_context
from workbench.verbs.inspect import load_run
from workbench.verbs.touring import Made, act, tours
from workbench.verbs.why import why
from workbench.views.journey import Journey

pytestmark = pytest.mark.kernel
TOURS = tours()
SIZES = ("80x24", "120x40", "200x60")


@pytest.mark.parametrize("tour", TOURS, ids=lambda tour: tour.name)
def test_what_a_tour_says_is_so(home: Path, tour: Tour) -> None:
    ctx = make_context()
    made: dict[str, Made] = {}
    guide = Guide(tour, made=made)
    for number, step in enumerate(tour.steps):
        guide.at = number
        result = act(ctx, tour, step, made)
        where = f"{tour.name}, step {number + 1}"
        place, check = place_of(guide), dict(step.check)
        assert check or isinstance(place, tuple) or step.ask == "", where
        if isinstance(place, tuple):
            assert not check, where
            assert len({made[name].run_id for name in place}) == 2, where
            continue
        there = made[place.of]
        loaded = load_run(ctx, there.run_id)
        at = there.steps if place.step is None else place.step
        assert at <= loaded.timeline.steps, where
        journey = Journey(loaded.graph, loaded.timeline, loaded.timeline.journal.events, at)
        assert place.node is None or place.node in loaded.graph.nodes, where
        if "status" in check:
            expected = check.pop("status")
            status = result.status if result else loaded.run.status
            assert status == expected, where
        if "answer" in check:
            assert result is not None, where
            assert result.answer == check.pop("answer"), where
        if "streamed" in check:
            assert journey.state.segment_streamed == check.pop("streamed"), where
        if "problems" in check:
            told = [f.code for f in why(ctx, there.run_id).findings if f.severity != "info"]
            assert set(told) == set(check.pop("problems")), where
        if "mark" in check:
            assert journey.mark is not None, where
            assert check.pop("mark") in journey.mark.text, where
        if "locked" in check:
            answers = {answer.node_id: answer for answer in why(ctx, there.run_id).answers}
            for node, edges in check.pop("locked").items():
                assert list(answers[node].blocking) == edges, where
        assert not check, (where, check)


async def opened(app: WorkbenchApp, tui: Driver) -> None:
    await tui.settle()
    await tui.press("T")
    assert isinstance(app.screen, TourScreen)
    await tui.until(lambda: bool(app.screen.query_one(LineView).rows))


def guided(app: WorkbenchApp) -> Guided:
    screen = app.screen
    assert isinstance(screen, Guided)
    return screen


async def arrived(app: WorkbenchApp, tui: Driver, at: int) -> None:
    def there() -> bool:
        screen = app.screen
        if not isinstance(screen, Guided) or screen.guide.at != at or not screen.query(GuideStrip):
            return False
        if isinstance(screen, DebuggerScreen):
            return screen.journey is not None
        return isinstance(screen, CompareScreen) and screen.compared is not None

    await tui.until(there)


@pytest.mark.parametrize("size", SIZES)
async def test_the_first_tour_by_keys(home: Path, size: str) -> None:
    width, height = map(int, size.split("x"))
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(width, height)) as pilot:
        tui = Driver(app, pilot)
        await opened(app, tui)
        assert "The answer that nobody read" in tui.text
        await tui.press("enter")
        tour = TOURS[0]
        for at, step in enumerate(tour.steps):
            await arrived(app, tui, at)
            assert f"{at + 1}/{len(tour.steps)} " in tui.of("#guide")
            place = place_of(guided(app).guide)
            if isinstance(app.screen, TourDebugger) and not isinstance(place, tuple):
                made = guided(app).guide.made[place.of]
                assert app.screen.journey is not None
                assert app.screen.journey.step == (made.steps if place.step is None else place.step)
            if step.ask:
                before = guided(app).guide.at
                await tui.press("s")
                assert guided(app).guide.at == before, "a question is answered first"
                assert "→" in tui.of("#guide") or height == 24
            await tui.press("s")
        await tui.until(lambda: isinstance(app.screen, TourScreen))


async def test_a_tour_by_mouse(home: Path) -> None:
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await opened(app, tui)
        await tui.press("s")
        await arrived(app, tui, 0)
        await tui.click("#guide-next")
        await arrived(app, tui, 1)
        await tui.click("#guide-answer")
        assert "→ None, if the gate remembers" in tui.of("#guide")
        await tui.click("#guide-back")
        await arrived(app, tui, 0)
        await tui.click("#guide-skip")
        await arrived(app, tui, 1)
        await tui.click("#guide-skip")
        await arrived(app, tui, 2)
        await tui.click("#guide-leave")
        assert isinstance(app.screen, TourScreen)
        assert "3/7 steps" in tui.text
        await tui.press("enter")
        await arrived(app, tui, 2)


@pytest.mark.parametrize("size", SIZES)
async def test_the_list_of_tours(home: Path, snapshot: SnapshotAssertion, size: str) -> None:
    width, height = map(int, size.split("x"))
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(width, height)) as pilot:
        tui = Driver(app, pilot)
        await opened(app, tui)
        assert tui.text == snapshot
