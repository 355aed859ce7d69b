"""`workbench heal` on real saved pauses of every era, and `resume --gate healed`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import FIXTURES, Done, cli, fixture

STATES = FIXTURES / "states"
GATE = "serialized_response_stream_filter_state"
RUNTIME = "serialized_graph_runtime_state"
OWED = {
    "t1-if-else": "Hello n!",
    "t2-second-pause": "Hello n!",
    "t3-answer-before": "Hello n!",
    "t4-assigned-variable": "c=NEW",
    "t5-parallel-llm": "n",
}
"""What each pause still owes the chat user."""
APPS = {"t2-second-pause": "t2-two-pauses"}

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]


def app_of(shape: str) -> Path:
    return fixture(f"shapes/{APPS.get(shape, shape)}")


def without_gate(context: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in context.items() if key != GATE}


def heal(target: object, *options: object) -> Done:
    return cli("heal", str(target), *map(str, options), "--json")


def resumed(file: Path, app: Path, *options: str) -> dict[str, Any]:
    done = cli(
        "resume", file, "--app", app, "--action", "approve", "--field", "note=n", "--json", "-q", *options
    )
    assert done.code == 0, done.err
    result: dict[str, Any] = done.json
    return result


@pytest.mark.parametrize("shape", OWED)
@pytest.mark.parametrize("era", ["A", "B", "C", "D", "E"])
def test_a_healed_pause_streams_what_is_owed(era: str, shape: str, tmp_path: Path) -> None:
    saved = json.loads((STATES / era / f"{shape}.json").read_text())
    saved[GATE] = None
    if era == "A":
        state = json.loads(saved[RUNTIME])
        del state["response_coordinator"]
        saved[RUNTIME] = json.dumps(state)
    lost, healed = tmp_path / "lost.json", tmp_path / "healed.json"
    lost.write_text(json.dumps(saved))
    done = heal(lost, "--app", app_of(shape), "-o", healed)
    assert done.code == 0, done.err
    assert done.json["how"] == "rebuilt"
    assert without_gate(json.loads(healed.read_text())) == without_gate(saved)
    assert resumed(healed, app_of(shape), "--gate", "restored")["streamed"] == OWED[shape]


@pytest.mark.parametrize("shape", ["loop-pause", "iteration-pause"])
@pytest.mark.parametrize("era", ["D", "E"])
def test_a_pause_inside_a_container_is_healed(era: str, shape: str, tmp_path: Path) -> None:
    saved = json.loads((STATES / era / f"{shape}.json").read_text()) | {GATE: None}
    lost, healed = tmp_path / "lost.json", tmp_path / "healed.json"
    lost.write_text(json.dumps(saved))
    app = fixture(f"containers/{shape}")
    assert heal(lost, "--app", app, "-o", healed).json["doubts"] == []
    streamed, target, options = "", str(healed), ("--app", str(app))
    for _ in range(4):
        done = cli("resume", target, *options, "--action", "approve", "--field", "note=n", "--json", "-q")
        streamed, target, options = streamed + done.json["streamed"], done.json["run_id"], ()
        if done.code == 0:
            break
    assert streamed == done.json["answer"]
    assert streamed


def test_the_gate_of_dify_1_14_is_converted(tmp_path: Path) -> None:
    saved = STATES / "A/t3-answer-before.json"
    healed = tmp_path / "healed.json"
    done = heal(saved, "--app", app_of("t3-answer-before"), "-o", healed)
    assert done.json["how"] == "converted"
    assert resumed(healed, app_of("t3-answer-before"))["streamed"] == "Hello n!"


@pytest.mark.parametrize("era", ["C", "D", "E"])
def test_a_right_gate_is_kept_and_the_file_with_it(era: str, tmp_path: Path) -> None:
    saved = STATES / era / "t1-if-else.json"
    healed = tmp_path / "healed.json"
    assert heal(saved, "--app", app_of("t1-if-else"), "-o", healed).json["how"] == "kept"
    assert healed.read_bytes() == saved.read_bytes()


def test_only_the_gate_field_changes_in_the_text(tmp_path: Path) -> None:
    text = (STATES / "B/t1-if-else.json").read_text().replace('"version":"1"', '"version" :\t"1"', 1)
    lost, healed = tmp_path / "lost.json", tmp_path / "healed.json"
    lost.write_text(text)
    heal(lost, "--app", app_of("t1-if-else"), "-o", healed)
    after = healed.read_text()
    inserted = after[len(text) - 1 : -1]
    assert after == text[:-1] + inserted + "}"
    assert GATE in inserted


def test_a_bare_runtime_state_becomes_a_context_around_it(tmp_path: Path) -> None:
    state = json.loads((STATES / "E/t1-if-else.json").read_text())[RUNTIME]
    bare, healed = tmp_path / "state.json", tmp_path / "healed.json"
    bare.write_text(state)
    heal(bare, "--app", app_of("t1-if-else"), "-o", healed)
    context = json.loads(healed.read_text())
    assert (context["version"], context[RUNTIME]) == ("1", state)
    assert context["generate_entity"]["type"] == "advanced-chat"
    assert cli("import", healed, "--json").json["files"][0]["kind"] == "resumption-context"
    assert resumed(healed, app_of("t1-if-else"))["streamed"] == "Hello n!"


def test_for_dify_1_15_no_file_can_help_and_heal_says_what_can() -> None:
    saved, app = STATES / "B/t1-if-else.json", app_of("t1-if-else")
    for options in ((), ("--dify", "1.15.0")):
        assert "no file can help" in heal(saved, "--app", app, *options).json["warnings"][0]
    assert heal(saved, "--app", app, "--dify", "1.16.0").json["warnings"] == []


def test_what_never_reached_the_user_is_streamed(tmp_path: Path) -> None:
    """The first resume lost its gate, so the user has less than the gate would have shown."""
    saved, app = STATES / "B/t3-answer-before.json", app_of("t3-answer-before")
    healed = tmp_path / "healed.json"
    heal(saved, "--app", app, "--message", "", "-o", healed)
    assert resumed(healed, app)["streamed"] == "First. Hello n!"
    capture = tmp_path / "stream.txt"
    capture.write_text('data: {"event": "message", "answer": "First. "}\n\nevent: ping\n\n')
    told = heal(saved, "--app", app, "--capture", capture, "-o", healed).json
    assert "agrees" in " ".join(told["evidence"])
    assert resumed(healed, app)["streamed"] == "Hello n!"


def test_a_message_that_does_not_fit_is_a_doubt() -> None:
    saved, app = STATES / "B/t3-answer-before.json", app_of("t3-answer-before")
    assert (
        "not what these Answers say" in heal(saved, "--app", app, "--message", "Good day").json["doubts"][0]
    )


def test_a_stale_gate_of_our_own_run_is_healed_at_the_second_pause() -> None:
    app = app_of("t2-second-pause")
    run_id = cli("run", app, "--query", "hi", "--json", "-q").json["run_id"]
    form = ("--action", "approve", "--field", "note=a", "--json", "-q")
    assert cli("resume", run_id, *form, "--gate", "fresh").code == 3
    silent = cli("resume", run_id, *form, "--gate", "restored").json
    healed = cli("resume", run_id, *form, "--gate", "healed").json
    assert (silent["answer"], healed["answer"]) == ("Hello a!", "Hello a!")
    assert healed["streamed"] == "Hello a!"
    assert healed["gate"] == "healed"


def test_refusals() -> None:
    saved, app = STATES / "B/t1-if-else.json", app_of("t1-if-else")
    assert heal(saved).code == 2
    assert heal(saved, "--app", app, "--message", "x", "--capture", "y").code == 2
    assert "no SSE events" in heal(saved, "--app", app, "--capture", app).err
