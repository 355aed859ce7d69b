"""`edit`: the original stays, the edited pause is a file that the other verbs take."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from workbench.core.edits import Edit, Given, Place, parse
from workbench.errors import UsageError, WorkbenchError
from workbench.verbs.context import Context
from workbench.verbs.edit import edit, edits_from, targets
from workbench.verbs.exporting import export_bytes
from workbench.verbs.heal import heal
from workbench.verbs.importing import import_file
from workbench.verbs.show import show
from workbench.verbs.why import why
from workbench.views.editing import target_lines, targets_json
from workbench.views.secrets import mask_for

STATE = REPOSITORY / "fixtures/states/C/t1-if-else.json"
APP = REPOSITORY / "fixtures/shapes/t1-if-else/app.yml"
FILES = sorted((REPOSITORY / "fixtures/states").glob("?/*.json"))


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "marked"])
def test_import_edit_undo_and_export_keep_every_byte(
    ctx: Context, tmp_path: Path, path: Path, mark: bytes
) -> None:
    given = tmp_path / "state.json"
    given.write_bytes(mark + path.read_bytes())
    imported = import_file(ctx, given)
    assert imported.id is not None
    assert export_bytes(ctx, imported.id).data == given.read_bytes()
    there = edit(ctx, imported.id, [parse("sys.query=long new text")])
    assert there.file_id is not None
    assert there.data == given.read_bytes().replace(rb"hi", b"long new text", 1) or there.data.startswith(
        mark
    )
    back = edit(ctx, there.file_id, [parse("sys.query=hi")])
    assert back.data == given.read_bytes()
    assert export_bytes(ctx, imported.id).data == given.read_bytes()


def test_the_other_verbs_take_an_edited_pause_without_its_app(ctx: Context) -> None:
    made = edit(ctx, STATE, [parse("gate:answer=done"), parse("sys.query=again")], app=APP, name="try")
    assert made.file_id is not None
    states = {answer.node_id: answer.state for answer in why(ctx, made.file_id).answers}
    assert states["answer"] == "done"
    assert show(ctx, made.file_id).state.variables["sys"]["query"] == "again"
    assert heal(ctx, made.file_id).kernel == "graphon-0.6"
    origin = ctx.store.edited(made.file_id)
    assert origin is not None
    assert (origin.parent_kind, origin.parent_id, origin.name) == ("path", str(STATE), "try")
    assert ctx.store.edited("nothing") is None


def test_edits_are_saved_and_replayed(ctx: Context, tmp_path: Path) -> None:
    edits = [parse("sys.dialogue_count=3"), parse("sys.made:array[number]=[1]"), Edit("sys.query", None)]
    made = edit(ctx, STATE, edits, app=APP, name="three", dry_run=True)
    assert made.file_id is None
    file = tmp_path / "edits.yml"
    file.write_text(made.edits)
    name, again = edits_from(file)
    assert (name, list(again)) == ("three", edits)
    assert edit(ctx, STATE, again, dry_run=True).data == made.data
    file.write_text("edits:\n  - {set: sys.dialogue_count, to: 3}\n  - {unset: sys.query}\n")
    assert edits_from(file)[1][0] == Edit("sys.dialogue_count", Given(3))
    for text in ("edits: 3", "edits: [{to: 3}]", "edits: [{set: a}]", "edits: [{set: a, too: 1}]"):
        file.write_text(text)
        with pytest.raises(WorkbenchError):
            edits_from(file)


def test_what_the_engine_would_refuse_is_kept_only_by_force(ctx: Context) -> None:
    wrong = [parse("state:graph_state.nodes.hum=odd")]
    assert edit(ctx, STATE, wrong, app=APP, dry_run=True).warnings  # 0.6 drops an unknown state
    with pytest.raises(WorkbenchError, match=r"graphon-0\.8 would refuse"):
        edit(ctx, STATE, wrong, app=APP, kernel="graphon-0.8")
    kept = edit(ctx, STATE, wrong, app=APP, kernel="graphon-0.8", force=True)
    assert kept.file_id is not None
    assert kept.refused
    assert not list(ctx.store.runs())


def test_targets_are_listed(ctx: Context) -> None:
    found, _ = targets(ctx, STATE, "gate:", app=APP)
    assert {"gate:answer", "gate:answer.index", "gate:taken"} <= {place.target for place in found}
    with pytest.raises(UsageError, match="not a saved pause"):
        targets(ctx, APP)


def test_a_bare_runtime_state_and_a_bare_gate(ctx: Context, tmp_path: Path) -> None:
    context = json.loads(STATE.read_text())
    runtime, gate = tmp_path / "runtime.json", tmp_path / "gate.json"
    runtime.write_text(context["serialized_graph_runtime_state"])
    gate.write_text(context["serialized_response_stream_filter_state"])
    assert edit(ctx, runtime, [parse("sys.query=x")], app=APP).kind == "runtime-state"
    assert edit(ctx, gate, [parse("gate:answer=active")], app=APP).kind == "stream-filter"
    with pytest.raises(UsageError, match="without a gate"):
        edit(ctx, runtime, [parse("gate:answer=active")], app=APP)
    with pytest.raises(UsageError, match="no variables"):
        edit(ctx, gate, [parse("sys.query=x")], app=APP)


def test_healing_keeps_the_byte_order_mark(ctx: Context, tmp_path: Path) -> None:
    given = tmp_path / "state.json"
    given.write_bytes(codecs.BOM_UTF8 + STATE.read_bytes())
    assert heal(ctx, given, app=APP).text.encode() == given.read_bytes()


def test_showing_a_pause_with_another_app_says_so(ctx: Context) -> None:
    assert not [note for note in show(ctx, STATE, app=APP).notes if "does not have" in note]
    other = REPOSITORY / "fixtures/shapes/t5-parallel-llm/app.yml"
    notes = show(ctx, STATE, app=other).notes
    assert any("The state has the node 'check', which the app does not have." in note for note in notes)
    assert any("The app has the node 'llm', which the state does not have." in note for note in notes)


def test_the_environment_is_masked_wherever_it_stands() -> None:
    mask = mask_for(())
    places = [
        Place("env.key", "s3cr3t"),
        Place("start.env.key", "s3cr3t"),
        Place("frame:0/env.key", "s3cr3t"),
    ]
    assert "s3cr3t" not in json.dumps(targets_json(places, mask))
    assert "s3cr3t" not in "".join(target_lines(places, mask))
    assert "s3cr3t" in "".join(target_lines(places, mask_for((), unmask=True)))
