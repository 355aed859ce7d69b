"""A saved pause from Dify (or a part of one): its states, its era, and the forms it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph, Node
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.eras import Origin, kept_for, origin_of
from workbench.records.gate_state import GateState, read_gate_state
from workbench.records.reading import decode
from workbench.records.resumption_context import read_resumption_context
from workbench.records.runtime_state import RuntimeState, read_runtime_state
from workbench.verbs.environment import environment_of
from workbench.verbs.target import FileTarget

if TYPE_CHECKING:
    from workbench.verbs.pauses import PauseSource


@dataclass(frozen=True)
class SavedPause:
    """What a file holds of a pause.

    Attributes:
        state, runtime: the runtime state, None in a bare gate state.
        gate_text, gate: the gate state, None where there is none.
        kernel: the engine kernel that reads it as its own engine did.
        dify: the Dify version that stands for the one that saved it ("1.15"), None for a bare gate state.
        told: where it comes from, for people.
        notes: what is missing, damaged or contradictory in it.
    """

    name: str
    kernel: str
    runtime: RuntimeState | None
    gate: GateState | None
    dify: str | None = None
    why_no_gate: str | None = None
    told: str = ""
    notes: tuple[str, ...] = ()
    entity: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> str | None:
        """The runtime state's text, byte for byte."""
        return None if self.runtime is None else self.runtime.text

    def source(self, app: App, *, file_id: str | None = None) -> PauseSource:
        """The pause as something to resume, with its app."""
        from workbench.verbs.pauses import PauseSource

        assert self.runtime is not None
        graph = graph_of(app.graph, app.root)
        variables = self.runtime.variables
        return PauseSource(
            app=app,
            kernel=self.kernel,
            state=self.runtime.text,
            gate=None if self.gate is None else self.gate.text,
            reasons=tuple(reason_of(reason, graph) for reason in self.runtime.pause_reasons),
            why_no_gate=self.why_no_gate,
            file_id=file_id,
            inputs=dict(self.entity.get("inputs") or variables.get(app.root, {})),
            system=dict(variables.get("sys", {})),
            environment=environment_of(app, self.runtime),
            notes=self.notes,
        )


def open_saved(target: FileTarget) -> SavedPause:
    """Read a saved pause, a runtime state or a gate state.

    Raises:
        UsageError: the file is something else.
        BadInputError: it is broken.
    """
    text = decode(target.data, target.name)
    if target.kind == "resumption-context":
        context = read_resumption_context(text, target.name)
        return _saved(
            target.name,
            context.runtime_state,
            context.gate,
            kept_for(context.origin, target.kernel),
            notes=(
                *context.notes,
                *context.runtime_state.notes,
                *(context.gate.notes if context.gate else ()),
            ),
            entity=context.entity,
        )
    if target.kind == "runtime-state":
        runtime = read_runtime_state(text, target.name)
        origin = kept_for(origin_of(runtime, whole=False), target.kernel)
        return _saved(target.name, runtime, None, origin, notes=runtime.notes)
    if target.kind == "stream-filter":
        gate = read_gate_state(text, target.name)
        kernel = target.kernel or ("graphon-0.8" if gate.version == "2.0" else "graphon-0.7")
        told = f"a gate state, version {gate.version}"
        return SavedPause(target.name, kernel, None, gate, told=told, notes=gate.notes)
    raise UsageError(
        f"{target.name} is not a saved pause.",
        f"It is a {target.kind.replace('-', ' ')}" + (f": {target.detail}." if target.detail else "."),
        f"Import it (workbench import {target.name}); its runs go by their own ids then."
        if target.kind == "bundle"
        else f"A recorded stream is explained by: workbench why {target.name}"
        if target.kind == "sse-capture"
        else "A saved pause is Dify's WorkflowResumptionContext, or a runtime state.",
    )


def _saved(
    name: str,
    runtime: RuntimeState,
    gate: GateState | None,
    origin: Origin,
    *,
    notes: tuple[str, ...] = (),
    entity: Mapping[str, Any] | None = None,
) -> SavedPause:
    told = origin.sentence
    return SavedPause(
        name=name,
        kernel=origin.saver.kernel,
        runtime=runtime,
        gate=gate,
        dify=origin.saver.dify,
        why_no_gate=None if gate is not None else f"{told[:1].upper()}{told[1:]}.",
        told=told,
        notes=notes,
        entity=entity or {},
    )


def reason_of(raw: Mapping[str, Any], graph: Graph) -> dict[str, Any]:
    """A saved pause reason as REASON of the protocol; what newer states leave out comes from the app's
    node.
    """
    kind = raw.get("TYPE") or raw.get("type")
    if kind not in ("human_input_required", "hitl_required"):
        return {"type": "scheduled_pause", "node_id": raw.get("node_id"), "message": raw.get("message", "")}
    node_id = str(raw.get("node_id", ""))
    node = graph.nodes.get(node_id)
    data: Mapping[str, Any] = node.data if node else {}
    defaults = raw.get("resolved_default_values") or {}
    return {
        "type": "human_input_required",
        "node_id": node_id,
        "node_title": raw.get("node_title") or _title(node) or node_id,
        "form_id": raw.get("form_id") or raw.get("session_id"),
        "content": raw.get("form_content") or data.get("form_content") or "",
        "actions": [
            {"id": str(each.get("id")), "title": each.get("title") or "", "style": each.get("button_style")}
            for each in _mappings(raw.get("actions") or data.get("user_actions"))
        ],
        "fields": [_field(each, defaults) for each in _mappings(raw.get("inputs") or data.get("inputs"))],
    }


def _field(entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    name = str(entry.get("output_variable_name") or entry.get("name"))
    found: dict[str, Any] = {"name": name, "type": entry.get("type") or "paragraph"}
    default = entry.get("default")
    constant = (
        default.get("value") if isinstance(default, Mapping) and default.get("type") == "constant" else None
    )
    found["default"] = defaults.get(name, constant)
    source = entry.get("option_source")
    if isinstance(source, Mapping) and isinstance(source.get("value"), list):
        found["options"] = list(source["value"])
    return found


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _title(node: Node | None) -> str | None:
    return node.title if node else None
