"""From a layout and the looks of a step to a sheet of cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.finding import AnswerPhase
from workbench.core.graph import Graph, Node
from workbench.core.layout import Layout, Placed, Route
from workbench.core.picture.looks import EdgeLook, NodeLook
from workbench.tui.text import fit
from workbench.tui.widgets.graph import sizes
from workbench.tui.widgets.graph.canvas import Canvas
from workbench.tui.widgets.graph.lines import RANK, LineLayer
from workbench.tui.widgets.graph.signs import PHASES, STATUS, type_sign
from workbench.tui.widgets.graph.strokes import STROKES


@dataclass(frozen=True)
class Scene:
    """All that a drawing shows."""

    graph: Graph
    layout: Layout
    detail: sizes.Detail
    handles: Mapping[str, Mapping[str, str]]
    edge_names: Mapping[str, str]
    edges: Mapping[str, EdgeLook]
    nodes: Mapping[str, NodeLook]
    phases: Mapping[str, AnswerPhase]
    left: Mapping[str, int]
    current: str | None = None
    breakpoints: frozenset[str] = frozenset()


def draw(scene: Scene, lines: LineLayer) -> Canvas:
    """Edges first, the urgent ones above the others; then nodes; then names and signs on edges."""
    canvas = lines.drawn(scene.edges)
    for placed in scene.layout.nodes.values():
        node = scene.graph.nodes.get(placed.id)
        if node is not None:
            _draw_node(scene, canvas, placed, node)
    for edge, route in scene.layout.routes.items():
        _draw_signs(scene, canvas, route, scene.edges.get(edge, "unknown"), lines)
    return canvas


def marked_cells(layout: Layout, node_id: str, detail: sizes.Detail) -> tuple[int, int, int] | None:
    """Where a selected node is marked: x, y, width."""
    placed = layout.nodes.get(node_id)
    if placed is None:
        return None
    row = placed.y + (1 if detail.zoom == "full" and not placed.container else 0)
    inset = 1 if detail.zoom != "overview" else 0
    return placed.x + inset, row, placed.width - 2 * inset


def _draw_signs(scene: Scene, canvas: Canvas, route: Route, look: EdgeLook, lines: LineLayer) -> None:
    stroke, style = STROKES[look], f"edge-{look}"
    x, y = route.points[-1]
    if canvas.at(x, y) != "▸":  # of several edges into one node the most urgent head that leads on is shown
        canvas.put(x, y, stroke.head, style)
    name = scene.edge_names.get(route.edge)
    if name and route.label:
        canvas.write(*route.label, name, f"label-{look}")
    if not stroke.sign:
        return
    label_y = route.label[1] if name and route.label else None
    label_x = range(route.label[0], route.label[0] + len(name)) if name and route.label else range(0)
    alone = [
        point
        for point in lines.alone(route.edge)
        if point != (x, y) and not (point[1] == label_y and point[0] in label_x)
    ]
    if alone:
        canvas.put(*alone[-1 if len(alone) < 3 else len(alone) // 2], stroke.sign, style)


def _draw_node(scene: Scene, canvas: Canvas, placed: Placed, node: Node) -> None:
    look = scene.nodes.get(node.id, "unknown")
    style = "node-current" if node.id == scene.current else f"node-{look}"
    if placed.container:
        _draw_container(scene, canvas, placed, node, look, style)
    elif scene.detail.zoom == "full":
        _draw_box(scene, canvas, placed, node, look, style)
    elif scene.detail.zoom == "line":
        _draw_line_node(scene, canvas, placed, node, look, style)
    else:
        canvas.write(
            placed.x,
            placed.y,
            f"{_badge(scene, node)}{type_sign(node.type)}{_status(scene, node, look)}",
            style,
        )


def _badge(scene: Scene, node: Node) -> str:
    if node.id == scene.current:
        return "►"
    return "●" if node.id in scene.breakpoints else " "


def _status(scene: Scene, node: Node, look: NodeLook) -> str:
    phase = scene.phases.get(node.id)
    return PHASES[phase] if phase in ("queued", "active") else STATUS[look]


_CORNERS = {"round": "╭╮╰╯", "square": "┌┐└┘", "heavy": "┏┓┗┛"}


def _frame(scene: Scene, node: Node, look: NodeLook) -> tuple[str, str, str]:
    """Corners, horizontal and vertical stroke of a node's box: its state is told without colour."""
    if node.id == scene.current:
        return _CORNERS["heavy"], "━", "┃"
    if look == "unknown":
        return _CORNERS["square"], "╌", "╎"
    if look == "skipped":
        return _CORNERS["square"], "┈", "┊"
    return _CORNERS["round"], "─", "│"


def _outline(canvas: Canvas, placed: Placed, frame: tuple[str, str, str], style: str) -> None:
    corners, across, down = frame
    right, bottom = placed.right - 1, placed.bottom - 1
    for x in range(placed.x + 1, right):
        canvas.put(x, placed.y, across, style)
        canvas.put(x, bottom, across, style)
    for y in range(placed.y + 1, bottom):
        canvas.put(placed.x, y, down, style)
        canvas.put(right, y, down, style)
    for at, (x, y) in enumerate(
        ((placed.x, placed.y), (right, placed.y), (placed.x, bottom), (right, bottom))
    ):
        canvas.put(x, y, corners[at], style)


def _draw_box(scene: Scene, canvas: Canvas, placed: Placed, node: Node, look: NodeLook, style: str) -> None:
    for y in range(placed.y + 1, placed.bottom - 1):
        canvas.write(placed.x, y, " " * placed.width, style)
    _outline(canvas, placed, _frame(scene, node, look), style)
    rows = sizes.title_rows(node, scene.detail)
    room = placed.width - 6
    lead = f"{_badge(scene, node)}{type_sign(node.type)} "
    for at, name in enumerate(rows):
        text = f"{lead}{fit(name, room)}{_status(scene, node, look)}" if at == 0 else f"   {fit(name, room)} "
        canvas.write(placed.x + 1, placed.y + 1 + at, text, f"{style}-title")
    below = placed.y + 1 + len(rows)
    for row, (handle, called) in enumerate(scene.handles.get(node.id, {}).items(), start=below):
        chosen = _handle_look(scene, node.id, handle)
        words = fit(sizes.handle_name(called, scene.detail), placed.width - 4)
        words = words[len(words.rstrip()) :] + words.rstrip()
        canvas.write(placed.x + 2, row, words, f"label-{chosen}")
        canvas.put(placed.right - 1, row, "├", style)
    if node.kind == "response" and node.id in scene.phases:
        words, style = _standing(scene, node.id, look, placed.width - 4)
        canvas.write(placed.x + 2, below, fit(words, placed.width - 4), style)


def _standing(scene: Scene, node_id: str, look: NodeLook, room: int) -> tuple[str, str]:
    """Where an Answer stands, in as many words as there is room for."""
    phase, left = scene.phases[node_id], scene.left.get(node_id, 0)
    sign = PHASES[phase]
    if phase == "locked" and look == "skipped":
        return "× not taken", "phase-done"
    if phase != "locked" or not left:
        return f"{sign} {phase}", f"phase-{phase}"
    full, short = f"{sign} locked, {left} left", f"{sign} {left} left"
    return full if len(full) <= room else short, "phase-locked"


def _handle_look(scene: Scene, node_id: str, handle: str) -> EdgeLook:
    looks = [
        scene.edges.get(e.id, "unknown")
        for e in scene.graph.edges.values()
        if e.source == node_id and e.handle == handle
    ]
    return max(looks, key=lambda s: RANK[s], default="unknown")


def _draw_line_node(
    scene: Scene, canvas: Canvas, placed: Placed, node: Node, look: NodeLook, style: str
) -> None:
    opening, closing = ("⟦", "⟧") if node.id == scene.current else ("[", "]")
    room = placed.width - 5
    text = f"{type_sign(node.type)} {fit(sizes.title(node, scene.detail), room)}"
    badge = _badge(scene, node)
    sign = badge if badge == "●" else _status(scene, node, look)
    canvas.write(placed.x, placed.y, f"{opening}{text}{sign}{closing}", style)


def _draw_container(
    scene: Scene, canvas: Canvas, placed: Placed, node: Node, look: NodeLook, style: str
) -> None:
    _outline(canvas, placed, _frame(scene, node, look), style)
    parts = (
        _badge(scene, node),
        type_sign(node.type),
        sizes.title(node, scene.detail),
        _status(scene, node, look),
    )
    canvas.write(placed.x + 2, placed.y, f" {' '.join(p for p in parts if p.strip())} ", f"{style}-title")
