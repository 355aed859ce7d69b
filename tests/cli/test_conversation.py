"""`run --conversation`: a chat over several turns, on the real engine."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.driver import cli

MEMORY = {"window": {"enabled": True, "size": 3}, "query_prompt_template": "{{#sys.query#}}"}


def write_app(path: Path, *, pause: bool = False) -> Path:
    """start -> an inner LLM -> (a form) -> an LLM with memory -> answer; counts its turns in a variable."""
    model = {"provider": "openai", "name": "gpt-4", "mode": "chat", "completion_params": {}}
    llm = {"type": "llm", "model": model, "context": {"enabled": False, "variable_selector": []}}
    prompt = [{"role": "system", "text": "Be kind."}]
    nodes = {
        "start": {"type": "start", "variables": []},
        "inner": {**llm, "prompt_template": prompt, "memory": MEMORY, "vision": {"enabled": False}},
        "form": {
            "type": "human-input",
            "form_content": "Go on?",
            "inputs": [],
            "user_actions": [{"id": "go", "title": "Go", "button_style": "primary"}],
            "timeout": 1,
            "timeout_unit": "day",
            "delivery_methods": [],
        },
        "say": {**llm, "prompt_template": prompt, "memory": MEMORY, "vision": {"enabled": False}},
        "answer": {"type": "answer", "answer": "Answer: {{#say.text#}}"},
    }
    if not pause:
        del nodes["form"]
    names = list(nodes)
    edges = [
        {"id": f"{a}-{b}", "source": a, "target": b, "sourceHandle": "go" if a == "form" else "source"}
        for a, b in pairwise(names)
    ]
    document = {
        "kind": "app",
        "version": "0.6.0",
        "app": {"name": "Chat", "mode": "advanced-chat"},
        "workflow": {
            "graph": {
                "nodes": [{"id": name, "data": {"title": name, **data}} for name, data in nodes.items()],
                "edges": edges,
            }
        },
    }
    path.write_text(json.dumps(document))
    return path


def write_script(path: Path, said: str) -> Path:
    path.write_text(json.dumps({"nodes": {"inner": {"chunks": ["inner"]}, "say": {"chunks": [said]}}}))
    return path


def prompts(run_id: str, node: str) -> list[tuple[str, str]]:
    """What a node sent to its model, from the journal."""
    bundle = cli("show", run_id, "--json").json
    for step in range(bundle["steps"], 0, -1):
        event = cli("show", run_id, "--step", step, "--json").json["event"]
        if event.get("kind") == "NodeRunSucceeded" and event.get("node") == node:
            return [(p["role"], p["text"]) for p in event["process_data"]["prompts"]]
    raise AssertionError(f"{node} did not run")


@pytest.mark.kernel
def test_memory_grows_by_what_the_answers_said(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml")
    runs = []
    for turn in range(1, 5):
        script = write_script(tmp_path / "script.yml", f"reply {turn}")
        done = cli(
            "run", app, "--query", f"question {turn}", "--conversation", "talk", "--script", script, "--json"
        )
        assert done.code == 0, done.err
        runs.append(str(done.json["run_id"]))
    assert prompts(runs[1], "say") == [
        ("system", "Be kind."),
        ("user", "question 1"),
        ("assistant", "Answer: reply 1"),
        ("user", "question 2"),
    ]
    # A window of three holds the running turn too; the inner node reads the Answers as well, not itself.
    assert prompts(runs[3], "inner") == [
        ("system", "Be kind."),
        ("user", "question 2"),
        ("assistant", "Answer: reply 2"),
        ("user", "question 3"),
        ("assistant", "Answer: reply 3"),
        ("user", "question 4"),
    ]
    told = cli("memory", runs[0], "--app", app, "--node", "say", "--turn", 4, "--json").json
    assert [(m["role"], m["text"]) for m in told["messages"]] == prompts(runs[3], "say")


@pytest.mark.kernel
def test_after_a_pause_the_turn_reads_what_was_said_before_it(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml", pause=True)
    script = write_script(tmp_path / "script.yml", "reply 1")
    first = cli("run", app, "--query", "one", "--conversation", "talk", "--script", script, "--json").json
    assert first["status"] == "paused"
    done = cli("resume", first["run_id"], "--action", "go", "--json")
    assert done.code == 0, done.err
    second = cli(
        "run", app, "--query", "two", "--conversation", first["run_id"], "--script", script, "--json"
    ).json
    cli("resume", second["run_id"], "--action", "go", "--json")
    assert prompts(second["run_id"], "say") == [
        ("system", "Be kind."),
        ("user", "one"),
        ("assistant", "Answer: reply 1"),
        ("user", "two"),
    ]


@pytest.mark.kernel
def test_a_run_without_a_conversation_has_no_history(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml")
    run = cli("run", app, "--query", "one", "--json").json
    assert prompts(run["run_id"], "say") == [("system", "Be kind."), ("user", "one")]


@pytest.mark.kernel
def test_a_file_of_rows_goes_on(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "m1", "query": "early", "answer": "bird", "created_at": 5}))
    run = cli("run", app, "--query", "one", "--conversation", rows, "--json").json
    again = cli("run", app, "--query", "two", "--conversation", rows, "--json").json
    assert prompts(run["run_id"], "say")[1:3] == [("user", "early"), ("assistant", "bird")]
    assert ("user", "one") in prompts(again["run_id"], "say")


def test_what_is_no_conversation_is_refused(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml")
    assert cli("run", app, "--conversation", app).code == 1
    assert cli("run", app, "--conversation", tmp_path / "missing.jsonl").code == 1
    assert cli("run", app, "--conversation", "talk", "--counter", "gpt9").code == 2


@pytest.mark.kernel
def test_rows_of_a_file_are_there_after_a_pause_and_by_a_run_of_it(home: Path, tmp_path: Path) -> None:
    app = write_app(tmp_path / "app.yml", pause=True)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "m1", "query": "early", "answer": "bird", "created_at": 5}))
    run = cli("run", app, "--query", "one", "--conversation", rows, "--json").json
    cli("resume", run["run_id"], "--action", "go", "--json")
    assert ("user", "early") in prompts(run["run_id"], "say")
    told = cli("memory", run["run_id"], "--json").json
    assert [row["id"] for row in told["rows"]] == ["m1", run["run_id"]]
