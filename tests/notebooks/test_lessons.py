"""Every lesson runs on the real engine, and its own assertions hold: no text in it can go stale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CACHE, REPOSITORY
from workbench.errors import UsageError
from workbench.notebook.lessons import EXERCISES, check

LESSONS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
LARGEST = 150_000
"""Bytes of a lesson with its outputs."""


def cells(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(file.read_text())["cells"]
    return found


def code(file: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(file) if cell["cell_type"] == "code"]


@pytest.mark.kernel
@pytest.mark.parametrize("file", LESSONS, ids=[file.stem for file in LESSONS])
def test_a_lesson_runs_and_what_it_says_is_so(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(CACHE))
    monkeypatch.setenv("WORKBENCH_STORE", str(tmp_path / "store.duckdb"))
    names: dict[str, Any] = {"__name__": "lesson"}
    for source in code(file):
        exec(compile(source, file.name, "exec"), names)


@pytest.mark.parametrize("file", LESSONS, ids=[file.stem for file in LESSONS])
def test_the_outputs_are_there_small_and_clean(file: Path) -> None:
    text = file.read_text()
    assert len(text) < LARGEST
    assert "/tmp/" not in text
    assert "<script" not in text
    for cell in cells(file):
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is not None
            assert all(output["output_type"] != "error" for output in cell["outputs"])


@pytest.mark.parametrize(
    "file", [file for file in LESSONS if file.stem != "index"], ids=lambda file: file.stem
)
def test_a_lesson_asks_before_it_answers_and_ends_with_an_exercise(file: Path) -> None:
    told = ["".join(cell["source"]) for cell in cells(file) if cell["cell_type"] == "markdown"]
    assert any("**Predict:**" in each for each in told)
    assert any("**Exercise:**" in each for each in told)
    assert any("assert check(" in each for each in code(file)), "the exercise has an answer that is right"


def test_the_index_names_every_lesson() -> None:
    index = "".join(cells(REPOSITORY / "notebooks/index.ipynb")[0]["source"])
    assert all(file.name in index for file in LESSONS if file.stem != "index")


def test_a_wrong_answer_gets_a_hint_and_no_answer_the_same() -> None:
    for name, exercise in EXERCISES.items():
        assert not check(name, "surely not")
        assert exercise.hint in repr(check(name, ...))
    with pytest.raises(UsageError):
        check("no-such", 1)
