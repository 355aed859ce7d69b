"""One run or resume, from the built graph to its `end`."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from .brake import breakpoints_in
from .build import Built
from .control import Control
from .errors import HostError
from .events import Encoder
from .nodes import first_lines
from .outbox import Outbox
from .pool import told
from .recorder import Recorder, Stream
from .values import plain

LIMIT_GRACE = 3.0
"""Seconds that a run has to end by itself when a limit is hit."""
HEALABLE = "Resume with a fresh or a healed gate."


def describe(command: Mapping[str, Any], outbox: Outbox) -> None:
    outbox.send(Built(command, None, lambda _: None).graph_message())
    outbox.send({"msg": "done"})


def run(command: Mapping[str, Any], outbox: Outbox, control: Control) -> None:
    """A `run` or a `resume`. Raises HostError while the command can still be refused."""

    def note(text: str) -> None:
        outbox.send({"msg": "note", "text": text})

    if command.get("cmd") == "run":
        Run(Built(command, None, note, outbox.send), None, outbox, control).execute()
        return
    snapshot = command.get("state")
    if not isinstance(snapshot, str):
        raise HostError("There is no state to resume", "`state` must be text.", "Give a saved state.")
    gate = command.get("gate") or {"mode": "fresh"}
    Run(Built(command, snapshot, note, outbox.send), gate, outbox, control).execute()


class Run:
    """Executes once.

    Args:
        gate: of a resume; None at a start.
    """

    def __init__(
        self, built: Built, gate: Mapping[str, Any] | None, outbox: Outbox, control: Control
    ) -> None:
        self._built = built
        self._gate = gate
        self._outbox = outbox
        self._control = control
        self._generation = built.generation
        self._state = built.state
        self._brake = built.brake
        self._channel = built.generation.channel()
        self._ending = threading.Lock()
        self._ended = False
        built.brake.on_stop = self._stop

    def execute(self) -> None:
        limit = self._brake.limits.max_seconds
        exceeded = ("max_seconds", f"the run takes longer than {limit:g} seconds.")
        timer = threading.Timer(limit, self._brake.exceed, exceeded)
        timer.daemon = True
        timer.start()
        try:
            # From here on an abort is heard: a gate with too many paths takes forever to set up.
            self._control.attach(self._brake)
            self._control.answer = self._built.world.answer
            engine, stream = self._engine_and_stream()
            self._recorder = self._recorder_for(stream)
            self._begin()
            crash = self._drive(engine)
        finally:
            timer.cancel()
            self._outbox.flush()
        if crash is None:
            self._recorder.finish()
        if self._recorder.failure is not None:
            raise self._recorder.failure
        self._end(stream, crash)

    # ---- setting up

    def _engine_and_stream(self) -> tuple[Any, Stream | None]:
        built = self._built
        try:
            engine = self._generation.engine(
                built.graph, built.state, self._channel, built.factory, built.world
            )
            return engine, self._stream(engine)
        except HostError:
            raise
        except Exception as error:
            if self._gate is None:
                raise HostError(
                    "The engine can't be built", first_lines(error), "Correct the app."
                ) from error
            raise HostError(
                "The saved state does not fit the app",
                first_lines(error),
                "Resume with the app as it was when the run paused.",
            ) from error

    def _stream(self, engine: Any) -> Stream | None:
        if not self._built.options.get("filter", True):
            return None
        real = self._generation.response_filter()
        if self._gate is not None and self._gate.get("mode") == "restored":
            self._restore(real, self._gate.get("state"))
        real.initialize(self._generation.filter_context.from_engine(engine))
        return Stream(real, self._generation.events.NodeRunStreamChunkEvent)

    def _restore(self, real: Any, saved: Any) -> None:
        """Before `initialize`, which would reset the filter otherwise."""
        if not isinstance(saved, str):
            raise HostError("There is no gate to restore", "`gate.state` is empty.", HEALABLE)
        try:
            real.loads(saved)
        except Exception as error:
            name = self._generation.name
            raise HostError(f"graphon {name} can't load this gate", first_lines(error), HEALABLE) from error

    def _recorder_for(self, stream: Stream | None) -> Recorder:
        encoder = Encoder(self._built.app, self._generation, self._reason)
        gates = bool(self._built.options.get("gate_every_event"))
        return Recorder(self._outbox, encoder, stream, self._brake, gates, self._generation.hidden_edges)

    def _begin(self) -> None:
        self._outbox.send(self._built.graph_message())
        self._outbox.send({"msg": "pool", "variables": told(self._state.variable_pool)})
        for text in self._generation.notes:
            self._outbox.send({"msg": "note", "text": text})

    # ---- running

    def _drive(self, engine: Any) -> Exception | None:
        """In lock-step a layer takes each event in graphon's dispatcher thread, which can't go on meanwhile;
        the generator is only emptied here, in one go where text streams: waking up for each event would
        cost as much as recording it.
        """
        lockstep = self._built.lockstep
        if lockstep:
            self._generation.add_layer(engine, self._generation.listener(self._take))
        try:
            for event in engine.run():
                if lockstep:
                    self._recorder.await_turn()
                else:
                    self._recorder.take(event)
        except Exception as error:  # graphon raises what it has just told as GraphRunFailed
            return error
        return None

    def _take(self, event: Any) -> None:
        self._recorder.take(event)
        self._generation.taken(event)
        if self._built.step is not None:
            self._built.step.taken(event)
        name = type(event).__name__
        if name == PAUSE_REQUESTED:
            self._state.ready_queue.settle()
        if name in _CLOSING:
            self._state.ready_queue.release()

    def _reason(self, reason: Any, node_id: str | None) -> dict[str, Any]:
        """REASON of the protocol. graphon's scheduling pauses name no node: ours do in their text."""
        if not hasattr(reason, "message"):
            return self._built.forms.reason(reason)
        if node_id is None:
            held = self._built.held
            node_id = next(iter(breakpoints_in([reason.message])), held[0] if len(held) == 1 else None)
        scheduled = {"type": "scheduled_pause", "message": reason.message}
        if node_id is not None:
            scheduled |= {"node_id": node_id, "node_title": self._built.app.title(node_id)}
        return scheduled

    # ---- ending

    def _stop(self) -> None:
        """The brake was pulled: by the command reader, a timer, or one of graphon's threads."""
        reason = self._brake.reason
        self._channel.send_command(self._generation.abort_command(reason=reason))
        self._state.ready_queue.release()
        self._generation.stop_children(reason)
        self._built.world.abort()
        timer = threading.Timer(
            self._brake.limits.abort_grace if self._brake.limit is None else LIMIT_GRACE, self._leave
        )
        timer.daemon = True
        timer.start()

    def _leave(self) -> None:
        """Something doesn't hear the stop. Its thread can't be ended, the process can."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            self._send_end("failed" if self._brake.limit else "stopped", self._brake.reason, None)
            os._exit(0)

    def _end(self, stream: Stream | None, crash: Exception | None) -> None:
        with self._ending:
            if self._ended:
                return
            self._ended = True
        last = self._recorder.last
        kind = type(last).__name__.removeprefix("GraphRun").removesuffix("Event")
        status = _STATUS.get(kind, "failed")
        error = getattr(last, "error", None) or (str(crash) if crash is not None else None)
        if self._brake.limit is not None:
            status, error = "failed", self._brake.reason
        elif status == "stopped":
            error = self._brake.reason or last.reason
        pause = None
        if status == "paused":
            pause = {
                "state": self._dump(),
                "gate": None if stream is None else stream.dumps(),
                "reasons": [self._reason(reason, None) for reason in last.reasons],
            }
        self._send_end(status, error, pause)

    def _dump(self) -> str:
        """graphon 0.8 refuses while a thread of the run is alive: a worker may need a moment more to end."""
        end = time.monotonic() + 5
        while True:
            try:
                return self._state.dumps()
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.005)

    def _send_end(self, status: str, error: str | None, pause: dict[str, Any] | None) -> None:
        self._outbox.send(
            {
                "msg": "end",
                "status": status,
                "outputs": plain(self._state.outputs),
                "error": error or None,
                "exceptions_count": self._state.graph_execution.exceptions_count,
                "node_run_steps": self._state.node_run_steps,
                "total_tokens": self._state.total_tokens,
                "pause": pause,
            }
        )


PAUSE_REQUESTED = "NodeRunPauseRequestedEvent"
_CLOSING = frozenset(
    {
        PAUSE_REQUESTED,
        "GraphRunSucceededEvent",
        "GraphRunPartialSucceededEvent",
        "GraphRunFailedEvent",
        "GraphRunPausedEvent",
        "GraphRunAbortedEvent",
    }
)
"""Events after which no worker should wait for a task any more."""
_STATUS = {
    "Succeeded": "succeeded",
    "PartialSucceeded": "partial-succeeded",
    "Failed": "failed",
    "Paused": "paused",
    "Aborted": "stopped",
}
