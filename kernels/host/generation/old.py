"""What graphon 0.5 and 0.6 share beside 0.7: child engines, snapshots 1.0, pools that render templates."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import graphon.graph_events as events
from graphon.entities.graph_init_params import GraphInitParams
from graphon.file.runtime import set_workflow_file_runtime
from graphon.filters import GraphEventFilterContext, ResponseStreamFilter
from graphon.graph_engine import GraphEngine, GraphEngineConfig
from graphon.graph_engine.command_channels import InMemoryChannel
from graphon.graph_engine.entities.commands import AbortCommand
from graphon.graph_engine.layers import GraphEngineLayer
from graphon.graph_engine.ready_queue import InMemoryReadyQueue
from graphon.runtime.graph_runtime_state import GraphRuntimeState

from ..app import App
from ..tasks import TaskQueue
from .base import Generation
from .children import ChildEngines, Follow


def state_type(queue: Callable[[], TaskQueue]) -> type[GraphRuntimeState]:
    """The runtime state with our task queue; graphon asks this method for one, at a restore too."""

    class State(GraphRuntimeState):
        def create_ready_queue(self) -> TaskQueue:
            return queue()

    return State


class OldGeneration(Generation):
    pauses_in_containers = False
    events = events
    response_filter = ResponseStreamFilter
    filter_context = GraphEventFilterContext
    layer = GraphEngineLayer
    channel = InMemoryChannel
    abort_command = AbortCommand
    # A pause leaves no ready task behind, so one worker is enough.
    lockstep_workers = 1
    params_type = GraphInitParams
    task_codec = InMemoryReadyQueue

    def __init__(self, app: App, lockstep: bool, stop: threading.Event) -> None:
        super().__init__(app, lockstep, stop)
        self.state_type = state_type(self.queue)
        self._children: ChildEngines | None = None
        self._follow: Follow | None = None

    def config(self) -> dict[str, Any]:
        """Children named by `loop_id` and `iteration_id`, as these generations look for them."""
        nodes = []
        for node in self.app.config["nodes"]:
            data = dict(node["data"])
            parent = self.app.parents.get(node["id"])
            if parent is not None:
                loop = self.app.kind(parent) == "loop"
                data["loop_id" if loop else "iteration_id"] = parent
            if self.lockstep and data.get("type") == "iteration" and data.get("is_parallel"):
                # Its rounds run in threads that race; nothing could make their order repeatable.
                data["is_parallel"] = False
                self.notes.append(
                    f"graphon {self.name} runs the rounds of a parallel iteration in racing threads; in "
                    f"lock-step those of {node['id']} run one after another."
                )
            nodes.append({**node, "data": data})
        return {**self.app.config, "nodes": nodes}

    def new_state(self, pool: Any, workflow_id: str) -> Any:
        return self.state_type(variable_pool=pool, start_at=time.time())

    def restore_state(self, snapshot: str) -> Any:
        state = self.state_type.from_snapshot(snapshot)
        waiting = {*state.get_paused_nodes(), *state.get_deferred_nodes()}
        state.ready_queue.expect([node_id for node_id in self.app.data if node_id in waiting])
        return state

    def engine(self, graph: Any, state: Any, channel: Any, factory: Any, world: Any) -> Any:
        def build(workflow_id: str, graph: Any, state: Any, channel: Any, builder: Any) -> Any:
            return GraphEngine(
                workflow_id=workflow_id,
                graph=graph,
                graph_runtime_state=state,
                command_channel=channel,
                config=GraphEngineConfig(min_workers=self.workers, max_workers=self.workers),
                child_engine_builder=builder,
            )

        set_workflow_file_runtime(world.file_runtime)
        self._follow = Follow(self.stop, self.app.parents) if self.lockstep else None
        self._children = ChildEngines(self, factory, build, self._follow)
        return build(state.graph_execution.workflow_id or "workbench", graph, state, channel, self._children)

    def taken(self, event: Any) -> None:
        if self._follow is not None and hasattr(event, "node_id"):
            self._follow.taken(event)

    def hidden_edges(self, event: Any) -> Sequence[tuple[Any, int]]:
        return () if self._follow is None else self._follow.edges_before(event)

    def execution_id(self, node: Any) -> str:
        return node.ensure_execution_id()

    def rounds(self, node: Any) -> tuple[int, ...]:
        return () if self._children is None else self._children.rounds(node.graph_runtime_state)

    def render(self, pool: Any, template: str) -> str:
        return pool.convert_template(template).markdown

    def stop_children(self, reason: str) -> None:
        if self._children is not None:
            self._children.stop(reason)
