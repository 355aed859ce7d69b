"""A saved pause without its app: laid open all the same, and the only imported app that fits is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli
from tests.conftest import CACHE, REPOSITORY
from workbench.errors import UsageError
from workbench.records.app import read_app
from workbench.verbs.context import Context
from workbench.verbs.heal import heal
from workbench.verbs.importing import import_file
from workbench.verbs.show import show
from workbench.verbs.why import why

STATES = sorted((REPOSITORY / "fixtures" / "states").glob("[A-E]/*.json"))
APPS = {"t2-second-pause": "t2-two-pauses", "every-type": "every-type"}
STATE = REPOSITORY / "fixtures" / "states" / "B" / "t1-if-else.json"
APP = REPOSITORY / "fixtures" / "shapes" / "t1-if-else" / "app.yml"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


def app_of(state: Path) -> Path:
    name = APPS.get(state.stem, state.stem)
    folder = (
        "states"
        if name == "every-type"
        else "containers"
        if "pause" in name and "t2" not in name
        else "shapes"
    )
    return REPOSITORY / "fixtures" / folder / name / "app.yml"


@pytest.mark.parametrize("state", STATES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_all_but_names_and_edges_is_there(state: Path, ctx: Context) -> None:
    alone, whole = show(ctx, state), show(ctx, state, app=app_of(state))
    assert alone.app is None
    assert alone.state.variables == whole.state.variables
    assert {n: s for n, s in alone.state.nodes.items() if s != "unknown"} == {
        n: s for n, s in whole.state.nodes.items() if s != "unknown"
    }
    assert alone.pause is not None
    assert whole.pause is not None
    assert [each.value for each in alone.pause.variables] == [each.value for each in whole.pause.variables]
    assert alone.pause.reasons == whole.pause.reasons
    assert [each.node for each in alone.pause.tasks] == [each.node for each in whole.pause.tasks]
    if state.parent.name in "CDE":
        assert [(a.node_id, a.state) for a in alone.state.answers] == [
            (a.node_id, a.state) for a in whole.state.answers
        ]
    assert not ctx.store_file.exists()


@pytest.mark.parametrize("state", STATES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_why_tells_of_the_gate_and_what_the_app_would_add(state: Path, ctx: Context) -> None:
    result = why(ctx, state)
    assert result.partial
    assert "With --app APP" in result.notes[0]
    codes = {finding.code for finding in result.findings}
    assert ("gate-state-missing" in codes) == (state.parent.name == "B")
    assert "gate-state-missing" in {finding.code for finding in why(ctx, state, dify="1.15.0").findings}


def test_the_only_imported_app_that_fits_is_taken_and_told(ctx: Context) -> None:
    for app in sorted((REPOSITORY / "fixtures" / "shapes").glob("*/app.yml")):
        import_file(ctx, app)
    shown = show(ctx, STATE)
    assert shown.app is not None
    assert shown.app.data == APP.read_bytes()
    assert any("'T1 if-else upstream'" in note and "the only one that fits" in note for note in shown.notes)
    assert why(ctx, STATE).findings == why(ctx, STATE, app=APP).findings
    healed = heal(ctx, STATE)
    assert healed.text == heal(ctx, STATE, app=APP).text
    assert any("the only one that fits" in note for note in healed.warnings)


def test_of_two_that_fit_none_is_taken(ctx: Context, tmp_path: Path) -> None:
    copy = tmp_path / "copy.yml"
    copy.write_bytes(APP.read_bytes().replace(b"T1 if-else upstream", b"Its copy"))
    assert read_app(copy.read_bytes()).name == "Its copy"
    for app in (APP, copy):
        import_file(ctx, app)
    assert show(ctx, STATE).app is None
    assert any("2 imported apps fit" in note for note in why(ctx, STATE).notes)
    with pytest.raises(UsageError) as raised:
        heal(ctx, STATE)
    assert "2 imported apps fit" in raised.value.cause
    assert "workbench heal" in raised.value.next_step


def test_the_command_line_does_without(home: Path) -> None:
    told = cli("show", STATE)
    assert told.code == 0
    assert "Without its app: ids as they were saved." in told.out
    assert cli("show", STATE, "--json").json["app"] is None
    assert cli("why", STATE).code == 4
    sound = cli("why", STATE.parent.parent / "E" / STATE.name)
    assert (sound.code, "Nothing wrong is seen in it, without its app." in sound.out) == (0, True)


def test_a_wrong_app_is_told_in_one_line_before_the_single_reasons(ctx: Context) -> None:
    wrong = REPOSITORY / "fixtures" / "shapes" / "t5-parallel-llm" / "app.yml"
    notes = show(ctx, STATES[0].parents[1] / "D" / "loop-pause.json", app=wrong).notes
    place = next(place for place, note in enumerate(notes) if note.startswith("This is not the graph"))
    singles = notes[place + 2 :]
    assert "the state knows nodes that the app does not have (loop, loopstart, ask, add)" in notes[place]
    assert notes[place + 1] == (
        f"The next {len(singles)} notes tell what graphon-0.7 would refuse or drop of it."
    )
    assert singles[0].startswith("deferred_ready_tasks[0] starts the node 'ask'")
    right = show(ctx, STATE, app=APP).notes
    assert [note for note in right if "graph that was saved" in note or "would refuse" in note] == []
