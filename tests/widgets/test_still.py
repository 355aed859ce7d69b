"""What a saved notebook keeps of a widget: readable without a kernel, and harmless whatever the texts say."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tests.notebook.hostile import Elements
from workbench import widgets
from workbench.notebook import Run

KINDS = ("player", "gate", "form", "editor", "compare", "browse", "findings")
SHAPES = {"svg", "style", "rect", "text", "path", "polyline"}


def made(kind: str, run: Run) -> Any:
    return {
        "player": lambda: widgets.player(run),
        "gate": lambda: widgets.gate(run.at(-1)),
        "form": lambda: widgets.form(run.pause),
        "editor": lambda: widgets.editor(run.pause),
        "compare": lambda: widgets.compare(run.at(3).diff(run.at(9))),
        "browse": lambda: widgets.browse(run.bench),
        "findings": lambda: widgets.findings(run.why(dify="1.15")),
    }[kind]()


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_texts_stay_text(kind: str, hostile: Run) -> None:
    widget = made(kind, hostile)
    try:
        data = widget._repr_mimebundle_()[0]
    finally:
        widget.close()
    markup = data["text/html"]
    found = Elements(markup)
    assert found.open == []
    assert found.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "img"}
    assert found.attributes <= {"style", "alt", "src"}
    assert set(re.findall(r'src="([^,"]*)', markup)) <= {"data:image/svg+xml;base64"}
    for text in (markup, data["text/plain"]):
        assert "\x1b" not in text
        assert "\u202e" not in text
    for image in re.findall(r"base64,([^\"]+)", markup):
        drawn = base64.b64decode(image).decode("utf-8")
        assert {element.tag.rpartition("}")[2] for element in ET.fromstring(drawn).iter()} <= SHAPES
        assert "\x1b" not in drawn


def test_a_picture_of_graph_and_gate_stays(paused: Run) -> None:
    data = widgets.player(paused)._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "data:image/svg+xml;base64," in data["text/html"]
    assert "Ask the team lead —Approve→ Tell the customer" in data["text/html"]
    assert data["text/plain"].splitlines()[1] == "step 11 of 11: The run is paused"


def test_nbconvert_shows_the_picture_where_no_state_was_saved(paused: Run) -> None:
    nbformat, nbconvert = pytest.importorskip("nbformat.v4"), pytest.importorskip("nbconvert")
    data = dict(widgets.player(paused)._repr_mimebundle_()[0])
    output = nbformat.new_output("display_data", data=data)
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell("run.player()", outputs=[output])])
    page, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(book)
    assert "data:image/svg+xml;base64," in page
    assert "waits for" in page
