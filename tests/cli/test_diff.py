"""`workbench diff`: runs, steps, saved states and apps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.driver import FIXTURES, cli
from tests.core.test_diff import apply
from workbench.core.diff import Change

APP = FIXTURES / "shapes/t1-if-else/app.yml"
STATES = FIXTURES / "states"


def run(home: Path, app: Path = APP) -> str:
    done = cli("run", app, "--query", "hi", "--json")
    assert done.code in (0, 3), done.err
    return str(done.json["run_id"])


def resume(run_id: str, gate: str) -> str:
    done = cli("resume", run_id, "--action", "approve", "--field", "note=n", "--gate", gate, "--json")
    assert done.code == 0, done.err
    return str(done.json["run_id"])


@pytest.mark.kernel
def test_the_same_run_twice_has_no_difference(home: Path) -> None:
    first, second = run(home), run(home)
    found = cli("diff", first, second, "--json")
    assert found.code == 0
    assert found.json["equal"] is True
    assert found.json["changes"] == found.json["patch"] == []


@pytest.mark.kernel
def test_a_lost_and_a_restored_gate_differ_in_what_was_streamed(home: Path) -> None:
    first = run(home)
    resume(first, "fresh")
    fork = resume(first, "restored")
    found = cli("diff", first, fork, "--json").json
    assert {change["path"].split("[")[0] for change in found["changes"]} == {"streamed", "chunks"}
    assert found["changes"][0] == {"path": "streamed", "op": "replace", "before": "", "after": "Hello n!"}
    told = cli("diff", first, fork).out
    assert '~ streamed: "" → "Hello n!"' in told
    assert "  finding answer-locked-before-pause " in told
    rows = {(row["kind"], row["what"]): row for row in found["aligned"]}
    streamed = rows["text", "streamed text"]
    assert not streamed["equal"]
    assert streamed["path"] == "/streamed"
    assert streamed["at"]["after"]["run_id"] == fork
    asked = [row for row in found["aligned"] if row["kind"] == "node" and row["node_id"] == "hum"]
    assert [(row["occurrence"], row["equal"]) for row in asked] == [(0, True), (1, True)]
    assert asked[0]["at"]["before"]["run_id"] == asked[0]["at"]["after"]["run_id"] == first
    assert all(row["equal"] for row in found["aligned"] if row["counted"] and row["kind"] != "text")


@pytest.mark.kernel
def test_two_steps_of_a_run(home: Path) -> None:
    own = run(home)
    found = cli("diff", f"{own}@0", f"{own}@2", "--json").json
    assert found["view"] == "step"
    assert {"path": "status.start", "op": "add", "before": None, "after": "running"} in found["changes"]
    assert cli("diff", f"{own}@0", f"{own}@999").code == 2


@pytest.mark.kernel
def test_a_run_and_a_saved_pause_are_compared_as_steps(home: Path) -> None:
    own = run(home)
    saved = STATES / "E/t1-if-else.json"
    found = cli("diff", own, saved, "--app", APP, "--json")
    assert found.code == 0, found.err
    assert found.json["view"] == "step"
    assert "gate" not in {change["path"] for change in found.json["changes"]}
    missing = cli("diff", own, saved)
    assert missing.code == 2
    assert "can't be compared" in missing.err


def test_a_file_equals_itself_whatever_the_key_order(home: Path, tmp_path: Path) -> None:
    saved = STATES / "E/t1-if-else.json"
    turned = tmp_path / "turned.json"
    turned.write_text(json.dumps(dict(reversed(json.loads(saved.read_text()).items())), indent=1))
    assert cli("diff", saved, turned, "--json").json["equal"] is True


@pytest.mark.parametrize("era", ["B", "C", "D"])
def test_the_patch_of_two_files_makes_one_from_the_other(home: Path, era: str) -> None:
    from workbench.core.compare import opened

    first, second = STATES / era / "t1-if-else.json", STATES / era / "t3-answer-before.json"
    patch = cli("diff", first, second, "--json", "--unmask").json["patch"]
    changes = tuple(_change(step) for step in patch)
    made = apply(opened(json.loads(first.read_text())), changes)
    assert made == opened(json.loads(second.read_text()))


def _change(step: dict[str, object]) -> Change:
    parts = [p.replace("~1", "/").replace("~0", "~") for p in str(step["path"]).split("/")[1:]]
    path = tuple(int(p) if p.isdigit() else p for p in parts)
    return Change(path, step["op"], None, step.get("value"))  # type: ignore[arg-type]


def test_two_eras_of_one_state_mean_the_same_but_for_ids(home: Path) -> None:
    found = cli(
        "diff", STATES / "C/t1-if-else.json", STATES / "D/t1-if-else.json", "--app", APP, "--json"
    ).json
    places = {change["path"].split(".")[0] for change in found["changes"]}
    assert "edges" not in places
    assert "nodes" not in places


def test_two_apps_differ_where_they_were_edited(home: Path, tmp_path: Path) -> None:
    edited = tmp_path / "edited.yml"
    edited.write_text(APP.read_text().replace("Hello {{#hum.note#}}!", "Bye {{#hum.note#}}!"))
    found = cli("diff", APP, edited, "--json").json
    assert [change["path"] for change in found["changes"]] == ["nodes.answer.data.answer"]


def test_hostile_texts_stay_text(home: Path, tmp_path: Path) -> None:
    edited = tmp_path / "edited.yml"
    edited.write_text(APP.read_text().replace("Nothing to ask.", '"\\e[31m[red]\\u202e"'))
    told = cli("diff", APP, edited)
    assert told.code == 0, told.err
    assert "\x1b" not in told.out
    assert "\u202e" not in told.out
