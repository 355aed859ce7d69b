"""Edited pauses travel in bundles: with their edits, their parents, and the run whose pause they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import cli, fixture
from tests.cli.test_bundle import SECRET, resume, run, same, secretive_app, shared

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]


def edited(target: str, *edits: str) -> str:
    done = cli("edit", target, *edits, "--json")
    assert done.code == 0, done.err
    return str(done.json["file_id"])


def origin(file_id: str, store: Path | None = None) -> dict[str, Any]:
    from workbench.home import store_path
    from workbench.store.store import Store

    found = Store(store or store_path()).edited(file_id)
    assert found is not None
    return {slot: getattr(found, slot) for slot in found.__slots__}


def test_an_edited_pause_is_the_same_elsewhere(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    once = edited(first, "sys.query=again")
    twice = edited(once, "gate:answer=done", "--name", "already said")
    file, store = shared(twice, tmp_path)
    for verb in ("show", "why"):
        for each in (once, twice, first):
            assert same(each, store, verb)
    assert (
        cli("diff", once, twice, "--json").json == cli("diff", once, twice, "--json", "--store", store).json
    )
    assert [origin(each, store) for each in (once, twice)] == [origin(each) for each in (once, twice)]
    here, there = (cli("resume", twice, "--action", "approve", "--json", *more).json
                   for more in ((), ("--store", store)))  # fmt: skip
    assert here["streamed"] == there["streamed"]
    assert here["forked_from"] == there["forked_from"] == {"run_id": first, "step": origin(once)["step"]}
    again = tmp_path / "again.jsonl"
    cli("export", twice, "--format", "bundle", "-o", again, "--store", store)
    assert again.read_bytes() == file.read_bytes()


def test_a_run_takes_along_the_pauses_edited_from_it_and_those_it_came_from(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    once = edited(first, "sys.query=again")
    done = cli("resume", once, "--action", "approve", "--json")
    assert done.code == 0, done.err
    fork = done.json["run_id"]
    other = edited(first, "sys.query=other")
    _, store = shared(fork, tmp_path)
    assert origin(once, store) == origin(once)
    assert cli("show", other, "--store", store).code == 1  # made of the other run, and not needed
    assert same(fork, store, "show")
    assert cli("runs", "--tree", "--store", store).out == cli("runs", "--tree").out
    (tmp_path / "whole").mkdir()
    _, store = shared(first, tmp_path / "whole")
    assert [origin(each, store) for each in (once, other)] == [origin(each) for each in (once, other)]


def test_what_was_imported_is_known_when_it_comes_again(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"))["run_id"]
    once = edited(first, "sys.query=again")
    fork = cli("resume", once, "--action", "approve", "--json").json["run_id"]
    before = origin(once)
    file, _ = shared(fork, tmp_path)
    done = cli("import", file, "--json")
    assert "here already" in done.json["files"][0]["detail"]
    twin = cli("import", file, "--new-ids", "--json").json["files"][0]["id"]
    assert cli("diff", fork, twin).code == 0
    assert origin(once) == before


def test_edits_that_were_taken_back_make_no_circle(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"), "--query", "hi")["run_id"]
    once = edited(first, "sys.query=again")
    twice = edited(once, "sys.query=third")
    assert edited(twice, "sys.query=again") == once
    assert origin(once)["parent_kind"] == "pause"
    shared(twice, tmp_path)


def test_nothing_secret_is_in_the_edits(tmp_path: Path) -> None:
    app = secretive_app(tmp_path)
    first = run(app)["run_id"]
    other = "zz-Other-7Secret"
    once = edited(first, f"env.KEY={other}", "sys.query=again", f"conversation.api_key:string={other[::-1]}")
    for subject in (once, first):
        folder = tmp_path / subject[:6]
        folder.mkdir()
        file, store = shared(subject, folder)
        text = file.read_text()
        for secret in (SECRET, other, other[::-1], "918273645", str(tmp_path)):
            assert secret not in text
        assert "again" in text
        records = [json.loads(line) for line in text.splitlines()]
        (carried,) = (each for each in records if each.get("record") == "edited")
        assert carried["edits"]["edits"][0] == {"set": "env.KEY", "text": "••••••"}
        done = cli("resume", carried["file"], "--action", "approve", "--store", store)
        assert done.code == 0, done.err


def test_a_file_on_disk_is_named_and_its_folder_is_not(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_bytes(fixture("shapes/t1-if-else").parent.parent.parent.joinpath(
        "states/C/t1-if-else.json").read_bytes())  # fmt: skip
    done = cli("edit", state, "sys.query=again", "--app", fixture("shapes/t1-if-else"), "--json")
    file, store = shared(done.json["file_id"], tmp_path)
    assert str(tmp_path) not in file.read_text()
    assert same(done.json["file_id"], store, "show")


def test_the_engine_that_a_pause_was_edited_for_resumes_it(tmp_path: Path) -> None:
    first = run(fixture("shapes/t1-if-else"), "--kernel", "graphon-0.5")["run_id"]
    once = edited(first, "sys.query=again")
    _, store = shared(once, tmp_path)
    for more in ((), ("--store", store)):
        shown = cli("show", once, "--json", *more).json
        assert shown["kernel"] == "graphon-0.5"
        done = cli("resume", once, "--action", "approve", "--json", *more)
        assert (done.code, done.json["kernel"]) == (0, "graphon-0.5")
        assert "Dify 1.15" in cli("why", once, *more).out
    assert resume(first)["kernel"] == "graphon-0.5"
