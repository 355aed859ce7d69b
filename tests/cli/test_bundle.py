"""Runs given away as bundles: another store shows the same, and nothing secret is in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.driver import cli, fixture

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
SECRET, ADDRESS, NAME = "kx-93hfZ0pQ", "https://intern.example/v1", "ACME Ltd"


def run(app: Path, *more: str, store: Path | None = None) -> dict[str, Any]:
    done = cli("run", app, "--json", *more, *(() if store is None else ("--store", store)))
    assert done.code in (0, 3), done.err
    found: dict[str, Any] = done.json
    return found


def resume(run_id: str, *more: str) -> dict[str, Any]:
    done = cli("resume", run_id, "--action", "approve", "--json", *more)
    assert done.code in (0, 3), done.err
    found: dict[str, Any] = done.json
    return found


def shared(run_id: str, folder: Path, *more: str) -> tuple[Path, Path]:
    """A bundle of a run, and the store into which it was brought."""
    file, store = folder / "run.bundle.jsonl", folder / "other.db"
    done = cli("export", run_id, "--format", "bundle", "-o", file, *more)
    assert done.code == 0, done.err
    done = cli("import", file, "--store", store, "--json")
    assert done.code == 0, done.err
    assert done.json["files"][0]["kind"] == "bundle"
    return file, store


def same(run_id: str, store: Path, *verb: str) -> bool:
    return cli(*verb, run_id, "--json").json == cli(*verb, run_id, "--json", "--store", store).json


def test_a_family_of_runs_is_the_same_elsewhere(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    resume(first, "--gate", "fresh")
    fork = resume(first, "--gate", "restored")["run_id"]
    file, store = shared(fork, tmp_path)
    for run_id in (first, fork):
        assert same(run_id, store, "show")
        assert same(run_id, store, "why")
        for step in range(cli("show", run_id, "--json").json["steps"] + 1):
            assert same(run_id, store, "show", "--step", str(step))
    assert cli("runs", "--json", "--store", store).json == cli("runs", "--json").json
    pauses = [json.loads(line) for line in file.read_text().splitlines() if '"record":"pause"' in line]
    assert [same(pause["id"], store, "show") for pause in pauses] == [True]
    again = tmp_path / "again.jsonl"
    cli("export", fork, "--format", "bundle", "-o", again, "--store", store)
    assert again.read_bytes() == file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0


def test_beside_the_original_under_new_ids_nothing_differs(tmp_path: Path) -> None:
    first = run(fixture("shapes/t3-answer-before"))["run_id"]
    fork = resume(resume(first)["run_id"])["run_id"]
    file = tmp_path / "b.jsonl"
    cli("export", fork, "--format", "bundle", "-o", file)
    twin = cli("import", file, "--new-ids", "--json").json["files"][0]["id"]
    assert twin != fork
    done = cli("diff", fork, twin, "--json")
    assert (done.code, done.json["equal"]) == (0, True)


def test_a_waiting_run_is_resumed_elsewhere(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    _, store = shared(first, tmp_path)
    here = resume(first, "--field", "note=n")
    there = cli("resume", first, "--action", "approve", "--field", "note=n", "--json", "--store", store).json
    assert there["streamed"] == here["streamed"] == "Hello n!"
    assert there["forked_from"] is None


def test_the_family_takes_forks_along_on_request(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    resume(first)
    fork = resume(first)["run_id"]
    _, store = shared(first, tmp_path)
    assert [each["run_id"] for each in cli("runs", "--json", "--store", store).json["runs"]] == [first]
    folder = tmp_path / "more"
    folder.mkdir()
    _, store = shared(first, folder, "--with-forks")
    assert {r["run_id"] for r in cli("runs", "--json", "--store", store).json["runs"]} == {first, fork}


def secretive_app(folder: Path) -> Path:
    """An app with secrets in all the places where they come to stand."""
    app = yaml.safe_load(fixture("shapes/t1-if-else").read_text())
    workflow = app["workflow"]
    workflow["environment_variables"] = [
        {"id": "1", "name": "KEY", "value": SECRET, "value_type": "secret", "selector": ["env", "KEY"]},
        {"id": "2", "name": "URL", "value": ADDRESS, "value_type": "string", "selector": ["env", "URL"]},
        {"id": "3", "name": "FIRM", "value": NAME, "value_type": "string", "selector": ["env", "FIRM"]},
        {"id": "4", "name": "MOST", "value": 918273645, "value_type": "number", "selector": ["env", "MOST"]},
    ]
    nodes = workflow["graph"]["nodes"]
    for node in nodes:
        if node["data"]["type"] == "answer":
            node["data"]["answer"] += " {{#env.FIRM#}} {{#llm.text#}} {{#code.token#}}"
    start = next(node["id"] for node in nodes if node["data"]["type"] == "start")
    nodes += [
        {"id": "llm", "type": "custom", "data": LLM},
        {"id": "code", "type": "custom", "data": CODE},
    ]
    first = next(edge for edge in workflow["graph"]["edges"] if edge["source"] == start)
    second = {**first, "id": "llm-code", "source": "llm", "target": "code"}
    third = {**first, "id": "code-on", "source": "code"}
    first["target"] = "llm"
    workflow["graph"]["edges"] += [second, third]
    path = folder / "secretive.yml"
    path.write_text(yaml.safe_dump(app, sort_keys=False) + f"# {SECRET}\n")
    return path


LLM = {
    "type": "llm",
    "title": "LLM",
    "model": {"provider": "p", "name": "m", "mode": "chat", "completion_params": {}},
    "prompt_template": [{"role": "user", "text": "Say {{#env.KEY#}} at {{#env.URL#}}"}],
    "context": {"enabled": False, "variable_selector": []},
    "vision": {"enabled": False},
}
CODE = {
    "type": "code",
    "title": "Code",
    "code_language": "python3",
    "code": "def main():\n    return {'token': 'x'}",
    "variables": [],
    "outputs": {"token": {"type": "string", "children": None}},
}
SCRIPT = {
    "nodes": {
        "llm": {"chunks": ["the key ", SECRET[:3], SECRET[3:8], SECRET[8:] + " of", f" {ADDRESS}."]},
        "code": {"outputs": {"token": "9aXb-Q7tT1z"}},
    }
}


def test_nothing_secret_is_in_the_file(tmp_path: Path) -> None:
    app, script = secretive_app(tmp_path), tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    first = run(app, "--script", str(script))["run_id"]
    done = resume(first, "--field", "note=n")
    assert SECRET in done["streamed"] or "•" in done["streamed"]
    file, store = shared(first, tmp_path)
    text = file.read_text()
    for secret in (SECRET, ADDRESS, "9aXb-Q7tT1z", "918273645"):
        assert secret not in text
        assert secret[:9] not in text
    assert NAME in text  # every chat user reads it
    header = json.loads(text.splitlines()[0])
    assert header["masked"] == {"environment": ["KEY", "MOST", "URL"], "kept": ["FIRM"]}
    there = cli("show", first, "--json", "--store", store).json
    assert there["streamed"] == f"Hello n! {NAME} the key •••••• of ••••••. ••••••"
    assert cli("why", first, "--store", store).code == 0
    assert cli("resume", first, "--action", "approve", "--store", store).code == 0
    twin = cli("import", file, "--new-ids", "--json").json["files"][0]["id"]
    done = cli("diff", first, twin, "--json")
    assert (done.code, done.json["changes"]) == (0, [])


def test_unmasked_on_request(tmp_path: Path) -> None:
    first = run(secretive_app(tmp_path))["run_id"]
    file, store = shared(first, tmp_path, "--unmask")
    assert SECRET in file.read_text()
    assert same(first, store, "show")
    other = tmp_path / "masked.jsonl"
    cli("export", first, "--format", "bundle", "-o", other)
    done = cli("import", other, "--store", store, "--json")
    assert done.code == 0
    assert "here already" in done.json["files"][0]["detail"]


def test_a_run_that_has_gone_on_is_known(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    file, _ = shared(first, tmp_path)
    resume(first)
    done = cli("import", file, "--json")
    assert done.code == 0
    assert "here already" in done.json["files"][0]["detail"]


def test_another_run_of_that_id_is_not_overwritten(tmp_path: Path) -> None:
    run(fixture("shapes/t1-if-else"), "--run-id", "mine")
    file, _ = shared("mine", tmp_path)
    store = tmp_path / "third.db"
    run(fixture("shapes/c0-control"), "--run-id", "mine", store=store)
    before = cli("show", "mine", "--json", "--store", store).json
    done = cli("import", file, "--store", store)
    assert done.code == 1
    assert "Run mine exists in this store already" in done.err
    assert "--new-ids" in done.err
    assert cli("show", "mine", "--json", "--store", store).json == before
    assert cli("import", file, "--store", store, "--new-ids").code == 0


def test_an_app_or_a_living_file_makes_no_bundle(tmp_path: Path) -> None:
    done = cli("export", fixture("shapes/t1-if-else"), "--format", "bundle", "-o", tmp_path / "x")
    assert (done.code, (tmp_path / "x").exists()) == (2, False)
    done = cli("export", "x", "--unmask", "-o", tmp_path / "x")
    assert (done.code, "--format bundle" in done.err) == (2, True)
