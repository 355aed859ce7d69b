"""What all graphon generations share, under the names of the newest. One module a generation fills in the
rest.

Only names that graphon exports are used; nothing of it is patched.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import graphon.dsl.node_factory
import graphon.nodes.human_input.human_input_node
import graphon.nodes.iteration.iteration_node
import graphon.nodes.iteration.iteration_start_node
import graphon.nodes.loop.loop_end_node
import graphon.nodes.loop.loop_node
import graphon.nodes.loop.loop_start_node  # noqa: F401
from graphon.entities.pause_reason import SchedulingPause
from graphon.enums import NodeExecutionType
from graphon.graph.graph import Graph
from graphon.nodes.base.node import Node
from graphon.runtime.variable_pool import VariablePool

from ..app import App
from ..tasks import TaskQueue

ASSIGNER = "assigner"
FAST_WORKERS = 5
"""graphon's default."""


class Generation:
    """One engine, from the graph to the dump; an instance serves one run. Subclasses set the class
    attributes.

    Attributes:
        name: "0.8", "0.7", "0.6" or "0.5".
        events: module with the engine events.
        positional_edges: graphon numbers edges (`edge_0`, ...) instead of taking the DSL's ids.
        pauses_in_containers: a node in a loop or iteration may ask for a pause.
        tells_forms: the host must tell of filled and timed-out forms, because graphon doesn't.
        patience: seconds that a worker waits for a task (TaskQueue).
        lockstep_workers: threads of a run in lock-step. Only one of them runs a node at a time.
    """

    name: str
    events: Any
    positional_edges = True
    pauses_in_containers = True
    tells_forms = True
    patience = 0.01
    lockstep_workers = 5
    response_filter: Callable[[], Any]
    filter_context: Any
    layer: type
    channel: Callable[[], Any]
    abort_command: Callable[..., Any]
    state_type: Any
    params_type: Any
    task_codec: Callable[[], Any]

    def __init__(self, app: App, lockstep: bool, stop: threading.Event) -> None:
        self.app = app
        self.lockstep = lockstep
        self.stop = stop
        self.workers = self.lockstep_workers if lockstep else FAST_WORKERS
        self.turns = self.workers if lockstep and self.workers > 1 else 0
        self.root_state: Any = None
        self.notes: list[str] = []

    # ---- building a run

    def queue(self) -> TaskQueue:
        return TaskQueue(self.task_codec, self.patience, self.turns, self.stop)

    def new_state(self, pool: VariablePool, workflow_id: str) -> Any:
        return self.state_type(variable_pool=pool, start_at=time.time(), ready_queue=self.queue())

    def restore_state(self, snapshot: str) -> Any:
        return self.state_type.from_snapshot(snapshot, ready_queue_factory=self.queue)

    def params(self, config: Mapping[str, Any], workflow_id: str, run_id: str) -> Any:
        context = {"workflow_execution_id": run_id, "workflow_run_id": run_id}
        return self.params_type(
            workflow_id=workflow_id, graph_config=config, run_context=context, call_depth=0
        )

    def node_arguments(self, params: Any, state: Any) -> dict[str, Any]:
        return {"graph_init_params": params, "graph_runtime_state": state}

    def config(self) -> dict[str, Any]:
        """The graph as this generation's Graph.init wants it; what was changed is told in `notes`."""
        return self.app.config

    def graph(self, config: Mapping[str, Any], factory: Any, root: str) -> Graph:
        return Graph.init(graph_config=config, node_factory=factory, root_node_id=root)

    def engine(self, graph: Graph, state: Any, channel: Any, factory: Any, world: Any) -> Any:
        """The engine of one run, with the world's files in reach of its nodes."""
        raise NotImplementedError

    def add_layer(self, engine: Any, layer: Any) -> None:
        engine.layer(layer)

    def listener(self, take: Callable[[Any], None]) -> Any:
        """A layer that hands every event on, in the engine's dispatcher thread."""

        class Listener(self.layer):  # type: ignore[misc, name-defined]
            def on_graph_start(self) -> None: ...

            def on_event(self, event: Any) -> None:
                take(event)

            def on_graph_end(self, error: Exception | None) -> None: ...

        return Listener()

    def taken(self, event: Any) -> None:
        """In lock-step, after the recorder has dealt with an event."""

    # ---- node classes and instances

    def node_class(self, node_type: str, version: str, data: Mapping[str, Any]) -> type[Node]:
        """The real class of a type that graphon has (KeyError for others)."""
        versions = Node.get_node_type_classes_mapping()[node_type]
        wanted = "2" if node_type == ASSIGNER and "items" in data else version
        return versions.get(wanted) or versions["latest"]

    def execution_id(self, node: Node) -> str:
        return node.execution_id

    def state_of(self, node: Node) -> Any:
        return node.graph_runtime_state

    def enter(self, node: Node) -> None:
        """A worker is about to run a node: wait for its turn."""
        self.root_state.ready_queue.enter()

    def rounds(self, node: Node) -> tuple[int, ...]:
        """Round indexes of the containers around a running node, outermost first."""
        raise NotImplementedError

    def form_arguments(self, seat: Any) -> dict[str, Any]:
        """Constructor arguments of a human-input node."""
        raise NotImplementedError

    def render(self, pool: VariablePool, template: str) -> str:
        """A template with its variables filled in, as Markdown."""
        from graphon.variables.template_resolution import convert_template

        return convert_template(pool, template).markdown

    # ---- what a saved or running state tells

    def pause_reasons(self, state: Any) -> Sequence[Any]:
        return state.graph_execution.pause_reasons

    def saved_forms(self, state: Any) -> list[tuple[str, str]]:
        """(form id, node id) of the forms that a saved state waits for."""
        return [
            (reason.session_id, reason.node_id)
            for reason in self.pause_reasons(state)
            if hasattr(reason, "session_id")
        ]

    def scheduled_messages(self, state: Any) -> list[str]:
        return [reason.message for reason in self.pause_reasons(state) if isinstance(reason, SchedulingPause)]

    # ---- events

    def edge_round(self, event: Any) -> int | None:
        """The round of the child graph that an edge event comes from, where the event tells."""
        return None

    def hidden_edges(self, event: Any) -> Sequence[tuple[Any, int]]:
        """Edge events of a child graph, with their round, that graphon drops and that precede this event."""
        return ()

    def stop_children(self, reason: str) -> None:
        """Abort what runs besides the engine itself (child engines)."""


def edge_names(generation: Generation) -> dict[str, str]:
    """Positional edge id -> DSL id. graphon numbers the entries with text ends, in their order."""
    if not generation.positional_edges:
        return {}
    return {f"edge_{position}": edge[0] for position, edge in enumerate(generation.app.edges)}


def kind_of(node: Node) -> str:
    """graphon's execution type as a word; a fail-branch node counts as branch."""
    kind = node.execution_type
    return str(kind.value if isinstance(kind, NodeExecutionType) else kind)
