"""A step on the wire: how every node and edge looks, the gate, and the end of what was streamed. Bounded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, get_args

from workbench.core.picture.gate_view import AnswerView, BufferView, EdgeView, GateView, gate_view
from workbench.core.picture.looks import EdgeLook, NodeLook, edge_looks, node_looks
from workbench.core.picture.marks import MarkKind
from workbench.core.secrets import Mask
from workbench.views.journey import Journey

NODE_LOOKS: Final = get_args(NodeLook)
EDGE_LOOKS: Final = get_args(EdgeLook)
MARK_KINDS: Final = get_args(MarkKind)

TAIL = 2_000
"""Characters of the streamed text that go with a step; the rest is asked for."""

ANSWERS, EDGES, PARTS, BUFFERS, TEXT, PIECE = 40, 8, 24, 12, 300, 60
"""The most that a gate on the wire tells; what is left out is counted."""


class Streamed:
    """What the chat user saw, hidden as one text: a secret that comes in pieces never shows."""

    def __init__(self, journey: Journey, mask: Mask) -> None:
        steps, texts = [], []
        for step in range(1, journey.steps + 1):
            for chunk in journey.timeline.chunks_at(step):
                steps.append(step)
                texts.append(chunk.text)
        pieces = mask.pieces(texts)
        self._steps: list[int] = steps
        self._ends: list[int] = []
        end = 0
        for piece in pieces:
            end += len(piece)
            self._ends.append(end)
        self.text = "".join(pieces)

    def length(self, step: int) -> int:
        """How many characters were shown after a step."""
        at = bisect_right(self._steps, step)
        return self._ends[at - 1] if at else 0


def frame(journey: Journey, step: int, streamed: Streamed, mask: Mask, orders: Orders) -> dict[str, Any]:
    """One step; docs/widgets.md tells its entries."""
    state = journey.timeline.at(step)
    nodes, edges = node_looks(journey.graph, state), edge_looks(journey.graph, state)
    taken = {edge: at for edge, at in journey.taken_at.items() if at <= step}
    length, before = streamed.length(step), streamed.length(max(0, step - 1))
    mark = journey.marks[step - 1] if step else None
    return {
        "step": step,
        "nodes": "".join(_code(NODE_LOOKS.index(nodes[node])) for node in orders[0]),
        "edges": "".join(_code(EDGE_LOOKS.index(edges[edge])) for edge in orders[1]),
        "gate": gate_json(gate_view(journey.graph, state, taken), mask),
        "length": length,
        "fresh": length - before,
        "tail": streamed.text[max(0, length - TAIL) : length],
        "text": "Before the first event" if mark is None else short(mask.text(mark.text)),
        "kind": "run" if mark is None else mark.kind,
        "node": None if mark is None else mark.node,
        "segment": state.segment,
    }


Orders = tuple[Sequence[str], Sequence[str]]
"""The ids of nodes and edges in the order of a picture."""


def kinds(journey: Journey) -> str:
    """One character a step: its kind, a capital where the gate changed."""
    gates = set(journey.gate_steps)
    codes = {kind: _code(at) for at, kind in enumerate(MARK_KINDS)}
    return "".join(codes[m.kind].upper() if m.step in gates else codes[m.kind] for m in journey.marks)


def gate_json(view: GateView, mask: Mask) -> dict[str, Any]:
    """A gate, masked and cut."""
    return {
        "sentence": mask.text(view.sentence),
        "answers": [_answer(each, view, mask) for each in view.answers[:ANSWERS]],
        "more": max(0, len(view.answers) - ANSWERS),
        "buffers": [_buffer(each, mask) for each in view.buffers[:BUFFERS]],
        "more_buffers": max(0, len(view.buffers) - BUFFERS),
    }


def _answer(each: AnswerView, view: GateView, mask: Mask) -> dict[str, Any]:
    return {
        "id": each.node_id,
        "title": short(mask.text(each.title)),
        "phase": each.phase,
        "turn": view.queue.index(each.node_id) + 1 if each.node_id in view.queue else 0,
        "left": [_edge(edge, mask) for edge in each.left[:EDGES]],
        "more_left": max(0, len(each.left) - EDGES),
        "taken": [_edge(edge, mask) for edge in each.taken[:EDGES]],
        "more_taken": max(0, len(each.taken) - EDGES),
        "template": [[short(mask.text(p.text), 80), p.variable, p.state] for p in each.template[:PARTS]],
    }


def _edge(edge: EdgeView, mask: Mask) -> dict[str, Any]:
    return {"id": edge.edge, "words": short(mask.text(edge.words)), "look": edge.look, "at": edge.taken_at}


def _buffer(each: BufferView, mask: Mask) -> dict[str, Any]:
    read, unread = mask.pieces([each.read, each.unread])
    return {
        "selector": ".".join(each.selector),
        "read": read[-PIECE:],
        "unread": unread[:PIECE],
        "chunks": [each.chunks_read, each.chunks_unread],
        "closed": each.closed,
    }


def short(text: str, most: int = TEXT) -> str:
    """A text cut to a length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _code(index: int) -> str:
    return chr(ord("a") + index)
