"""`workbench edit` as it is typed: every era, every kind of target, and what the engine makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import FIXTURES, Done, cli, fixture

STATES = FIXTURES / "states"
ERAS = ["A", "B", "C", "D", "E"]
FILES = sorted(STATES.glob("?/*.json"))


@pytest.fixture(autouse=True)
def own_home(home: Path) -> None:
    """Every test has a store of its own."""


def done(*arguments: object) -> Done:
    result = cli(*map(str, arguments))
    assert result.code in (0, 3), result.err
    return result


def edited(target: object, file: Path, *edits: str) -> bytes:
    done("edit", target, *edits, "-o", file)
    return file.read_bytes()


def changed_part(before: bytes, after: bytes) -> tuple[bytes, bytes]:
    """What stands between the longest common beginning and end."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_export_gives_back_what_was_imported_and_an_edit_changes_only_its_place(
    path: Path, tmp_path: Path
) -> None:
    data, out = path.read_bytes(), tmp_path / "out.json"
    imported = done("import", path, "--json").json["files"][0]["id"]
    done("export", imported, "-o", out)
    assert out.read_bytes() == data
    made = done("edit", imported, "sys.dialogue_count=77", "--json").json["file_id"]
    done("export", made, "-o", out)
    before, after = changed_part(data, out.read_bytes())
    assert (before, after) in {(b"1", b"77"), (b"0", b"77"), (b"", b"77"), (b"2", b"77")}
    now = json.loads(done("edit", imported, "--targets", "sys.dialogue_count", "--json").out)
    back = done("edit", made, f"sys.dialogue_count={now['targets'][0]['value']}", "--json").json["file_id"]
    done("export", back, "-o", out)
    assert out.read_bytes() == data
    done("export", imported, "-o", out)
    assert out.read_bytes() == data


@pytest.mark.parametrize("era", ERAS)
def test_edits_of_one_pause_are_replayed_on_one_of_another_era(era: str, tmp_path: Path) -> None:
    list_of_edits = tmp_path / "edits.yml"
    picture = 'start.pictures=["https://files.example/new.png"]'
    done(
        "edit", STATES / "C" / "every-type.json", "sys.query=again", picture, "--unset", "conversation.words",
        "--save-edits", list_of_edits, "--name", "three", "--dry-run",
    )  # fmt: skip
    out = tmp_path / "out.json"
    told = done("edit", STATES / era / "every-type.json", "--from", list_of_edits, "-o", out, "--json").json
    assert len(told["changes"]) == 3
    values = done("show", out, "--json").json["variables"]
    assert values["sys"]["query"] == "again"
    assert [each["remote_url"] for each in values["start"]["pictures"]] == ["https://files.example/new.png"]
    assert "words" not in values["conversation"]


@pytest.mark.kernel
@pytest.mark.usefixtures("warm_kernels")
@pytest.mark.parametrize(("era", "gate"), [("A", "healed"), ("C", None), ("D", None), ("E", None)])
@pytest.mark.parametrize(("action", "streams"), [("approve", "Hello n!"), ("reject", "Hello n!Rejected.")])
def test_an_edge_taken_for_the_gate_opens_the_answer_behind_it(
    era: str, gate: str | None, action: str, streams: str, tmp_path: Path
) -> None:
    app, out = fixture("shapes/t1-if-else"), tmp_path / "out.json"
    done(
        "edit",
        STATES / era / "t1-if-else.json",
        "gate:taken=+hum-approve-answer-target",
        "--app",
        app,
        "-o",
        out,
    )
    result = resumed(out, app, action, *(() if gate is None else ("--gate", gate)))
    assert result["streamed"] == streams


@pytest.mark.kernel
@pytest.mark.usefixtures("warm_kernels")
@pytest.mark.parametrize("era", ERAS)
def test_a_conversation_variable_is_what_the_engine_goes_on_with(era: str, tmp_path: Path) -> None:
    app, out = fixture("shapes/t4-assigned-variable"), tmp_path / "out.json"
    edited(STATES / era / "t4-assigned-variable.json", out, "conversation.c=MINE")
    assert resumed(out, app, "approve")["answer"] == "c=MINE"


def resumed(file: Path, app: Path, action: str, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = done(
        "resume", file, "--app", app, "--action", action, "--field", "note=n", "-q", "--json", *options
    ).json
    return found


@pytest.mark.parametrize("era", ERAS)
def test_query_and_inputs_are_one_in_entity_and_pool(era: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    edited(STATES / era / "every-type.json", out, "query=other", "input:name=me")
    shown = done("show", out, "--json").json
    assert shown["variables"]["sys"]["query"] == shown["pause"]["entity"]["query"] == "other"
    assert shown["variables"]["start"]["name"] == shown["pause"]["entity"]["inputs"]["name"] == "me"


@pytest.mark.parametrize("era", ERAS)
def test_form_values_where_a_pause_holds_them_and_what_to_do_where_not(era: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    told = cli("edit", STATES / era / "t1-if-else.json", "form:hum.note=offered", "-o", out)
    if era in "AB":
        assert told.code == 0, told.err
        (reason,) = done("show", out, "--json").json["pause"]["reasons"]
        assert reason["resolved_default_values"]["note"] == "offered"
    else:
        assert told.code == 2
        assert "--field NAME=VALUE" in told.err
