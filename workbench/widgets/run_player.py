"""The run player: graph, gate, stream and timeline under one slider."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import traitlets

from workbench.core.state import State
from workbench.verbs.inspect import follow_run
from workbench.views.breakpoints import Breakpoint, Breakpoints
from workbench.views.journey import Journey
from workbench.views.safe import safe_line
from workbench.views.stepping import over
from workbench.widgets import still
from workbench.widgets.frames import TEXT, Orders, Streamed, frame, kinds, short
from workbench.widgets.given import RunLike
from workbench.widgets.picture import picture
from workbench.widgets.wire import Asked, answers

BATCH, PAGE, VALUES = 32, 200, 200
"""The most frames, events and variables in one answer."""

VALUE = 4_000
"""Characters of a value; a longer one is cut."""


class Played(Asked):
    """What shows a run at a step: the player and the gate view.

    Attributes:
        step: where it stands; set it to go there, observe it to hear where the user goes.
        selected: the id of the selected node, "" for none.
    """

    step = traitlets.Int(0).tag(sync=True)
    steps = traitlets.Int(0, read_only=True).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    tidy = traitlets.Bool(False).tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _picture = traitlets.Dict().tag(sync=True)
    _first = traitlets.Dict().tag(sync=True)

    def __init__(self, run: RunLike, step: int | None) -> None:
        self._run = run
        self._loaded = run.loaded
        timeline = self._loaded.timeline
        self._journey = Journey(self._loaded.graph, timeline, timeline.journal.events)
        at = timeline.steps if step is None else step % (timeline.steps + 1) if step < 0 else step
        drawn = picture(self._loaded.graph, run.mask)
        self._orders: Orders = tuple([each["id"] for each in drawn[key]] for key in ("nodes", "edges"))  # type: ignore[assignment]
        super().__init__(step=min(at, timeline.steps), _picture=drawn, **self._more())
        self.set_trait("steps", timeline.steps)
        self._first = self._frame(self.step)
        self.observe(self._tidied, "tidy")

    def _more(self) -> dict[str, Any]:
        """Traits of a subclass."""
        return {}

    def hidden(self, text: str) -> str:
        return str(self._run.mask.text(text))

    @cached_property
    def _streamed(self) -> Streamed:
        return Streamed(self._journey, self._run.mask)

    @property
    def state(self) -> State:
        """Everything at the step where it stands (`workbench.core.state.State`), unmasked."""
        state: State = self._journey.timeline.at(self.step)
        return state

    def _frame(self, step: int) -> dict[str, Any]:
        return frame(self._journey, step, self._streamed, self._run.mask, self._orders)

    @traitlets.validate("step")  # type: ignore[untyped-decorator, unused-ignore]
    def _within(self, proposal: Any) -> int:
        return max(0, min(int(proposal["value"]), self._journey.steps))

    @traitlets.validate("selected")  # type: ignore[untyped-decorator, unused-ignore]
    def _known(self, proposal: Any) -> str:
        value = str(proposal["value"])
        return value if not value or value in self._journey.graph.nodes else str(self.selected)

    def _tidied(self, _change: Any) -> None:
        self._picture = picture(self._journey.graph, self._run.mask, tidy=bool(self.tidy))
        self._orders = tuple([e["id"] for e in self._picture[k]] for k in ("nodes", "edges"))  # type: ignore[assignment]
        self._first = self._frame(self.step)

    @answers("frames")
    def frames(self, steps: Sequence[int]) -> list[dict[str, Any]]:
        """Frames of some steps, at most `BATCH`."""
        last = self._journey.steps
        return [self._frame(max(0, min(int(step), last))) for step in steps[:BATCH]]

    @answers("stream")
    def stream(self, start: int, end: int) -> str:
        """A part of all that was streamed, at most 20,000 characters."""
        return self._streamed.text[max(0, start) : min(end, start + 20_000)]

    @answers("variables")
    def variables(self, node: str, step: int) -> dict[str, Any]:
        """The variables of a node at a step, each cut to `VALUE` characters."""
        state = self._journey.timeline.at(max(0, min(step, self._journey.steps)))
        held = self._run.mask.variables({node: state.variables.get(node, {})})[node]
        shown = list(held.items())[:VALUES]
        return {
            "status": state.status.get(node) or state.nodes.get(node, "unknown"),
            "variables": [[safe_line(str(name)), short(_text(value), VALUE)] for name, value in shown],
            "more": max(0, len(held) - VALUES),
        }

    def still(self) -> str:
        title, drawn = self._title, self._picture
        return still.played(title, drawn, self._frame(self.step))

    def words(self) -> str:
        at = self._frame(self.step)
        return f"{self._title}\nstep {self.step} of {self.steps}: {at['text']}\n{at['gate']['sentence']}"


class RunPlayer(Played):
    """A run under a slider.

    Attributes:
        breakpoints: where playing stops: `[{"kind", "node", "name"}]`; a kind is "before", "after", "gate" or
            "variable".
        stops: the steps at which they stop it.
        playing: whether it goes on by itself.
    """

    breakpoints = traitlets.List(traitlets.Dict()).tag(sync=True)
    stops = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    _kinds = traitlets.Unicode("").tag(sync=True)
    _pauses = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, run: RunLike, step: int | None = None) -> None:
        super().__init__(run, step)
        self.observe(self._broken, "breakpoints")
        self._watch: Any = None
        if self._loaded.run.status == "running":
            self.follow()

    def _more(self) -> dict[str, Any]:
        row = self._loaded.run
        name = safe_line(self._run.mask.text(row.app))
        return {
            "_view": "player",
            "_title": f"{name}, {row.status} on {row.kernel}, run {row.run_id}",
            "_kinds": kinds(self._journey),
            "_pauses": list(self._journey.pause_steps),
        }

    @traitlets.validate("breakpoints")  # type: ignore[untyped-decorator, unused-ignore]
    def _points(self, proposal: Any) -> list[dict[str, str]]:
        return [_plain(_point(each)) for each in proposal["value"]]

    def _broken(self, _change: Any = None) -> None:
        points = Breakpoints(tuple(map(_point, self.breakpoints)))
        self.set_trait("stops", list(points.stops(self._journey)))

    @answers("marks")
    def marks(self, start: int, end: int) -> list[list[Any]]:
        """Events in words: `[step, kind, text, node]`, at most `PAGE`."""
        mask = self._run.mask
        first = max(1, start)
        return [
            [m.step, m.kind, short(mask.text(m.text), TEXT), m.node]
            for m in self._journey.marks[first - 1 : min(end, first - 1 + PAGE)]
        ]

    @answers("over")
    def over(self, step: int, direction: int) -> int | None:
        """The step after the whole node at a step."""
        self._journey.go(step)
        return over(self._journey, 1 if direction > 0 else -1)

    # a run that goes on -----------------------------------------------------------

    def follow(self) -> None:
        """Show what is recorded from now on; ends by itself when the run ends."""
        if self._watch is None:
            self._watch = self._run.bench.watch(self._grown)
            self._grown()

    def close(self) -> None:
        """Stop following, too."""
        self._unwatch()
        super().close()

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _grown(self) -> None:
        before, at_end = self._journey.steps, self.step == self._journey.steps
        self._loaded = follow_run(self._run.bench.ctx, self._loaded)
        timeline = self._loaded.timeline
        if timeline.steps != before:
            self._journey = self._journey.followed(timeline, timeline.journal.events, timeline.kept)
            self.__dict__.pop("_streamed", None)
        with self.hold_sync():
            more = self._more()
            self.set_trait("steps", timeline.steps)
            self._kinds, self._pauses, self._title = more["_kinds"], more["_pauses"], more["_title"]
            self._broken()
            if at_end:
                self.step = timeline.steps
        if self._loaded.run.status != "running":
            self._unwatch()


def _point(each: Any) -> Breakpoint:
    with contextlib.suppress(AttributeError, TypeError):
        if each.get("kind") in ("before", "after", "gate", "variable"):
            return Breakpoint(each["kind"], str(each.get("node", "")), str(each.get("name", "")))
    raise traitlets.TraitError(
        f"{each!r} is no breakpoint: "
        '{"kind": "before" | "after" | "gate" | "variable", "node": id, "name": variable}'
    )


def _plain(point: Breakpoint) -> dict[str, str]:
    return {"kind": point.kind, "node": point.node, "name": point.name}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, indent=1)
