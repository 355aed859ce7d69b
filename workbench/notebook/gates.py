"""The gate at a step: where each Answer stands, and why nothing streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.graph import Graph
from workbench.core.picture.gate_view import AnswerView, BufferView, EdgeView, GateView, gate_view
from workbench.core.secrets import Mask
from workbench.core.state import State
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular
from workbench.notebook.words import long, short
from workbench.views.safe import safe_line


@dataclass(frozen=True, repr=False)
class Gate(Tabular):
    """What graphon's `ResponseStreamFilter` knows at a step.

    Attributes:
        sentence: what streams, or why nothing does, in one sentence.
        answers: each response node: `.state` ("locked", "queued", "active", "done"), `.left` and `.taken`:
            the blocking edges of its nearest path.
        queue: node ids of the sessions, the active one first.
        buffers: each stream: what was read of it, what waits in it, whether it is closed.
        raw: the filter's own keys, as `ResponseStreamFilter.dumps()` gives them.
    """

    sentence: str
    answers: tuple[AnswerView, ...]
    queue: tuple[str, ...]
    buffers: tuple[BufferView, ...]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def paths_map(self) -> Any:
        """For each Answer the paths that still block it, as lists of edge ids; None where they explode."""
        return self.raw.get("paths_map")

    @property
    def blocking(self) -> dict[str, tuple[str, ...]]:
        """For each locked Answer the edges that its nearest path still waits for."""
        return {each.node_id: tuple(edge.edge for edge in each.left) for each in self.answers if each.left}

    @property
    def table(self) -> Table:
        """One row an Answer."""
        columns = (Column("node_id"), Column("title"), Column("state"), Column("waits_for"), Column("taken"))
        return Table(
            "answers",
            columns,
            tuple((a.node_id, a.title, a.phase, _words(a.left), _words(a.taken)) for a in self.answers),
        )

    def __repr__(self) -> str:
        lines = [safe_line(self.sentence)]
        for each in self.answers:
            wait = f"  waits for {_words(each.left)}" if each.left else ""
            lines.append(safe_line(f"  {each.phase:<7} {each.title}{wait}"))
        for stream in self.buffers:
            name, end = ".".join(stream.selector), ", closed" if stream.closed else ""
            lines.append(safe_line(f"  stream  {name}: {short(stream.read)} | {short(stream.unread)}{end}"))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [
            (
                each.title,
                each.phase,
                html.items(_edge(edge) for edge in each.left),
                html.items(_edge(edge) for edge in each.taken),
            )
            for each in self.answers
        ]
        streams = [
            (".".join(s.selector), long(s.read), long(s.unread), "yes" if s.closed else "no")
            for s in self.buffers
        ]
        return html.card(
            self.sentence,
            html.table(("Answer", "state", "waits for", "taken"), rows) if rows else None,
            html.table(("stream", "read", "unread", "closed"), streams) if streams else None,
        ).markup


def gate_at(graph: Graph, state: State, taken_at: Mapping[str, int], mask: Mask) -> Gate:
    """The gate of a state, masked."""
    view: GateView = gate_view(graph, state, taken_at)
    buffers = []
    for each in view.buffers:
        read, unread = mask.pieces([each.read, each.unread])
        buffers.append(
            BufferView(each.selector, read, unread, each.chunks_read, each.chunks_unread, each.closed)
        )
    answers = tuple(_masked(answer, mask) for answer in view.answers)
    return Gate(mask.text(view.sentence), answers, view.queue, tuple(buffers), mask.data(state.gate))


def _masked(answer: AnswerView, mask: Mask) -> AnswerView:
    left, taken = (tuple(_masked_edge(e, mask) for e in edges) for edges in (answer.left, answer.taken))
    template = tuple(replace(part, text=mask.text(part.text)) for part in answer.template)
    return replace(answer, title=mask.text(answer.title), left=left, taken=taken, template=template)


def _masked_edge(edge: EdgeView, mask: Mask) -> EdgeView:
    return replace(edge, source=mask.text(edge.source), target=mask.text(edge.target))


def _words(edges: tuple[EdgeView, ...]) -> str:
    return ", ".join(edge.words for edge in edges)


def _edge(edge: EdgeView) -> str:
    when = f" (step {edge.taken_at})" if edge.taken_at else ""
    return f"{edge.words}{when}{'  lost' if edge.look == 'lost' else ''}"
