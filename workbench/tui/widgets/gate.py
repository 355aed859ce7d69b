"""The gate panel: why nothing streams, where each Answer stands, the queue, the buffers."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from workbench.core.finding import AnswerPhase
from workbench.core.picture.gate_view import AnswerView, BufferView, EdgeView, GateView
from workbench.core.picture.looks import EdgeLook
from workbench.tui.text import one_line
from workbench.tui.widgets.graph.signs import PHASES

Piece = tuple[str, str] | str | Content
Line = tuple[int, Content]
"""A line and the cells by which it is indented, also where it wraps."""

_PHASE_STYLE: dict[AnswerPhase, str] = {
    "locked": "$text-warning",
    "queued": "$text-primary",
    "active": "bold $text-success",
    "done": "$text-muted",
}
_EDGE: dict[EdgeLook, tuple[str, str, str]] = {
    "unknown": ("■", "waits", "$text-warning"),
    "blocking": ("■", "waits", "$text-warning"),
    "skipped": ("×", "not taken in this run", "$text-muted"),
    "lost": ("!", "taken{when}, lost at the pause", "bold $text-error"),
    "taken": ("○", "taken{when}", "$text-success"),
    "unlocked": ("○", "taken{when}", "$text-success"),
}
_TAIL = 60
"""Characters of a buffer shown on each side of the reading position."""


def _edge_line(edge: EdgeView) -> Line:
    sign, word, style = _EDGE[edge.look]
    when = f" at step {edge.taken_at}" if edge.taken_at else ""
    return 4, Content.assemble(
        (f"{sign} ", style), one_line(edge.words), (f" · {word.format(when=when)}", style)
    )


def _template(answer: AnswerView) -> list[Line]:
    if not answer.template:
        return []
    pieces: list[Piece] = []
    for part in answer.template:
        text = f"{{{{{part.text}}}}}" if part.variable else part.text
        if part.state == "next":
            pieces.append(("▸", "bold $text-accent"))
        look = {"streamed": "$text-muted", "next": "bold underline", "later": ""}[part.state]
        pieces.append((one_line(text, 400), look))
    return [(4, Content.assemble(("“ ", "$text-muted"), *pieces, (" ”", "$text-muted")))]


def _buffer(stream: BufferView) -> list[Line]:
    read, unread = one_line(stream.read[-_TAIL:]), one_line(stream.unread[:_TAIL])
    state = "closed" if stream.closed else "open"
    head = Content.assemble(
        (one_line(".".join(stream.selector)), "bold"),
        (f" {stream.chunks_read} read, {stream.chunks_unread} unread, {state}", "$text-muted"),
    )
    if not (read or unread):
        return [(2, head)]
    more = "…" if len(stream.read) > _TAIL else ""
    rest = "…" if len(stream.unread) > _TAIL else ""
    text = Content.assemble((more + read, "$text-muted"), ("┃", "bold $text-accent"), (unread + rest, "bold"))
    return [(2, head), (4, text)]


def lines_of(view: GateView) -> list[Line]:
    """All of the panel, line by line, not wrapped yet."""
    lines: list[Line] = [(0, Content.styled(one_line(view.sentence), "bold")), (0, Content(""))]
    # Answers on branches that were not taken come last: nothing can happen to them any more.
    dead = [any(edge.look == "skipped" for edge in answer.left) for answer in view.answers]
    for at in sorted(range(len(dead)), key=dead.__getitem__):
        answer = view.answers[at]
        link = Style(bold=True) + Style.from_meta({"@click": f"pick({at})"})
        style = _PHASE_STYLE[answer.phase]
        name = Content.styled(one_line(answer.title), link)
        lines.append(
            (2, Content.assemble((f"{PHASES[answer.phase]} ", style), name, (f" {answer.phase}", style)))
        )
        lines += [_edge_line(edge) for edge in (*answer.left, *answer.taken)]
        lines += _template(answer)
    if view.queue:
        titles = {a.node_id: a.title for a in view.answers}
        queue = " › ".join(one_line(titles.get(n, n)) for n in view.queue)
        lines += [(0, Content("")), (2, Content.assemble(("Queue ", "$text-muted"), queue))]
    if view.buffers:
        lines += [(0, Content("")), (0, Content.styled("Streams", "$text-muted"))]
        for stream in view.buffers:
            lines += _buffer(stream)
    return lines


def wrapped(lines: list[Line], width: int) -> Content:
    """The lines in a width, each with its own indent; the first row of a line with a sign hangs by two."""
    rows: list[Content] = []
    for indent, line in lines:
        room = max(12, width - indent)
        for at, row in enumerate(line.wrap(room) if line.plain else [line]):
            hang = indent - 2 if at == 0 and indent else indent
            rows.append(row.pad_left(hang) if hang else row)
    return Content("\n").join(rows)


class GatePanel(VerticalScroll, can_focus=True):
    """Paints a `GateView`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="gate.down"),
        Binding("k", "scroll_up", "Up", show=False, id="gate.up"),
    ]
    HELP = """
    The gate decides when an Answer's text is shown. An Answer is

    ■ locked   edges that it waits for are not taken yet
    … queued   unlocked, but another Answer streams first
    ▸ active   its template is being streamed; ▸ stands before the next part
    ✓ done     all of it was streamed

    Below each Answer: the edges of its nearest path. ■ still waits, ○ taken, × on a branch that was
    skipped, ! taken before the pause and lost: the gate of the resume never heard of it.
    Queue: who streams now and who is next. Streams: what was read ┃ and what still waits in each buffer.

    j k          scroll
    click        on an Answer's name selects it in the graph
    """

    class Picked(Message):
        """An Answer's name was clicked."""

        def __init__(self, node_id: str) -> None:
            super().__init__()
            self.node_id = node_id

    def compose(self) -> ComposeResult:
        yield Static(id="gate-text")

    def on_mount(self) -> None:
        self.border_title = "Gate"
        self._answers: tuple[AnswerView, ...] = ()
        self._lines: list[Line] = []

    def show(self, view: GateView) -> None:
        """Show another step."""
        self._answers = view.answers
        self._lines = lines_of(view)
        self._wrap()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width:
            self.query_one("#gate-text", Static).update(wrapped(self._lines, width))

    def on_resize(self) -> None:
        # Not now, while the screen is laid out: the text would keep the height that it just got.
        self.call_after_refresh(self._wrap)

    def action_pick(self, index: int) -> None:
        """Select an Answer."""
        if 0 <= index < len(self._answers):
            self.post_message(self.Picked(self._answers[index].node_id))
