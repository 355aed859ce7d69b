"""The structure of a graph: ids, canvas notes, containers, edges; order is kept, changes are told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.records.dsl import app, edge, node
from workbench.errors import BadInputError
from workbench.records.normalise import MAX_EDGES, MAX_NODES
from workbench.records.notes import MAX_NOTES

START, ANSWER = node("start", "start"), node("answer", "answer", answer="x")


def ids(read: Any, what: str = "nodes") -> list[str]:
    return [one["id"] for one in read.graph[what]]


def by_id(read: Any) -> dict[str, Any]:
    return {one["id"]: one for one in read.graph["nodes"]}


def test_canvas_notes_are_left_out_with_their_edges() -> None:
    sticker = {"id": "n1", "type": "custom-note", "data": {"type": "", "text": "{}", "author": "a"}}
    other = {"id": "n2", "type": "custom", "data": {"type": "", "text": "{}"}}
    read = app([sticker, START, other, ANSWER], [edge("start", "answer"), edge("start", "n1")])
    assert ids(read) == ["start", "answer"]
    assert ids(read, "edges") == ["start-source-answer"]
    assert read.notes == (
        "2 canvas notes were left out.",
        "the edge from start to n1 was left out: there is no node n1.",
    )


def test_bare_numbers_become_text() -> None:
    read = app([node(1, "start"), node(2, "if-else", cases=[]), node(3, "answer", answer=5)], [
        {"id": 7, "source": 1, "target": 2},
        {"id": "b", "source": 2, "target": 3, "sourceHandle": True},
    ])  # fmt: skip
    assert ids(read) == ["1", "2", "3"]
    assert [(one["source"], one["sourceHandle"], one["target"]) for one in read.graph["edges"]] == [
        ("1", "source", "2"),
        ("2", "true", "3"),
    ]
    assert ids(read, "edges") == ["1-source-2-target", "b"]
    assert read.graph["nodes"][2]["data"]["answer"] == "5"


def test_broken_entries_are_left_out() -> None:
    nodes = [
        START,
        "x",
        {"id": "y", "data": {}},
        {"data": {"type": "llm"}},
        {"id": "z", "type": "code"},
        ANSWER,
    ]
    edges = ["x", {"source": "start"}, {"target": "answer"}, edge("start", "answer")]
    read = app(nodes, edges)
    assert ids(read) == ["start", "z", "answer"]
    assert by_id(read)["z"]["data"]["type"] == "code"
    assert ids(read, "edges") == ["start-source-answer"]
    assert read.notes[:4] == (
        "entry 2 of the nodes is no mapping; it was left out.",
        "entry 3 of the nodes has no type; it was left out.",
        "entry 4 of the nodes (llm) has no id; it was left out.",
        "the type stands beside the data, not in it (node z).",
    )
    assert read.notes[4:7] == (
        "entry 1 of the edges is no mapping; it was left out.",
        "edge 2 has no target; it was left out.",
        "edge 3 has no source; it was left out.",
    )


def test_a_repeated_node_id_keeps_its_first_place_and_its_last_data() -> None:
    read = app([START, node("a", "answer", answer="1"), ANSWER, node("a", "answer", answer="2")], [])
    assert ids(read) == ["start", "a", "answer"]
    assert by_id(read)["a"]["data"]["answer"] == "2"
    assert read.notes == ("the id stands there twice; the later one counts, as in Dify (node a).",)


def test_edge_ids_are_unique_and_own_ids_stay() -> None:
    edges = [
        {"source": "start", "target": "answer"},
        {**edge("start", "answer"), "id": "start-source-answer-target"},
        {**edge("start", "answer"), "id": "same"},
        {**edge("start", "answer"), "id": "same"},
        {**edge("start", "answer"), "id": "same-2"},
        {**edge("start", "answer"), "id": "same"},
        {**edge("start", "answer"), "id": ""},
    ]
    read = app([START, ANSWER], edges)
    assert ids(read, "edges") == [
        "start-source-answer-target-2",
        "start-source-answer-target",
        "same",
        "same-3",
        "same-2",
        "same-4",
        "start-source-answer-target-3",
    ]
    assert read.notes == (
        "its edge had no sourceHandle; it was read as 'source' (node start).",
        "2 edges had no id; made of source, handle and target.",
        "2 edges repeated an id; a number was put behind it.",
    )


def test_edges_in_a_circle_are_told() -> None:
    read = app(
        [START, node("a", "llm"), node("b", "llm")], [edge("start", "a"), edge("a", "b"), edge("b", "a")]
    )
    assert len(read.graph["edges"]) == 3
    assert any("edges run in a circle" in note for note in read.notes)


def test_container_fields_agree_whatever_the_file_has() -> None:
    read = app(
        [
            START,
            node("loop", "loop", start_node_id="ls"),
            node("ls", "loop-start", parent="loop"),
            node("by-data", "answer", answer="", loop_id="loop", isInLoop=True),
            node("by-owner", "answer", answer="", container_id="loop"),
            node("top", "answer", answer="", isInLoop=False, isInIteration=False),
        ],
        [edge("start", "loop"), edge("ls", "by-data"), edge("by-data", "by-owner"), edge("by-owner", "top")],
    )
    for child in ("ls", "by-data", "by-owner"):
        found = by_id(read)[child]
        assert found["parentId"] == "loop"
        assert found["data"]["loop_id"] == "loop"
        assert (found["data"]["isInLoop"], found["data"]["isInIteration"]) == (True, False)
    assert "parentId" not in by_id(read)["top"]
    assert by_id(read)["top"]["data"]["isInLoop"] is False
    assert ids(read, "edges") == ["start-source-loop", "ls-source-by-data", "by-data-source-by-owner"]
    assert "the edge from by-owner to top was left out: it crosses the border of a container." in read.notes
    assert (
        "only its data says which container holds it; `parentId` was added (nodes by-data, by-owner)."
        in read.notes
    )


def test_of_two_owners_the_inner_one_holds_the_node() -> None:
    nodes = [
        START,
        node("it", "iteration", start_node_id="is"),
        node("is", "iteration-start", parent="it"),
        node("loop", "loop", parent="it", iteration_id="it", start_node_id="ls"),
        node("ls", "loop-start", parent="loop"),
        node("x", "llm", iteration_id="it", loop_id="loop"),
    ]
    assert by_id(app(nodes, []))["x"]["parentId"] == "loop"


@pytest.mark.parametrize("parent", ["nobody", "start", "x"])
def test_an_owner_that_can_not_be_is_dropped(parent: str) -> None:
    read = app([START, node("x", "llm", parent=parent, isInLoop=True, loop_id=parent)], [edge("start", "x")])
    assert "parentId" not in by_id(read)["x"]
    assert "loop_id" not in by_id(read)["x"]["data"]
    assert ids(read, "edges") == ["start-source-x"]
    assert f"its container {parent} does not exist; it was put at the top (node x)." in read.notes


def test_containers_that_hold_each_other_are_taken_apart() -> None:
    loops = [node(one, "loop", parent=other) for one, other in (("a", "b"), ("b", "c"), ("c", "a"))]
    read = app([START, *loops], [])
    parents = {one: by_id(read)[one].get("parentId") for one in "abc"}
    assert list(parents.values()).count(None) == 1
    assert any("it stands in itself; it was put at the top" in note for note in read.notes)


@pytest.mark.parametrize("kind", ["iteration", "loop"])
def test_an_old_container_gets_its_start_node(kind: str) -> None:
    nodes = [
        START,
        node("box", kind, start_node_id="first", output_selector=["first", "text"]),
        node("first", "llm", parent="box", **{f"{kind}_id": "box"}),
        ANSWER,
    ]
    read = app(nodes, [edge("start", "box"), edge("box", "answer")])
    assert ids(read) == ["start", "box", "boxstart", "first", "answer"]
    made = by_id(read)["boxstart"]
    assert made["data"]["type"] == f"{kind}-start"
    assert made["parentId"] == "box"
    assert by_id(read)["box"]["data"]["start_node_id"] == "boxstart"
    assert ids(read, "edges") == ["start-source-box", "box-source-answer", "boxstart-source-first-target"]
    assert "it had no start node inside; one was added, as Dify's canvas does (node box)." in read.notes


def test_an_empty_container_and_a_wrong_start_are_told() -> None:
    read = app([START, node("box", "loop"), node("boxstart", "answer", answer="")], [])
    assert by_id(read)["box"]["data"]["start_node_id"] == "boxstart0"
    assert any("so its rounds do nothing" in note for note in read.notes)
    nodes = [START, node("box", "loop", start_node_id="x"), node("ls", "loop-start", parent="box")]
    nodes.append(node("x", "llm", parent="box"))
    read = app(nodes, [edge("ls", "x")])
    assert by_id(read)["box"]["data"]["start_node_id"] == "ls"
    assert "its start_node_id was no loop-start; it was corrected (node box)." in read.notes


def test_old_aggregators_get_their_name() -> None:
    read = app([START, node("v", "variable-assigner", output_type="string", variables=[["start", "a"]])], [])
    assert by_id(read)["v"]["data"]["type"] == "variable-aggregator"


def test_too_large_graphs_are_refused() -> None:
    many = [START, *({"id": f"n{i}", "data": {"type": "llm"}} for i in range(MAX_NODES))]
    with pytest.raises(BadInputError, match="too many nodes"):
        app(many, [])
    with pytest.raises(BadInputError, match="too many edges"):
        app([START, ANSWER], [{"source": "start", "target": "x"}] * (MAX_EDGES + 1))


def test_notes_end_somewhere() -> None:
    read = app([START, ANSWER], [edge("start", f"gone{i}") for i in range(300)])
    assert len(read.notes) == MAX_NOTES + 1
    assert read.notes[-1] == f"and {300 - MAX_NOTES} more changes."


def test_equal_changes_share_a_sentence() -> None:
    read = app([START, *(node(f"a{i}", "answer") for i in range(5))], [])
    assert read.notes == ("`answer` was missing; it was taken as nothing (nodes a0, a1, a2 and 2 more).",)


def test_aliases_of_the_file_are_not_shared() -> None:
    shared: dict[str, Any] = {"model": {"provider": "p", "name": "n", "mode": "chat"}}
    read = app([START, node("a", "llm", **shared), node("b", "llm", **shared)], [])
    models = [by_id(read)[one]["data"]["model"] for one in "ab"]
    assert models[0] == models[1]
    assert models[0] is not models[1]
