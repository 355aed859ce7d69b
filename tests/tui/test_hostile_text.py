"""Names, values and model output of strangers: shown as they are, interpreted by nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from tests.tui import journals
from tests.tui.conftest import Driver, Open
from tests.tui.doubles import FakeDesk
from workbench.core.graph import Graph, Text
from workbench.core.replay import Timeline
from workbench.tui.text import block, clip, fit, one_line

MARKUP = "[red]x[/red] [/] [@click=app.quit]q[/]"
ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\x7f"
BIDI = "abc\u202edcba\u2066x\u2069\u200f"
WIDE = "漢字テスト 👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301"
LONG = "y" * 10_000
LINES = "one\ntwo\r\nthree\ttab\u2028four\x85"
BROKEN = "half \ud83d pair \udc00"
HEAPED = "Z" + "\u0336" * 500
ODD = [MARKUP, ESCAPES + BROKEN, BIDI + HEAPED, WIDE, LONG, LINES, "", "\\[b] ["]
ODD_IDS = ["markup", "escapes", "bidi", "wide", "long", "lines", "empty", "brackets"]


def renamed(text: str) -> tuple[Graph, Timeline]:
    """The parallel example with the text in every place that an app or a model can put text into."""
    graph, timeline = journals.parallel()
    nodes = {}
    for node in graph.nodes.values():
        template = (Text(text), *node.template) if node.template else ()
        nodes[node.id] = replace(
            node, title=text, type=node.type, template=template, data={text or "k": text}
        )
    graph = replace(graph, nodes=nodes)
    events: list[Any] = [{**e, "title": text} for e in timeline.journal.events]
    events[-1] = {**events[-1], "text": text}
    events[4] = {**events[4], "outputs": {text or "k": text}, "inputs": {text or "k": [text]}}
    events.append({"kind": "NodeRunFailed", "node": "slow", "xid": "x", "error": text, "outputs": {}})
    journal = replace(
        timeline.journal, events=tuple(events), variables={"sys": {text or "k": text, "query": text}}
    )
    return graph, Timeline(graph, journal)


def check_calm(tui: Driver, width: int) -> None:
    """No control character reaches the terminal, and every row has its width."""
    rows = ["".join(s.text for s in row) for row in tui.app.screen._compositor.render_strips()]
    for row in rows:
        assert row.isprintable(), repr(row)
        assert cell_len(row) == width, repr(row)
        row.encode("utf-8")


@pytest.mark.parametrize("text", ODD, ids=ODD_IDS)
async def test_every_panel_stays_calm(drive: Open, desk: FakeDesk, text: str) -> None:
    desk.add("odd-1", "running", *renamed(text), app=text, error=text, answer=text)
    async with drive("80x24") as tui:
        check_calm(tui, 80)
        await tui.press("enter")
        check_calm(tui, 80)
        await tui.press("j", "enter")
        for key in (
            "1",
            "2",
            "enter",
            "escape",
            "3",
            "4",
            "5",
            "6",
            "question_mark",
            "escape",
            "g",
            "n",
            "n",
            "G",
        ):
            await tui.press(key)
            check_calm(tui, 80)
        for zoom in ("full", "line", "overview"):
            tui.app.screen.query_one("#graph").zoom = zoom  # type: ignore[attr-defined]
            await tui.settle()
            check_calm(tui, 80)


async def test_markup_is_shown_as_it_is(drive: Open, desk: FakeDesk) -> None:
    desk.add("odd-1", "running", *renamed("[red]x[/red]"), app="[b]App[/b]")
    async with drive("120x40") as tui:
        assert "[b]App[/b]" in tui.text
        await tui.press("enter")
        assert "[b]App[/b]" in tui.of("#heading")
        assert "[red]x[/red]" in tui.of("#graph")
        assert "[red]x[/red]" in tui.of("#gate")
        assert "[red]x[/red]" in tui.of("#tabs")
        await tui.press("2")
        assert "[red]x[/red]" in tui.of("#tabs")


async def test_a_form_of_a_stranger(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund(None)
    form = {
        **journals.FORM,
        "content": ESCAPES + MARKUP,
        "node_title": MARKUP,
        "actions": [{"id": MARKUP, "title": ESCAPES, "style": MARKUP}],
        "fields": [
            {"name": MARKUP, "type": "paragraph", "default": LINES},
            {"name": ESCAPES, "type": "select", "options": [MARKUP, BIDI], "default": BIDI},
        ],
    }
    events = (*timeline.journal.events[:-1], {"kind": "GraphRunPaused", "reasons": [form]})
    desk.add("odd-1", "paused", graph, Timeline(graph, replace(timeline.journal, events=events)))
    async with drive("80x24", run="odd-1") as tui:
        await tui.press("r")
        check_calm(tui, 80)
        action = tui.app.screen.query("ActionButton").first()
        action.focus()
        await tui.press("enter")
        assert desk.orders[0].action == MARKUP
        assert desk.orders[0].fields == {}, "a default that was only looked at is not sent back changed"


async def test_findings_and_errors_of_a_stranger(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund("fresh")
    nodes = {n.id: replace(n, title=ESCAPES + MARKUP) for n in graph.nodes.values()}
    graph = replace(graph, nodes=nodes)
    desk.add("odd-1", "failed", graph, Timeline(graph, timeline.journal), error=ESCAPES)
    async with drive("120x40", run="odd-1") as tui:
        await tui.press("w")
        check_calm(tui, 120)
        assert MARKUP[:12] in tui.of("#tabs")


def test_one_line_has_no_control_characters_and_says_what_was_cut() -> None:
    assert one_line(ESCAPES).isprintable()
    assert "␛[31m" in one_line(ESCAPES)
    assert one_line("a\nb") == "a⏎b"
    assert "\u202e" not in one_line(BIDI)
    assert one_line("x" * 20, limit=5) == "xxxxx… (+15 characters)"
    assert one_line("\ud83d").encode()


def test_block_keeps_lines_only() -> None:
    assert block("a\r\nb\tc") == "a\nb    c"
    assert "\x1b" not in block(ESCAPES)
    assert block("x" * 10, limit=4).endswith("6 characters more are not shown")


@pytest.mark.parametrize("text", ODD, ids=ODD_IDS)
@pytest.mark.parametrize("width", [0, 1, 2, 5, 13])
def test_clip_and_fit_keep_to_their_width(text: str, width: int) -> None:
    assert cell_len(clip(text, width)) <= width
    assert cell_len(fit(text, width)) == width
