"""The layout: nothing overlaps, edges run straight and around nodes, the author's order is kept."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.graph import Box, Edge, Graph, Node
from workbench.core.layout import Layout, Size, Spacing, lay_out


def node(
    node_id: str, x: float | None = None, y: float = 0.0, parent: str | None = None, kind="executable"
) -> Node:
    box = None if x is None else Box(x, y, 244, 90)
    return Node(node_id, "llm", node_id, kind, parent=parent, box=box)


def graph(nodes: list[Node], pairs: list[tuple[str, ...]]) -> Graph:
    by_id = {n.id: n for n in nodes}
    edges = {
        f"e{i}": Edge(f"e{i}", p[0], p[1], p[2] if len(p) > 2 else "source", by_id[p[0]].parent)
        for i, p in enumerate(pairs)
    }
    return Graph(by_id, edges, nodes[0].id)


def sizes_for(a_graph: Graph, height: int = 3) -> dict[str, Size]:
    return {n: Size(10 + len(n), height, port=1 if height > 1 else 0) for n in a_graph.nodes}


def runs(layout: Layout, edge: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    points = layout.routes[edge].points
    return list(itertools.pairwise(points))


def cells(layout: Layout, edge: str) -> set[tuple[int, int]]:
    found = {layout.routes[edge].points[0]}
    for (x1, y1), (x2, y2) in runs(layout, edge):
        found |= (
            {(x, y1) for x in range(min(x1, x2), max(x1, x2) + 1)}
            if y1 == y2
            else {(x1, y) for y in range(min(y1, y2), max(y1, y2) + 1)}
        )
    return found


def check_sound(a_graph: Graph, layout: Layout) -> None:
    """What must hold for every picture."""
    plain = [p for p in layout.nodes.values() if not p.container]
    for at, a in enumerate(plain):
        for b in plain[at + 1 :]:
            apart = a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y
            assert apart, (a, b)
    taken = {(x, y) for p in plain for x in range(p.x, p.right) for y in range(p.y, p.bottom)}
    for edge_id, route in layout.routes.items():
        edge = a_graph.edges[edge_id]
        source, target = layout.nodes[edge.source], layout.nodes[edge.target]
        assert route.points[0][0] == source.right
        assert source.y <= route.points[0][1] < source.bottom
        assert route.points[-1][0] == target.x - 1
        assert target.y <= route.points[-1][1] < target.bottom
        for (x1, y1), (x2, y2) in runs(layout, edge_id):
            assert (x1 == x2) != (y1 == y2), "every run is straight, and none is empty"
        assert not cells(layout, edge_id) & taken
    for p in layout.nodes.values():
        assert p.x >= 0
        assert p.y >= 0
        assert p.right <= layout.width
        assert p.bottom <= layout.height
    for route in layout.routes.values():
        assert all(0 <= x < layout.width and 0 <= y < layout.height for x, y in route.points)


def test_a_chain_is_one_straight_line() -> None:
    chain = graph([node("a", 0), node("b", 300), node("c", 600)], [("a", "b"), ("b", "c")])
    layout = lay_out(chain, sizes_for(chain))
    assert layout.origin == "canvas"
    assert [len(layout.routes[e].points) for e in ("e0", "e1")] == [2, 2]
    assert layout.nodes["a"].y == layout.nodes["b"].y == layout.nodes["c"].y
    check_sound(chain, layout)


def test_the_authors_order_is_kept() -> None:
    made = graph(
        [node("low", 300, 500), node("high", 310, 20), node("left", 0, 260)],
        [("left", "low"), ("left", "high")],
    )
    layout = lay_out(made, sizes_for(made))
    assert layout.nodes["left"].right < layout.nodes["low"].x == layout.nodes["high"].x
    assert layout.nodes["high"].bottom <= layout.nodes["low"].y
    assert layout.nodes["high"].y < layout.nodes["left"].y < layout.nodes["low"].y


def test_air_between_distant_nodes_is_left_out() -> None:
    far = graph([node("a", 0), node("b", 90_000, 40_000)], [("a", "b")])
    layout = lay_out(far, sizes_for(far))
    assert layout.width < 40
    assert layout.height < 10


def test_nodes_on_one_place_do_not_cover_each_other() -> None:
    heap = graph(
        [node("a", 0), node("b", 300), node("c", 300, 4), node("d", 300, 4), node("e", 600)], [("a", "b")]
    )
    check_sound(heap, lay_out(heap, sizes_for(heap)))


def test_a_long_edge_goes_around_the_nodes_between() -> None:
    made = graph([node("a", 0), node("b", 300), node("c", 600)], [("a", "b"), ("b", "c"), ("a", "c")])
    layout = lay_out(made, sizes_for(made))
    assert len(layout.routes["e2"].points) == 6
    check_sound(made, layout)


def test_edges_back_and_onto_oneself_are_drawn() -> None:
    made = graph([node("a", 0), node("b", 300)], [("a", "b"), ("b", "a"), ("b", "b")])
    layout = lay_out(made, sizes_for(made))
    assert set(layout.routes) == {"e0", "e1", "e2"}
    check_sound(made, layout)


@pytest.mark.parametrize("missing", ["all", "one"])
def test_without_canvas_positions_nodes_are_layered(missing: str) -> None:
    places = [None, None, None, None] if missing == "all" else [0, 300, None, 600]
    nodes = [node(n, x) for n, x in zip("abcd", places, strict=True)]
    made = graph(nodes, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    layout = lay_out(made, sizes_for(made))
    assert layout.origin == "layered"
    columns = {n: p.column for n, p in layout.nodes.items()}
    assert columns == {"a": 0, "b": 1, "c": 1, "d": 2}
    check_sound(made, layout)


def test_tidy_ignores_the_canvas() -> None:
    made = graph([node("a", 900), node("b", 0)], [("a", "b")])
    assert lay_out(made, sizes_for(made)).nodes["a"].x > 0
    tidy = lay_out(made, sizes_for(made), tidy=True)
    assert tidy.origin == "layered"
    assert tidy.nodes["a"].x == 0


def test_a_heap_of_nodes_on_one_spot_is_no_canvas() -> None:
    made = graph([node("a", 0), node("b", 0), node("c", 0)], [("a", "b"), ("b", "c")])
    assert lay_out(made, sizes_for(made)).origin == "layered"


def test_children_stand_inside_their_container() -> None:
    nodes = [
        node("start", 0),
        node("loop", 300, kind="container"),
        node("one", 20, 60, "loop"),
        node("two", 320, 60, "loop"),
        node("after", 1200),
    ]
    made = graph(nodes, [("start", "loop"), ("one", "two"), ("loop", "after")])
    layout = lay_out(made, sizes_for(made))
    around = layout.nodes["loop"]
    for child in ("one", "two"):
        inner = layout.nodes[child]
        assert around.x < inner.x
        assert inner.right < around.right
        assert around.y < inner.y
        assert inner.bottom < around.bottom
    assert all(around.x < x < around.right for x, _ in layout.routes["e1"].points)
    check_sound(made, layout)


def test_a_container_in_itself_or_a_missing_one_does_not_hang() -> None:
    nodes = [
        node("a", 0, parent="b"),
        node("b", 300, parent="a"),
        node("c", 600, parent="gone"),
        node("d", 900, parent="d"),
    ]
    layout = lay_out(graph(nodes, [("a", "b")]), sizes_for(graph(nodes, [])))
    assert set(layout.nodes) == {"a", "b", "c", "d"}


def test_edges_between_scopes_have_no_route() -> None:
    nodes = [node("a", 0), node("loop", 300, kind="container"), node("in", 0, 0, "loop")]
    layout = lay_out(graph(nodes, [("a", "in")]), sizes_for(graph(nodes, [])))
    assert layout.routes == {}


def test_handles_leave_at_their_own_rows_and_names_get_room() -> None:
    made = graph(
        [node("if", 0), node("yes", 300, 0), node("no", 300, 200)],
        [("if", "yes", "true"), ("if", "no", "false")],
    )
    sizes = sizes_for(made) | {"if": Size(14, 5, port=1, handles={"true": 2, "false": 3})}
    layout = lay_out(made, sizes)
    assert [layout.routes[e].points[0][1] for e in ("e0", "e1")] == [2, 3]
    named = lay_out(made, sizes_for(made, 1), labels={"e0": 4, "e1": 7})
    for edge, width in (("e0", 4), ("e1", 7)):
        label = named.routes[edge].label
        assert label is not None
        assert {(label[0] + i, label[1]) for i in range(width)} <= cells(named, edge)


def test_an_empty_graph_is_an_empty_picture() -> None:
    layout = lay_out(Graph({}, {}, ""), {})
    assert (layout.width, layout.height) == (0, 0)


@st.composite
def random_graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 14))
    placed = draw(st.booleans())
    nodes = [
        node(
            f"n{i}",
            draw(st.sampled_from([0, 30, 300, 310, 620, 900])) if placed else None,
            draw(st.integers(0, 600)),
        )
        for i in range(count)
    ]
    ends = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=24))
    return graph(nodes, [(f"n{a}", f"n{b}") for a, b in pairs])


@given(random_graphs(), st.sampled_from([1, 3]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_graph_gives_a_sound_picture(a_graph: Graph, height: int, tidy: bool) -> None:
    layout = lay_out(a_graph, sizes_for(a_graph, height), Spacing(), tidy=tidy)
    assert set(layout.nodes) == set(a_graph.nodes)
    assert set(layout.routes) == set(a_graph.edges)
    check_sound(a_graph, layout)


def test_foreign_edges_do_not_share_a_run() -> None:
    """Two edges without a common end may cross, but neither runs along the other."""
    nodes = [
        node("a", 0, 0),
        node("b", 0, 200),
        node("c", 300, 0),
        node("d", 300, 200),
        node("e", 600, 0),
        node("f", 600, 200),
    ]
    pairs = [("a", "d"), ("b", "c"), ("a", "f"), ("b", "e"), ("c", "f"), ("d", "e")]
    made = graph(nodes, pairs)
    layout = lay_out(made, sizes_for(made, 1))
    for at, (a, b) in enumerate(pairs):
        for other, (c, d) in enumerate(pairs[at + 1 :], start=at + 1):
            if a == c or b == d:
                continue
            common = cells(layout, f"e{at}") & cells(layout, f"e{other}")
            assert not any((x + 1, y) in common or (x, y + 1) in common for x, y in common), (at, other)
