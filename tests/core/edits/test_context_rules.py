"""What Dify or a resume would stumble over in an edited pause; what was saved has nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from workbench.core.edits import Edit, Given
from workbench.core.edits.rules import faults
from workbench.errors import UsageError
from workbench.verbs.context import make_context
from workbench.verbs.edit import Subject, subject_of

STATES = REPOSITORY / "fixtures" / "states"
APP = REPOSITORY / "fixtures" / "shapes" / "t1-if-else" / "app.yml"


def subject(era: str) -> Subject:
    return subject_of(make_context(), STATES / era / "t1-if-else.json", app=APP)


@pytest.mark.parametrize("era", "ABCDE")
def test_nothing_is_wrong_with_what_was_saved(home: Path, era: str) -> None:
    assert list(faults(subject(era).editing("").original)) == []


@pytest.mark.parametrize(
    ("target", "value", "told", "refused"),
    [
        ("entity:user_id", 5, "entity.user_id is a number, not a text", True),
        ("entity:files", 7, "entity.files is a number, not a list", True),
        ("entity:invoke_from", "nowhere", "entity.invoke_from is 'nowhere'; valid: service-api", True),
        ("entity:call_depth", -1, "entity.call_depth is below 0", True),
        ("tasks:deferred", [], "a resume ends at once", False),
        ("tasks:ready", ["answer"], "starts 'answer', though no edge that leads to it was taken", False),
        ("query", "half \ud83d", "variable_dictionary.sys.query.value holds half of a character", True),
    ],
)
def test_an_edit_that_would_go_wrong_is_told(
    home: Path, target: str, value: object, told: str, refused: bool
) -> None:
    edits = subject("E").editing("").replay([Edit(target, Given(value, is_text=False))])
    found = [fault for fault in faults(edits.document) if told in fault.message]
    assert [fault.refused for fault in found] == [refused]


def test_older_engines_take_half_of_a_character(home: Path) -> None:
    edits = subject("B").editing("").replay([Edit("query", Given("half \ud83d", is_text=False))])
    assert list(faults(edits.document)) == []


def test_the_mask_is_no_value(home: Path) -> None:
    with pytest.raises(UsageError, match="stands for a hidden one"):
        subject("E").editing("").replay([Edit("query", Given("key ••••••", is_text=True))])
