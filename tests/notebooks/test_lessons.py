"""Every lesson runs on the real engine, what it says is so, and its saved outputs are of this version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebooks.claims import CLAIMS
from tools.lessons import KERNEL, NO_OUTPUT, Notebook, _progress, execute, files, read, written
from workbench.errors import UsageError
from workbench.notebook import lessons
from workbench.notebook.lessons import EXERCISES, check

FILES = files()
NAMES = [file.stem for file in FILES]
LESSONS = [file for file in FILES if file.stem != "index"]
LARGEST = 50_000
"""Bytes of a lesson with its outputs."""


def code(file: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in read(file)["cells"] if cell["cell_type"] == "code"]


def told(file: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in read(file)["cells"] if cell["cell_type"] == "markdown"]


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Notebook]:
    made = execute(
        [read(file) for file in FILES], tmp_path_factory.mktemp("lessons"), [CLAIMS[name] for name in NAMES]
    )
    return dict(zip(NAMES, made, strict=True))


@pytest.mark.kernel
@pytest.mark.timeout(300)
@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_a_lesson_says_what_is_so_and_shows_what_it_did_when_it_was_saved(
    file: Path, executed: dict[str, Notebook]
) -> None:
    assert written(executed[file.stem]) == file.read_text(encoding="utf-8"), "run `make lessons`"


def test_each_lesson_has_claims() -> None:
    assert set(CLAIMS) == set(NAMES)
    assert all(f'assert check("{exercise}", ' in "".join(CLAIMS.values()) for exercise in EXERCISES)


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_the_outputs_are_there_small_and_clean(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST
    assert not re.search(r"/tmp/|/home/|/root/|<script|widget-view", text)
    notebook = read(file)
    assert notebook["metadata"]["kernelspec"]["name"] == KERNEL
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        hidden = NO_OUTPUT in cell["metadata"].get("tags", ())
        assert (cell["execution_count"] is None) is hidden
        assert all(output["output_type"] != "error" for output in cell["outputs"])


@pytest.mark.parametrize("file", LESSONS, ids=[file.stem for file in LESSONS])
def test_a_lesson_asks_before_it_answers_and_ends_with_an_exercise(file: Path) -> None:
    texts = told(file)
    assert texts[0].startswith(f"# {int(file.stem[:2])}. ")
    assert any("**Predict:**" in each for each in texts)
    assert "**Exercise.**" in texts[-1]
    asked = re.fullmatch(r'check\("([a-z-]+)", \.\.\.\)', code(file)[-1])
    assert asked is not None
    assert asked[1] in EXERCISES
    assert not any("assert" in each for each in code(file)), "answers are the student's"


def test_every_exercise_is_asked_once() -> None:
    asked = [code(file)[-1].split('"')[1] for file in LESSONS]
    assert sorted(asked) == sorted(EXERCISES)


def test_the_index_names_every_lesson_and_its_minutes() -> None:
    index = told(FILES[NAMES.index("index")])[0]
    for file in LESSONS:
        minutes = re.search(r"\*(\d+) minutes\.\*", told(file)[0])
        assert minutes is not None
        assert 5 <= int(minutes[1]) <= 10
        assert re.search(rf"\({re.escape(file.name)}\) \| {minutes[1]} \|", index), file.name


@pytest.mark.parametrize("name", EXERCISES)
def test_wrong_answers_get_one_hint_after_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "_tries", {})
    hints = EXERCISES[name].hints
    assert hints[0] in repr(check(name, ...))
    for hint in [*hints, hints[-1]]:
        verdict = check(name, "surely not")
        assert not verdict
        assert hint in repr(verdict)
        assert "Not yet" in verdict._repr_html_()


def test_answers_are_taken_as_people_write_them() -> None:
    assert check("locked-apps", ("T4-assigned-variable ", "t2-two-pauses", "t1-if-else", "t3-answer-before"))
    assert check("paths", "1024")
    assert not check("paths", 1023)
    assert repr(check("paths", 1024)) == "Right."


def test_an_exercise_that_does_not_exist_is_told() -> None:
    with pytest.raises(UsageError) as told_:
        check("no-such", 1)
    assert "first-text" in told_.value.cause


def test_progress_bars_of_slow_machines_are_not_saved() -> None:
    bar = {
        "application/vnd.jupyter.widget-view+json": {"model_id": "x"},
        "text/plain": "0 events [00:00, ? events/s]",
    }
    player = {**bar, "text/html": "<div>a picture</div>"}
    shown = [
        {"output_type": "display_data", "data": bar},
        {"output_type": "stream", "name": "stderr", "text": "12 events [00:03, 4.00 events/s]"},
        {"output_type": "execute_result", "data": player},
    ]
    assert [_progress(each) for each in shown] == [True, True, False]
