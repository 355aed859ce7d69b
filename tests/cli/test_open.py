"""`workbench open` on files and ids, in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.driver import FIXTURES, cli, fixture
from tests.cli.terminal import Terminal

StartIn = Callable[..., Terminal]
SAVED = FIXTURES / "states" / "C" / "t1-if-else.json"


@pytest.fixture
def terminal() -> Iterator[StartIn]:
    """Starts commands in terminals of their own, and ends them."""
    started: list[Terminal] = []

    def begin(*arguments: str | Path, **more: int) -> Terminal:
        started.append(Terminal(*arguments, **more))  # type: ignore[arg-type]
        return started[-1]

    yield begin
    for each in started:
        each.close()


def test_a_saved_pause_opens_in_the_debugger_with_its_app(home: Path, terminal: StartIn) -> None:
    app = fixture("shapes/t1-if-else")
    shown = terminal("open", SAVED, "--app", app, columns=120, rows=36)
    shown.wait_for(b"saved pause")
    shown.press(b"\x11")
    assert shown.end() == 0
    assert shown.intact


def test_an_imported_pause_opens_by_its_id_and_asks_for_its_app(home: Path, terminal: StartIn) -> None:
    imported = cli("import", str(SAVED), "--json").json["files"][0]
    shown = terminal("open", imported["id"][:12], columns=120, rows=36)
    shown.wait_for(b"Which app was paused?")
    shown.press(b"\x11")
    assert shown.end() == 0
    assert shown.intact


@pytest.mark.parametrize("arguments", [["nothing-there"], ["nothing.json"]])
def test_what_is_not_there_is_said_before_the_screen_changes(
    home: Path, terminal: StartIn, arguments: list[str]
) -> None:
    shown = terminal("open", *arguments)
    assert shown.end() == 1
    assert b"nothing" in shown.seen
    assert shown.intact
