"""Counting and listing paths, against the plain recursion that graphon uses."""

from __future__ import annotations

import random
import time

import pytest

from workbench.core.graph import Edge, Graph, Node
from workbench.core.paths import PATH_LIMIT, count_paths, paths_to, search_cost


def graph(edges: list[tuple[str, str]], responses: str = "", root: str = "s") -> Graph:
    names = dict.fromkeys([root, *(name for pair in edges for name in pair)])
    nodes = {one: Node(one, "x", one, "response" if one in responses.split() else "branch") for one in names}
    made = {f"e{n}": Edge(f"e{n}", source, target) for n, (source, target) in enumerate(edges)}
    return Graph(nodes, made, root)


def diamonds(count: int) -> Graph:
    edges = []
    for level in range(count):
        before = "s" if level == 0 else f"j{level - 1}"
        edges += [(before, f"a{level}"), (before, f"b{level}"), (f"a{level}", f"j{level}")]
        edges.append((f"b{level}", f"j{level}"))
    return graph([*edges, (f"j{count - 1}", "answer")], "answer")


Found = tuple[list[list[str]], int]


def search(graph: Graph, node: str, target: str, path: list[str], seen: set[str]) -> Found:
    """graphon's recursion (response_stream/filter.py, `_find_all_paths`): (paths, calls)."""
    if node == target:
        return [path], 1
    seen, paths, calls = {node, *seen}, [], 1
    for edge in graph.edges.values():
        if edge.source == node and edge.target not in seen:
            found, more = search(graph, edge.target, target, [*path, edge.id], seen)
            paths += found
            calls += more
    return paths, calls


def random_graph(seed: int, circles: bool) -> Graph:
    dice = random.Random(seed)
    names = ["s", *(f"n{i}" for i in range(dice.randint(1, 8)))]
    edges = []
    for _ in range(dice.randint(1, 16)):
        source, target = sorted(dice.sample(range(len(names)), 2))
        if circles and dice.random() < 0.3:
            source, target = target, source
        edges.append((names[source], names[target]))
    return graph(edges, " ".join(dice.sample(names, 2)))


@pytest.mark.parametrize("circles", [False, True])
@pytest.mark.parametrize("part", range(10))
def test_agrees_with_graphons_recursion(circles: bool, part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        made = random_graph(seed, circles)
        calls = 0
        for response in (node.id for node in made.nodes.values() if node.kind == "response"):
            expected, more = search(made, made.root, response, [], set())
            calls += 0 if response == made.root else more
            assert list(paths_to(made, response)) == [tuple(path) for path in expected], seed
            assert count_paths(made, response) == len(expected)
            assert count_paths(made, response, 2) == min(len(expected), 2)
        cost = search_cost(made)
        if not cost.capped:
            assert cost.calls == calls, seed


def test_parallel_edges_count_twice() -> None:
    made = graph([("s", "a"), ("s", "a"), ("a", "answer")], "answer")
    assert list(paths_to(made, "answer")) == [("e0", "e2"), ("e1", "e2")]


def test_edges_in_containers_are_not_followed() -> None:
    made = graph([("s", "answer")], "answer")
    inside = Edge("in", "s", "answer", parent="loop")
    made = Graph(made.nodes, {**made.edges, "in": inside}, "s")
    assert count_paths(made, "answer") == 1


def test_a_thousand_diamonds_are_counted_exactly_and_at_once() -> None:
    made = diamonds(1000)
    began = time.process_time()
    assert count_paths(made, "answer") == 2**1000
    assert count_paths(made, "answer", PATH_LIMIT) == PATH_LIMIT
    assert search_cost(made).paths == {"answer": 2**1000}
    assert time.process_time() - began < 2


def test_the_first_paths_of_an_exploding_graph_come_at_once() -> None:
    paths = paths_to(diamonds(1000), "answer")
    assert len(next(paths)) == len(next(paths)) == 2001


def test_circles_end() -> None:
    names = [f"n{i}" for i in range(14)]
    everywhere = [("s", "n0"), *((a, b) for a in names for b in names if a != b), ("n13", "answer")]
    cost = search_cost(graph(everywhere, "answer"))
    assert cost.capped
    assert cost.paths["answer"] > 10_000
