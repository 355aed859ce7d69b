"""`workbench memory`: one turn, and the sweep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.driver import cli

NODE = {
    "id": "ask",
    "data": {
        "type": "llm",
        "title": "Ask",
        "model": {"provider": "p", "name": "m", "mode": "chat", "completion_params": {"max_tokens": 512}},
        "prompt_template": [{"role": "system", "text": "Be kind."}],
        "memory": {"window": {"enabled": True, "size": 3}, "query_prompt_template": "Q: {{#sys.query#}}"},
    },
}


def rows(count: int, running: bool = True) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [
        {
            "id": f"m{n}",
            "parent_message_id": f"m{n - 1}" if n > 1 else None,
            "created_at": 1000 + n,
            "query": f"question {n}",
            "answer": f"answer {n}",
            "answer_tokens": 5,
        }
        for n in range(1, count + 1)
    ]
    if running:
        found[-1] |= {"answer": "", "answer_tokens": 0}
    return found


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    path = tmp_path / "conversation.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows(6)))
    return path


@pytest.fixture
def app(tmp_path: Path) -> Path:
    nodes = [
        {"id": "start", "data": {"type": "start", "title": "Start", "variables": []}},
        NODE,
        {"id": "answer", "data": {"type": "answer", "title": "Answer", "answer": "{{#ask.text#}}"}},
    ]
    edges = [
        {"id": "e1", "source": "start", "target": "ask", "sourceHandle": "source"},
        {"id": "e2", "source": "ask", "target": "answer", "sourceHandle": "source"},
    ]
    path = tmp_path / "app.yml"
    document = {
        "kind": "app",
        "version": "0.5.0",
        "app": {"name": "Memory", "mode": "advanced-chat"},
        "workflow": {"graph": {"nodes": nodes, "edges": edges}},
    }
    path.write_text(json.dumps(document))
    return path


def test_the_contract_of_the_json(home: Path, conversation: Path) -> None:
    found = cli("memory", conversation, "--window", 3, "--counter", "openai-compatible", "--json").json
    assert [(row["id"], row["turn"], row["stage"]) for row in found["rows"]] == [
        ("m1", 1, "outside-window"),
        ("m2", 2, "outside-window"),
        ("m3", 3, "outside-window"),
        ("m4", 4, "kept"),
        ("m5", 5, "kept"),
        ("m6", 6, "running"),
    ]
    assert [(m["role"], m["text"], m["row"]) for m in found["messages"]] == [
        ("user", "question 4", "m4"),
        ("assistant", "answer 4", "m4"),
        ("user", "question 5", "m5"),
        ("assistant", "answer 5", "m5"),
    ]
    assert found["budget"]["used"] == 3 + sum(m["tokens"] for m in found["messages"])
    assert found["budget"]["limit"] == 2000
    assert found["binding"] == "window"
    assert {w["code"] for w in found["warnings"]} >= {"context-unknown", "window-counts-the-running-turn"}


def test_a_node_brings_its_settings_and_its_prompt(home: Path, conversation: Path, app: Path) -> None:
    found = cli("memory", conversation, "--app", app, "--context", 4096, "--json").json
    assert found["settings"]["window"] == {"enabled": True, "size": 3}
    assert found["budget"]["limit"] == 4096 - 512
    first, last = found["messages"][0], found["messages"][-1]
    assert (first["role"], first["text"]) == ("system", "Be kind.")
    assert (last["role"], last["text"], last["row"]) == ("user", "Q: question 6", None)
    off = cli("memory", conversation, "--app", app, "--window", "off", "--json").json
    assert sum(row["stage"] == "kept" for row in off["rows"]) == 5


def test_an_earlier_turn(home: Path, conversation: Path) -> None:
    found = cli("memory", conversation, "--turn", 2, "--json").json
    assert [(row["id"], row["stage"]) for row in found["rows"]] == [("m1", "kept"), ("m2", "running")]


def test_text_for_people(home: Path, conversation: Path) -> None:
    told = cli("memory", conversation, "--window", 2).out
    assert "outside the window" in told
    assert "counting-off" in told


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--turn", "9"), 2, "turns 1 to 6"),
        (("--turn", "0"), 2, "turns 1 to 6"),
        (("--window", "many"), 2, "off"),
        (("--budget", "-1"), 2, "auto"),
        (("--counter", "gpt9"), 2, "o200k_base"),
        (("--caller", "robot"), 2, "classifier"),
        (("--form", "E"), 2, "A, B, C, D"),
        (("--prune", "all"), 2, "turns"),
        (("--node", "x"), 2, "--app"),
    ],
)
def test_wrong_usage_is_told(
    home: Path, conversation: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = cli("memory", conversation, *arguments)
    assert done.code == code
    assert words in done.err


def test_a_broken_line_is_named(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(rows(1)[0]) + "\n{oops\n" + json.dumps(rows(2)[1]))
    done = cli("memory", path)
    assert done.code == 1
    assert "line 2" in done.err


def test_a_sweep_finds_the_smallest_window_and_budget(home: Path, conversation: Path) -> None:
    arguments = ("--counter", "openai-compatible", "--context", 1000, "--keep", "question 2", "--price", 3)
    found = cli(
        "memory", "sweep", conversation, "--window", "1-6,off", "--budget", "10,40,auto", *arguments, "--json"
    ).json
    assert len(found["settings"]) == 21
    assert found["smallest"]["window"] == 5
    held = {(p["window"], p["budget"]) for p in found["settings"] if p["holds"]}
    assert (5, None) in held
    assert (4, None) not in held
    least = found["smallest"]["budget"]
    again = cli(
        "memory",
        "sweep",
        conversation,
        "--window",
        "5",
        "--budget",
        f"{least - 1},{least}",
        *arguments,
        "--json",
    )
    assert [p["holds"] for p in again.json["settings"]] == [False, True]
    assert again.json["settings"][1]["cost"] == pytest.approx(
        again.json["settings"][1]["total_tokens"] * 3e-6
    )


def test_a_sweep_tells_what_each_setting_costs_at_a_price(home: Path, conversation: Path) -> None:
    arguments = ("memory", "sweep", conversation, "--window", 3, "--counter", "chars")
    total = cli(*arguments, "--json").json["settings"][0]["total_tokens"]
    told = cli(*arguments, "--price", 1_000_000).out
    assert f" {total}.0000" in told
    assert "cost" in told
    assert "cost" not in cli(*arguments).out


def test_a_folder_with_one_bad_file_is_swept_all_the_same(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    folder.mkdir()
    for n in range(3):
        (folder / f"c{n}.json").write_text(json.dumps({"data": rows(4)}))
    (folder / "bad.json").write_text("[1]")
    found = cli("memory", "sweep", folder, "--window", "2,off", "--json")
    assert found.code == 0
    assert [c["error"] is None for c in found.json["conversations"]] == [False, True, True, True]


@pytest.mark.parametrize("given", ["", "5-2", "x", "1-", "3:0", "1-9999999"])
def test_a_list_of_numbers_that_is_none(home: Path, conversation: Path, given: str) -> None:
    assert cli("memory", "sweep", conversation, "--window", given).code == 2


def test_nothing_holds_the_text(home: Path, conversation: Path) -> None:
    done = cli("memory", "sweep", conversation, "--keep", "unheard of")
    assert done.code == 2
    assert "unheard of" in done.err
