"""The start form's fields: each of its own kind, told at once what they do not take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import Checkbox, Input, Select, Static, TextArea

from tests.tui.conftest import Driver, Open
from tests.tui.doubles import FakeDesk
from workbench.errors import UsageError
from workbench.records.fields import InputField
from workbench.tui.screens.start import StartScreen
from workbench.tui.screens.start_fields import limit, names

FIELDS = (
    InputField("n", "How [red]many[/]", "number", True, 3),
    InputField("c", "Sure?", "checkbox", False, False),
    InputField("s", "Which", "select", False, None, ("a", "[b]")),
    InputField("j", "Data", "json_object"),
    InputField("t", "Short", "text-input", max_length=3),
    InputField("p", "Long", "paragraph"),
)


async def form(tui: Driver, desk: FakeDesk) -> StartScreen:
    await tui.press("n")
    screen = tui.app.screen
    assert isinstance(screen, StartScreen)
    await screen._show_app("app-1", replace(desk.app("app-1"), inputs=FIELDS))
    await tui.settle()
    return screen


@pytest.mark.parametrize("size", ["80x24", "120x40", "200x60"])
async def test_each_field_has_its_kind(drive: Open, desk: FakeDesk, size: str) -> None:
    async with drive(size) as tui:
        screen = await form(tui, desk)
        screen.query_one("#input-0", Input).value = "7"
        screen.query_one("#input-1", Checkbox).focus()
        await tui.press("space")
        choice = screen.query_one("#input-2", Select)
        choice.value = "[b]"
        screen.query_one("#input-3", TextArea).text = '{"a": 1}'
        screen.query_one("#input-5", TextArea).text = "two\nlines"
        screen.query_one("#break-before", Input).value = "approval, answer approval"
        screen.query_one("#max-steps", Input).value = "40"
        screen.query_one("#max-seconds", Input).value = "2.5"
        screen.query_one("#kernel", Select).value = "all"
        screen.query_one("#start").focus()
        await tui.press("enter")
        order = desk.orders[0]
        given = {"n": "7", "c": True, "s": "[b]", "j": '{"a": 1}', "p": "two\nlines"}
        assert (order.inputs, order.kernel) == (given, "all")
        assert order.break_before == ("approval", "answer")
        assert (order.max_steps, order.max_seconds) == (40, 2.5)


async def test_what_does_not_fit_is_told_while_typing_and_starts_nothing(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        screen = await form(tui, desk)
        screen.query_one("#input-3", TextArea).text = "{"
        screen.query_one("#input-4", Input).value = "four"
        await tui.settle()
        told = screen.query_one("#problem-3", Static)
        assert told.display
        assert "json_object" in str(told.render())
        assert "at most 3 characters" in str(screen.query_one("#problem-4", Static).render())
        screen.query_one("#start").focus()
        await tui.press("enter")
        assert not desk.orders
        assert tui.app.focused is screen.query_one("#input-3")
        screen.query_one("#input-3", TextArea).text = ""
        screen.query_one("#input-4", Input).value = "for"
        await tui.settle()
        assert not told.display
        screen.query_one("#max-steps", Input).value = "many"
        screen.query_one("#start").focus()
        await tui.press("enter")
        assert not desk.orders
        assert "Events: 'many' is no limit." in " ".join(tui.text.split())


def test_names_and_limits() -> None:
    assert names(" a, b a\n") == ("a", "b")
    assert limit(" ", "Events") is None
    assert limit("2", "Events") == 2
    for wrong in ("0", "-1", "x", "nan", "inf"):
        with pytest.raises(UsageError):
            limit(wrong, "Events")


SECRETS = (
    {"name": "base", "value": "b", "value_type": "string"},
    {"name": "key", "value": "", "value_type": "secret"},
)


async def test_environment_variables_are_asked_for_and_secrets_not_shown(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        screen = await form(tui, desk)
        app = replace(desk.app("app-1"), environment_variables=SECRETS)
        await screen._show_app("app-1", app)
        await tui.settle()
        screen.query_one("#env-1", Input).focus()
        await tui.press(*"sesame")
        assert "sesame" not in tui.text
        await screen._show_app("app-1", app)
        screen.query_one("#start").focus()
        await tui.press("enter")
        assert desk.orders[0].environment == {"key": "sesame"}
        assert "sesame" not in repr(desk.orders[0])
