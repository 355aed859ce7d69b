"""`heal`: a pause with a gate that streams what is still owed to the chat user."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workbench.core.edits.gate_rules import unreadable
from workbench.core.findings.dify import gate_fate
from workbench.core.graph_of import graph_of
from workbench.core.healing import Healed, rebuild, stale_edges
from workbench.core.state import Base
from workbench.errors import UsageError, WorkbenchError
from workbench.records.context_writing import new_context, with_gate
from workbench.records.gate_state import (
    COORDINATOR,
    FILTER,
    edge_names,
    gate_text,
    read_gate_state,
    translate_edges,
)
from workbench.records.reading import STATE_LIMIT, decode, parse_json, read_file
from workbench.records.runtime_state import RuntimeState, read_runtime_state
from workbench.records.shapes import STATE_VALUES
from workbench.records.splice import replace
from workbench.records.sse_text import streamed_text
from workbench.verbs.context import Context
from workbench.verbs.history import base_of
from workbench.verbs.names import dify_version
from workbench.verbs.pauses import PauseSource, source_of
from workbench.verbs.target import FileTarget, find

How = Literal["kept", "converted", "rebuilt"]

GATELESS_KERNEL = "graphon-0.5"
NO_READER = (
    "Dify 1.15 and older read no gate state at a resume: no file can help there. "
    "Upgrade to 1.16 or later and let it resume the healed pause, "
    "or take the text from the run's outputs (node_finished of the Answer)."
)


@dataclass(frozen=True)
class HealResult:
    """A healed pause.

    Attributes:
        how: "kept" (the saved gate is right), "converted" (from Dify 1.14's response_coordinator) or
            "rebuilt".
        gate: the gate state as the engine that saved the pause reads it.
        text: a whole WorkflowResumptionContext with that gate; only the gate field differs from a given one.
        shown: what counts as already streamed.
        doubts: what could not be known; empty when the result must be right.
        warnings: what stands in the way of using it.
    """

    name: str
    kernel: str
    how: How
    gate: str = field(repr=False)
    text: str = field(repr=False)
    shown: str
    evidence: tuple[str, ...]
    doubts: tuple[str, ...]
    warnings: tuple[str, ...]


def heal(
    ctx: Context,
    target: Path | str,
    *,
    app: Path | str | None = None,
    message: str | None = None,
    dify: str | None = None,
) -> HealResult:
    """Heal a saved pause's file, or a pause of a run.

    Args:
        app: the app of a saved pause.
        message: the chat message as the user has it now (Dify: `messages.answer`); a run of ours knows it.
        dify: the Dify that is to resume it.

    Raises:
        UsageError: no pause, or a saved pause without its app.
        WorkbenchError: the gate can't be written down (more paths than graphon could load).
    """
    version = dify_version(dify)
    found = find(ctx, target)
    source = source_of(ctx, target, found, app=app, verb="heal")
    if message is None:
        message = streamed_before(ctx, source)
    healed, how, runtime = healed_gate(source, message)
    text = _context(source, found, healed.gate_text)
    warnings = [NO_READER] if _no_reader(version, source) else []
    return HealResult(
        name=str(target),
        kernel=source.kernel,
        how=how,
        gate=healed.gate_text,
        text=text,
        shown=healed.shown,
        evidence=healed.evidence,
        doubts=healed.doubts,
        warnings=tuple(dict.fromkeys((*warnings, *source.notes, *runtime.notes))),
    )


@dataclass(frozen=True)
class GateText:
    """A gate as text, with what it was made from."""

    gate_text: str
    shown: str
    evidence: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def healed_gate(source: PauseSource, message: str | None) -> tuple[GateText, How, RuntimeState]:
    """The gate that a pause should be resumed with, in the format of the engine that saved it."""
    runtime = read_runtime_state(source.state)
    names = edge_names(list(source.app.graph["edges"])) if runtime.has_positional_edges else {}
    base = base_of(runtime, names)
    if source.gate is None and runtime.response_coordinator is not None:
        text = replace(runtime.response_coordinator, ("type",), json.dumps(FILTER))
        evidence = f"{COORDINATOR}, which Dify 1.14 kept in the runtime state, has the same fields: renamed."
        return GateText(text, message or "", (evidence,)), "converted", runtime
    refused = () if source.gate is None else refusals_of(source.gate, source.kernel)
    if source.gate is not None and not refused:
        stale = stale_edges(translate_edges(read_gate_state(source.gate).data, names), base)
        if not stale:
            evidence = "No edge that the saved gate waits for was taken: it is right as it is."
            return GateText(source.gate, message or "", (evidence,)), "kept", runtime
    healed = _rebuild(source, runtime, base, message)
    why = tuple(f"The saved gate is of no use, {source.kernel} refuses it: {each}" for each in refused[:1])
    return (
        GateText(_written(healed, runtime, names), healed.shown, (*why, *healed.evidence), healed.doubts),
        "rebuilt",
        runtime,
    )


def refusals_of(gate: str, kernel: str) -> tuple[str, ...]:
    """Why an engine kernel would not load a gate, graph aside; nothing where it would."""
    raw = parse_json(gate, "the gate state", max_values=STATE_VALUES)
    return tuple(fault.message for fault in unreadable(raw, kernel) if fault.refused)


def _rebuild(source: PauseSource, runtime: RuntimeState, base: Base, message: str | None) -> Healed:
    started = [each for each in runtime.execution.nodes if each.frame == "root"]
    return rebuild(
        graph_of(source.app.graph, source.app.root),
        base,
        kernel=source.kernel,
        execution_ids={each.node: each.execution_id for each in started if each.execution_id},
        message=message,
    )


def _written(healed: Healed, runtime: RuntimeState, names: Mapping[str, str]) -> str:
    """The gate as that engine writes it: version and edge ids."""
    if healed.gate["paths_map"] is None:
        raise WorkbenchError(
            "This gate can't be written down.",
            f"{healed.gate['paths_count']} paths lead to its Answers; graphon would list every one of them.",
            "Resume it in the workbench, whose gate needs no lists: workbench resume ... --gate healed.",
        )
    return gate_text(healed.gate, names if runtime.has_positional_edges else None)


def _context(source: PauseSource, found: Any, gate: str) -> str:
    if isinstance(found, FileTarget) and found.kind == "resumption-context":
        text = decode(found.data, found.name)
        mark = "\ufeff" if found.data.startswith(BOM_UTF8) else ""  # decoding took it off
        return mark + with_gate(text, parse_json(text, found.name), gate)
    return new_context(
        source.state,
        gate,
        mode=source.app.mode,
        inputs=source.inputs,
        system=source.system,
        run_id=source.run_id or source.system.get("workflow_run_id"),
    )


def streamed_before(ctx: Context, source: PauseSource) -> str | None:
    """What the chat user had been shown at the pause, from the journals of the run whose pause it is, edited
    or not, and of those it was forked from; None for another saved file.
    """
    if source.lineage is None:
        return None
    from workbench.verbs.message import message_at

    return message_at(ctx, source.lineage["run_id"], source.lineage["step"])


def _no_reader(version: str | None, source: PauseSource) -> bool:
    """Will it be resumed by a Dify that reads no gate? Without a version: by the one that saved it."""
    return source.kernel == GATELESS_KERNEL if version is None else gate_fate(version) != "kept"


def message_from(text: str | None, file: Path | None, capture: Path | None) -> str | None:
    """The chat message, given as text, as a file, or as the SSE stream that the user's client had received.

    Raises:
        UsageError: more than one is given.
        BadInputError: a file can't be read.
    """
    if sum(each is not None for each in (text, file, capture)) > 1:
        raise UsageError("--message, --message-file and --capture say the same.", "", "Give one of them.")
    if capture is not None:
        return streamed_text(decode(read_file(capture, STATE_LIMIT), str(capture)), str(capture))
    return decode(read_file(file, STATE_LIMIT), str(file)) if file is not None else text
