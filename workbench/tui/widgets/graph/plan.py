"""A graph laid out for a panel: which part of it, at which zoom level, and where everything stands."""

from __future__ import annotations

from workbench.core.graph import Graph
from workbench.core.layout import Layout, lay_out
from workbench.core.picture.handles import handles_in_use
from workbench.tui.widgets.graph import sizes
from workbench.tui.widgets.graph.lines import LineLayer
from workbench.tui.widgets.graph.moves import within


class Plan:
    """The layouts of one graph, or of the inside of one container; each is made when it is first asked for.

    Attributes:
        shown: the part that is drawn.
        handles: per node its named handles in use.
    """

    def __init__(self, graph: Graph, scope: str | None = None) -> None:
        self.scope = scope
        self.shown = within(graph, scope)
        self.handles = handles_in_use(self.shown)
        self._layouts: dict[tuple[sizes.Detail, bool], Layout] = {}
        self._lines: dict[tuple[sizes.Detail, bool], LineLayer] = {}

    def layout(self, detail: sizes.Detail, tidy: bool) -> Layout:
        """Where everything stands."""
        key = detail, tidy
        if key not in self._layouts:
            names = self.edge_names(detail)
            self._layouts[key] = lay_out(
                self.shown,
                sizes.sizes(self.shown, self.handles, detail),
                sizes.SPACING[detail.zoom],
                labels={edge: sizes.width_of(name) for edge, name in names.items()},
                tidy=tidy,
            )
        return self._layouts[key]

    def lines(self, detail: sizes.Detail, tidy: bool) -> LineLayer:
        """The lines of a layout, as they were drawn last."""
        key = detail, tidy
        if key not in self._lines:
            self._lines[key] = LineLayer(self.layout(detail, tidy))
        return self._lines[key]

    def edge_names(self, detail: sizes.Detail) -> dict[str, str]:
        """The names that are written beside edges."""
        return sizes.edge_names(self.shown, self.handles, detail)

    def fitting(self, width: int, height: int, tidy: bool) -> sizes.Detail:
        """The most detailed picture that fits; else one to pan, unless only an overview is near it."""
        for detail in sizes.FITS:
            layout = self.layout(detail, tidy)
            if layout.width <= width and layout.height <= height:
                return detail
        layout = self.layout(sizes.PANNED, tidy)
        near = layout.width <= 3 * width and layout.height <= 3 * height
        return sizes.PANNED if near or not width else sizes.OVERVIEW
