"""`run` and `resume` beyond the fixtures: forks, breakpoints, kernels, saved files, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import Done, cli, fixture
from workbench.errors import KernelError
from workbench.verbs import resume as verbs
from workbench.verbs.context import make_context
from workbench.verbs.pauses import pause_source

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
T1 = fixture("shapes/t1-if-else")


def run(app: Path = T1, *options: str) -> dict[str, Any]:
    done = cli("run", app, "--json", "-q", *options)
    assert done.code == 3, done.err
    result: dict[str, Any] = done.json
    return result


def resume(target: object, *options: object) -> Done:
    return cli("resume", str(target), "--json", "-q", *map(str, options))


def test_the_story_of_a_lost_gate() -> None:
    paused = run()
    lost = resume(paused["run_id"], "--action", "approve", "--field", "note=hi", "--gate", "fresh").json
    assert (lost["status"], lost["streamed"], lost["answer"]) == ("succeeded", "", "Hello hi!")
    assert lost["run_id"] == paused["run_id"]
    assert lost["forked_from"] is None
    why = cli("why", lost["run_id"], "--json")
    assert why.code == 4
    finding = why.json["findings"][0]
    assert finding["code"] == "answer-locked-before-pause"
    assert finding["edges"] == ["check-true-hum-target"]
    restored = resume(
        paused["run_id"], "--action", "approve", "--field", "note=hi", "--gate", "restored"
    ).json
    assert restored["streamed"] == restored["answer"] == "Hello hi!"
    assert restored["forked_from"] == {"run_id": paused["run_id"], "step": paused["steps"]}
    assert cli("why", restored["run_id"]).code == 0
    assert cli("why", paused["pause"]["pause_id"]).code == 0
    listed = cli("runs", "--json").json["runs"]
    assert [row["forked_from"] for row in listed] == [restored["forked_from"], None]


def test_the_gate_is_restored_when_nothing_else_is_asked_for() -> None:
    done = resume(run()["run_id"], "--action", "approve", "--field", "note=hi").json
    assert (done["gate"], done["streamed"]) == ("restored", "Hello hi!")


def test_a_pause_id_and_the_beginning_of_an_id_are_enough() -> None:
    paused = run()
    by_pause = resume(paused["pause"]["pause_id"][:12], "--action", "reject").json
    assert by_pause["run_id"] == paused["run_id"]
    assert resume(paused["run_id"][:12], "--action", "approve").json["forked_from"] is not None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--action", "aprove"], "approve, reject"),
        (["--action", "approve", "--field", "nota=x"], "note"),
        (["--action", "approve", "--node", "hun"], "hum"),
        (["--action", "approve", "--gate", "lost"], "restored, fresh"),
        (["--action", "approve", "--kernel", "graphon-0.7"], "graphon-0.8"),
        (["--action", "approve", "--run-id", "mine"], "its own run id"),
        (["--field", "note=x"], "approve"),
        ([], "approve"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_pause_waits_on(options: list[str], told: str) -> None:
    paused = run()
    done = resume(paused["run_id"], *options)
    assert done.code == 2
    assert done.out == ""
    assert told in done.err
    assert resume(paused["run_id"], "--action", "approve").json["run_id"] == paused["run_id"]


def test_who_comes_second_gets_a_fork() -> None:
    paused = run()
    ctx = make_context()
    seen = pause_source(ctx, paused["run_id"])
    first = verbs.resume(ctx, seen, action="approve", fields={"note": "one"})
    second = verbs.resume(ctx, seen, action="approve", fields={"note": "two"})
    assert (first.run_id, first.forked_from) == (paused["run_id"], None)
    assert second.forked_from == {"run_id": paused["run_id"], "step": paused["steps"]}
    assert [first.streamed, second.streamed] == ["Hello one!", "Hello two!"]
    assert second.steps == cli("show", second.run_id, "--json").json["steps"]


def test_an_engine_kernel_that_can_not_be_had_names_those_that_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paused = run(T1, "--kernel", "graphon-0.5")

    def offline(name: str, *_: object) -> None:
        raise KernelError(f"{name} can't be built.", "There is no network.", "Connect, then try again.")

    monkeypatch.setattr("workbench.engine.kernels.ensure", offline)
    done = resume(paused["run_id"], "--action", "approve")
    assert done.code == 1
    assert "--kernel graphon-0.8" in done.err


def test_a_run_without_a_pause_and_an_app_are_no_pauses() -> None:
    ended = cli("run", fixture("nodes/template"), "--json", "-q").json
    done = resume(ended["run_id"], "--action", "approve")
    assert done.code == 1
    assert "It is succeeded." in done.err
    assert resume(T1).code == 2


def test_a_pause_is_resumed_on_a_newer_engine_kernel() -> None:
    paused = run(T1, "--kernel", "graphon-0.5")
    done = resume(
        paused["run_id"], "--action", "approve", "--field", "note=n", "--kernel", "graphon-0.8"
    ).json
    assert (done["kernel"], done["streamed"]) == ("graphon-0.8", "Hello n!")
    assert cli("why", done["run_id"]).code == 0


def test_breakpoints_are_passed_without_an_action() -> None:
    app = fixture("nodes/llm")
    first = run(app, "--break-before", "llm", "--break-before", "answer")
    assert [reason["type"] for reason in first["pause"]["reasons"]] == ["scheduled_pause"]
    second = resume(first["run_id"], "--break-before", "answer")
    assert second.code == 3, second.err
    last = resume(first["run_id"])
    assert last.code == 0
    assert last.json["answer"]
    assert cli("show", first["run_id"], "--json").json["streamed"] == last.json["answer"]


def test_a_saved_pause_is_resumed_with_its_app(tmp_path: Path) -> None:
    paused = run(T1, "--query", "hi there")
    state, gate = tmp_path / "state.json", tmp_path / "gate.json"
    assert cli("export", paused["run_id"], "-o", state).code == 0
    assert cli("export", paused["run_id"], "-o", gate, "--format", "stream-filter").code == 0
    assert state.stat().st_mode & 0o077 == 0
    bare = resume(state, "--app", T1, "--action", "approve", "--field", "note=n").json
    assert (bare["gate"], bare["streamed"], bare["answer"]) == ("fresh", "", "Hello n!")
    assert cli("why", bare["run_id"]).code == 4
    refused = resume(state, "--app", T1, "--action", "approve", "--gate", "restored")
    assert refused.code == 1
    assert "no gate" in refused.err
    context = tmp_path / "context.json"
    context.write_text(
        json.dumps(
            {
                "version": "1",
                "generate_entity": {"type": "advanced-chat", "entity": {"query": "hi there", "inputs": {}}},
                "serialized_graph_runtime_state": state.read_text(),
                "serialized_response_stream_filter_state": gate.read_text(),
            }
        )
    )
    assert cli("why", context, "--app", T1).code == 0
    whole = resume(context, "--app", T1, "--action", "approve", "--field", "note=n", "--run-id", "mine").json
    assert (whole["run_id"], whole["gate"], whole["streamed"]) == ("mine", "restored", "Hello n!")
    assert whole["forked_from"] is None
    assert cli("why", "mine").code == 0


def test_a_saved_pause_needs_its_app_to_be_resumed(tmp_path: Path) -> None:
    paused = run()
    state = tmp_path / "state.json"
    cli("export", paused["run_id"], "-o", state)
    elsewhere = tmp_path / "empty.duckdb"
    for verb in ("resume", "heal"):
        done = cli(verb, state, "--store", elsewhere)
        assert done.code == 2
        assert f"workbench {verb} {state} --app" in done.err
    taken = cli("resume", state, "--action", "approve", "-q")
    assert taken.code == 0, taken.err
    assert "the only one that fits" in taken.err


def test_exports_are_the_very_bytes(tmp_path: Path) -> None:
    stored = cli("import", T1, "--json").json["files"][0]["id"]
    assert cli("export", stored, "-o", tmp_path / "app.yml").code == 0
    assert (tmp_path / "app.yml").read_bytes() == T1.read_bytes()
    assert cli("export", stored, "-o", "-").out == T1.read_text()
    assert cli("export", stored, "-o", tmp_path / "x", "--format", "dify").code == 2
    assert not (tmp_path / "x").exists()


def test_all_engine_kernels_agree_or_say_where_they_do_not() -> None:
    same = cli("run", T1, "--kernel", "all", "--json", "-q")
    assert same.code == 3, same.err
    assert [each["kernel"][-3:] for each in same.json["runs"]] == ["0.8", "0.7", "0.6", "0.5"]
    assert same.json["differences"] == []
    pause = same.json["runs"][3]["run_id"]
    resumed = cli("resume", pause, "--kernel", "all", "--action", "approve", "--json", "-q").json
    assert [each["streamed"] for each in resumed["runs"]] == ["Hello !"] * 4
    assert len({each["run_id"] for each in resumed["runs"]} | {pause}) == 5
    app = fixture("containers/iteration-continue")
    script = app.with_name("script.yml")
    other = cli("run", app, "--script", script, "--kernel", "all", "--json", "-q").json
    statuses = [each for each in other["differences"] if each["what"].startswith("status")]
    assert [each["kernels"] for each in statuses] == [["graphon-0.6", "graphon-0.5"]]


def test_a_workflow_app_has_outputs_and_no_answer() -> None:
    result = cli("run", fixture("nodes/end"), "--json", "-q").json
    assert result["answer"] is None
    assert result["outputs"]


def test_a_run_id_is_taken_once() -> None:
    assert run(T1, "--run-id", "mine")["run_id"] == "mine"
    again = cli("run", T1, "--run-id", "mine", "--json", "-q")
    assert (again.code, again.out) == (2, "")


def test_secrets_are_masked_unless_asked_for(tmp_path: Path) -> None:
    secret = "s3cr3t-value-of-mine"
    text = fixture("nodes/environment").read_text()
    assert "example.test" in text
    app = tmp_path / "app.yml"
    app.write_text(
        text.replace("example.test", secret).replace("value_type: string", "value_type: secret", 1)
    )
    masked = cli("run", app, "--json")
    assert masked.code == 0, masked.err
    assert secret not in masked.out + masked.err
    run_id = masked.json["run_id"]
    shown = cli("show", run_id, "--json")
    assert secret not in shown.out
    assert secret not in cli("show", run_id).out
    assert shown.json["variables"]["env"] == dict.fromkeys(shown.json["variables"]["env"], "••••••")
    assert secret in cli("show", run_id, "--json", "--unmask").out
    assert secret in cli("run", app, "--json", "--unmask", "-q").json["streamed"]


def test_a_secret_that_only_the_saved_pause_holds_is_masked_too(tmp_path: Path) -> None:
    secret = "s3cr3t-value-of-mine"
    text = fixture("nodes/environment").read_text().replace("value_type: string", "value_type: secret", 1)
    full, bare, state = tmp_path / "full.yml", tmp_path / "bare.yml", tmp_path / "state.json"
    full.write_text(text.replace("example.test", secret))
    bare.write_text(text.replace("example.test", ""))
    paused = run(full, "--break-before", "answer")
    assert cli("export", paused["run_id"], "-o", state).code == 0
    assert secret in state.read_text()
    resumed = cli("resume", state, "--app", bare)
    assert resumed.code == 0, resumed.err
    assert "••••••" in resumed.out
    for done in (resumed, *(cli(verb, state, "--app", bare, "--json") for verb in ("why", "show"))):
        assert secret not in done.out + done.err
    assert secret in cli("show", state, "--app", bare, "--json", "--unmask").out


def test_hostile_text_reaches_no_screen(tmp_path: Path) -> None:
    evil = "\\e]0;pwned\\a\\e[2J\\x9b31m\\u202e"
    app = tmp_path / "app.yml"
    app.write_text(
        T1.read_text().replace("title: Ask a person", f'title: "{evil}"').replace("T1 if-else", "T1")
    )
    done = cli("run", app)
    assert done.code == 3, done.err
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.out + done.err)
    assert "␛]0;pwned" in done.out
    told = cli("run", app, "--json", "-q")
    assert not {"\x1b", "\x9b", "\u202e"} & set(told.out)
    assert told.json["pause"]["reasons"][0]["node_title"] == "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202e"
