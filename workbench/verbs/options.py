"""What can be made real or limited in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.graph import Graph
from workbench.core.paths import PATH_LIMIT, count_paths
from workbench.errors import BadInputError, UsageError
from workbench.records.app import App
from workbench.verbs.names import one_of

STEPS = 500
SECONDS = 120
SECONDS_A_NODE = 0.2
"""graphon 0.7 takes 0.1 s for a node that does nothing."""

ScriptSource = Path | str | Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """A run as a turn of a conversation.

    Attributes:
        conversation: a run of it, a file with message rows, or a name.
        context: the models' context size in tokens; None is unknown.
        counter: what the models count with (`workbench.core.tokens`); Dify counts nothing by default.
    """

    conversation: str
    context: int | None = None
    counter: str = "dify-default"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Asked for per run, never remembered for the next one.

    Attributes:
        real_code: run code nodes for real, in an isolated child with limits.
        real_http: send HTTP requests for real.
        model: base URL of an OpenAI-compatible endpoint that answers for every model; None scripts them.
        model_name: the model's name there; None takes the name in the app.
        break_before: node ids to pause before.
        max_steps, max_seconds: where a run is ended that goes on for ever; None takes what fits the app.
        memory: what nodes remember, when the run is a turn of a conversation.
    """

    real_code: bool = False
    real_http: bool = False
    model: str | None = None
    model_name: str | None = None
    break_before: tuple[str, ...] = ()
    max_steps: int | None = None
    max_seconds: float | None = None
    memory: MemoryOptions | None = None

    def limits(self, graph: Graph) -> dict[str, float]:
        """`limits` of the protocol. Dify ends a run after 500 node runs (WORKFLOW_MAX_EXECUTION_STEPS);
        a graph with more nodes shall come to its end here all the same.
        """
        nodes = len(graph.nodes)
        return {
            "max_steps": self.max_steps or max(STEPS, 2 * nodes),
            "max_seconds": self.max_seconds or max(SECONDS, nodes * SECONDS_A_NODE),
        }

    def payload(self, *, raw: bool) -> dict[str, Any]:
        """`options` of the protocol; `raw` runs the engine without the real filter (see `too_many_paths`)."""
        options: dict[str, Any] = {}
        if self.real_code:
            options["real_code"] = True
        if self.real_http:
            options["real_http"] = True
        if self.model is not None:
            options["model"] = {"url": self.model} | ({"name": self.model_name} if self.model_name else {})
        if self.break_before:
            options["break_before"] = list(self.break_before)
        if self.memory is not None:
            options["memory"] = {"context": self.memory.context, "counter": self.memory.counter}
        if raw:
            options["filter"] = False
        return options


def checked(options: RunOptions, graph: Graph) -> RunOptions:
    """`options` when they fit the app.

    Raises:
        UsageError: a breakpoint names no node, or the model's address is none.
    """
    for node in options.break_before:
        one_of(node, graph.nodes, "node")
    if options.model is not None and not options.model.startswith(("http://", "https://")):
        raise UsageError(
            f"{options.model!r} is no address of a model.",
            "--model takes the base URL of an OpenAI-compatible endpoint.",
            "For example: --model http://127.0.0.1:11434/v1 (its key comes from WORKBENCH_MODEL_KEY).",
        )
    return options


def too_many_paths(graph: Graph) -> bool:
    """True where the real filter would hang the run: the engine runs raw then, and core's gate streams.

    `graph` is the root scope.
    """
    responses = (node.id for node in graph.nodes.values() if node.kind == "response")
    return any(count_paths(graph, response, limit=PATH_LIMIT + 1) > PATH_LIMIT for response in responses)


def load_script(source: ScriptSource, app: App) -> dict[str, Any]:
    """A script, checked against the app: from a file, from text that names one, or already read.

    Raises:
        BadInputError: it can't be read, or does not fit the app; the message names node and line.
    """
    if source is None:
        return {}
    if isinstance(source, Mapping):
        return dict(source)
    from workbench.records.reading import read_file
    from workbench.records.script import read_script

    path = Path(source)
    if not path.exists():
        raise BadInputError(
            f"There is no script {path}.", f"Looked in {Path.cwd()}.", "Check the path after --script."
        )
    return read_script(read_file(path), app, str(path))
