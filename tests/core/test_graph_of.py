"""Graph facts out of a DSL graph; tests/kernels/test_describe.py shows that the engines report the same."""

from __future__ import annotations

from tests.records.dsl import app, edge, node
from workbench.core.graph import Box, Text, Variable
from workbench.core.graph_of import LONGEST_TITLE, graph_of, root_scope
from workbench.records.app import App


def example() -> App:
    nodes = [
        {**node("start", "start"), "position": {"x": 80, "y": 282.5}, "width": 244, "height": 116},
        {**node("llm", "llm", error_strategy="fail-branch"), "position": {"x": 1, "y": 2}, "height": 0},
        node("v1", "assigner", assigned_variable_selector=["conversation", "a"], write_mode="clear"),
        node("v2", "assigner", version="2", items=[{"variable_selector": ["conversation", n]} for n in "bc"]),
        node("loop", "loop", start_node_id="ls"),
        node("ls", "loop-start", parent="loop"),
        node("inner", "answer", parent="loop", answer="in"),
        {**node("answer", "answer", answer="a {{#llm.text#}}"), "position": {"x": "left", "y": 1}},
    ]
    edges = [edge("start", "llm"), edge("llm", "v1", "fail-branch"), edge("llm", "v2"), edge("v2", "loop")]
    edges += [edge("ls", "inner"), edge("loop", "answer")]
    return app(nodes, edges)


def test_nodes() -> None:
    graph = graph_of(example().graph, "start")
    kinds = {one.id: one.kind for one in graph.nodes.values()}
    assert kinds == {
        "start": "root",
        "llm": "branch",
        "v1": "executable",
        "v2": "executable",
        "loop": "container",
        "ls": "executable",
        "inner": "response",
        "answer": "response",
    }
    assert graph.nodes["v1"].writes == {("conversation", "a")}
    assert graph.nodes["v2"].writes == {("conversation", "b"), ("conversation", "c")}
    assert graph.nodes["answer"].template == (Text("a "), Variable(("llm", "text")))
    assert graph.nodes["answer"].text_selector == ("answer", "answer")
    assert graph.nodes["llm"].text_selector == ()
    assert graph.nodes["start"].title == "the start"
    assert graph.nodes["start"].data["type"] == "start"
    parents = {one.id: one.parent for one in graph.nodes.values() if one.parent}
    assert parents == {"ls": "loop", "inner": "loop"}


def test_a_title_of_a_page_is_cut() -> None:
    nodes = [{"id": "start", "data": {"type": "start", "title": "L" * 10_000}}]
    title = graph_of({"nodes": nodes, "edges": []}, "start").nodes["start"].title
    assert len(title) == LONGEST_TITLE
    assert title.endswith("L…")


def test_boxes() -> None:
    graph = graph_of(example().graph, "start")
    assert graph.nodes["start"].box == Box(80, 282.5, 244, 116)
    assert graph.nodes["llm"].box == Box(1, 2, 244, 90)
    assert graph.nodes["answer"].box is None
    assert graph.nodes["v1"].box is None


def test_edges_and_the_root_scope() -> None:
    graph = graph_of(example().graph, "start")
    assert list(graph.edges) == [one["id"] for one in example().graph["edges"]]
    assert graph.edges["ls-source-inner"].parent == "loop"
    assert graph.edges["llm-fail-branch-v1"].handle == "fail-branch"
    scope = root_scope(graph)
    assert list(scope.nodes) == ["start", "llm", "v1", "v2", "loop", "answer"]
    assert "ls-source-inner" not in scope.edges
    assert scope.root == "start"
