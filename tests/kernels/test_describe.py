"""The graph facts that core reads out of a DSL are the ones that graphon reports, on every engine kernel.

Also: graphon takes every node that `node_rules` repaired.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.records.dsl import app, edge, node
from tests.records.test_node_rules import CASES
from workbench.core.graph import Text, Variable
from workbench.core.graph_of import graph_of, root_scope
from workbench.engine.client import Client
from workbench.engine.kernels import KERNELS, ensure
from workbench.errors import BadInputError
from workbench.home import home
from workbench.records.app import App, read_app

pytestmark = pytest.mark.kernel

FIXTURES = Path(__file__).parents[2] / "fixtures"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dsl"


@pytest.fixture(scope="module", params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Iterator[Client]:
    with Client(ensure(request.param, home(), lambda line: None)) as client:
        yield client


def described(client: Client, read: App) -> Mapping[str, Any]:
    client.send({"cmd": "describe", "app": read.payload()})
    found: Mapping[str, Any] = {}
    for message in client.messages():
        assert message["msg"] != "error", message
        if message["msg"] == "done":
            return found
        if message["msg"] == "graph":
            found = message
    raise AssertionError("messages() has no end")


def derived(read: App) -> dict[str, Any]:
    """Our facts in the protocol's form; assigners tell only what some template refers to."""
    graph = root_scope(graph_of(read.graph, read.root))
    parts = [part for one in graph.nodes.values() for part in one.template]
    wanted = {part.selector[:2] for part in parts if isinstance(part, Variable)}
    nodes: dict[str, Any] = {}
    for one in graph.nodes.values():
        writes = sorted(list(selector) for selector in one.writes if selector in wanted)
        nodes[one.id] = {"type": one.type, "kind": one.kind, "writes": writes}
        if one.text_selector:
            template = [
                ["text", part.text] if isinstance(part, Text) else ["variable", list(part.selector)]
                for part in one.template
            ]
            nodes[one.id] |= {"template": template, "text_selector": list(one.text_selector)}
    edges = [[one.id, one.source, one.target, one.handle] for one in graph.edges.values()]
    return {"root": graph.root, "nodes": nodes, "edges": edges}


def agree(client: Client, read: App) -> None:
    told, ours = described(client, read), derived(read)
    for key, value in ours.items():
        assert told[key] == value
    assert list(told["nodes"]) == list(ours["nodes"])


def test_fixtures(kernel: Client) -> None:
    for path in sorted(FIXTURES.rglob("app.yml")):
        agree(kernel, read_app(path.read_bytes(), path.parent.name))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of public apps is not here")
def test_public_apps(kernel: Client) -> None:
    compared = 0
    for path in sorted(CORPUS.rglob("*.yml")):
        try:
            read = read_app(path.read_bytes(), path.name)
        except BadInputError:
            continue
        agree(kernel, read)
        compared += 1
    assert compared == 235


PIECES = (
    "{{", "}}", "#", "{{#", "#}}", "a", "sys", ".", "query", ".b", "-", "_", "1", " ", "\n", "é", "中",
    "{{#a.b#}}", "{{#sys.query#}}", "{{#a.b.c#}}", "{", "}", "x" * 30, "y" * 51, "{{#a" + ".b" * 11 + "#}}",
)  # fmt: skip


def test_random_templates(kernel: Client) -> None:
    dice = random.Random(7)
    texts = ["".join(dice.choices(PIECES, k=dice.randint(0, 12))) for _ in range(400)]
    selectors = [[["a", "b"], ["sys", "query"], [], ["a", "b", "c"]][dice.randrange(4)] for _ in range(300)]
    nodes = [node("start", "start")]
    nodes += [node(f"answer{n}", "answer", answer=text) for n, text in enumerate(texts)]
    for n in range(60):
        some = selectors[n * 5 : n * 5 + dice.randint(0, 5)]
        outputs = [{"variable": f"o{k}", "value_selector": one} for k, one in enumerate(some)]
        nodes.append(node(f"end{n}", "end", outputs=outputs))
    agree(kernel, app(nodes, [edge("start", one["id"]) for one in nodes[1:]]))


def test_random_assigners(kernel: Client) -> None:
    dice = random.Random(3)
    names = ["a", "b", "c", "d"]
    nodes = [node("start", "start")]
    for n in range(40):
        chosen = [["conversation", name] for name in dice.sample(names, dice.randint(0, 3))]
        if chosen and dice.random() < 0.4:
            one = {"assigned_variable_selector": chosen[0], "input_variable_selector": ["sys", "query"]}
            nodes.append(node(f"v1-{n}", "assigner", write_mode="over-write", **one))
        else:
            items = [
                {"variable_selector": one, "input_type": "constant", "operation": "over-write", "value": "x"}
                for one in chosen
            ]
            nodes.append(node(f"v2-{n}", "assigner", version="2", items=items))
    answers = "".join(f"{{{{#conversation.{name}#}}}}" for name in names[:3])
    nodes.append(node("answer", "answer", answer=answers))
    agree(kernel, app(nodes, [edge("start", one["id"]) for one in nodes[1:]]))


def test_graphon_takes_every_repaired_node(kernel: Client) -> None:
    for number, (node_type, given, _) in enumerate(CASES):
        if node_type == "start":
            nodes = [node("start", "start", **given)]
        else:
            nodes = [node("start", "start"), node(f"n{number}", node_type, **given)]
        agree(kernel, app(nodes, []))


@pytest.mark.parametrize("junk", ["x", 7, [], {}, {"x": "y"}, [["x"]], True], ids=str)
def test_graphon_takes_what_was_junk(kernel: Client, junk: Any) -> None:
    for node_type in sorted({case[0] for case in CASES} - {"start"}):
        keys = {key for kind, given, _ in CASES if kind == node_type for key in given}
        nodes = [node("start", "start"), node("it", node_type, **dict.fromkeys(keys, junk))]
        nodes += [node(f"{key}-only", node_type, **{key: junk}) for key in sorted(keys)]
        agree(kernel, app(nodes, []))


def test_old_formats(kernel: Client) -> None:
    """Apps as Dify 0.6 to 0.15 wrote them: no parentId, no start nodes, the aggregator's old name."""
    nodes = [
        node("start", "start", variables=[{"variable": "q", "label": "Q", "type": "text-input"}]),
        node("box", "iteration", start_node_id="first", iterator_selector=["start", "q"],
             output_selector=["first", "output"]),
        node("first", "template-transform", iteration_id="box", template="x", variables=[]),
        node("old", "variable-assigner", output_type="string", variables=[["box", "output"]]),
        node("answer", "answer", answer="{{#old.output#}}"),
    ]  # fmt: skip
    edges = [edge("start", "box"), edge("box", "old"), edge("old", "answer")]
    text = yaml.safe_dump({"app": {"name": "old", "mode": "advanced-chat"}, "workflow": {"graph": {
        "nodes": nodes, "edges": edges}}})  # fmt: skip
    agree(kernel, read_app(text.encode(), "old.yml"))
