"""The user's copy of the lessons: new ones come, his own changes stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.verbs import lessons as verb
from workbench.verbs.context import make_context
from workbench.verbs.lessons import INDEX, MANIFEST, Lessons, lessons


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "source"
    (folder / "data").mkdir(parents=True)
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / INDEX).write_text("index")
    (folder / "one.ipynb").write_text("one")
    (folder / "data" / "app.yml").write_text("app")
    (folder / ".ipynb_checkpoints" / "one.ipynb").write_text("left over")
    monkeypatch.setattr(verb, "lessons_source", lambda: folder)
    return folder


def copy() -> Lessons:
    return lessons(make_context())


def test_the_first_time_everything_is_copied(home: Path, source: Path) -> None:
    made = copy()
    assert made.folder == home / "notebooks"
    assert made.copied == ("data/app.yml", INDEX, "one.ipynb")
    assert not (made.folder / ".ipynb_checkpoints").exists()
    assert copy() == Lessons(made.folder)


def test_what_the_user_has_changed_stays_and_what_he_has_not_is_renewed(home: Path, source: Path) -> None:
    folder = copy().folder
    (folder / "one.ipynb").write_text("mine")
    (folder / "own.ipynb").write_text("own")
    assert copy() == Lessons(folder)

    (source / "one.ipynb").write_text("one, better")
    (source / INDEX).write_text("index, better")
    assert copy() == Lessons(folder, copied=(INDEX,), kept=("one.ipynb",))
    assert (folder / "one.ipynb").read_text() == "mine"
    assert (folder / "own.ipynb").read_text() == "own"
    assert (folder / INDEX).read_text() == "index, better"

    (folder / "one.ipynb").unlink()
    assert copy() == Lessons(folder, copied=("one.ipynb",))
    assert (folder / "one.ipynb").read_text() == "one, better"


def test_a_lost_or_broken_list_loses_no_change(home: Path, source: Path) -> None:
    folder = copy().folder
    (folder / "one.ipynb").write_text("mine")
    (folder / MANIFEST).write_text("[1, 2")
    assert copy() == Lessons(folder, kept=("one.ipynb",))
    assert (folder / "one.ipynb").read_text() == "mine"
    assert INDEX in json.loads((folder / MANIFEST).read_text())


def test_a_folder_that_can_t_be_written_is_told(home: Path, source: Path) -> None:
    (home / "notebooks" / "data").parent.mkdir()
    (home / "notebooks" / "data").write_text("a file where a folder should be")
    with pytest.raises(WorkbenchError, match="can't be copied"):
        copy()


def test_the_lessons_of_this_checkout_are_found() -> None:
    assert (verb.lessons_source() / INDEX).is_file()
