"""Names and values that would like to be markup, escape codes, or another place: shown, edited, kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from tests.tui.editing import STATES, OpenEditor, opener
from workbench.views.statetree import everything

NASTY = {
    "markup": "[red]hi[/] [/]",
    "escape": "a\x1b[31mred\x07",
    "rtl": "user\u202etxt.exe",
    "emoji": "👩‍👩‍👧 漢字 e\u0301",
    "wide": "漢" * 10_000,
    "lines": "one\ntwo\r\nthree\ttab",
    "half": "\ud800 alone",
    "zero": "\x00",
    "json": '{"a": [1, {"b": "\x1b[2J"}]}',
}
NAMES = ("[red]name[/]", "a.b", "a[0]", 'quo"te', "esc\x1b[2J", "", "new\nline", "gate:x", "\ud800", "漢字")


def hostile() -> dict[str, Any]:
    """A saved pause with them as values and as names."""
    context: dict[str, Any] = json.loads((STATES / "E" / "t1-if-else.json").read_text("utf-8"))
    state = json.loads(context["serialized_graph_runtime_state"])
    pool = state["variable_pool"]["variable_dictionary"]

    def variable(name: str, value: Any) -> dict[str, Any]:
        return {
            "value_type": "string", "value": value, "id": "x", "name": name, "description": "",
            "selector": ["n", name],
        }  # fmt: skip

    pool["nasty"] = {name: variable(name, value) for name, value in NASTY.items()}
    pool["named"] = {name: variable(name, f"value {at}") for at, name in enumerate(NAMES)}
    pool["[bold]n[/]\x1b"] = {"x": variable("x", "y")}
    context["serialized_graph_runtime_state"] = json.dumps(state)
    return context


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenEditor:
    return opener(tmp_path, monkeypatch)


def raw(tui: Any) -> str:
    """Everything that is written to the terminal for one whole paint."""
    return "".join(segment.text for line in tui.app.screen._compositor.render_strips() for segment in line)


@pytest.mark.parametrize("size", ["80x24", "200x60"])
async def test_nothing_reaches_the_terminal(edit: OpenEditor, size: str) -> None:
    async with edit(hostile(), None, size) as tui:
        tree = tui.tree
        assert tree.places is not None
        for spot in list(everything(tree.places)):
            if spot.node not in ("nasty", "named", "[bold]n[/]\x1b"):
                continue
            tree.reveal(spot.key)
            await tui.pilot.pause()
            shown = raw(tui)
            assert not [char for char in shown if ord(char) < 32 or "\ud800" <= char <= "\udfff"], spot
            assert "\u202e" not in shown
        assert "[bold]n[/]␛" in raw(tui)


@pytest.mark.parametrize("name", list(NASTY))
async def test_a_nasty_value_opens_in_a_field_and_is_not_changed_by_it(edit: OpenEditor, name: str) -> None:
    async with edit(hostile(), None, "80x24") as tui:
        await tui.go(f"nasty.{name}")
        await tui.press("e")
        assert tui.field.display
        assert not [char for char in raw(tui) if ord(char) < 32]
        assert "\u202e" not in raw(tui)
        assert tui.field.given().value == NASTY[name]
        await tui.press("ctrl+s")
        assert tui.targets == []
        assert tui.value(f"nasty.{name}") == NASTY[name]


@pytest.mark.parametrize("at", range(len(NAMES)))
async def test_a_nasty_name_is_edited_where_it_stands(edit: OpenEditor, at: int) -> None:
    """Only this variable changes, whatever its name could be read as."""
    async with edit(hostile(), None, "80x24") as tui:
        tui.tree.reveal(("variables", "named", NAMES[at]))
        await tui.settle()
        await tui.press("e")
        await tui.write("changed")
        await tui.press("enter")
        assert tui.screen.editing is not None
        state = tui.screen.editing.document.state()
        held = state["variable_pool"]["variable_dictionary"]["named"]
        assert [name for name in held if held[name]["value"] == "changed"] == [NAMES[at]]


async def test_a_paste_can_bring_no_escape_codes(edit: OpenEditor) -> None:
    from textual import events

    async with edit("E/t1-if-else.json") as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        field = tui.field.query_one(Input)
        field.post_message(events.Paste("a\x1b[31mb\u202e"))
        await tui.settle()
        assert "\x1b" not in field.value
        assert "\u202e" not in field.value
