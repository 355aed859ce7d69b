"""The graph of an app on screen: pan, zoom, select, follow the node that a step is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.core.finding import AnswerPhase
from workbench.core.graph import Graph
from workbench.core.layout import Layout, lay_out
from workbench.core.picture.handles import handles_in_use
from workbench.core.picture.looks import EdgeLook, NodeLook
from workbench.tui.text import clip
from workbench.tui.widgets.graph import sizes
from workbench.tui.widgets.graph.canvas import Canvas
from workbench.tui.widgets.graph.drawing import Scene, draw
from workbench.tui.widgets.graph.moves import neighbour, scope_of, within

_LOOKS = ("unknown", "skipped", "taken", "unlocked", "blocking", "lost")
_NODES = (
    "unknown",
    "taken",
    "running",
    "succeeded",
    "failed",
    "exception",
    "paused",
    "retry",
    "skipped",
    "current",
)
_PHASES = ("locked", "queued", "active", "done")


@dataclass(frozen=True)
class Picture:
    """What the graph shows of a step. `left`: how many blocking edges each Answer still waits for."""

    edges: dict[str, EdgeLook] = field(default_factory=dict)
    nodes: dict[str, NodeLook] = field(default_factory=dict)
    phases: dict[str, AnswerPhase] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    current: str | None = None
    breakpoints: frozenset[str] = frozenset()


class GraphView(ScrollView, can_focus=True):
    """Paints `workbench.core.layout` with box-drawing characters."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"graph--edge-{look}" for look in _LOOKS),
        *(f"graph--label-{look}" for look in _LOOKS),
        *(f"graph--node-{look}" for look in _NODES),
        *(f"graph--phase-{phase}" for phase in _PHASES),
        "graph--node-selected",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "select('left')", "Node left", show=False, id="graph.left"),
        Binding("l,right", "select('right')", "Node right", show=False, id="graph.right"),
        Binding("k,up", "select('up')", "Node up", show=False, id="graph.up"),
        Binding("j,down", "select('down')", "Node down", show=False, id="graph.down"),
        Binding("enter", "inspect", "Inspect node", show=False, id="graph.inspect"),
        Binding("backspace", "leave", "Leave container", show=False, id="graph.leave"),
        Binding("plus,equals_sign", "zoom(1)", "Zoom in", key_display="+", show=False, id="graph.zoom_in"),
        Binding("minus", "zoom(-1)", "Zoom out", key_display="-", show=False, id="graph.zoom_out"),
        Binding("0", "zoom_fit", "Fit", show=False, id="graph.zoom_fit"),
        Binding("f", "follow", "Follow", show=False, id="graph.follow"),
        Binding("t", "tidy", "Tidy", show=False, id="graph.tidy"),
        Binding("H", "pan(-8, 0)", "Pan left", show=False, id="graph.pan_left"),
        Binding("L", "pan(8, 0)", "Pan right", show=False, id="graph.pan_right"),
        Binding("K", "pan(0, -4)", "Pan up", show=False, id="graph.pan_up"),
        Binding("J", "pan(0, 4)", "Pan down", show=False, id="graph.pan_down"),
    ]
    HELP = """
    The app's graph, where its author put the nodes.

    h j k l, arrows  select the next node in that direction
    enter            inspect the node; enters a loop or iteration
    backspace        leave a loop or iteration
    + - 0            zoom in, out, fit
    H J K L          pan; or drag, or turn the wheel
    f                follow the node of each step, or stay
    t                tidy: lay out anew, or as the author did

    Edges  ╌╌▹   not reached       ──▸  taken
           ═■═▹  an Answer waits   ━○━▸ taken, it opened a gate
           ┈×┈▹  not taken         ╍!╍▸ taken, lost at the pause
    Nodes  ✓ succeeded  ▸ running  ‖ paused  ✗ failed
           ! failed, handled  ↺ retried  × not taken
           heavy frame: the node of this step  ● breakpoint
    """

    zoom: reactive[sizes.Zoom | None] = reactive[sizes.Zoom | None](None)
    """The zoom level; None fits the panel."""
    tidy: reactive[bool] = reactive(False)
    follow: reactive[bool] = reactive(True)
    selected: reactive[str | None] = reactive[str | None](None)
    scope: reactive[str | None] = reactive[str | None](None)

    class Selected(Message):
        """Another node is selected."""

        def __init__(self, node_id: str) -> None:
            super().__init__()
            self.node_id = node_id

    class Inspect(Message):
        """The user wants to know all about a node."""

        def __init__(self, node_id: str) -> None:
            super().__init__()
            self.node_id = node_id

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._graph: Graph | None = None
        self._shown: Graph | None = None
        self._picture = Picture()
        self._layouts: dict[tuple[str | None, sizes.Detail, bool], Layout] = {}
        self._handles: dict[str, dict[str, str]] = {}
        self._canvas = Canvas(0, 0)
        self._detail = sizes.FULL
        self._grabbed: events.MouseDown | None = None
        self._moved = False

    # what is shown ------------------------------------------------------------

    def set_graph(self, graph: Graph) -> None:
        """Show another graph."""
        self._graph = graph
        self._layouts.clear()
        self.set_reactive(GraphView.scope, None)
        self.set_reactive(GraphView.selected, None)
        self._rescope()

    def set_picture(self, picture: Picture) -> None:
        """Show another step of the same graph."""
        moved = picture.current != self._picture.current
        self._picture = picture
        if self._graph is None:
            return
        if moved and self.follow and picture.current:
            scope = scope_of(self._graph, picture.current) if self.scope is not None else None
            if self.scope is not None and scope != self.scope:
                self.scope = None
        self._redraw()
        if moved and self.follow and picture.current:
            self.reveal(picture.current)

    @property
    def level(self) -> sizes.Zoom:
        """The zoom level in use."""
        return self._detail.zoom

    @property
    def layout_shown(self) -> Layout | None:
        """Where everything stands, None without a graph."""
        return self._layout(self._detail) if self._shown else None

    def _rescope(self) -> None:
        if self._graph is None:
            return
        self._shown = within(self._graph, self.scope)
        self._handles = handles_in_use(self._shown)
        self._redraw()

    def _layout(self, detail: sizes.Detail) -> Layout:
        key = (self.scope, detail, self.tidy)
        found = self._layouts.get(key)
        if found is None and self._shown is not None:
            names = sizes.edge_names(self._shown, self._handles, detail)
            found = self._layouts[key] = lay_out(
                self._shown,
                sizes.sizes(self._shown, self._handles, detail),
                sizes.SPACING[detail.zoom],
                labels={edge: sizes.width_of(name) for edge, name in names.items()},
                tidy=self.tidy,
            )
        assert found is not None
        return found

    def wanted_height(self, width: int, most: int) -> int:
        """The rows that the picture needs in a panel of some width and at most some rows, itself chosen to
        fit.
        """
        if self._shown is None:
            return most
        detail = sizes.BY_ZOOM[self.zoom] if self.zoom else self._fitting(width, most)
        return min(most, self._layout(detail).height)

    def _fitting(self, width: int, height: int) -> sizes.Detail:
        """The most detailed picture that fits; else one that is panned, unless only an overview is near
        it.
        """
        width, height = self.content_region.size
        for detail in sizes.FITS:
            layout = self._layout(detail)
            if layout.width <= width and layout.height <= height:
                return detail
        layout = self._layout(sizes.PANNED)
        near = layout.width <= 3 * width and layout.height <= 3 * height
        return sizes.PANNED if near or not width else sizes.OVERVIEW

    def _redraw(self) -> None:
        if self._shown is None:
            return
        self._detail = sizes.BY_ZOOM[self.zoom] if self.zoom else self._fitting(*self.content_region.size)
        layout = self._layout(self._detail)
        names = sizes.edge_names(self._shown, self._handles, self._detail)
        picture = self._picture
        self._canvas = draw(
            Scene(
                self._shown,
                layout,
                self._detail,
                self._handles,
                names,
                picture.edges,
                picture.nodes,
                picture.phases,
                picture.left,
                picture.current,
                self.selected,
                picture.breakpoints,
            )
        )
        self.virtual_size = Size(layout.width, layout.height)
        self._caption(layout)
        self.refresh()

    def _caption(self, layout: Layout) -> None:
        parts: list[str] = [self.level] + (["fit"] if self.zoom is None else [])
        parts.append("tidy" if self.tidy else "canvas" if layout.origin == "canvas" else "layered")
        parts.append("follow" if self.follow else "free")
        self.border_subtitle = " · ".join(parts)
        name = "Graph"
        if self.scope is not None and self._graph is not None:
            name += f" › {clip(self._graph.nodes[self.scope].title or self.scope, 24)}"
        self.border_title = name

    # painting ------------------------------------------------------------

    def _style(self, name: str) -> Style:
        if not name:
            return self.rich_style
        if name.endswith("-title"):
            return self.get_component_rich_style(f"graph--{name.removesuffix('-title')}") + Style(bold=True)
        return self.get_component_rich_style(f"graph--{name}")

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        width = self.size.width
        pad_x, pad_y = self._centring()
        row = y + scroll_y - pad_y
        blank = self.rich_style
        if not 0 <= row < self._canvas.height:
            return Strip.blank(width, blank)
        strip = Strip([Segment(text, self._style(style)) for text, style in self._canvas.runs(row)])
        strip = strip.crop(scroll_x, scroll_x + width)
        if pad_x:
            strip = Strip([Segment(" " * pad_x, blank), *strip])
        return strip.adjust_cell_length(width, blank)

    def _centring(self) -> tuple[int, int]:
        """Cells left of and above a picture that is smaller than the panel."""
        width, height = self.content_region.size
        return max(0, (width - self._canvas.width) // 2), max(0, (height - self._canvas.height) // 2)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    # reacting ------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        self._redraw()
        target = self._picture.current if self.follow else self.selected
        if target:
            self.reveal(target, animate=False)

    def watch_zoom(self) -> None:
        self._redraw()
        self.call_after_refresh(self.reveal, self.selected or self._picture.current)

    def watch_tidy(self) -> None:
        self._redraw()

    def watch_follow(self) -> None:
        if self._shown is not None:
            self._caption(self._layout(self._detail))
            if self.follow and self._picture.current:
                self.reveal(self._picture.current)

    def watch_scope(self) -> None:
        self._rescope()

    def watch_selected(self, selected: str | None) -> None:
        self._redraw()
        if selected is not None:
            self.reveal(selected)
            self.post_message(self.Selected(selected))

    def reveal(self, node_id: str | None, animate: bool = False) -> None:
        """Scroll so that a node can be seen."""
        if node_id is None or self._shown is None:
            return
        placed = self._layout(self._detail).nodes.get(node_id)
        if placed is None:
            return
        margin_x, margin_y = (6, 1) if self.size.width > 40 else (1, 0)
        region = Region(placed.x, placed.y, placed.width, placed.height).grow(
            (margin_y, margin_x, margin_y, margin_x)
        )
        self.scroll_to_region(region, animate=animate, force=True)

    # actions ------------------------------------------------------------

    def action_select(self, direction: str) -> None:
        """Select the next node in a direction."""
        if self._shown is None:
            return
        layout = self._layout(self._detail)
        here = self.selected if self.selected in layout.nodes else self._picture.current
        if here is None or here not in layout.nodes:
            here = min(layout.nodes, key=lambda n: (layout.nodes[n].x, layout.nodes[n].y), default=None)
            self.selected = here
        else:
            self.selected = neighbour(layout, here, direction) or here

    def action_inspect(self) -> None:
        """Enter a container, or show everything about a node."""
        node_id = self.selected or self._picture.current
        if node_id is None or self._graph is None:
            return
        if any(n.parent == node_id for n in self._graph.nodes.values()) and self.scope != node_id:
            self.scope = node_id
        self.post_message(self.Inspect(node_id))

    def action_leave(self) -> None:
        """Back to the graph around this container."""
        if self.scope is not None and self._graph is not None:
            left = self.scope
            self.scope = self._graph.nodes[left].parent
            self.selected = left

    def action_zoom(self, by: int) -> None:
        """One zoom level in or out."""
        at = sizes.ZOOMS.index(self.level) + by
        self.zoom = sizes.ZOOMS[max(0, min(len(sizes.ZOOMS) - 1, at))]

    def action_zoom_fit(self) -> None:
        """The largest level at which everything can be seen."""
        self.zoom = None

    def action_follow(self) -> None:
        """Follow the node of each step, or stay."""
        self.follow = not self.follow

    def action_tidy(self) -> None:
        """Lay the nodes out anew, or as the author put them."""
        self.tidy = not self.tidy

    def action_pan(self, x: int, y: int) -> None:
        """Move the view."""
        self.follow = False
        self.scroll_relative(x, y, animate=False)

    # mouse ------------------------------------------------------------

    def node_at(self, x: int, y: int) -> str | None:
        """The node at a place inside the panel, the innermost one."""
        if self._shown is None:
            return None
        pad_x, pad_y = self._centring()
        px, py = x + self.scroll_offset.x - pad_x, y + self.scroll_offset.y - pad_y
        hit = None
        for placed in self._layout(self._detail).nodes.values():
            inside = placed.x <= px < placed.right and placed.y <= py < placed.bottom
            if inside and (hit is None or not placed.container):
                hit = placed.id
        return hit

    def _hit(self, event: events.MouseEvent) -> str | None:
        place = event.get_content_offset(self)
        return None if place is None else self.node_at(place.x, place.y)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._grabbed, self._moved = event, False
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._grabbed is not None and (event.delta_x or event.delta_y):
            self._moved = True
            self.follow = False
            self.scroll_relative(-event.delta_x, -event.delta_y, animate=False, force=True)
            return
        node = self._graph.nodes.get(self._hit(event) or "") if self._graph else None
        self.tooltip = clip(f"{node.title or node.id} ({node.type})", 60) if node else None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        self._grabbed = None

    def on_click(self, event: events.Click) -> None:
        if self._moved:
            return
        hit = self._hit(event)
        if hit is None:
            return
        self.selected = hit
        if event.chain == 2:
            self.action_inspect()
