"""Every example of docs/python.md is run, in the order of the page."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from sybil.document import Document
from sybil.parsers.markdown import PythonCodeBlockParser

from workbench import Workbench, notebook

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


@pytest.mark.kernel
@pytest.mark.usefixtures("home")
def test_the_examples_do_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    document = Document.parse(str(PAGE), PythonCodeBlockParser(), encoding="utf-8")
    examples = list(document.examples())
    assert len(examples) > 12
    for example in examples:
        example.evaluate()


def test_every_verb_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, member in inspect.getmembers(Workbench):
        if not name.startswith("_") and inspect.isfunction(member) and member.__doc__:
            assert re.search(rf"\b{name}\b", page) or name in INNER, name


INNER = {"target", "app_target", "playable", "side", "play", "run_made", "load_imported"}


def test_everything_public_is_documented() -> None:
    for name in notebook.__all__:
        made = getattr(notebook, name)
        assert made.__doc__, name
        for method, member in inspect.getmembers(made, inspect.isfunction):
            if not method.startswith("_") and member.__module__.startswith("workbench.notebook"):
                assert member.__doc__, f"{name}.{method}"
