"""The memory lab: sliders that Python and the user move, what it shows, what a saved notebook keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import traitlets

from tests.notebook.hostile import Elements
from tests.widgets.page import SMALL, Shown
from tests.widgets.test_browser import until
from workbench import Workbench

ODD = "<script>alert(1)</script> </pre><img src=x onerror=alert(1)> \x1b[31m \u202e"


@pytest.fixture
def widget(tmp_path: Path) -> Any:
    rows = [
        {"id": f"m{n}", "parent_message_id": f"m{n - 1}" if n > 1 else None, "created_at": n,
         "query": f"question {n}", "answer": f"{ODD} answer {n}" if n < 8 else "", "answer_tokens": 0}
        for n in range(1, 9)
    ]  # fmt: skip
    (tmp_path / "chat.json").write_text(json.dumps(rows))
    memory = Workbench(tmp_path / "store.duckdb").memory(tmp_path / "chat.json", counter="chars")
    made = memory.widget()
    yield made
    made.close()


def test_python_moves_a_setting_and_the_rest_stays(widget: Any) -> None:
    heard: list[Any] = []
    widget.observe(lambda change: heard.append(change.new["window"]), "settings")
    widget.settings = {"window": 3}
    assert heard == [3]
    assert widget.settings["counter"] == "chars"
    assert widget._data["matrix"][-1] == "   8 ·····██▸"
    assert widget.lab.remembered.simulation.binding == "window"
    for wrong in ({"windw": 3}, {"counter": "gpt9"}, {"turn": 99}, {"window": "x"}):
        with pytest.raises(traitlets.TraitError):
            widget.settings = wrong
    assert widget.settings["window"] == 3


def test_a_saved_notebook_keeps_the_ledger_as_text(widget: Any) -> None:
    data = widget._repr_mimebundle_()[0]
    found = Elements(data["text/html"])
    assert found.open == []
    assert found.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td"}
    assert found.attributes <= {"style"}
    for text in (data["text/html"], data["text/plain"]):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "   8 ███████▸" in data["text/plain"]


def test_sliders_by_key_and_from_python(show: Callable[..., Shown], widget: Any) -> None:
    shown = show(widget, views=2)
    page = shown.page
    page.get_by_label("Window").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    until(shown, lambda: widget.settings["window"] == 3)
    assert page.locator(".wb-knob output").first.inner_text() == "8 of 8"
    assert page.locator(".wb-matrix").nth(1).inner_text().splitlines()[-1] == "   8 ·····██▸"
    assert page.locator('.wb-ledger tr[data-stage="kept"]').count() == 4
    widget.settings = {"turn": 5}
    shown.push()
    page.get_by_text("Turn 5: 2 of 5 rows kept").first.wait_for()
    assert page.get_by_label("Turn", exact=True).first.get_attribute("aria-valuetext") == "5 of 8"
    assert page.locator(".wb script, .wb img").count() == 0
    assert "<script>alert(1)</script>" in page.locator(".wb-ledger").first.inner_text()


def test_a_late_answer_does_not_move_a_slider_back(show: Callable[..., Shown], widget: Any) -> None:
    shown = show(widget)
    page = shown.page
    page.evaluate("""() => {
      const kernel = window.toKernel;
      window.held = [];
      window.toKernel = async (message) => {
        await new Promise((free) => window.held.push(free));
        return kernel(message);
      };
    }""")
    slider = page.get_by_label("Window")
    slider.press("ArrowRight")
    page.wait_for_function("held.length === 1")
    slider.press("ArrowRight")
    page.evaluate("held[0]()")
    page.get_by_text("binding: window").wait_for()
    assert widget.settings["window"] == 1
    assert slider.input_value() == "2"
    page.wait_for_function("held.length === 2")
    page.evaluate("held[1]()")
    until(shown, lambda: widget.settings["window"] == 2)
    assert slider.input_value() == "2"
    widget.settings = {"window": 5}
    shown.push()
    page.wait_for_function("document.querySelector('[aria-label=Window]').value === '5'")


def test_it_fits_a_narrow_page(show: Callable[..., Shown], widget: Any) -> None:
    page = show(widget, size=SMALL).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
