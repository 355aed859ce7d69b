"""Empty names on the command line, as a shell gives them for a variable that is not set."""

from __future__ import annotations

import click
import pytest

from tests.cli.driver import cli
from workbench.actions import ACTIONS

VERBS = [
    action.name
    for action in ACTIONS
    if any(isinstance(param, click.Argument) for param in action.load_command().params)
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("empty", ["", "  "], ids=["empty", "blank"])
def test_an_empty_argument_is_a_usage_error(verb: str, empty: str) -> None:
    done = cli(verb, empty)
    assert done.code == 2
    assert "is empty" in done.err or "Missing argument" in done.err or "Missing option" in done.err


@pytest.mark.parametrize("option", ["--app", "--store", "--dify"])
def test_so_is_an_empty_name_after_an_option(option: str) -> None:
    done = cli("why", "x", option, "")
    assert (done.code, f"{option} is empty" in done.err) == (2, True)


def test_an_empty_search_is_a_search() -> None:
    assert cli("runs", "--search", "").code == 0
