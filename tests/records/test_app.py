"""Exported apps: every DSL version, templates without kind, bare graphs; what is kept and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.records.dsl import app, document, edge, node
from workbench.errors import BadInputError, UsageError
from workbench.records.app import read_app

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("app.yml"))
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dsl"
NODES = [node("start", "start", variables=[]), node("answer", "answer", answer="hi")]
EDGES = [edge("start", "answer")]


def read(value: Any, name: str = "my app.yml") -> Any:
    return read_app(yaml.safe_dump(value, sort_keys=False).encode(), name)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_what_dify_writes_needs_no_repair(path: Path) -> None:
    data = path.read_bytes()
    read = read_app(data, path.name)
    assert read.data == data
    assert [note for note in read.notes if "holds no value for" not in note] == []
    raw = yaml.safe_load(data)
    graph = raw["workflow"]["graph"]
    assert [one["id"] for one in read.graph["nodes"]] == [str(one["id"]) for one in graph["nodes"]]
    assert read.graph["edges"] == graph["edges"]
    assert (read.name, read.mode, read.dsl_version) == (
        raw["app"]["name"],
        raw["app"]["mode"],
        str(raw["version"]),
    )
    json.dumps(read.payload())


@pytest.mark.parametrize("version", ["0.1.0", "0.1.5", "0.3.1", "0.6.0", "0.7.0", 0.4, None])
def test_reads_every_version(version: Any) -> None:
    value = {**document(NODES, EDGES), "version": version}
    assert read(value).dsl_version == (None if version is None else str(version))


def test_template_without_kind_and_version() -> None:
    value = document(NODES, EDGES)
    del value["kind"], value["version"]
    found = read(value)
    assert found.notes == ("the file has no `kind`; it was read as an app.",)
    assert (found.name, found.dsl_version, found.root) == ("Test", None, "start")


@pytest.mark.parametrize("wrap", [lambda graph: graph, lambda graph: {"graph": graph, "kind": "graph"}])
def test_bare_graph_in_yaml_and_json(wrap: Any) -> None:
    graph = wrap({"nodes": NODES, "edges": EDGES})
    for data in (yaml.safe_dump(graph).encode(), json.dumps(graph, indent="\t").encode()):
        found = read_app(data, "folder/graph.json")
        assert (found.mode, found.name) == ("advanced-chat", "graph")
        assert found.notes == ("the file is a bare graph; its mode was taken from its nodes.",)


def test_crlf_bom_and_chinese_names() -> None:
    nodes = [node("start", "start"), node("1733", "answer", answer="{{#sys.query#}}好")]
    value = document(nodes, [edge("start", "1733")])
    value["app"]["name"] = "中文应用"
    text = yaml.safe_dump(value, allow_unicode=True)
    for data in (text.replace("\n", "\r\n").encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        found = read_app(data, "x.yml")
        assert found.name == "中文应用"
        assert found.graph["nodes"][1]["data"]["answer"] == "{{#sys.query#}}好"
        assert found.data == data
        assert found.notes == ()


@pytest.mark.parametrize(
    ("mode", "what"),
    [
        ("chat", "x.yml is a basic chatbot, which has no graph"),
        ("completion", "x.yml is a text generator, which has no graph"),
        ("agent-chat", "x.yml is an agent, which has no graph"),
        ("novel", "x.yml has no workflow"),
    ],
)
def test_apps_without_a_graph_are_named(mode: str, what: str) -> None:
    value = {"kind": "app", "version": "0.5.0", "app": {"mode": mode, "name": "x"}, "model_config": {}}
    with pytest.raises(BadInputError) as caught:
        read(value, "x.yml")
    assert caught.value.title == what
    assert repr(mode) in caught.value.cause


def test_knowledge_pipelines_are_refused() -> None:
    with pytest.raises(BadInputError, match="is a knowledge pipeline"):
        read({"kind": "rag_pipeline", "rag_pipeline": {}, "workflow": {"graph": {}}})


def test_an_unknown_mode_is_guessed_by_the_nodes() -> None:
    found = read(document(NODES, EDGES, mode="super-chat"))
    assert (found.mode, found.notes) == (
        "advanced-chat",
        ("the mode 'super-chat' is unknown; it was read as advanced-chat.",),
    )


def test_repeated_keys_are_told_with_their_line() -> None:
    text = yaml.safe_dump(document(NODES, EDGES), sort_keys=False) + "kind: app\n"
    notes = read_app(text.encode(), "x").notes
    assert notes == (
        f"line {text.count(chr(10))}: kind stands there twice; the last one counts, as in Dify.",
    )


def test_triggers_may_begin_a_run() -> None:
    nodes = [
        node("hook", "trigger-webhook"),
        node("plan", "trigger-schedule"),
        node("end", "end", outputs=[]),
    ]
    found = app(nodes, [edge("hook", "end"), edge("plan", "end")], mode="workflow")
    assert found.root == "hook"
    assert found.notes == ("the graph has 2 entries; runs begin at hook.",)
    nodes.append(node("start", "start"))
    assert app(nodes, [], mode="workflow").root == "start"


def test_variables_fit_their_types() -> None:
    found = app(
        NODES,
        EDGES,
        environment_variables=[
            {"name": "key", "value_type": "secret", "value": ""},
            {"name": "limit", "value_type": "number", "value": "3"},
            {"value": "nameless"},
        ],
        conversation_variables=[
            {"name": "topics", "value_type": "array[string]", "value": None},
            {"name": "state", "value_type": "object", "value": '{"a": 1}'},
            {"name": "broken", "value_type": "object", "value": "no json"},
            {"name": "untyped", "value": True},
        ],
    )
    assert [one["value"] for one in found.environment_variables] == ["", 3]
    assert [one["value"] for one in found.conversation_variables] == [[], {"a": 1}, {}, True]
    assert found.conversation_variables[3]["value_type"] == "boolean"
    assert found.notes == (
        "a env variable without a name was left out.",
        "the export holds no value for key; runs use a made-up text instead.",
        "the value of the conversation variable broken is no object; it was emptied.",
        "the conversation variable untyped has no type; it was read as boolean.",
    )


def test_environment_of_one_run() -> None:
    variables = [
        {"name": "key", "value_type": "secret", "value": ""},
        {"name": "limit", "value_type": "number", "value": 3},
    ]
    found = app(NODES, EDGES, environment_variables=variables)

    def values(**given: Any) -> list[Any]:
        return [one["value"] for one in found.payload(given)["environment_variables"]]

    assert values() == ["secret key", 3]
    assert values(key="abc", limit="7") == ["abc", 7]
    with pytest.raises(UsageError, match="no environment variable named 'kay'") as caught:
        values(kay="x")
    assert caught.value.next_step == "Did you mean key?"
    with pytest.raises(UsageError, match="limit does not take 'many'"):
        values(limit="many")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of public apps is not here")
def test_public_apps_are_read() -> None:
    read, refused = 0, []
    for path in sorted(CORPUS.rglob("*.yml")):
        try:
            json.dumps(read_app(path.read_bytes(), path.name).payload())
            read += 1
        except BadInputError as error:
            refused.append(error.title)
    assert read == 235
    assert sum("which has no graph" in title for title in refused) == 5
    assert len(refused) == 6  # and one that was uploaded half
