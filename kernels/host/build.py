"""From a `run`, `resume` or `describe` command to a graph that could start; here a command may be refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from .app import read_app
from .brake import Brake, Limits, breakpoints_in
from .errors import HostError
from .facts import graph_message
from .forms import TIMEOUT, Forms, Question
from .generation import generation_type
from .generation.base import Generation
from .nodes import HUMAN_INPUT, Factory, RunParts, first_lines
from .pool import new_pool, run_id_in, set_run_id
from .tasks import Step
from .world import prepare

WORKFLOW = "workbench"
RETRY_WAIT = 50
"""Milliseconds that a scripted retry waits at most: graphon sleeps there and hears nothing."""


class Built:
    """What a command asks for, built with this kernel's graphon. Raises HostError.

    Args:
        snapshot: the saved state of a resume, None for a start.
        note: sends a `note` message.
        ask: sends an `ask` message.

    Attributes:
        held: ids of the nodes that a pause or breakpoint has held before their start, in their order.
    """

    def __init__(
        self,
        command: Mapping[str, Any],
        snapshot: str | None,
        note: Callable[[str], None],
        ask: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._command = command
        self.options = dict(command.get("options") or {})
        self.run_id = str(command.get("run_id") or "run")
        self.app = read_app(command.get("app"))
        stop = threading.Event()
        self.generation: Generation = generation_type()(self.app, self.lockstep, stop)
        self.brake = Brake(Limits.read(command.get("limits")), self._breakpoints(), stop)
        self.step = Step(stop) if self.lockstep else None
        self.world = prepare(
            command.get("script") or {}, self.options, app=command.get("app"), note=note, ask=ask
        )
        self.held: list[str] = []
        self.state = self.generation.root_state = self._state(snapshot)
        self.forms = self._forms(resumed=snapshot is not None)
        parts = RunParts(self.generation, self.app, self.brake, self.step, self.forms, self.world, self.held)
        config = self._quick_retries(self.generation.config())
        params = self.generation.params(config, WORKFLOW, self.run_id)
        self.factory = Factory(parts, params, self.state)
        self.graph = self._graph(config)

    @property
    def lockstep(self) -> bool:
        return bool(self.options.get("lockstep", True))

    def graph_message(self) -> dict[str, Any]:
        return graph_message(self.graph, self.app, self.generation)

    def _breakpoints(self) -> frozenset[str]:
        nodes = [str(node_id) for node_id in self.options.get("break_before") or []]
        for node_id in nodes:
            if node_id not in self.app.data:
                raise HostError(
                    f"There is no node {node_id!r} to break before",
                    f"The app's nodes are: {', '.join(self.app.data)}.",
                    "Name one of them.",
                )
            if not self.generation.pauses_in_containers and node_id in self.app.parents:
                raise HostError(
                    f"Can't break before {self.app.title(node_id)!r}",
                    f"graphon {self.generation.name} does not pause inside a loop or iteration.",
                    "Break before the container, or use graphon-0.7 or newer.",
                    node_id,
                )
        return frozenset(nodes)

    def _state(self, snapshot: str | None) -> Any:
        if snapshot is None:
            inputs, system = self._command.get("inputs") or {}, self._command.get("system") or {}
            return self.generation.new_state(new_pool(self.app, inputs, system, self.run_id), WORKFLOW)
        try:
            return self.generation.restore_state(snapshot)
        except Exception as error:
            raise HostError(
                f"graphon {self.generation.name} can't load this saved state",
                first_lines(error),
                "Resume it on the engine kernel that wrote it, or on a newer one.",
            ) from error

    def _forms(self, resumed: bool) -> Forms:
        questions = {
            node_id: Question.read(node_id, data)
            for node_id, data in self.app.data.items()
            if data.get("type") == HUMAN_INPUT
        }
        origin, saved = self.run_id, []
        if resumed:
            saved = self.generation.saved_forms(self.state)
            origin = run_id_in(self.state.variable_pool) or self.run_id
            self.brake.let_pass(breakpoints_in(self.generation.scheduled_messages(self.state)))
            if origin != self.run_id:
                set_run_id(self.state.variable_pool, self.run_id)
        answers = self._command.get("forms") or {}
        return Forms(self.run_id, origin, saved, answers, questions, self._scripted_form)

    def _scripted_form(self, node_id: str, rounds: tuple[int, ...], _pool: Any) -> dict[str, Any] | None:
        answer = self.world.form_answer(node_id, rounds)
        if answer is None:
            return None
        return {"action": TIMEOUT if answer.expired else answer.action, "fields": dict(answer.fields or {})}

    def _quick_retries(self, config: dict[str, Any]) -> dict[str, Any]:
        if self.options.get("real_http") or self.options.get("model"):
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

    def _graph(self, config: Mapping[str, Any]) -> Any:
        try:
            return self.generation.graph(config, self.factory, self.app.root)
        except HostError:
            raise
        except Exception as error:
            raise HostError(
                f"graphon {self.generation.name} can't build the graph",
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
