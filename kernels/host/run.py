"""One run or resume, from the command to its `end`."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .app import read_app
from .brake import Brake, Limits, breakpoints_in
from .control import Control
from .errors import HostError
from .events import Encoder
from .facts import graph_message
from .forms import Forms, Question
from .generation import generation_type
from .generation.base import Generation
from .nodes import HUMAN_INPUT, Factory, RunParts, first_lines
from .outbox import Outbox
from .pool import new_pool, run_id_in, set_run_id, told
from .recorder import Recorder, Stream
from .values import plain
from .world import prepare

ABORT_GRACE = 0.085
"""Seconds that an aborted run has to end by itself; then the host reports the end and leaves the process."""
LIMIT_GRACE = 3.0
WORKFLOW = "workbench"
FAST_WORKERS = 5
RETRY_WAIT = 50
"""Milliseconds that a scripted retry waits at most: graphon sleeps there and hears nothing."""


def describe(command: Mapping[str, Any], outbox: Outbox) -> None:
    run = Run({"run_id": "describe", **command}, outbox, Control())
    run.build(None)
    outbox.send(run.graph_message())
    outbox.send({"msg": "done"})


class Run:
    """Built from a `run` or `resume` command. Raises HostError until `execute` has begun."""

    def __init__(self, command: Mapping[str, Any], outbox: Outbox, control: Control) -> None:
        self._command = command
        self._outbox = outbox
        self._control = control
        self._options = dict(command.get("options") or {})
        self._run_id = str(command.get("run_id") or "run")
        self.app = read_app(command.get("app"))
        self._scripted = not (self._options.get("real_http") or self._options.get("model"))
        breakpoints = frozenset(self._breakpoints())
        self.brake = Brake(Limits.read(command.get("limits")), breakpoints, on_stop=self._stop)
        self.generation: Generation = generation_type()(self.app)
        self.world = prepare(
            command.get("script") or {}, self._options, app=command.get("app"), note=self._note
        )
        self.held: list[str] = []
        self._engine: Any = None
        self._channel: Any = None
        self._ending = threading.Lock()
        self._ended = False

    def _note(self, text: str) -> None:
        self._outbox.send({"msg": "note", "text": text})

    def _breakpoints(self) -> list[str]:
        nodes = self._options.get("break_before") or []
        for node_id in nodes:
            if node_id not in self.app.data:
                raise HostError(
                    f"There is no node {node_id!r} to break before",
                    f"The app's nodes are: {', '.join(self.app.data)}.",
                    "Name one of them.",
                )
        return [str(node_id) for node_id in nodes]

    # ---- building

    def build(self, snapshot: str | None) -> None:
        generation, command = self.generation, self._command
        self._check_breakpoints()
        try:
            if snapshot is None:
                pool = new_pool(
                    self.app, command.get("inputs") or {}, command.get("system") or {}, self._run_id
                )
                self.state = generation.new_state(pool, WORKFLOW)
            else:
                self.state = generation.restore_state(snapshot)
        except HostError:
            raise
        except Exception as error:
            raise HostError(
                f"graphon {generation.name} can't load this saved state",
                first_lines(error),
                "Resume it on the engine kernel that wrote it, or on a newer one.",
            ) from error
        generation.root_state = self.state
        self.forms = self._forms(resumed=snapshot is not None)
        parts = RunParts(generation, self.app, self.brake, self.forms, self.world, self.held)
        config = self._quick_retries(generation.config(bool(self._options.get("lockstep", True))))
        params = generation.params(config, WORKFLOW, self._run_id)
        self._factory = Factory(parts, params, self.state)
        try:
            self.graph = generation.graph(config, self._factory, self.app.root)
        except HostError:
            raise
        except Exception as error:
            raise HostError(
                f"graphon {generation.name} can't build the graph",
                first_lines(error),
                "Correct the app.",
                self._node_at(error),
            ) from error

    def _node_at(self, error: Exception) -> str | None:
        """The node that a validation of all nodes stumbled over: its position leads the error's path."""
        if isinstance(error, ValidationError) and error.errors():
            place = error.errors()[0]["loc"]
            nodes = self.app.config["nodes"]
            if place and isinstance(place[0], int) and place[0] < len(nodes):
                return str(nodes[place[0]]["id"])
        return None

    def _check_breakpoints(self) -> None:
        for node_id in sorted(self.brake.breakpoints):
            if not self.generation.pauses_in_containers and node_id in self.app.parents:
                raise HostError(
                    f"Can't break before {self.app.title(node_id)!r}",
                    f"graphon {self.generation.name} does not pause inside a loop or iteration.",
                    "Break before the container, or use graphon-0.7 or newer.",
                    node_id,
                )

    def _quick_retries(self, config: dict[str, Any]) -> dict[str, Any]:
        if not self._scripted:
            return config
        nodes = []
        for node in config["nodes"]:
            retry = node["data"].get("retry_config")
            wait = retry.get("retry_interval") if isinstance(retry, Mapping) else None
            if isinstance(wait, (int, float)) and wait > RETRY_WAIT:
                quick = {**node["data"], "retry_config": {**retry, "retry_interval": RETRY_WAIT}}
                node = {**node, "data": quick}
            nodes.append(node)
        return {**config, "nodes": nodes}

    def _forms(self, resumed: bool) -> Forms:
        questions = {
            node_id: Question.read(node_id, data)
            for node_id, data in self.app.data.items()
            if data.get("type") == HUMAN_INPUT
        }
        origin, saved = self._run_id, []
        if resumed:
            saved = self.generation.saved_forms(self.state)
            origin = run_id_in(self.state.variable_pool) or self._run_id
            self.brake.let_pass(breakpoints_in(self.generation.scheduled_messages(self.state)))
            if origin != self._run_id:
                set_run_id(self.state.variable_pool, self._run_id)
        return Forms(
            self._run_id, origin, saved, self._command.get("forms") or {}, questions, self._scripted_form
        )

    def _scripted_form(self, node_id: str, rounds: tuple[int, ...], _pool: Any) -> dict[str, Any] | None:
        answer = self.world.form_answer(node_id, rounds)
        if answer is None:
            return None
        return {
            "action": "__timeout" if answer.expired else answer.action,
            "fields": dict(answer.fields or {}),
        }

    def graph_message(self) -> dict[str, Any]:
        return graph_message(self.graph, self.app, self.generation)

    # ---- running

    def execute(self, gate: Mapping[str, Any] | None = None) -> None:
        """`gate` is the command's, None at a start."""
        generation = self.generation
        lockstep = self._options.get("lockstep", True)
        self._channel = generation.channel()
        try:
            self._engine = generation.engine(
                self.graph,
                self.state,
                self._channel,
                1 if lockstep else FAST_WORKERS,
                self._factory,
                self.world,
            )
            stream = self._stream(gate)
        except HostError:
            raise
        except Exception as error:
            raise HostError(
                "The saved state does not fit the app" if gate is not None else "The engine can't be built",
                first_lines(error),
                "Resume with the app as it was when the run paused."
                if gate is not None
                else "Correct the app.",
            ) from error
        encoder = Encoder(self.app, generation, self.reason)
        self.recorder = Recorder(
            self._outbox,
            encoder,
            stream,
            self.brake,
            bool(self._options.get("gate_every_event")),
            generation.hidden_edges,
        )
        self._outbox.send(self.graph_message())
        self._outbox.send({"msg": "pool", "variables": told(self.state.variable_pool)})
        for text in generation.notes:
            self._note(text)
        self._control.attach(self.brake)
        limit = self.brake.limits.max_seconds
        timer = threading.Timer(
            limit, self.brake.exceed, ("max_seconds", f"the run takes longer than {limit:g} seconds.")
        )
        timer.daemon = True
        timer.start()
        try:
            crashed = self._drive(lockstep)
        finally:
            timer.cancel()
            self._outbox.flush()
        if crashed is None:
            self.recorder.finish()
        if self.recorder.failure is not None:
            raise self.recorder.failure
        self._end(stream)

    def _drive(self, lockstep: bool) -> BaseException | None:
        """In lock-step a layer takes each event in graphon's dispatcher thread, which can't go on meanwhile;
        the generator is only emptied here, in one go where text streams: waking up for each event would
        cost as much as recording it.
        """
        if lockstep:
            self.generation.add_layer(self._engine, self.generation.listener(self._take))
        try:
            for event in self._engine.run():
                if lockstep:
                    self.recorder.await_turn()
                else:
                    self.recorder.take(event)
        except Exception as error:  # graphon raises what it has just told as GraphRunFailed
            return error
        return None

    def _take(self, event: Any) -> None:
        self.recorder.take(event)
        self.generation.taken(event)
        if type(event).__name__ in _CLOSING:
            self.state.ready_queue.release()

    def _stream(self, gate: Mapping[str, Any] | None) -> Stream | None:
        if not self._options.get("filter", True):
            return None
        real = self.generation.response_filter()
        if gate is not None and gate.get("mode") == "restored":
            saved = gate.get("state")
            if not isinstance(saved, str):
                raise HostError(
                    "There is no gate to restore",
                    "`gate.state` is empty.",
                    "Resume with a fresh or a healed gate.",
                )
            try:
                real.loads(saved)
            except Exception as error:
                raise HostError(
                    f"graphon {self.generation.name} can't load this gate",
                    first_lines(error),
                    "Resume with a fresh or a healed gate.",
                ) from error
        real.initialize(self.generation.filter_context.from_engine(self._engine))
        return Stream(real, self.generation.events.NodeRunStreamChunkEvent)

    def reason(self, reason: Any, node_id: str | None) -> dict[str, Any]:
        if not hasattr(reason, "message"):
            return self.forms.reason(reason)
        if node_id is None:
            named = breakpoints_in([reason.message])
            node_id = next(iter(named), None) or (self.held[0] if len(self.held) == 1 else None)
        told_reason = {"type": "scheduled_pause", "message": reason.message}
        if node_id is not None:
            told_reason |= {"node_id": node_id, "node_title": self.app.title(node_id)}
        return told_reason

    # ---- ending

    def _stop(self) -> None:
        """The brake was pulled: from the command reader, a timer, or one of graphon's threads."""
        reason = self.brake.reason
        if self._channel is not None:
            self._channel.send_command(self.generation.abort_command(reason=reason))
        self.state.ready_queue.release()
        self.generation.stop_children(reason)
        self.world.abort()
        grace = ABORT_GRACE if self.brake.limit is None else LIMIT_GRACE
        timer = threading.Timer(grace, self._leave)
        timer.daemon = True
        timer.start()

    def _leave(self) -> None:
        """A node doesn't hear the stop. Its thread can't be ended, the process can."""
        with self._ending:
            if self._ended or self._engine is None:
                return
            self._ended = True
            self._send_end("failed" if self.brake.limit else "stopped", self.brake.reason, None)
            os._exit(0)

    def _end(self, stream: Stream | None) -> None:
        with self._ending:
            if self._ended:
                return
            self._ended = True
        last = self.recorder.last
        kind = type(last).__name__.removeprefix("GraphRun").removesuffix("Event")
        status = _STATUS.get(kind, "failed")
        error = getattr(last, "error", None)
        if status == "stopped":
            error = self.brake.reason or getattr(last, "reason", None)
        if self.brake.limit is not None and status in ("stopped", "failed"):
            status, error = "failed", self.brake.reason
        pause = self._pause(last, stream) if status == "paused" else None
        self._send_end(status, error, pause)

    def _pause(self, last: Any, stream: Stream | None) -> dict[str, Any]:
        return {
            "state": self._dump(),
            "gate": None if stream is None else stream.dumps(),
            "reasons": [self.reason(reason, None) for reason in last.reasons],
        }

    def _dump(self) -> str:
        """graphon 0.8 refuses while a thread of the run is alive: a worker may need a moment more to end."""
        end = time.monotonic() + 5
        while True:
            try:
                return self.state.dumps()
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.005)

    def _send_end(self, status: str, error: str | None, pause: dict[str, Any] | None) -> None:
        execution = self.state.graph_execution
        self._outbox.send(
            {
                "msg": "end",
                "status": status,
                "outputs": plain(self.state.outputs),
                "error": error or None,
                "exceptions_count": execution.exceptions_count,
                "node_run_steps": self.state.node_run_steps,
                "total_tokens": self.state.total_tokens,
                "pause": pause,
            }
        )


_CLOSING = frozenset(
    {
        "NodeRunPauseRequestedEvent",
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
