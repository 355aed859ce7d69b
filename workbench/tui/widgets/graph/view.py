"""The graph of an app on screen: pan, zoom, select, follow the node that a step is about."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.core.graph import Graph
from workbench.core.layout import Layout
from workbench.tui.text import clip
from workbench.tui.widgets.graph import sizes
from workbench.tui.widgets.graph.drawing import Scene, draw, marked_cells
from workbench.tui.widgets.graph.moves import neighbour, scope_of
from workbench.tui.widgets.graph.picture import STYLES, Picture
from workbench.tui.widgets.graph.plan import Plan
from workbench.tui.widgets.graph.sheet import Sheet

__all__ = ["GraphView", "Picture"]


class GraphView(ScrollView, can_focus=True):
    """Paints `workbench.core.layout` with box-drawing characters."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)
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
    double click     inspect, enter; beside all nodes: leave
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
        self._plans: dict[str | None, Plan] = {}
        self._picture = Picture()
        self._sheet = Sheet(self._style)
        self._detail = sizes.FULL
        self._grabbed: events.MouseDown | None = None
        self._moved = False

    # what is shown ------------------------------------------------------------

    def set_graph(self, graph: Graph) -> None:
        """Show another graph."""
        self._graph = graph
        self._plans.clear()
        self.set_reactive(GraphView.scope, None)
        self.set_reactive(GraphView.selected, None)
        self._redraw()

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
        return self._layout() if self._graph is not None else None

    @property
    def _plan(self) -> Plan:
        assert self._graph is not None
        if self.scope not in self._plans:
            self._plans[self.scope] = Plan(self._graph, self.scope)
        return self._plans[self.scope]

    def _layout(self) -> Layout:
        return self._plan.layout(self._detail, self.tidy)

    def wanted_height(self, width: int, most: int) -> int:
        """The rows that the picture needs in a panel of some width and at most some rows, itself chosen to
        fit.
        """
        if self._graph is None:
            return most
        return min(most, self._plan.layout(self._fitting(width, most), self.tidy).height)

    def _fitting(self, width: int, height: int) -> sizes.Detail:
        if self.zoom is not None:
            return sizes.BY_ZOOM[self.zoom]
        return self._plan.fitting(width, height, self.tidy)

    def _redraw(self) -> None:
        if self._graph is None:
            return
        self._detail = self._fitting(*self.content_region.size)
        plan, layout, picture = self._plan, self._layout(), self._picture
        scene = Scene(
            plan.shown,
            layout,
            self._detail,
            plan.handles,
            plan.edge_names(self._detail),
            picture.edges,
            picture.nodes,
            picture.phases,
            picture.left,
            picture.current,
            picture.breakpoints,
        )
        rows = self._sheet.show(draw(scene, plan.lines(self._detail, self.tidy)), self._marked())
        self.virtual_size = Size(layout.width, layout.height)
        self._caption(layout)
        self._repaint(rows)

    def _repaint(self, rows: set[int] | None) -> None:
        """Paint some rows of the drawing again, all where None is given."""
        if rows is None:
            self.refresh()
            return
        width, height = self.content_region.size
        top = self._centring()[1] - self.scroll_offset.y
        shown = [Region(0, y + top, width, 1) for y in rows if 0 <= y + top < height]
        if shown:
            self.refresh(*shown)

    def _marked(self) -> tuple[int, int, int] | None:
        return marked_cells(self._layout(), self.selected, self._detail) if self.selected else None

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
        blank = self._sheet.look("")
        if not 0 <= row < self._sheet.canvas.height:
            return Strip.blank(width, blank)
        strip = self._sheet.row(row)
        strip = strip.crop(scroll_x, scroll_x + width)
        if pad_x:
            strip = Strip.join([Strip.blank(pad_x, blank), strip])
        return strip.adjust_cell_length(width, blank)

    def _centring(self) -> tuple[int, int]:
        """Cells left of and above a picture that is smaller than the panel."""
        width, height = self.content_region.size
        return max(0, (width - self._sheet.canvas.width) // 2), max(
            0, (height - self._sheet.canvas.height) // 2
        )

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._sheet.restyle()
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
        if self._graph is not None:
            self._caption(self._layout())
            if self.follow and self._picture.current:
                self.reveal(self._picture.current)

    def watch_scope(self) -> None:
        self._redraw()

    def watch_selected(self, selected: str | None) -> None:
        if self._graph is not None:
            self._repaint(self._sheet.select(self._marked()))
        if selected is not None:
            self.reveal(selected)
            self.post_message(self.Selected(selected))

    def reveal(self, node_id: str | None, animate: bool = False) -> None:
        """Scroll so that a node can be seen."""
        if node_id is None or self._graph is None:
            return
        placed = self._layout().nodes.get(node_id)
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
        if self._graph is None:
            return
        layout = self._layout()
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
        if self._graph is None:
            return None
        pad_x, pad_y = self._centring()
        px, py = x + self.scroll_offset.x - pad_x, y + self.scroll_offset.y - pad_y
        hit = None
        for placed in self._layout().nodes.values():
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
            if event.chain == 2:
                self.action_leave()
            return
        self.selected = hit
        if event.chain == 2:
            self.action_inspect()
