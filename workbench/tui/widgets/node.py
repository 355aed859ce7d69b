"""Everything about one node: what it is, how it stands, what went in and came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.core.graph import Graph, Node
from workbench.core.picture.gate_view import edge_view
from workbench.core.picture.looks import EdgeLook
from workbench.tui.text import block, one_line, value_text
from workbench.tui.widgets.graph.signs import type_sign

Piece = tuple[str, str] | str
_KNOWN = {"type", "title", "desc", "selected"}
_VALUE = 2_000
_ENDS = {"NodeRunSucceeded", "NodeRunFailed", "NodeRunException", "NodeRunRetry"}


def last_outcome(events: Sequence[Mapping[str, Any]], node_id: str, step: int) -> Mapping[str, Any] | None:
    """The newest event up to a step that tells inputs, outputs or an error of a node."""
    for event in reversed(events[:step]):
        if event.get("node") == node_id and event.get("kind") in _ENDS:
            found: Mapping[str, Any] = event
            return found
    return None


def _section(title: str, values: Mapping[str, Any]) -> list[Piece]:
    if not values:
        return []
    pieces: list[Piece] = [(f"\n{title}\n", "bold $text-primary")]
    for name, value in values.items():
        pieces += [
            (f"  {one_line(name)}  ", "$text-muted"),
            block(value_text(value), _VALUE).replace("\n", "\n    "),
            "\n",
        ]
    return pieces


class NodePanel(VerticalScroll, can_focus=True):
    """The node that is selected in the graph."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="node.down"),
        Binding("k", "scroll_up", "Up", show=False, id="node.up"),
    ]
    HELP = """
    The node selected in the graph: its edges, what went in and came out at this step, its settings.

    j k          scroll
    """

    def compose(self) -> ComposeResult:
        yield Static(Content("Select a node in the graph."), id="node-text")

    def show(
        self,
        graph: Graph,
        node: Node | None,
        status: str,
        looks: Mapping[str, EdgeLook],
        outcome: Mapping[str, Any] | None,
    ) -> None:
        """Show another node, or the same at another step. `outcome`: see `last_outcome`; secrets are
        masked already.
        """
        if node is None:
            return
        pieces: list[Piece] = [
            (f"{type_sign(node.type)} {one_line(node.title or node.id)}", "bold"),
            (f"  {one_line(node.type)}  {one_line(node.id)}  {status}\n", "$text-muted"),
        ]
        for edge in graph.edges.values():
            if node.id in (edge.source, edge.target):
                look = looks.get(edge.id, "unknown")
                way = "in " if edge.target == node.id else "out"
                words = edge_view(graph, edge.id, look).words
                pieces += [(f"  {way}  ", "$text-muted"), one_line(words), (f"  {look}\n", "$text-muted")]
        if outcome is not None:
            if outcome.get("error"):
                pieces += [("\nError  ", "bold $text-error"), block(str(outcome["error"]), _VALUE), "\n"]
            pieces += _section("Inputs", outcome.get("inputs") or {})
            pieces += _section("Outputs", outcome.get("outputs") or {})
        pieces += _section(
            "Settings",
            {k: v for k, v in node.data.items() if k not in _KNOWN and v not in (None, "", [], {})},
        )
        self.query_one("#node-text", Static).update(Content.assemble(*pieces))
