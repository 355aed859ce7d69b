"""graphon 0.8: frames for containers, DSL edge ids, `graphon.engine`."""

from __future__ import annotations

import re
import time
from typing import Any

import graphon.engine_events as events
from graphon.engine import Engine
from graphon.engine.command import AbortCommand, InMemoryChannel
from graphon.engine.filter import EngineEventFilterContext, ResponseStreamFilter
from graphon.engine.layer import Layer
from graphon.runtime.init_params import InitParams
from graphon.runtime.ready_queue import InMemoryReadyQueue
from graphon.runtime.runtime_state import RuntimeState

from .base import Generation
from .callbacks import callback_arguments
from .frames import rounds

_FRAME = re.compile(r":(?:loop|iteration):(\d+)$")


class Generation08(Generation):
    name = "0.8"
    events = events
    positional_edges = False
    response_filter = ResponseStreamFilter
    filter_context = EngineEventFilterContext
    layer = Layer
    channel = InMemoryChannel
    abort_command = AbortCommand
    state_type = RuntimeState
    params_type = InitParams
    task_codec = InMemoryReadyQueue

    def new_state(self, pool: Any, workflow_id: str) -> Any:
        return RuntimeState(
            variable_pool=pool, start_at=time.time(), workflow_id=workflow_id, ready_queue=self.queue()
        )

    def node_arguments(self, params: Any, state: Any) -> dict[str, Any]:
        return {"init_params": params, "runtime_state": state}

    def engine(self, graph: Any, state: Any, channel: Any, factory: Any, world: Any) -> Any:
        return Engine(
            graph=graph,
            runtime_state=state,
            command_channel=channel,
            workers=self.workers,
            file_runtime=world.file_runtime,
        )

    def add_layer(self, engine: Any, layer: Any) -> None:
        engine.add_layer(layer)

    def state_of(self, node: Any) -> Any:
        return node.runtime_state

    def rounds(self, node: Any) -> tuple[int, ...]:
        return rounds(node, self.root_state)

    def form_arguments(self, seat: Any) -> dict[str, Any]:
        return callback_arguments(seat)

    def edge_round(self, event: Any) -> int | None:
        found = _FRAME.search(event.frame_id)
        return int(found.group(1)) if found else None
