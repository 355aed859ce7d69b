"""Runs from Python: what is in them, and how they go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import Workbench
from workbench.errors import NotFoundError, UsageError, WorkbenchError
from workbench.notebook import Run, Saved, Step

pytestmark = pytest.mark.kernel


def test_a_run_tells_how_it_came_out(paused: Run) -> None:
    assert (paused.status, paused.kernel, paused.mode) == ("paused", "graphon-0.8", "advanced-chat")
    assert paused.streamed == ""
    assert paused.answer is None
    assert paused.inputs == {"amount": 250}
    assert paused.pause is not None
    assert paused.pause.actions == ("approve", "reject")
    assert paused.pause.fields == ("note",)
    assert not paused.pause.consumed
    assert paused.pause.gate_saved
    assert [each["node_id"] for each in paused.nodes] == ["start", "large", "approval"]
    assert "waits for its form" in repr(paused)


def test_the_story_of_the_silent_answer(paused: Run) -> None:
    """The gate lost at the resume keeps the Answer silent; restored, the same pause streams it."""
    assert paused.pause is not None
    lost = paused.pause.resume(action="approve", fields={"note": "hi"}, gate="fresh")
    assert lost.id == paused.id
    assert (lost.status, lost.streamed) == ("succeeded", "")
    assert lost.answer == "Your refund of 250 is approved. hi"
    assert lost.why().codes[0] == "answer-locked-before-pause"
    assert lost.why().troubled

    again = paused.pause.resume(action="approve", fields={"note": "hi"}, gate="restored")
    assert again.id != paused.id
    assert again.forked_from == {"run_id": paused.id, "step": paused.pause.step}
    assert again.streamed == again.answer == lost.answer
    assert again.parent == lost
    assert not again.diff(lost).equal


def test_steps_are_counted_as_events(paused: Run) -> None:
    assert len(paused.steps) == paused.row.steps + 1
    assert paused.at(0).event is None
    assert paused.steps[3].step == 3
    assert paused.at(-1).step == paused.row.steps
    assert [step.step for step in paused.steps[2:5]] == [2, 3, 4]
    assert paused.at(3).next().previous() == paused.at(3)
    assert paused.at(0).previous().step == 0
    assert [step.step for step in paused.steps] == list(range(len(paused.steps)))
    with pytest.raises(UsageError, match="has no step 99"):
        paused.at(99)


def test_the_gate_of_a_step(paused: Run) -> None:
    before, after = paused.at(2).gate, paused.at(-1).gate
    assert set(after.blocking) == {"answer", "refused", "small"}
    assert after.blocking["answer"] == ("approval-approve-answer-target",)
    assert len(before.blocking["answer"]) == 2
    assert after.paths_map["answer"] == [["approval-approve-answer-target"]]
    assert after.sentence.startswith("Nothing streams: “Tell the customer” waits for the edge")
    assert [row["state"] for row in after.table] == ["locked"] * 3


def test_a_step_tells_variables_nodes_and_edges(paused: Run) -> None:
    end = paused.at(-1)
    assert end.variables["start"]["amount"] == 250
    assert end.nodes["small"] == "skipped"
    assert "taken" in end.edges.values()
    assert end.status["approval"] == "paused"
    assert ("start", "amount", 250) in end.variables_table.rows
    assert end.text == "The run is paused"


def test_a_fork_goes_on_with_other_values(paused: Run) -> None:
    fork = paused.at(4).fork(values={"start.amount": 10})
    assert fork.status == "succeeded"
    assert fork.forked_from == {"run_id": paused.id, "step": 4}
    assert fork.streamed
    assert paused.refresh().status == "paused"


def test_what_was_read_stays_when_the_run_goes_on(paused: Run) -> None:
    """Node executions and pauses are those of the moment when the run was read."""
    assert paused.pause is not None
    paused.pause.resume(action="approve")
    assert paused.status == "paused"
    assert paused.nodes.column("status") == ("succeeded", "succeeded", "paused")


def test_two_steps_of_one_run_are_compared(paused: Run) -> None:
    found = paused.at(3).diff(paused.at(8))
    assert found.view == "step"
    assert "nodes.approval" in found.table.column("path")
    assert paused.at(3).diff(paused.at(3)).equal
    assert len(found.swapped()) == len(found)
    assert found.patch[0]["op"] in ("add", "remove", "replace")
    assert found[0].path == found[:1][0].path


def test_an_edit_is_a_new_file_and_the_pause_stays(paused: Run, wb: Workbench) -> None:
    assert paused.pause is not None
    edited = paused.pause.edit({"start.amount": 999, "sys.query": "edited"})
    assert edited.id is not None
    values = {(v["node_id"], v["name"]): v["value"] for v in edited.variables}
    assert values["start", "amount"] == 999
    assert "start.amount" in repr(edited)
    done = edited.resume(action="approve", fields={"note": "ok"})
    assert done.streamed == "Your refund of 999 is approved. ok"
    assert paused.pause.source.state == wb.pause_of(paused.pause.id).source.state
    assert "999" not in paused.pause.source.state
    assert "gate:answer" in edited.targets("gate:").column("target")


def test_a_text_is_read_by_the_type_of_its_target(paused: Run) -> None:
    edited = paused.pause.edit({"start.amount": "41"})  # type: ignore[union-attr]
    values = {(v["node_id"], v["name"]): v["value"] for v in edited.variables}
    assert values["start", "amount"] == 41


def test_a_dry_run_keeps_nothing(paused: Run, wb: Workbench) -> None:
    assert paused.pause is not None
    tried = wb.edit(paused.pause, {"start.amount": 5}, dry_run=True)
    assert tried.edited is not None
    assert tried.edited.file_id is None
    assert "dry run" in repr(tried)


def test_an_edit_that_does_not_fit_is_refused(paused: Run) -> None:
    assert paused.pause is not None
    with pytest.raises(UsageError, match="amuont"):
        paused.pause.edit({"start.amuont": 1})


def test_heal_writes_a_file_that_can_be_loaded(paused: Run, wb: Workbench, tmp_path: Path) -> None:
    assert paused.pause is not None
    broken = tmp_path / "lost.json"
    old = wb.example().run("hi", kernel="0.5")
    assert old.pause is not None
    old.pause.export(broken, "dify")
    lost = wb.load(broken, app=wb.example())
    assert lost.gate.blocking["answer"] == ("large-true-approval-target", "approval-approve-answer-target")
    healed = wb.heal(lost)
    assert healed.how == "rebuilt"
    assert healed.evidence
    saved = healed.save(tmp_path / "healed.json")
    done = saved.resume(action="approve", fields={"note": "x"}, kernel="graphon-0.8")
    assert done.streamed == "Your refund of 250 is approved. x"


def test_what_was_written_is_loaded_again(paused: Run, wb: Workbench, tmp_path: Path) -> None:
    assert paused.pause is not None
    bundle = paused.export(tmp_path / "run.bundle")
    assert (bundle.format, bundle.path.stat().st_size) == ("bundle", bundle.size)
    other = Workbench(tmp_path / "other.duckdb", progress=False)
    found = other.import_(bundle.path, tmp_path / "nothing.yml")
    assert [each.kind for each in found] == ["bundle", "unknown"]
    assert len(found.errors) == 1
    brought = found.load()
    assert isinstance(brought, Run)
    assert brought.id == paused.id
    with pytest.raises(WorkbenchError, match="was not imported"):
        found.load(1)


def test_everything_is_found_by_its_id(paused: Run, wb: Workbench) -> None:
    assert paused.pause is not None
    assert wb.load(paused.id[:12]) == paused
    assert wb.load(paused.pause.id).id == paused.pause.id
    assert wb.run_of(paused.pause.id) == paused
    assert wb.load(paused.app.id).name == "Refund approval"
    assert wb.show(paused.pause).step == paused.pause.step  # type: ignore[union-attr]
    assert isinstance(wb.show(paused, 3), Step)
    assert isinstance(wb.show(paused.pause.edit({"sys.query": "x"})), Saved)
    with pytest.raises(NotFoundError):
        wb.load("no-such-thing")
    with pytest.raises(UsageError, match="no steps"):
        wb.show(paused.app)


def test_the_runs_of_the_store(wb: Workbench, paused: Run) -> None:
    wb.example().run("another", inputs={"amount": 3})
    assert [run.status for run in wb.runs()] == ["succeeded", "paused"]
    assert wb.runs(status="paused")[0] == paused
    assert wb.runs("another")[0].query == "another"
    assert len(wb.runs(limit=1)) == 1
    assert isinstance(wb.runs()[:1], type(wb.runs()))
    assert wb.runs().table.column("app") == ("Refund approval",) * 2
    assert wb.apps().column("name") == ("Refund approval",)
    assert set(wb.kernels().column("name")) >= {"graphon-0.5", "graphon-0.8"}


def test_breakpoints_scripts_and_limits(wb: Workbench) -> None:
    stopped = wb.run(wb.example(), break_before="approval")
    assert stopped.pause is not None
    assert stopped.pause.actions == ()
    scripted = wb.run(wb.example(), script={"nodes": {"approval": {"submit": {"action": "approve"}}}})
    assert scripted.status in ("paused", "succeeded")
    with pytest.raises(UsageError, match="no option 'colour'"):
        wb.run(wb.example(), colour="red")
    with pytest.raises(UsageError, match="graphon-9"):
        wb.run(wb.example(), kernel="graphon-9")


def test_one_app_on_every_engine(wb: Workbench) -> None:
    made = wb.run_on_all(wb.example(), "hi", inputs={"amount": 3})
    assert [run.kernel for run in made.runs] == ["graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"]
    assert made.differences == ()
    assert "no difference" in repr(made)


def test_an_app_is_looked_at_and_checked(wb: Workbench) -> None:
    app = wb.example()
    assert app.inputs.column("name") == ("amount",)
    assert app.nodes.column("type")[:2] == ("start", "if-else")
    assert len(app.edges) == 5
    assert app.check("1.15.0").codes == ("gate-state-missing",)
    assert app.check("main").codes == ()
    page = wb.explain("gate-state-missing")
    assert page._repr_markdown_() == str(page)
    with pytest.raises(UsageError, match="refund-approval"):
        wb.example("nothing")


def test_an_app_is_fixed_in_a_copy(wb: Workbench, tmp_path: Path) -> None:
    fixed = wb.example().fix("1.15.0", play=False)
    assert fixed.changed
    assert fixed.proof is None
    again = wb.load(fixed.save(tmp_path / "fixed.yml"))
    assert len(again.nodes) > len(wb.example().nodes)
    assert not again.check("1.15.0").troubled
    assert again.record.graph == fixed.app.record.graph
    assert "1." in repr(fixed)


def test_a_run_is_read_again_with_what_is_new(paused: Run) -> None:
    assert paused.pause is not None
    steps, nodes = len(paused.steps), paused.nodes.rows
    assert not paused.outdated
    done = paused.pause.resume(action="reject")
    assert len(paused.steps) == steps
    assert paused.outdated
    assert Run(paused.bench, paused.id).nodes.rows != nodes == paused.nodes.rows
    assert paused.diff(done).view == "step"
    assert not paused.diff(done).equal
    again = paused.refresh()
    assert again.nodes.rows == done.nodes.rows
    assert again.diff(done).equal
    assert (again.status, len(again.steps)) == ("succeeded", len(done.steps))
    assert again.at(-1).variables == done.at(-1).variables
    assert again.streamed == done.streamed
