"""The lists of blocking edges, in graphon's own order: against the walk that graphon does."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from tests.bench.bench_core import diamonds
from tests.core.gate_cases import graphs
from workbench.core.blocking import Scope, scope_of
from workbench.core.graph import Graph
from workbench.core.path_lists import path_count, path_lists


@settings(max_examples=300, deadline=None)
@given(app=graphs())
def test_lists_are_those_of_graphons_own_walk(app: Graph) -> None:
    for whole in (False, True):
        scope = scope_of(app, whole=whole)
        for response in scope.responses:
            expected = tuple(
                tuple(edge for edge in path if scope.blocks(scope.edges[edge], response))
                for path in walk(scope, scope.root, response, frozenset())
            )
            assert path_lists(scope, response) == expected
            assert path_count(scope, response) == len(expected)


def walk(scope: Scope, node: str, target: str, visited: frozenset[str]) -> list[list[str]]:
    """graphon 0.8 `_find_all_paths`."""
    if node == target:
        return [[]]
    found: list[list[str]] = []
    edge: Any
    for edge in scope.out.get(node, ()):
        if edge.target not in visited | {node}:
            found += [[edge.id, *rest] for rest in walk(scope, edge.target, target, visited | {node})]
    return found


def test_the_limit_is_4096_paths() -> None:
    assert len(path_lists(scope_of(diamonds(12)), "answer") or ()) == 4096
    assert path_lists(scope_of(diamonds(13)), "answer") is None


def test_a_long_chain_with_few_paths_is_quick() -> None:
    scope = scope_of(diamonds(12))
    assert path_lists(scope, "answer") is path_lists(scope, "answer")
