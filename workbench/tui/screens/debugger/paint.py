"""From a place on a journey to what the panels show. No widgets here: frozen values in, frozen values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from workbench.core.picture.gate_view import GateView, gate_view, title_of
from workbench.core.picture.looks import edge_looks, node_looks
from workbench.tui.desk import Opened
from workbench.tui.text import one_line
from workbench.tui.widgets.events import EventRow
from workbench.tui.widgets.graph.view import Picture
from workbench.tui.widgets.resume import PauseForm
from workbench.views.journey import Journey
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.store.rows import PauseRow


def waiting(opened: Opened) -> tuple[str, ...]:
    """The nodes that a saved pause waits for; a run's own journal tells them."""
    if not opened.saved:
        return ()
    nodes = (reason.get("node_id") for pause in opened.pauses for reason in pause.reasons)
    return tuple(str(node) for node in nodes if node in opened.loaded.graph.nodes)


def picture(journey: Journey, breakpoints: frozenset[str], waits: Sequence[str] = ()) -> Picture:
    """What the graph shows. `waits`: nodes that wait although no event tells it."""
    state = journey.state
    return Picture(
        edge_looks(journey.graph, state),
        {**node_looks(journey.graph, state), **dict.fromkeys(waits, "paused")},
        {a.node_id: a.state for a in state.answers},
        {a.node_id: len(a.blocking) for a in state.answers},
        waits[0] if waits else current(journey),
        breakpoints,
    )


def current(journey: Journey) -> str | None:
    """The node that a step is about; at a pause the one that waits."""
    mark = journey.mark
    if mark is None:
        return journey.graph.root if journey.graph.root in journey.graph.nodes else None
    if mark.kind in ("pause", "run"):
        paused: list[str] = [n for n, status in journey.state.status.items() if status == "paused"]
        if paused and mark.kind == "pause":
            return paused[0]
        return None if journey.step > 1 else journey.graph.root
    return mark.node


def latest_node(journey: Journey) -> str:
    """The node that the newest step up to here is about, empty where there is none."""
    return next((m.node for m in reversed(journey.marks[: journey.step]) if m.node), "")


def gate(journey: Journey, mask: Mask) -> GateView:
    """What the gate panel shows."""
    return gate_view(journey.graph, journey.state, journey.taken_at)


@dataclass(frozen=True, slots=True)
class StreamText:
    """The streamed text of a step: of earlier segments, of this one, and what this step added."""

    before: str
    now: str
    fresh: str
    note: str


def stream(journey: Journey, mask: Mask, gate_sentence: str, answer: str | None) -> StreamText:
    """What the stream panel shows."""
    state = journey.state
    fresh = "".join(chunk.text for chunk in journey.timeline.chunks_at(journey.step))
    before = state.streamed[: len(state.streamed) - len(state.segment_streamed)]
    now = state.segment_streamed[: len(state.segment_streamed) - len(fresh)]
    note = gate_sentence if not state.segment_streamed else ""
    if journey.step == journey.steps and answer and answer.strip() != state.streamed.strip():
        seen = "something else" if state.streamed else "none of it"
        note = f"The run's answer is: {answer}\nA chat user saw {seen}."
    return StreamText(mask.text(before), mask.text(now), mask.text(fresh), mask.text(note))


class EventRows(Sequence[EventRow]):
    """The rows of the events panel, each made when it is painted. Times count from the first event."""

    def __init__(self, journey: Journey, times: Sequence[float]) -> None:
        self._marks, self._times = journey.marks, times

    def __len__(self) -> int:
        return len(self._marks)

    @overload
    def __getitem__(self, at: int) -> EventRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[EventRow]: ...
    def __getitem__(self, at: int | slice) -> EventRow | Sequence[EventRow]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        mark, times = self._marks[at], self._times
        first = times[0] if times else 0.0
        return EventRow(mark, (times[mark.step - 1] if mark.step <= len(times) else first) - first)


def event_rows(journey: Journey, times: Sequence[float]) -> Sequence[EventRow]:
    """What the events panel shows."""
    return EventRows(journey, times)


def step_words(journey: Journey, opened: Opened, mask: Mask) -> str:
    """The line under the timeline."""
    mark = journey.mark
    words = mask.text(mark.text) if mark else "Before the first step."
    if opened.saved:
        words = "The saved pause. r resumes it, e edits it, m heals it; a saved pause has no steps."
    return f"{journey.step}/{journey.steps}  {words}"


def heading(opened: Opened, journey: Journey, live: bool, following: bool = True) -> str:
    """The line above everything."""
    run, state = opened.loaded.run, journey.state
    if opened.saved:
        where = [one_line(run.app, 60), "saved pause", run.kernel, one_line(run.run_id, 40)]
        return "  ".join((*where, *(one_line(note, 80) for note in opened.notes[:1])))
    parts = [one_line(run.app, 60), "interrupted" if run.interrupted else run.status]
    segments = getattr(journey.timeline, "segments", ())
    if len(segments) > 1:
        mode = segments[state.segment].gate_mode or "kept"
        parts.append(
            f"segment {state.segment + 1}/{len(segments)}" + (f" gate {mode}" if state.segment else "")
        )
    if run.forked_from:
        parts.append(
            f"fork of {str(run.forked_from.get('run_id', ''))[:8]} at step {run.forked_from.get('step')}"
        )
    parts += [run.kernel, run.run_id[:13]]
    if live:
        parts.insert(0, f"{'● live' if following else '○ live, standing still'}  {progress(opened, journey)}")
    return "  ".join(parts)


def progress(opened: Opened, journey: Journey) -> str:
    """How far a run is that goes on: events, nodes that ran, seconds."""
    times = opened.times
    seconds = times[-1] - times[0] if times else 0.0
    ran = sum(status != "running" for status in journey.state.status.values())
    return f"{journey.steps:,} events, {ran} of {len(journey.graph.nodes)} nodes, {seconds:.1f} s"


def pause_form(opened: Opened, step: int) -> tuple[PauseForm | None, str]:
    """The pause that can be resumed from here, and a word on it: that of this step, else the last one."""
    pauses: Sequence[PauseRow] = opened.pauses
    if not pauses and opened.saved:
        return None, "A gate state alone can't be resumed: the runtime state is missing."
    if not pauses:
        return None, f"This run is {opened.loaded.run.status}: it does not wait for anything."
    here = next((p for p in pauses if p.step == step), None)
    chosen = here or pauses[-1]
    waits = chosen.resumed_at is None
    note = "" if waits else f"The pause at step {chosen.step}."
    if waits and here is None:
        note = f"The run waits since step {chosen.step}."
    if opened.saved:
        note = "Resuming a saved pause makes a new run; the file stays as it is."
    form = PauseForm(
        chosen.pause_id, tuple(chosen.reasons), not waits, chosen.gate is not None, opened.loaded.run.kernel
    )
    return form, note


def titles(journey: Journey) -> dict[str, str]:
    """Titles of nodes, and of what is no node."""
    named: Mapping[str, str] = {"sys": "sys", "env": "env", "conversation": "conversation"}
    return {n: title_of(journey.graph, n) for n in journey.graph.nodes} | dict(named)
