"""Random graphs and event sequences for the stream gate, as hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from workbench.core.graph import Edge, Graph, Node, Segment, Text, Variable

FILE = {
    "dify_model_identity": "__dify__file__",
    "id": None,
    "type": "image",
    "transfer_method": "remote_url",
    "remote_url": "https://example.test/a.png",
    "reference": None,
    "filename": "a.png",
    "extension": ".png",
    "mime_type": "image/png",
    "size": 3,
}
DOCUMENT = {**FILE, "type": "document", "filename": None, "remote_url": "https://example.test/b.pdf"}
VALUES: list[Any] = [
    "txt",
    "",
    "a*b\nü",
    0,
    12345678901234567890123,
    1.5,
    1.0,
    1e21,
    -0.0,
    True,
    False,
    None,
    {},
    {"a": {"b": 1}},
    {"a": None, "z": "é"},
    {"a": {"b": {"c": [1]}}},
    [],
    ["x", "y"],
    ["x", 1, None],
    [1, 2.5],
    [True],
    [{"k": 1, "t": "q'\""}],
    [["x"], []],
    FILE,
    DOCUMENT,
    [FILE, DOCUMENT],
]
TYPES = {"root": "start", "executable": "llm", "branch": "if-else", "response": "answer"}


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to ten nodes: chains, diamonds, cycles, parallel edges, children of containers, assigners."""
    size = draw(st.integers(2, 10))
    ids = [f"n{i}" for i in range(size)]
    others = st.sampled_from(["executable", "executable", "branch", "container", "response", "response"])
    kinds = ["root", *draw(st.lists(others, min_size=size - 1, max_size=size - 1))]
    names = selectors(ids)
    nodes: dict[str, Node] = {}
    for node, kind in zip(ids, kinds, strict=True):
        boxes = [i for i, n in nodes.items() if n.kind == "container"]
        parent = draw(st.sampled_from([None, None, *boxes])) if boxes else None
        is_writer = kind == "executable" and draw(st.integers(0, 3)) == 0
        nodes[node] = Node(
            id=node,
            type=draw(st.sampled_from(["loop", "iteration"])) if kind == "container" else TYPES[kind],
            title=node,
            kind=kind,  # type: ignore[arg-type]
            writes=frozenset({draw(st.sampled_from(names))[:2]}) if is_writer else frozenset(),
            template=tuple(draw(st.lists(segments(names), max_size=4))) if kind == "response" else (),
            text_selector=(node, "answer") if kind == "response" else (),
            parent=parent,
        )
    shape = draw(st.sampled_from(["forward", "forward", "any", "parallel"]))
    edges: dict[str, Edge] = {}
    for a, source in enumerate(ids):
        for b, target in enumerate(ids):
            if a == b or (shape != "any" and b < a) or nodes[source].parent != nodes[target].parent:
                continue
            many = draw(st.sampled_from([0, 0, 1] if shape != "parallel" else [0, 0, 1, 2]))
            for _ in range(many):
                edge = f"e{len(edges)}"
                edges[edge] = Edge(edge, source, target, parent=nodes[source].parent)
    return Graph(nodes, edges, "n0")


def selectors(ids: list[str]) -> list[tuple[str, ...]]:
    """What templates, chunks and variables may name in a graph of these nodes."""
    own = [(node, name) for node in ids for name in ("text", "out")]
    deep = [(ids[1], "out", "a"), (ids[1], "out", "a", "b"), (ids[1], "out", "url"), (ids[0], "out", "name")]
    return [*own, *deep, ("conversation", "c"), ("sys", "query"), ("ghost", "x")]


def segments(names: list[tuple[str, ...]]) -> st.SearchStrategy[Segment]:
    return st.one_of(st.sampled_from(["a ", "b\n", "ü"]).map(Text), st.sampled_from(names).map(Variable))


@st.composite
def operations(draw: st.DrawFn, graph: Graph) -> list[dict[str, Any]]:
    """A run's beginning, then anything in any order: the filter must not mind."""
    ids = sorted(graph.nodes)
    names = selectors(ids)
    todo: list[dict[str, Any]] = [{"do": "event", "event": {"kind": "GraphRunStarted"}}]
    if draw(st.integers(0, 9)) == 0:
        todo = []
    saved = 0
    weights = (
        ["edge"] * 4 + ["chunk"] * 4 + ["start", "done", "done", "set", "set", "skip", "reason", "other"]
    )
    kinds = draw(
        st.lists(st.sampled_from([*weights, "save", "load", "fresh", "again"]), min_size=3, max_size=40)
    )
    for number, kind in enumerate(kinds):
        node = draw(st.sampled_from(ids))
        event = {"node": node, "xid": f"x{number}", "type": graph.nodes[node].type}
        if graph.nodes[node].parent is not None:
            event["container"] = graph.nodes[node].parent
        match kind:
            case "edge" if graph.edges:
                edge = graph.edges[draw(st.sampled_from(sorted(graph.edges)))]
                taken = draw(st.sampled_from(["GraphEdgeTaken", "GraphEdgeTaken", "GraphEdgeSkipped"]))
                event = {"kind": taken, "edge": edge.id, "source": edge.source, "target": edge.target}
                if edge.parent is not None:
                    event["container"] = edge.parent
                todo.append({"do": "event", "event": event})
            case "chunk" | "reason":
                selector = draw(st.sampled_from(names))
                if kind == "reason":
                    selector = draw(st.sampled_from([(node, "reasoning_content"), (node, "text"), selector]))
                event |= {"kind": "NodeRunStreamChunk" if kind == "chunk" else "NodeRunReasoningChunk"}
                event |= {"selector": list(selector), "text": draw(st.sampled_from(["x", "yy", "", "ü"]))}
                if draw(st.integers(0, 3)) == 0:
                    event["final"] = True
                todo.append({"do": "event", "event": event})
            case "start":
                todo.append({"do": "event", "event": event | {"kind": draw(st.sampled_from(STARTS))}})
            case "done":
                todo.append({"do": "event", "event": event | {"kind": draw(st.sampled_from(ENDS))}})
            case "again":
                todo.append({"do": "event", "event": {"kind": "GraphRunStarted"}})
            case "set":
                selector = draw(st.sampled_from(names))[:2]
                todo.append({"do": "set", "selector": list(selector), "value": draw(st.sampled_from(VALUES))})
            case "skip":
                todo.append({"do": "skip", "node": node})
            case "other":
                todo.append(draw(st.sampled_from([{"do": "flush"}, {"do": "forget", "node": node}])))
            case "save":
                todo.append({"do": "save"})
                saved += 1
            case "load" if saved:
                todo.append({"do": "load", "which": draw(st.integers(0, saved - 1))})
            case "fresh" if draw(st.integers(0, 2)) == 0:
                todo.append({"do": "fresh"})
    return todo


STARTS = ["NodeRunStarted", "NodeRunStarted", "NodeRunRetry"]
ENDS = ["NodeRunSucceeded", "NodeRunSucceeded", "NodeRunException", "NodeRunFailed"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Graph, list[dict[str, Any]], bool]:
    graph = draw(graphs())
    return graph, draw(operations(graph)), draw(st.integers(0, 4)) == 0
