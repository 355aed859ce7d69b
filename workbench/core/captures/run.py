"""One run as its recorded stream tells it: segments, nodes, text pieces, forms, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["advanced-chat", "workflow", "chat"]
"""chat: a chat, agent or completion app, whose stream knows no nodes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that the client was sent.

    Attributes:
        number: 1-based place of its event in the recording.
        selector: the variable it came from, empty where the stream does not tell.
        replaces: it takes the place of all text before it (message_replace).
    """

    number: int
    segment: int
    text: str
    selector: tuple[str, ...] = ()
    replaces: bool = False


@dataclass(slots=True)
class NodeRun:
    """One execution of a node. Filled while the recording is read, then only read.

    Attributes:
        xid: the node execution id; empty where the stream does not tell.
        started, finished: numbers of its newest events, None where they are not in the recording.
        segment: of its last event; `begun` of its first.
        outputs: None where the stream does not tell (details of a replayed snapshot are null).
        container: id of the iteration or loop it ran in.
        paused: it has waited for a form.
        filled: number of its human_input_form_filled; `expired` of its human_input_form_timeout.
    """

    node: str
    type: str
    title: str
    xid: str = ""
    begun: int = 0
    segment: int = 0
    started: int | None = None
    finished: int | None = None
    status: str = "running"
    inputs: Mapping[str, Any] | None = None
    outputs: Mapping[str, Any] | None = None
    error: str | None = None
    container: str | None = None
    paused: bool = False
    filled: int | None = None
    expired: int | None = None
    action: str | None = None
    attempts: int = 1

    @property
    def answer(self) -> str | None:
        """The text an Answer node gave; None for other nodes, and where it is not told."""
        text = (self.outputs or {}).get("answer") if self.type == "answer" else None
        return text if isinstance(text, str) else None

    @property
    def first(self) -> int:
        """The number of its first event that is known."""
        return self.started or self.finished or 0


@dataclass(frozen=True, slots=True)
class Form:
    """A form that the run waits, or waited, for. Its token is never kept."""

    number: int
    node: str
    title: str
    expires: int | None = None
    bare: bool = False


@dataclass(slots=True)
class CapturedRun:
    """A run. Filled by `runs_of`, then only read.

    Attributes:
        numbers: of its events, in order.
        segments: number of the first event of each segment (start or resume to pause or end).
        begins: how it begins: "start", "resume", or "middle" (the head is missing).
        status: of workflow_finished; "paused" when it ends at a pause, else None: the recording ends
            before the run.
        ended: number of workflow_finished (of message_end in chats), None when it is not in the recording.
        text_end: number of message_end.
        pauses: numbers of workflow_paused.
        reasons: the pause reasons of the last pause.
        errors: messages of `error` events.
        notes: what is odd in it, for people.
    """

    run_id: str | None = None
    message_id: str | None = None
    task_id: str | None = None
    conversation_id: str | None = None
    mode: Mode = "chat"
    begins: Literal["start", "resume", "middle"] = "middle"
    numbers: list[int] = field(default_factory=list)
    segments: list[int] = field(default_factory=list)
    nodes: list[NodeRun] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    pauses: list[int] = field(default_factory=list)
    reasons: Sequence[Mapping[str, Any]] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] | None = None
    status: str | None = None
    error: str | None = None
    ended: int | None = None
    text_end: int | None = None
    started_at: float | None = None
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def resumes(self) -> int:
        """How often it went on from a pause in the recording."""
        return max(0, len(self.segments) - 1) + (self.begins == "resume")

    @property
    def whole(self) -> bool:
        """The recording has all text of the run from its start on."""
        return self.begins == "start"

    def streamed(self, segment: int | None = None) -> str:
        """What a chat user saw: all of it, or what a segment added."""
        text = ""
        for piece in self.pieces:
            if segment is None:
                text = piece.text if piece.replaces else text + piece.text
            elif piece.segment == segment and not piece.replaces:
                text += piece.text
        return text

    def sent_of(self, node: NodeRun) -> list[str]:
        """The pieces of a model's text that the client was sent, all attempts together; none where it was
        sent the default value that took their place, or where the node ran more than once.
        """
        if sum(each.node == node.node for each in self.nodes) > 1:
            return []
        selector = (node.node, "text")
        sent = [
            p.text for p in self.pieces if p.selector == selector and p.segment == node.segment and p.text
        ]
        replaced = node.status == "exception" and "".join(sent) == (node.outputs or {}).get("text")
        return [] if replaced else sent

    @property
    def answer(self) -> str | None:
        """The final answer by the run's outputs, else None."""
        found = (self.outputs or {}).get("answer") if self.mode == "advanced-chat" else None
        return found if isinstance(found, str) else None

    @property
    def answers(self) -> tuple[NodeRun, ...]:
        """The Answers that ran to their end, in that order."""
        done = [node for node in self.nodes if node.type == "answer" and node.status == "succeeded"]
        return tuple(sorted(done, key=lambda node: node.finished or 0))
