"""Where paths explode the engine runs without graphon's filter, and core's gate says what the chat user
sees.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph

if TYPE_CHECKING:
    from workbench.core.replay import Player
    from workbench.core.state import Base
    from workbench.engine.order import Order
    from workbench.records.app import App


class RawGate:
    """Streams live what the real filter would."""

    def __init__(
        self, graph: Graph, kernel: str, dump: Mapping[str, Any] | None = None, base: Base | None = None
    ) -> None:
        self._graph = graph
        self._kernel = kernel
        self._dump = dump
        self._base = base
        self._player: Player | None = None
        self._dead = False

    def pool(self, variables: Mapping[str, Any]) -> None:
        """The pool before the first event."""
        from workbench.core.replay import Player

        plain = {
            node: {name: held["value"] for name, held in names.items()} for node, names in variables.items()
        }
        self._player = Player(self._graph, plain, dump=self._dump, base=self._base, kernel=self._kernel)

    def feed(self, event: Mapping[str, Any]) -> tuple[list[list[Any]], str | None]:
        """The chunks of an event as the protocol's `stream` has them, and the error that broke the stream."""
        from workbench.core.gate import StreamClosedError

        if self._player is None or self._dead:
            return [], None
        try:
            chunks = self._player.feed(event)
        except StreamClosedError as error:
            self._dead = True
            return [], str(error)
        return [[chunk.node, list(chunk.selector), chunk.text, chunk.final] for chunk in chunks], None

    def dump(self) -> str | None:
        """The gate's state for a pause, None once the stream is dead."""
        if self._player is None or self._dead:
            return None
        return json.dumps(self._player.gate.dump(), ensure_ascii=False)


def raw_gate(order: Order, app: App, graph: Graph) -> RawGate | None:
    """The gate of an order that runs raw, None where the real filter does the work."""
    if order.options.get("filter", True):
        return None
    if order.state is None:
        return RawGate(graph, order.kernel)
    from workbench.records.gate_state import edge_names, read_gate_state, translate_edges
    from workbench.records.runtime_state import read_runtime_state
    from workbench.verbs.history import base_of

    names = edge_names(list(app.graph["edges"]))
    base = base_of(read_runtime_state(order.state, "the pause"), names)
    saved = (order.gate or {}).get("state")
    dump = translate_edges(read_gate_state(saved).data, names) if saved else None
    return RawGate(graph, order.kernel, dump, base)
