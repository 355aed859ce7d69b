"""WorkflowResumptionContext: what Dify saves at a pause, one JSON object in its object storage.

`{version: "1", generate_entity: {type, entity}, serialized_graph_runtime_state: text,
serialized_response_stream_filter_state: text or null, ...}`; Dify's models do not forbid other keys
(facts: dify-pause-resume.md, 1). Lenient: what is missing or damaged is named in `notes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import BadInputError
from workbench.records.eras import Era, Origin, origin_of
from workbench.records.gate_state import GateState, read_gate_state
from workbench.records.reading import STATE_LIMIT, check_size, parse_json
from workbench.records.runtime_state import RuntimeState, read_runtime_state
from workbench.records.shapes import STATE_VALUES, Notes, Shape, kind_of, top_mapping

RUNTIME = "serialized_graph_runtime_state"
GATE = "serialized_response_stream_filter_state"
WHAT = "a saved pause (Dify's WorkflowResumptionContext)"


@dataclass(frozen=True)
class ResumptionContext:
    """A saved pause.

    Attributes:
        text: the context as it was given.
        data: its outermost mapping, nested JSON still as texts.
        gate: None where none was saved; a damaged one is None too and told in `notes`.
        gate_text: the gate as it stands in the context, also a damaged one.
        generate_entity: `{type, entity}`; `entity` is its inner mapping.
        origin: which Dify saved it, and why that is clear.
        notes: what is missing, damaged or contradictory, one sentence each; the parts have their own.
    """

    text: str = field(repr=False)
    data: Mapping[str, Any] = field(repr=False)
    runtime_state: RuntimeState
    gate: GateState | None
    gate_text: str | None = field(repr=False)
    generate_entity: Mapping[str, Any]
    origin: Origin
    notes: tuple[str, ...] = ()

    @property
    def era(self) -> Era:
        return self.origin.era

    @property
    def dify(self) -> str:
        """The Dify version that stands for the era ("1.15")."""
        return self.origin.saver.dify

    @property
    def entity_type(self) -> str:
        """ "advanced-chat", "workflow" or "" ."""
        return str(self.generate_entity.get("type") or "")

    @property
    def entity(self) -> Mapping[str, Any]:
        """What Dify's generator was called with: inputs, query, files, user_id, app_config, ..."""
        inner = self.generate_entity.get("entity")
        return inner if isinstance(inner, Mapping) else {}

    @property
    def run_id(self) -> str | None:
        """The workflow run: `workflow_run_id` of a chatflow, `workflow_execution_id` of a workflow."""
        found = self.entity.get("workflow_run_id") or self.entity.get("workflow_execution_id")
        return found if isinstance(found, str) else None


def read_resumption_context(text: str, source: str = "saved pause") -> ResumptionContext:
    """Read a saved pause of any era.

    Raises:
        BadInputError: it is no JSON, too large, no saved pause, or its runtime state can't be read.
    """
    check_size(len(text), source, STATE_LIMIT)
    data = top_mapping(parse_json(text, source, max_values=STATE_VALUES), source, WHAT)
    runtime_text = data.get(RUNTIME)
    if not isinstance(runtime_text, str):
        raise BadInputError(
            f"{source} is not {WHAT}",
            f"Its {RUNTIME} is {kind_of(runtime_text)}, not a text."
            if RUNTIME in data
            else f"It has no {RUNTIME}.",
            "`workbench import` tells what a file is.",
        )
    notes = Notes()
    shape = Shape(data, "saved pause", notes)
    if (version := shape.text("version")) not in {None, "1"}:
        shape.note(f"Its version is {version}; only 1 is known")
    runtime = read_runtime_state(runtime_text, f"{RUNTIME} in {source}")
    gate_text = shape.text(GATE, needed=False)
    gate = _gate(gate_text, notes)
    origin = origin_of(runtime, gate, gate_field=GATE in data)
    notes.extend(_contradictions(runtime, gate))
    return ResumptionContext(
        text=text,
        data=data,
        runtime_state=runtime,
        gate=gate,
        gate_text=gate_text,
        generate_entity=shape.mapping("generate_entity"),
        origin=origin,
        notes=notes.told(),
    )


def _gate(text: str | None, notes: Notes) -> GateState | None:
    if not text:
        return None
    try:
        return read_gate_state(text, GATE)
    except BadInputError as error:
        notes.append(f"{error.title}: {error.cause}")
        return None


def _contradictions(runtime: RuntimeState, gate: GateState | None) -> list[str]:
    """Parts that do not come from one engine: the pause was edited, healed or migrated."""
    if gate is None:
        return []
    found: list[str] = []
    if runtime.response_coordinator is not None:
        found.append("There are two gates: one in the runtime state, one beside it; Dify reads the second.")
    if gate.has_positional_edges != runtime.has_positional_edges:
        found.append(
            f"The gate state is version {gate.version}, the runtime state {runtime.version}:"
            " no graphon writes the two together."
        )
    return found
