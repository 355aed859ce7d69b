"""The family tree of runs, by key and by mouse, on a real store."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input

from tests.store.making import Ended
from tests.tui import recorded
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from tests.tui.test_hostile_text import ODD, ODD_IDS
from workbench.store.rows import EditedFile
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.lineage import LineageScreen
from workbench.tui.screens.lineage.desk import DEEPEST, Leaf, lines
from workbench.tui.screens.lineage.rows import TreePanel
from workbench.verbs.context import Context
from workbench.verbs.family import dify_like, fork_facts

SIZES = ("80x24", "120x40", "200x60")


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    made = recorded.context(tmp_path)
    recorded.paused(made)
    recorded.forked(made, "fresh-1", "fresh")
    recorded.forked(made, "restored-1", "restored")
    return made


async def lineage(tui: Driver, run_id: str | None = None) -> TreePanel:
    tui.app.open_lineage(run_id)
    await tui.settle()
    tree = tui.app.screen.query_one(TreePanel)
    await tui.until(lambda: all(leaf.key in tree.heard for leaf in tree.rows if leaf.run is not None))
    await tui.until(lambda: "Reading what is different" not in tui.text)
    return tree


@pytest.mark.parametrize("size", SIZES)
async def test_the_tree(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        await lineage(tui, "fresh-1")
        times = re.compile(r"\d\d-\d\d \d\d:[\d:]*")
        assert times.sub(lambda found: re.sub(r"\d", "0", found[0]), tui.text) == snapshot


async def test_it_tells_what_is_different_and_what_a_chat_user_saw(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        tree = await lineage(tui, "fresh-1")
        assert tree.row is not None
        assert tree.row.key == "fresh-1"
        shown = tui.text
        assert "├ ✓ fresh-1" in shown
        assert "silent" in shown
        assert "“Your refund of 250" in shown
        about = tui.of("#lineage-about")
        assert "Fork of paused-1 at step 11." in about
        assert "Gate fresh." in about
        assert "Submitted at approval: approve." in about
        assert "A chat user saw nothing of its answer." in about
        await tui.press("j")
        await tui.until(lambda: "as Dify main does with this engine" in tui.of("#lineage-about"))


async def test_compared_with_its_parent_and_with_a_marked_one(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        tree = await lineage(tui, "fresh-1")
        await tui.press("d")
        screen = tui.app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.compared is not None
        assert screen.compared.found.before.name == "run paused-1"
        assert screen.compared.found.after.name == "run fresh-1"
        await tui.press("q", "D")
        await tui.until(lambda: "Nothing is marked" in tui.text)
        await tui.press("m")
        assert tree.chosen == "fresh-1"
        await tui.press("j", "D")
        screen = tui.app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.compared is not None
        assert screen.compared.found.after.name == "run restored-1"
        await tui.press("q", "home", "d")
        await tui.until(lambda: "made of nothing that is in this store" in tui.text)


async def test_opened_and_left_by_key_and_mouse(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await lineage(tui, "restored-1")
        await tui.press("enter")
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "restored-1"
        await tui.press("q")
        rows = tui.text.split("\n")
        y = next(i for i, line in enumerate(rows) if "fresh-1" in line)
        await tui.click(None, offset=(10, y))
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "fresh-1"
        await tui.press("q", "q")
        assert not isinstance(tui.app.screen, LineageScreen)


async def test_found_by_typing_with_its_ancestors(ctx: Context) -> None:
    recorded.record(ctx, "other-1", recorded.refund_events(resumed=False), Ended("failed", {}))
    async with on_store(ctx) as tui:
        tree = await lineage(tui)
        assert len(tree.rows) == 4
        await tui.press("slash", *"fresh")
        await tui.until(lambda: [leaf.key for leaf in tree.rows] == ["paused-1", "fresh-1"])
        assert [leaf.found for leaf in tree.rows] == [False, True]
        await tui.press("enter")
        assert tree.has_focus
        await tui.press("escape")
        await tui.until(lambda: len(tree.rows) == 4)
        assert tui.app.screen.query_one(Input).value == ""
        await tui.press("slash", *"zzz")
        await tui.until(lambda: "Nothing fits" in tui.text)


async def test_moving_in_the_family(ctx: Context) -> None:
    recorded.forked(ctx, "second-1", "restored", parent="restored-1")
    recorded.record(ctx, "other-1", recorded.refund_events(resumed=False), Ended("failed", {}), at=2e9)
    async with on_store(ctx) as tui:
        tree = await lineage(tui, "second-1")

        def here() -> str:
            assert tree.row is not None
            return tree.row.key

        await tui.press("u")
        assert here() == "restored-1"
        await tui.press("u")
        assert here() == "paused-1"
        heads = [leaf.key for leaf in tree.rows if leaf.depth == 0]
        assert set(heads) == {"paused-1", "other-1"}
        await tui.press("home", "right_curly_bracket")
        assert here() == heads[1]
        await tui.press("left_curly_bracket")
        assert here() == heads[0]


async def test_an_edited_pause_stands_below_its_run(ctx: Context) -> None:
    pause = ctx.store.pauses("paused-1")[0]
    app_id = ctx.store.run("paused-1").app_id
    origin = EditedFile(
        "", "pause", pause.pause_id, "paused-1", 11, app_id, "graphon-0.8", "more money",
        '{"edits": [{"set": "start.amount", "to": 900}]}',
    )  # fmt: skip
    first = ctx.store.put_edited("runtime-state", b'{"version": "3.0"}', "", origin)
    again = EditedFile("", "file", first, "paused-1", 11, app_id, "graphon-0.8", "twice", '{"edits": []}')
    ctx.store.put_edited("runtime-state", b'{"version": "3.0", "x": 1}', "", again)
    async with on_store(ctx) as tui:
        tree = await lineage(tui, first)
        assert [(leaf.depth, leaf.file.name if leaf.file else leaf.key) for leaf in tree.rows] == [
            (0, "paused-1"),
            (1, "more money"),
            (2, "twice"),
            (1, "fresh-1"),
            (1, "restored-1"),
        ]
        assert "✎ more money" in tui.text
        assert "Changed: start.amount" in tui.of("#lineage-about")


async def test_a_new_run_appears_and_the_cursor_stays(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        tree = await lineage(tui, "fresh-1")
        recorded.record(ctx, "other-1", recorded.refund_events(resumed=False), Ended("failed", {}), at=2e9)
        await tui.until(lambda: any(leaf.key == "other-1" for leaf in tree.rows))
        assert tree.row is not None
        assert tree.row.key == "fresh-1"


@pytest.mark.parametrize("text", ODD, ids=ODD_IDS)
async def test_hostile_texts_are_shown_and_never_acted_on(ctx: Context, text: str) -> None:
    origin = EditedFile("", "path", text, "paused-1", 11, None, "graphon-0.8", text, text)
    ctx.store.put_edited("runtime-state", b"{}", "", origin)
    events = [*recorded.refund_events(resumed=False)]
    recorded.record(ctx, "odd-1", events, Ended("failed", {"answer": text}, error=text))
    async with on_store(ctx, "80x24") as tui:
        await lineage(tui)
        await tui.press("j", "j", "j", "j")
        assert "\x1b" not in tui.text
        assert "\u202e" not in tui.text
        assert max(map(len, tui.text.split("\n"))) <= 80


def test_a_deep_line_of_forks_tells_its_level() -> None:
    from dataclasses import replace

    from tests.tui.doubles import detail, row_of
    from workbench.verbs.lineage import grown

    rows = [row_of(detail("r0", "succeeded", 1))]
    for at in range(1, 2_000):
        fork = {"run_id": f"r{at - 1}", "step": 1}
        rows.append(replace(row_of(detail(f"r{at}", "succeeded", 1)), forked_from=fork, started_at=float(at)))
    leaves: tuple[Leaf, ...] = lines(grown(rows, dict.fromkeys(r.run_id for r in rows)), {}, ())
    assert [leaf.depth for leaf in leaves] == list(range(2_000))
    assert leaves[-1].guide.startswith("1999… ")
    assert len(leaves[-1].guide) <= 2 * DEEPEST + 6


def test_which_dify_goes_on_like_this() -> None:
    assert dify_like("graphon-0.5", "fresh") == "Dify 1.15"
    assert dify_like("graphon-0.6", "restored") == "Dify 1.16"
    assert dify_like("graphon-0.8", "restored") == "Dify main"
    assert dify_like("graphon-0.8", "fresh") is None
    assert dify_like("graphon-0.5", "restored") is None
    assert dify_like("graphon-0.8", "healed") is None


def test_what_is_different_in_a_fork(ctx: Context) -> None:
    recorded.forked(ctx, "older-1", "restored", kernel="graphon-0.7", script={"nodes": {"a": {}}})
    facts = fork_facts(ctx, "older-1")
    assert facts.kernels == ("graphon-0.8", "graphon-0.7")
    assert facts.script_changed
    assert not facts.app_changed
    assert facts.variables == ()
    assert facts.streamed == "Your refund of 250 is approved. well"
    assert fork_facts(ctx, "fresh-1").silent
    assert fork_facts(ctx, "paused-1").gate is None
