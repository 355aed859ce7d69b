"""graphon 0.8 without the workbench, in lock-step: what protocol and recording are measured against.

Runs in an engine kernel's interpreter. stdin: {"graph", "root", "chunks"}; stdout: {"seconds", "events",
"first"}: of the whole run, graph building included; of the program's start to the first event.
"""

import json
import sys
import threading
import time
from dataclasses import dataclass, replace

BEGAN = time.perf_counter()

import graphon.dsl.node_factory  # noqa: E402, F401  registers the node classes
from graphon.engine import Engine  # noqa: E402
from graphon.engine.command import InMemoryChannel  # noqa: E402
from graphon.engine.filter import (  # noqa: E402
    EngineEventFilterContext,
    ResponseStreamFilter,
    filter_engine_events,
)
from graphon.engine.layer import Layer  # noqa: E402
from graphon.graph.graph import Graph  # noqa: E402
from graphon.model_runtime.entities.common_entities import I18nObject  # noqa: E402
from graphon.model_runtime.entities.llm_entities import (  # noqa: E402
    LLMResultChunk,
    LLMResultChunkDelta,
    LLMUsage,
)
from graphon.model_runtime.entities.message_entities import AssistantPromptMessage  # noqa: E402
from graphon.model_runtime.entities.model_entities import (  # noqa: E402
    AIModelEntity,
    FetchFrom,
    ModelPropertyKey,
    ModelType,
)
from graphon.nodes.base.node import Node  # noqa: E402
from graphon.runtime.init_params import InitParams  # noqa: E402
from graphon.runtime.runtime_state import RuntimeState  # noqa: E402
from graphon.runtime.variable_pool import VariablePool  # noqa: E402


class Model:
    """A model that says `chunks` words."""

    provider, model_name, stop, parameters = "scripted", "scripted", None, {}

    def __init__(self, chunks):
        self._chunks = chunks

    def get_model_schema(self):
        label = I18nObject(en_US="scripted")
        sizes = {ModelPropertyKey.CONTEXT_SIZE: 8192, ModelPropertyKey.MODE: "chat"}
        return AIModelEntity(
            model="scripted",
            label=label,
            model_type=ModelType.LLM,
            fetch_from=FetchFrom.CUSTOMIZABLE_MODEL,
            model_properties=sizes,
            parameter_rules=[],
        )

    def get_llm_num_tokens(self, prompt_messages):
        return 0

    def invoke_llm(self, **_):
        usage = LLMUsage.from_metadata({"prompt_tokens": 7, "completion_tokens": 7, "total_tokens": 14})
        for i in range(self._chunks):
            delta = LLMResultChunkDelta(
                index=i,
                message=AssistantPromptMessage(content="word "),
                usage=usage if i == self._chunks - 1 else None,
            )
            yield LLMResultChunk(model="scripted", prompt_messages=[], delta=delta)

    def is_structured_output_parse_error(self, error):
        return False


class Serializer:
    def serialize(self, *, model_mode, prompt_messages):
        return [message.model_dump(mode="json") for message in prompt_messages]


class NoFiles:
    def save_binary_string(self, *_, **__):
        raise RuntimeError

    save_remote_url = save_binary_string


@dataclass
class Factory:
    init_params: InitParams
    runtime_state: RuntimeState
    chunks: int

    def with_runtime_state(self, state):
        return replace(self, runtime_state=state)

    def with_graph_config(self, config):
        return replace(self, init_params=self.init_params.model_copy(update={"graph_config": config}))

    def _class(self, data):
        return Node.get_node_type_classes_mapping()[data["type"]]["latest"]

    def validate_node(self, config):
        cls = self._class(config["data"])
        cls.validate_node_data(config["data"])
        return cls.execution_type

    def create_node(self, config):
        cls = self._class(config["data"])
        more = {}
        if config["data"]["type"] == "llm":
            more = {
                "model_instance": Model(self.chunks),
                "llm_file_saver": NoFiles(),
                "prompt_message_serializer": Serializer(),
                "jinja2_template_renderer": None,
                "default_query_selector": ("sys", "query"),
            }
        return cls(
            node_id=config["id"],
            data=cls.validate_node_data(config["data"]),
            init_params=self.init_params,
            runtime_state=self.runtime_state,
            **more,
        )


class LockStep(Layer):
    """The engine stands still until the consumer has finished with an event."""

    def __init__(self):
        super().__init__()
        self.consumer, self.turn = threading.current_thread(), threading.Semaphore(0)

    def on_graph_start(self): ...

    def on_graph_end(self, error): ...

    def on_event(self, event):
        if threading.current_thread() is not self.consumer:
            self.turn.acquire(timeout=60)


def main():
    order = json.load(sys.stdin)
    began = time.perf_counter()
    config = order["graph"]
    pool = VariablePool()
    pool.add(("sys", "query"), "hi")
    pool.add(("sys", "workflow_execution_id"), "run")
    state = RuntimeState(variable_pool=pool, start_at=time.time(), workflow_id="bench")
    params = InitParams(workflow_id="bench", graph_config=config, run_context={}, call_depth=0)
    factory = Factory(params, state, order["chunks"])
    graph = Graph.init(graph_config=config, node_factory=factory, root_node_id=order["root"])
    engine = Engine(graph=graph, runtime_state=state, command_channel=InMemoryChannel(), workers=1)
    lock = LockStep()
    engine.add_layer(lock)
    events, first, text = 0, 0.0, []

    def source():
        nonlocal events, first
        for event in engine.run():
            events += 1
            first = first or time.perf_counter() - BEGAN
            yield event
            if not type(event).__name__.startswith("GraphRun"):
                lock.turn.release()

    context = EngineEventFilterContext.from_engine(engine)
    for event in filter_engine_events(source(), context=context, filters=[ResponseStreamFilter()]):
        if type(event).__name__ == "NodeRunStreamChunkEvent":
            text.append(event.chunk)
    seconds = time.perf_counter() - began
    assert "".join(text) == "word " * order["chunks"]
    json.dump({"seconds": seconds, "events": events, "first": first}, sys.stdout)


main()
