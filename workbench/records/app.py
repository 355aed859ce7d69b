"""Exported Dify apps (DSL 0.1.0 to 0.7.0, and the templates without version and kind) as frozen values.

The bytes are kept as they came. The graph is the one that the engine kernels run: see `normalise`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import BadInputError
from workbench.records.fields import InputField, read_inputs
from workbench.records.normalise import normalise_graph
from workbench.records.notes import Notes
from workbench.records.reading import APP_LIMIT, check_size, decode, parse_json, shorten
from workbench.records.variables import is_empty_secret, read_variables, set_environment
from workbench.records.yaml_reading import MAX_VALUES, path_text, read_yaml

__all__ = ["RUNNABLE", "App", "InputField", "read_app"]

RUNNABLE = ("advanced-chat", "workflow")
_GRAPHLESS = {
    "chat": "a basic chatbot",
    "completion": "a text generator",
    "agent-chat": "an agent",
    "channel": "a channel",
    "rag-pipeline": "a knowledge pipeline",
}


@dataclass(frozen=True)
class App:
    """One exported app.

    Attributes:
        data: the file, byte for byte.
        mode: "advanced-chat" (chatflow) or "workflow".
        dsl_version: what the file says ("0.1.5"), None for templates.
        graph: the normalised {"nodes": [...], "edges": [...]}, in the file's order.
        root: id of the node where a run starts.
        environment_variables, conversation_variables: {"name", "value_type", "value", "selector", ...}, with
            values that fit their type.
        inputs: the fields of the start form.
        features: Dify's features block as it stands (opening statement, file upload, ...).
        notes: what was normalised or is missing, one sentence each.
    """

    data: bytes
    name: str
    mode: str
    dsl_version: str | None
    graph: Mapping[str, Any]
    root: str
    environment_variables: tuple[Mapping[str, Any], ...] = ()
    conversation_variables: tuple[Mapping[str, Any], ...] = ()
    inputs: tuple[InputField, ...] = ()
    features: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def payload(self, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """APP of the engine kernel protocol.

        Args:
            environment: values of environment variables for one run; `UsageError` for unknown names. Exports
                leave secrets empty: an empty one becomes the text "secret <name>", so that scripted runs go
                on.
        """
        variables = set_environment(self.environment_variables, environment or {}, self.name)
        return {
            "graph": self.graph,
            "root": self.root,
            "environment_variables": variables,
            "conversation_variables": list(self.conversation_variables),
        }


def read_app(data: bytes, source: str = "app") -> App:
    """Read an exported app; `BadInputError` says what is wrong, where, and what to do."""
    check_size(len(data), source, APP_LIMIT)
    notes = Notes()
    document = _load(data, source, notes)
    head, workflow = _parts(document, source, notes)
    mode = _mode(head, workflow, source, notes)
    graph = workflow.get("graph")
    if not isinstance(graph, Mapping):
        raise BadInputError(
            f"{source} holds no graph",
            "`workflow.graph` is missing, so there is nothing to run.",
            "Export the app again from Dify (Studio, the app's menu, Export DSL).",
        )
    normalised, root = normalise_graph(graph, source, notes)
    start = next(node["data"] for node in normalised["nodes"] if node["id"] == root)
    environment = read_variables(workflow.get("environment_variables"), "env", notes)
    secrets = [shorten(one["name"], 40) for one in environment if is_empty_secret(one)]
    if secrets:
        notes.add(f"the export holds no value for {', '.join(secrets)}; runs use a made-up text instead")
    features = workflow.get("features")
    version = document.get("version")
    return App(
        data=data,
        name=_name(head, source),
        mode=mode,
        dsl_version=str(version) if isinstance(version, str | int | float) else None,
        graph=normalised,
        root=root,
        environment_variables=environment,
        conversation_variables=read_variables(workflow.get("conversation_variables"), "conversation", notes),
        inputs=read_inputs(start),
        features=features if isinstance(features, Mapping) else {},
        notes=notes.sentences(),
    )


def _load(data: bytes, source: str, notes: Notes) -> Mapping[str, Any]:
    """The top mapping of a YAML file, or of a JSON one (a graph out of Dify's database is JSON)."""
    text = decode(data, source)
    if text.lstrip()[:1] == "{":
        value: Any = parse_json(data, source, max_values=MAX_VALUES)
    else:
        document = read_yaml(data, source)
        value = document.value
        for path, line in document.repeated[:5]:
            notes.add(f"line {line}: {path_text(path)} stands there twice; the last one counts, as in Dify")
    if isinstance(value, Mapping):
        return value
    what = "a list" if isinstance(value, list) else f"the text {shorten(str(value))!r}"
    raise BadInputError(
        f"{source} is no Dify app",
        f"An app is a mapping with `app` and `workflow`; this file is {what}.",
        "Export the app again from Dify (Studio, the app's menu, Export DSL).",
    )


def _parts(
    document: Mapping[str, Any], source: str, notes: Notes
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The `app` and `workflow` blocks; a bare graph is taken as a workflow without a head."""
    kind = document.get("kind")
    if isinstance(kind, str) and kind not in ("app", "graph", ""):
        what = "a knowledge pipeline" if kind == "rag_pipeline" else f"a file of kind {shorten(kind)!r}"
        raise BadInputError(
            f"{source} is {what}", "Only apps can be run here.", "Export a chatflow or a workflow from Dify."
        )
    head, workflow = document.get("app"), document.get("workflow")
    if isinstance(head, Mapping) and isinstance(head.get("mode"), str):
        if isinstance(workflow, Mapping):
            if not kind:
                notes.add("the file has no `kind`; it was read as an app")
            return head, workflow
        _refuse_graphless(head["mode"], source)
    if isinstance(workflow, Mapping):
        notes.add("the file has no `app` block; its mode was taken from its nodes")
        return head if isinstance(head, Mapping) else {}, workflow
    bare = document.get("graph_config", document.get("graph", document))
    if isinstance(bare, Mapping) and isinstance(bare.get("nodes"), list):
        notes.add("the file is a bare graph; its mode was taken from its nodes")
        return {}, {**document, "graph": bare}
    missing = "`workflow`" if isinstance(head, Mapping) else "`app` and `workflow`"
    raise BadInputError(
        f"{source} is no Dify app",
        f"It has no {missing}; its keys are: {shorten(', '.join(document) or 'none', 80)}.",
        "Export the app again from Dify (Studio, the app's menu, Export DSL).",
    )


def _refuse_graphless(mode: str, source: str) -> None:
    what = _GRAPHLESS.get(mode)
    raise BadInputError(
        f"{source} is {what}, which has no graph" if what else f"{source} has no workflow",
        f"Its mode is {shorten(mode)!r}; the workbench runs chatflows (advanced-chat) and workflows.",
        "In Dify, convert it into a chatflow (Orchestrate, Switch to Workflow Orchestrate) and export that."
        if what
        else "Export the app again from Dify.",
    )


def _mode(head: Mapping[str, Any], workflow: Mapping[str, Any], source: str, notes: Notes) -> str:
    mode = head.get("mode")
    if mode in RUNNABLE:
        return str(mode)
    graph = workflow.get("graph")
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    if isinstance(mode, str) and mode in _GRAPHLESS and not nodes:
        _refuse_graphless(mode, source)
    types = {
        node["data"].get("type")
        for node in nodes or ()
        if isinstance(node, Mapping) and isinstance(node.get("data"), Mapping)
    }
    guess = "advanced-chat" if "answer" in types else "workflow"
    if mode is not None:
        notes.add(f"the mode {shorten(str(mode))!r} is unknown; it was read as {guess}")
    return guess


def _name(head: Mapping[str, Any], source: str) -> str:
    """The app's own name, else the file's without its ending."""
    name = head.get("name")
    if isinstance(name, str | int | float) and str(name).strip():
        return str(name).strip()
    return re.sub(r"\.(ya?ml|json)$", "", source.rsplit("/", 1)[-1]) or "app"
