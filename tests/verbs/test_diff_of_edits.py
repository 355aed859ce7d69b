"""`diff` of a saved pause and an edit of it, with the app: no kind of edit may stay unseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from workbench.core.edits import Edit, Given, places
from workbench.errors import UsageError
from workbench.verbs.context import Context, make_context
from workbench.verbs.diff import compare
from workbench.verbs.edit import Subject, subject_of

STATES = REPOSITORY / "fixtures" / "states"
APPS = {
    "t1-if-else": REPOSITORY / "fixtures" / "shapes" / "t1-if-else" / "app.yml",
    "every-type": STATES / "every-type" / "app.yml",
}
VALUES = ("other", 7, True, ["other"], {"other": 1}, [], {}, "skipped", "+check-false-other-target", None)


def kind_of(target: str) -> str:
    """Which part of a pause a target names."""
    head, colon, rest = target.partition(":")
    if not colon:
        return target if target.startswith("sys.") else "variable"
    return f"gate:{rest.partition('.')[2]}" if head == "gate" else head


def edited(subject: Subject, target: str) -> str | None:
    """The text after the first value that fits and changes something."""
    for value in VALUES:
        try:
            editing = subject.editing("").replay([Edit(target, Given(value, is_text=False))])
        except UsageError:
            continue
        text = editing.text()
        if text != subject.editing("").text():
            return text
    return None


def one_of_each_kind(subject: Subject) -> Iterator[tuple[str, str]]:
    """(kind, edited text)."""
    seen: set[str] = set()
    for place in places(subject.editing("").original):
        kind = kind_of(place.target)
        if kind not in seen and (text := edited(subject, place.target)) is not None:
            seen.add(kind)
            yield kind, text


@pytest.mark.parametrize("era", "ABCDE")
def test_every_kind_of_edit_is_seen(home: Path, tmp_path: Path, era: str) -> None:
    ctx: Context = make_context()
    seen = set()
    for name, app in APPS.items():
        original = STATES / era / f"{name}.json"
        subject = subject_of(ctx, original, app=app)
        for kind, text in one_of_each_kind(subject):
            file = tmp_path / "edited.json"
            file.write_bytes(subject.encode(text))
            assert not compare(ctx, str(original), str(file), app=app).equal, (name, kind)
            seen.add(kind)
    told = {"variable", "sys.query", "sys.workflow_run_id", "node", "edge", "tasks", "input", "entity", "run"}
    gate = set() if era == "B" else {"gate:", "gate:paths"}
    assert seen >= told | gate | ({"form"} if era in "AB" else set())
