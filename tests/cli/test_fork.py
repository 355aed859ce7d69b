"""`workbench fork`: changed variables, scripts, apps and engines; as Dify V would; refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import FIXTURES, Done, cli, fixture

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
T1 = fixture("shapes/t1-if-else")
T4B = fixture("shapes/t4b-llm-before")


def run(app: Path, *options: str) -> dict[str, Any]:
    done = cli("run", app, "--query", "hi", "--json", "-q", *options)
    assert done.code == 3, done.err
    result: dict[str, Any] = done.json
    return result


def fork(target: str, *options: object) -> Done:
    return cli("fork", target, "--json", "-q", *map(str, options))


def calls_of(run_id: str) -> list[str]:
    shown = cli("show", run_id, "--json").json
    return sorted(shown["status"])


def test_a_fork_does_not_run_again_what_came_before_it() -> None:
    original = run(T4B)
    forked = fork(original["run_id"])
    assert forked.code == 3
    assert forked.json["forked_from"] == {"run_id": original["run_id"], "step": original["steps"]}
    assert calls_of(forked.json["run_id"]) == ["hum"]
    assert cli("show", original["run_id"], "--json").json["steps"] == original["steps"]


def test_a_changed_variable_is_what_the_answer_says() -> None:
    original = run(T4B)
    forked = fork(
        original["run_id"], "--set", "llm.text=something else", "--action", "approve", "--field", "note=n"
    )
    assert forked.code == 0, forked.err
    assert forked.json["answer"] == "llm said something else"


@pytest.mark.parametrize(
    ("dify", "kernel", "streamed"),
    [
        ("1.15.0", "graphon-0.5", ""),
        ("1.16.1", "graphon-0.6", "Hello n!"),
        ("1.17.0", "graphon-0.7", "Hello n!"),
        ("main", "graphon-0.8", "Hello n!"),
    ],
)
def test_as_a_given_dify_would(dify: str, kernel: str, streamed: str) -> None:
    original = run(T1)
    forked = fork(original["run_id"], "--dify", dify, "--action", "approve", "--field", "note=n").json
    assert (forked["kernel"], forked["streamed"]) == (kernel, streamed)
    assert forked["answer"] == "Hello n!"
    assert cli("why", forked["run_id"], "--json").code == (0 if streamed else 4)


def test_another_version_of_the_app(tmp_path: Path) -> None:
    original = run(T1)
    edited = tmp_path / "edited.yml"
    edited.write_text(T1.read_text().replace("Hello {{#hum.note#}}!", "Bye {{#hum.note#}}!"))
    forked = fork(original["run_id"], "--app", edited, "--action", "approve", "--field", "note=n").json
    assert (forked["streamed"], forked["answer"]) == ("Bye n!", "Bye n!")


def test_a_step_inside_a_node_goes_back_to_the_place_before_it() -> None:
    original = run(T1)
    forked = fork(original["run_id"], "--step", 6).json
    assert forked["forked_from"]["step"] == 4
    assert "last place between two nodes" in " ".join(forked["notes"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--step", "999"), "no step 999"),
        (("--set", "llm.txt=x"), "Nearest: "),
        (("--gate", "lost"), "gate mode"),
        (("--dify", "1.15", "--kernel", "graphon-0.8"), "--dify chooses"),
        (("--app", "nothing.yml"), "There is no file"),
    ],
)
def test_refusals_say_what_is_valid(options: tuple[str, ...], told: str) -> None:
    done = fork(run(T4B)["run_id"], *options)
    assert done.code in (1, 2)
    assert told in done.err


def test_nothing_is_left_to_run_at_the_end() -> None:
    done = cli("run", T1, "--query", "skip", "--json", "-q")
    forked = fork(done.json["run_id"])
    assert forked.code == 1
    assert "nothing left to run" in forked.err


def test_a_pause_inside_a_loop_can_be_forked_and_a_step_inside_it_can_not() -> None:
    loop = fixture("containers/loop-pause")
    original = run(loop)
    at_pause = fork(original["run_id"], "--action", "approve", "--field", "note=n").json
    assert (at_pause["status"], at_pause["forked_from"]["step"]) == ("paused", original["steps"])
    inside = fork(original["run_id"], "--step", original["steps"] - 1).json
    assert "Inside Loop a run can only be forked at a pause" in " ".join(inside["notes"])
    assert inside["forked_from"]["step"] < original["steps"] - 1


def test_a_form_that_does_not_wait_where_the_fork_begins_is_told() -> None:
    original = run(fixture("containers/loop-pause"))
    for place in (["--kernel", "graphon-0.6"], ["--step", original["steps"] - 1]):
        told = fork(original["run_id"], *place, "--action", "approve")
        assert told.code == 2
        assert "No form waits at step 4, where this fork begins." in told.err
        assert "Inside Loop a run can only be forked at a pause." in told.err


@pytest.mark.kernel
def test_without_a_step_the_last_pause_is_forked(home: Path) -> None:
    app = FIXTURES / "shapes/t1-if-else/app.yml"
    run = cli("run", app, "--query", "hi", "--json").json["run_id"]
    cli("resume", run, "--action", "approve", "--field", "note=n", "--json")
    again = cli("fork", run, "--action", "approve", "--field", "note=q", "--json")
    assert again.code == 0, again.err
    assert again.json["streamed"] == "Hello q!"


@pytest.mark.kernel
def test_a_comparison_of_engines_shows_what_was_streamed_not_the_answer(home: Path) -> None:
    app = FIXTURES / "shapes/t1-if-else/app.yml"
    run = cli("run", app, "--query", "hi", "--kernel", "graphon-0.7", "--json").json["run_id"]
    done = cli(
        "resume", run, "--action", "approve", "--field", "note=n", "--gate", "fresh", "--kernel", "all"
    )
    facts = dict(line.split(None, 1) for line in done.out.splitlines())
    assert facts["streamed"] == "nothing"
    assert facts["answer"] == "Hello n!"
    assert facts["path"] == "hum → answer"
    assert facts["findings"].startswith("answer-locked-before-pause (answer)")
    assert done.err.count("it can't go back") == 1, "what an older kernel told already is not told again"


@pytest.mark.kernel
def test_one_engine_alone_says_why(home: Path) -> None:
    app = FIXTURES / "shapes/t1-if-else/app.yml"
    run = cli("run", app, "--query", "hi", "--json").json["run_id"]
    told = cli("resume", run, "--action", "approve", "--kernel", "all", "-q").out
    assert "Only one engine kernel ran. graphon-0.8 saved the pause" in told


@pytest.mark.kernel
def test_dify_1_14_keeps_the_gate_in_its_runtime_state_and_unknown_versions_are_refused(home: Path) -> None:
    app = FIXTURES / "shapes/t1-if-else/app.yml"
    run = cli("run", app, "--query", "hi", "--kernel", "graphon-0.5", "--json").json["run_id"]
    form = ("--action", "approve", "--field", "note=n", "--json", "-q")
    streamed = {v: cli("fork", run, "--dify", v, *form).json["streamed"] for v in ("1.14.2", "1.15.0")}
    assert streamed == {"1.14.2": "Hello n!", "1.15.0": ""}
    for version in ("1.12", "2.0"):
        refused = cli("fork", run, "--dify", version, *form)
        assert refused.code == 2
        assert "1.13" in refused.err
