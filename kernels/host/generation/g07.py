"""graphon 0.7: frames for containers as in 0.8, positional edge ids, `graphon.graph_engine`."""

from __future__ import annotations

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

from .base import Generation
from .callbacks import callback_arguments
from .frames import rounds


class Generation07(Generation):
    name = "0.7"
    events = events
    # Its worker sleeps 0.1 s whenever it finds the queue empty: better to wait for the next task inside
    # `get`.
    patience = 0.1
    response_filter = ResponseStreamFilter
    filter_context = GraphEventFilterContext
    layer = GraphEngineLayer
    channel = InMemoryChannel
    abort_command = AbortCommand
    state_type = GraphRuntimeState
    params_type = GraphInitParams
    task_codec = InMemoryReadyQueue

    def engine(self, graph: Any, state: Any, channel: Any, factory: Any, world: Any) -> Any:
        set_workflow_file_runtime(world.file_runtime)
        return GraphEngine(
            workflow_id=state.graph_execution.workflow_id or "workbench",
            graph=graph,
            graph_runtime_state=state,
            command_channel=channel,
            config=GraphEngineConfig(min_workers=self.workers, max_workers=self.workers),
        )

    def rounds(self, node: Any) -> tuple[int, ...]:
        return rounds(node, self.root_state)

    def form_arguments(self, seat: Any) -> dict[str, Any]:
        return callback_arguments(seat)
