"""The widgets without a browser: what Python sets and hears, and what goes over the wire."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
import traitlets

from workbench import Workbench, widgets
from workbench.notebook import Run


def ask(widget: Any, question: str, **more: Any) -> Any:
    """What the front end would get."""
    message = json.loads(json.dumps(widget.answer({"id": "1", "ask": question, **more})))
    assert message["id"] == "1"
    assert "error" not in message, message
    return message["answer"]


def refused(widget: Any, question: str, **more: Any) -> dict[str, str]:
    message: dict[str, Any] = json.loads(json.dumps(widget.answer({"id": "1", "ask": question, **more})))
    error: dict[str, str] = message["error"]
    return error


def test_a_player_stands_at_the_end_or_where_it_is_told(paused: Run) -> None:
    assert widgets.player(paused).step == paused.loaded.timeline.steps == 11
    assert widgets.player(paused, 3).step == 3
    assert widgets.player(paused, -1).step == 11


def test_a_step_outside_of_the_run_is_the_nearest_one(paused: Run) -> None:
    player = widgets.player(paused)
    player.step = 99
    assert player.step == 11
    player.step = -5
    assert player.step == 0


def test_python_hears_where_the_user_goes(paused: Run) -> None:
    player, heard = widgets.player(paused), []
    player.observe(lambda change: heard.append((change.name, change.new)), ["step", "selected"])
    player.set_state({"step": 7, "selected": "approval"})
    assert heard == [("step", 7), ("selected", "approval")]
    assert player.state.step == 7


def test_a_node_that_is_not_there_is_not_selected(paused: Run) -> None:
    player = widgets.player(paused)
    player.selected = "nowhere"
    assert player.selected == ""


def test_frames_tell_each_step(paused: Run) -> None:
    player = widgets.player(paused)
    before, after = ask(player, "frames", steps=[0, 11])
    assert set(before["nodes"]) == {"a"}
    assert before["text"] == "Before the first event"
    assert len(after["edges"]) == len(paused.loaded.graph.edges)
    assert after["kind"] == "pause"
    assert "until its form is answered" in after["gate"]["sentence"]


def test_breakpoints_stop_where_they_are_reached(paused: Run) -> None:
    player = widgets.player(paused)
    player.breakpoints = [{"kind": "before", "node": "approval"}]
    assert player.stops == [9]
    player.breakpoints = [*player.breakpoints, {"kind": "gate"}]
    assert player.stops == [7, 9]
    with pytest.raises(traitlets.TraitError, match="is no breakpoint"):
        player.breakpoints = [{"kind": "never"}]


def test_events_come_in_pages(paused: Run) -> None:
    marks = ask(widgets.player(paused), "marks", start=10, end=99)
    assert [mark[:2] for mark in marks] == [[10, "form"], [11, "pause"]]


def test_stepping_over_a_node_from_its_start(paused: Run) -> None:
    player = widgets.player(paused, 5)
    assert ask(player, "over", step=5, direction=1) == 8


def test_variables_of_a_node(paused: Run) -> None:
    found = ask(widgets.player(paused), "variables", node="start", step=11)
    assert found["status"] == "succeeded"
    assert ["amount", "250"] in found["variables"]


def test_an_unknown_question_is_answered_with_what_to_do(paused: Run) -> None:
    assert refused(widgets.player(paused), "nothing")["fix"] == "Reload the page."
    assert "TypeError" in refused(widgets.player(paused), "frames", wrong=1)["title"]


def test_a_gate_view_stands_at_its_step(paused: Run) -> None:
    gate = widgets.gate(paused.at(7))
    assert (gate.step, gate._view) == (7, "gate")


def test_the_graph_is_tidied_on_request(paused: Run) -> None:
    player = widgets.player(paused)
    player.tidy = True
    assert {each["id"] for each in player._picture["nodes"]} == set(paused.loaded.graph.nodes)


def test_a_form_resumes_and_says_what_came(paused: Run) -> None:
    form = widgets.form(paused.pause)
    told: list[Any] = []
    form.send = lambda content, buffers=None: told.append(content)
    assert [a["id"] for a in form._data["reasons"][0]["actions"]] == ["approve", "reject"]
    _resume(form, action="approve", fields={"note": "sure"})
    assert (form.status, form.run_id) == ("done", paused.id)
    assert form.resumed.status == "succeeded"
    assert told[-1]["streamed"].strip()


def test_a_form_tells_what_does_not_fit(paused: Run) -> None:
    form = widgets.form(paused.pause)
    told: list[Any] = []
    form.send = lambda content, buffers=None: told.append(content)
    _resume(form, action="perhaps")
    assert form.status == "failed"
    assert "perhaps" in told[-1]["error"]["title"]


def _resume(form: Any, **given: Any) -> None:
    ended = threading.Event()
    form.observe(lambda change: change.new != "running" and ended.set(), "status")
    ask(form, "resume", **given)
    assert ended.wait(60)


def test_edits_are_tried_made_undone_and_kept(paused: Run, wb: Workbench) -> None:
    editor = widgets.editor(paused.pause)
    (place,) = [
        p for p in ask(editor, "search", words="start.amount")["places"] if p["target"] == "start.amount"
    ]
    field = ask(editor, "field", of=place["id"])
    assert (field["form"], field["text"], field["type"]) == ("number", "250", "integer")
    tried = ask(editor, "try", of=place["id"], text="300", type="integer")
    assert (tried["change"]["before"], tried["change"]["after"]) == ("250", "300")
    assert editor.edits == 0
    ask(editor, "apply", of=place["id"], text="300", type="integer")
    assert editor.edits == 1
    assert ask(editor, "undo")["redo"]
    assert editor.edits == 0
    ask(editor, "redo")
    file_id = ask(editor, "save", name="more money")
    assert editor.file_id == file_id
    assert {v["name"]: v["value"] for v in wb.load(file_id).told["variables"]}["amount"] == 300
    assert "amount" not in refused(editor, "apply", of=place["id"], text="much", type="integer")["title"]


def test_an_edit_as_the_command_line_spells_it(paused: Run) -> None:
    editor = widgets.editor(paused.pause)
    assert ask(editor, "command", text="start.amount:=5")["changes"][0]["after"] == "5"
    assert refused(editor, "command", text="nonsense")["fix"].startswith("For example")
    assert "Nothing was changed" in refused(widgets.editor(paused.pause), "save")["title"]


def test_the_tree_opens_branch_by_branch(paused: Run) -> None:
    editor = widgets.editor(paused.pause)
    sections = ask(editor, "places")["places"]
    assert [each["label"] for each in sections][:2] == ["Variables", "Gate"]
    inside = ask(editor, "places", of=sections[0]["id"])
    assert inside["total"] == len(inside["places"]) == 3
    assert refused(editor, "places", of=10_000)["fix"] == "Open its branch again."


def test_differences_are_told_row_by_row(paused: Run, wb: Workbench) -> None:
    compare = widgets.compare(paused.diff(wb.run(wb.example(), "hello", kernel="graphon-0.8")))
    assert compare.differences == len(compare.differing) > 0
    rows = ask(compare, "rows", places=compare.differing)
    assert {"hello"} & {row["after"] for row in rows}
    compare.selected = 10_000
    assert compare.row is not None


def test_a_browser_of_runs_searches_and_hears_of_changes(paused: Run, wb: Workbench) -> None:
    browser = widgets.browse(wb)
    try:
        assert [row["id"] for row in ask(browser, "runs")["rows"]] == [paused.id]
        browser.search = "nothing has this"
        assert ask(browser, "runs")["rows"] == []
        browser.search, browser.selected = "", paused.id
        assert browser.run.id == paused.id
        with pytest.raises(traitlets.TraitError):
            browser.status = "asleep"
    finally:
        browser.close()


def test_findings_have_their_evidence_and_their_pages(paused: Run) -> None:
    findings = widgets.findings(paused.why(dify="1.15"))
    first = findings._data["findings"][0]
    assert (first["severity"], first["code"]) == ("error", "gate-state-missing")
    assert "gate" in ask(findings, "page", code=first["code"])
    findings.selected = 0
    assert findings.finding is not None


def test_a_live_run_grows_under_the_slider(paused: Run, wb: Workbench) -> None:
    player = widgets.player(paused)
    wb.resume(paused, action="approve")
    player._grown()
    assert player.step == player.steps > 11
    assert ask(player, "frames", steps=[player.steps])[0]["tail"].startswith("Your refund of 250")
    assert len(player._kinds) == player.steps
