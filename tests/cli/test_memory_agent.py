"""`workbench memory agent`: an Agent's session snapshot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import cli


def message(kind: str, *parts: dict[str, Any], usage: dict[str, int] | None = None) -> dict[str, Any]:
    return {"kind": kind, "parts": list(parts), "usage": usage or {}, "timestamp": "2026-09-01T00:00:00Z"}


def turn(number: int, words: int = 50) -> list[dict[str, Any]]:
    call = {
        "part_kind": "tool-call",
        "tool_name": "look",
        "args": {"q": number},
        "tool_call_id": f"c{number}",
    }
    result = {
        "part_kind": "tool-return",
        "tool_name": "look",
        "content": "found " * words,
        "tool_call_id": f"c{number}",
    }
    return [
        message("request", {"part_kind": "user-prompt", "content": f"question {number}"}),
        message("response", call, usage={"input_tokens": 9, "output_tokens": 3}),
        message("request", result),
        message("response", {"part_kind": "text", "content": "[red]done[/]"}),
    ]


def snapshot(turns: int, words: int = 50) -> dict[str, Any]:
    messages = [each for number in range(1, turns + 1) for each in turn(number, words)]
    return {
        "schema_version": 1,
        "layers": [
            {"name": "llm", "lifecycle_state": "suspended", "runtime_state": {}},
            {"name": "history", "lifecycle_state": "suspended", "runtime_state": {"messages": messages}},
        ],
    }


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(snapshot(6)))
    return path


def test_messages_tools_and_growth(home: Path, session: Path) -> None:
    found = cli("memory", "agent", session, "--json").json
    assert len(found["messages"]) == 24
    assert found["tools"]["look"]["calls"] == 6
    assert len(found["growth"]) == 6
    assert sum(found["growth"]) == found["total"] == found["messages"][-1]["total"]
    assert found["messages"][1]["provider_tokens"] == {"input": 9, "output": 3}
    assert found["target"] is None


def test_old_results_of_tools_are_cleared_first_then_messages_summarised(home: Path, session: Path) -> None:
    total = cli("memory", "agent", session, "--json").json["total"]
    fits = cli("memory", "agent", session, "--context", total * 2, "--json").json
    assert fits["after_clearing"] is None
    assert not any(m["cleared"] for m in fits["messages"])
    tight = cli("memory", "agent", session, "--context", total, "--json").json
    assert tight["target"] == total * 4 // 5
    assert [m["turn"] for m in tight["messages"] if m["cleared"]] == [1, 2, 3]
    assert not any(m["summarised"] for m in tight["messages"])
    tighter = cli("memory", "agent", session, "--context", total // 4, "--json").json
    assert [m["summarised"] for m in tighter["messages"][:5]] == [False, True, True, True, False]


def test_the_reply_may_be_what_limits(home: Path, session: Path) -> None:
    found = cli("memory", "agent", session, "--context", 1000, "--max-tokens", 700, "--json").json
    assert found["target"] == 300


def test_a_database_row_and_the_early_form(home: Path, tmp_path: Path) -> None:
    early = snapshot(1)
    for layer in early["layers"]:
        layer["state"] = layer.pop("runtime_state")
    row = tmp_path / "row.json"
    row.write_text(json.dumps({"owner_type": "CONVERSATION", "session_snapshot": json.dumps(early)}))
    found = cli("memory", "agent", row, "--json").json
    assert found["owner"] == "conversation"
    assert len(found["messages"]) == 4


def test_markup_is_text_and_damage_is_noted(home: Path, tmp_path: Path) -> None:
    broken = snapshot(1)
    broken["layers"][1]["runtime_state"]["messages"].append({"kind": "request"})
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    told = cli("memory", "agent", path).out
    assert "[red]done[/]" in told
    assert "Message 5 has no parts" in told


def test_another_file_is_refused(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "conversation.jsonl"
    path.write_text(json.dumps({"query": "q", "answer": "a"}))
    assert cli("memory", "agent", path).code == 2
