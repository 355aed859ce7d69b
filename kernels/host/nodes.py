"""Node instances for graphon: real classes, the world's collaborators, and a gate before each start.

graphon asks a NodeFactory for every node, again for each round of a container. The classes are graphon's
own; a subclass adds only the gate: a node may be held (breakpoint, pause) or stopped (abort, limit) before
it does anything.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from graphon.entities.pause_reason import SchedulingPause
from graphon.enums import WorkflowNodeExecutionStatus
from graphon.node_events.base import NodeRunResult
from graphon.nodes.base.node import Node

from .app import App
from .brake import STARTS, Brake
from .errors import HostError
from .forms import TIMEOUT, Form, Forms
from .generation.base import Generation
from .tasks import LAST_EVENTS, Step
from .world import ALIASES, Context, is_stub, stub_class

HUMAN_INPUT = "human-input"


class Seat:
    """One node instance's place in the run: what the gate and the human-input API need of it."""

    def __init__(self, run: RunParts, node_id: str) -> None:
        self._run = run
        self._node_id = node_id
        self.node: Any = None
        self.answered: Form | None = None

    def rounds(self) -> tuple[int, ...]:
        return self._run.generation.rounds(self.node)

    def form(self) -> Form:
        """The form of a human-input node that runs now (HITLCallback, form runtime)."""
        generation = self._run.generation
        pool = generation.state_of(self.node).variable_pool
        form = self._run.forms.form(self._node_id, self.rounds(), pool, generation.render)
        self.answered = form if form.answer is not None else None
        if form.answer is None:
            self._run.check_pause(self._node_id)
        return form

    def resume(self, events: Iterator[Any]) -> Iterator[Any]:
        """A container goes on after a round."""
        return self._in_turn(events)

    def start(self, events: Iterator[Any]) -> Iterator[Any]:
        """The node's own events, unless it must not start."""
        return self._in_turn(self._gated(events))

    def _in_turn(self, events: Iterator[Any]) -> Iterator[Any]:
        """In lock-step: one node after another, each when all of the one before is recorded."""
        step = self._run.step
        if step is None:
            yield from events
            return
        self._run.generation.enter(self.node)
        step.wait()
        hidden = str(self.node.node_type) in STARTS
        for event in events:
            if type(event).__name__ in LAST_EVENTS and event.node_id == self._node_id and not hidden:
                step.ended(event.node_id, event.id)
            yield event

    def _gated(self, events: Iterator[Any]) -> Iterator[Any]:
        brake, node, made = self._run.brake, self.node, self._run.generation.events
        held = brake.before(node.id, str(node.node_type))
        identity = {
            "id": self._run.generation.execution_id(node),
            "node_id": node.id,
            "node_type": node.node_type,
        }
        if brake.stop.is_set():
            yield self._stopped(identity, brake.reason)
        elif held is not None and self._run.may_pause(node.id):
            self._run.held.append(node.id)
            yield made.NodeRunPauseRequestedEvent(reason=SchedulingPause(message=held), **identity)
        else:
            for event in events:
                if self.answered is not None and isinstance(event, made.NodeRunSucceededEvent):
                    yield from self._filled(identity)
                yield event

    def _stopped(self, identity: Mapping[str, Any], reason: str) -> Any:
        """A failure lets the engine look at its commands at once; it would wait 0.1 s otherwise."""
        result = NodeRunResult(
            status=WorkflowNodeExecutionStatus.FAILED, error=reason, error_type="Stopped", inputs={}
        )
        return self._run.generation.events.NodeRunFailedEvent(
            error=reason, start_at=_now(), finished_at=_now(), node_run_result=result, **identity
        )

    def _filled(self, identity: Mapping[str, Any]) -> Iterator[Any]:
        """The events about a form that graphon sent itself until 0.5 and leaves to the embedding program
        since.
        """
        form, self.answered = self.answered, None
        if form is None or form.answer is None or not self._run.generation.tells_forms:
            return
        made, title = self._run.generation.events, self._run.app.title(self._node_id)
        if form.answer.action == TIMEOUT:
            yield made.NodeRunHumanInputFormTimeoutEvent(node_title=title, expiration_time=_now(), **identity)
            return
        yield made.NodeRunHumanInputFormFilledEvent(
            node_title=title,
            rendered_content=form.answer.content,
            action_id=form.answer.action,
            action_text=form.answer.action_text,
            submitted_data=dict(form.answer.fields),
            **identity,
        )


@dataclass
class RunParts:
    """What all node instances of one run share."""

    generation: Generation
    app: App
    brake: Brake
    step: Step | None
    forms: Forms
    world: Any
    held: list[str]

    def may_pause(self, node_id: str) -> bool:
        return self.generation.pauses_in_containers or node_id not in self.app.parents

    def check_pause(self, node_id: str) -> None:
        """Raises where graphon could not keep a pause: it would go on as if the form did not exist."""
        if self.may_pause(node_id):
            return
        container = self.app.parents[node_id]
        holder = f"{self.app.kind(container)} {container!r}"
        reason = (
            f"The form of node {node_id!r} can't pause the run: graphon {self.generation.name} does not "
            f"pause inside {holder}. Use graphon-0.7 or newer, or script the form's submission."
        )
        self.brake.abort(reason, "pauses_in_containers")
        raise RuntimeError(reason)


@dataclass
class Factory:
    """graphon's NodeFactory, for one frame."""

    run: RunParts
    params: Any
    state: Any

    def with_runtime_state(self, state: Any) -> Factory:
        return replace(self, state=state)

    def with_frame(self, params: Any, state: Any) -> Factory:
        return replace(self, params=params, state=state)

    def with_graph_config(self, config: Mapping[str, Any]) -> Factory:
        return replace(self, params=self.params.model_copy(update={"graph_config": config}))

    def validate_node(self, config: Mapping[str, Any]) -> Any:
        with self._explained(config):
            kind = self._class(config)
            kind.validate_node_data(config["data"])
            return kind.execution_type

    def create_node(self, config: Mapping[str, Any]) -> Node:
        run, node_id = self.run, str(config["id"])
        seat = Seat(run, node_id)
        with self._explained(config):
            node = gated(self._class(config))(
                node_id=node_id,
                # Not validated here: until 0.7 a second validation forgets aliased settings.
                data=config["data"],
                **run.generation.node_arguments(self.params, self.state),
                **self._arguments(str(config["data"].type), node_id, seat),
            )
        seat.node = node
        node.workbench_seat = seat
        return node

    @contextmanager
    def _explained(self, config: Mapping[str, Any]) -> Iterator[None]:
        """graphon's errors do not say which node they are about."""
        try:
            yield
        except HostError:
            raise
        except Exception as error:
            run, node_id, kind = self.run, str(config["id"]), config["data"].type
            raise HostError(
                f"Node {run.app.title(node_id)!r} can't be built",
                f"graphon {run.generation.name} on this {kind} node: {first_lines(error)}",
                "Correct the node's settings, or try another engine kernel.",
                node_id,
            ) from error

    def _class(self, config: Mapping[str, Any]) -> type[Node]:
        data = config["data"]
        node_type = str(data.type)
        if is_stub(node_type):
            return stub_class(node_type)
        raw = self.run.app.data.get(str(config["id"]), {})
        return self.run.generation.node_class(ALIASES.get(node_type, node_type), str(data.version), raw)

    def _arguments(self, node_type: str, node_id: str, seat: Seat) -> dict[str, Any]:
        context = Context(rounds=seat.rounds)
        extras = self.run.world.extras(node_type, node_id, dict(self.run.app.data[node_id]), context)
        return {**extras, **self.run.generation.form_arguments(seat)} if node_type == HUMAN_INPUT else extras


class Gate:
    """Mixed in before a node class."""

    workbench_seat: Seat

    def run(self) -> Iterator[Any]:
        return self.workbench_seat.start(super().run())

    def resume_container(self, **arguments: Any) -> Iterator[Any]:
        return self.workbench_seat.resume(super().resume_container(**arguments))


_gated: dict[type, type] = {}


def gated(kind: type[Node]) -> type[Node]:
    """`kind` with the gate; made once. graphon registers it, but never prefers it over its own class."""
    if kind not in _gated:
        _gated[kind] = types.new_class(
            kind.__name__, (Gate, kind), {}, lambda body: body.update(__module__=__name__)
        )
    return _gated[kind]


def first_lines(error: BaseException, lines: int = 4) -> str:
    """A library's error for people: pydantic's may be pages long."""
    text = [line.strip() for line in str(error).splitlines() if line.strip()]
    kept = [line for line in text if not line.startswith("For further information")][:lines]
    return "; ".join(kept) or type(error).__name__


def _now() -> datetime:
    """graphon's node times: UTC without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)
