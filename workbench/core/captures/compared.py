"""A recorded run beside its replay on the engine: where their paths and their texts part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from workbench.core.captures.run import CapturedRun
from workbench.core.findings.naming import node_name, quoted
from workbench.core.graph import Graph
from workbench.core.replay import Timeline

What = Literal["path", "order", "text", "pieces", "status"]
_ENDED: Final = frozenset({"NodeRunSucceeded", "NodeRunFailed", "NodeRunException"})
_ENDS: Final = {
    "GraphRunSucceeded": "succeeded", "GraphRunPartialSucceeded": "partial-succeeded",
    "GraphRunFailed": "failed", "GraphRunAborted": "stopped", "GraphRunPaused": "paused",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parting:
    """One thing in which they differ.

    Attributes:
        what: path: other nodes ran. order: the same nodes ended in another order. text: the client was shown
            another text. pieces: the same text, cut otherwise. status: the run ended otherwise.
        segment: 0-based; None for the whole run.
        node: the first node that one of them has and the other not, in its order.
        message: one sentence.
    """

    what: What
    segment: int | None
    recorded: str
    replayed: str
    message: str
    node: str | None = None

    @property
    def grave(self) -> bool:
        """False where it is only timing: order and cut depend on how fast the world answers."""
        return self.what not in ("order", "pieces")


def partings(graph: Graph, run: CapturedRun, replay: Timeline) -> tuple[Parting, ...]:
    """Where they part, in this order: path, text, status."""
    return (*_path(graph, run, replay), *_texts(run, replay), *_status(run, replay))


def _path(graph: Graph, run: CapturedRun, replay: Timeline) -> Iterator[Parting]:
    done = [
        node for node in run.nodes if node.finished is not None and node.status not in ("running", "paused")
    ]
    recorded = [node.node for node in sorted(done, key=lambda node: node.finished or 0)]
    replayed = [event["node"] for event in replay.journal.events if event["kind"] in _ENDED]
    if recorded == replayed:
        return
    first = next(
        (k for k, pair in enumerate(zip(recorded, replayed, strict=False)) if pair[0] != pair[1]), None
    )
    place = min(len(recorded), len(replayed)) if first is None else first
    here, there = _at(recorded, place), _at(replayed, place)
    same = sorted(recorded) == sorted(replayed)
    behind = f"After {node_name(graph, recorded[place - 1])}" if place else "At the start"
    told = [f"{node_name(graph, node)} ended" if node else "nothing more ran" for node in (here, there)]
    yield Parting(
        "order" if same else "path",
        None,
        here,
        there,
        f"{behind}, {told[0]} in the recording; in the replay {told[1]}."
        + (" All in all the same nodes ran." if same else ""),
        here or there,
    )


def _at(path: Sequence[str], place: int) -> str:
    return path[place] if place < len(path) else ""


def _texts(run: CapturedRun, replay: Timeline) -> Iterator[Parting]:
    cuts = [segment.first_step for segment in replay.segments]
    pieces = [
        [chunk.text for step in range(first, last) for chunk in replay.chunks_at(step) if chunk.text]
        for first, last in zip(cuts, [*cuts[1:], replay.steps + 1], strict=True)
    ]
    ours = [
        [piece.text for piece in run.pieces if piece.segment == number and piece.text]
        for number in range(len(run.segments))
    ]
    if len(pieces) == len(ours):
        for number, (recorded, replayed) in enumerate(zip(ours, pieces, strict=True)):
            yield from _text(number, recorded, replayed)
    else:
        yield from _text(None, [*chain(*ours)], [*chain(*pieces)])


def _text(segment: int | None, recorded: list[str], replayed: list[str]) -> Iterator[Parting]:
    where = "" if segment is None else f" in segment {segment + 1}"
    one, other = "".join(recorded), "".join(replayed)
    if one == other:
        if recorded != replayed:
            yield Parting(
                "pieces",
                segment,
                one,
                other,
                f"The same text{where} came in {len(recorded)} pieces; in the replay in {len(replayed)}.",
            )
        return
    at = next((k for k, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(one), len(other)) if at is None else at
    told = [quoted(text[place:]) if text[place:] else "no more" for text in (one, other)]
    yield Parting(
        "text",
        segment,
        one,
        other,
        f"From character {place + 1} of the text{where} the recording shows {told[0]}, the replay {told[1]}.",
    )


def _status(run: CapturedRun, replay: Timeline) -> Iterator[Parting]:
    ends = [_ENDS[event["kind"]] for event in replay.journal.events if event["kind"] in _ENDS]
    if run.status is not None and ends and ends[-1] != run.status:
        yield Parting(
            "status",
            None,
            run.status,
            ends[-1],
            f"The recorded run ended as {run.status}, the replay as {ends[-1]}.",
        )
