"""`why`: the reasons why an Answer is silent, repeated or late, in a run, a pause or a saved pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.core.finding import AnswerState, Finding
from workbench.core.findings import diagnose, diagnose_bare, diagnose_saved, unreadable_gate
from workbench.core.findings.bare import NEEDS_APP
from workbench.core.findings.dify import gate_fate
from workbench.core.graph import Edge, Graph
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.gate_state import GateState, edge_names, read_gate_state, translate_edges
from workbench.records.reading import parse_json
from workbench.records.runtime_state import RuntimeState, read_runtime_state
from workbench.records.shapes import STATE_VALUES
from workbench.verbs.context import Context
from workbench.verbs.environment import environment_of
from workbench.verbs.history import base_of
from workbench.verbs.inspect import open_run
from workbench.verbs.known_app import KnownApp, known_app
from workbench.verbs.names import dify_version
from workbench.verbs.results import WhyResult
from workbench.verbs.saved import SavedPause, open_saved
from workbench.verbs.target import FileTarget, StoredTarget, find


def why(
    ctx: Context, target: Path | str, *, app: Path | str | None = None, dify: str | None = None
) -> WhyResult:
    """Findings about a run (or one of its pauses), or about a saved pause.

    Args:
        dify: the Dify version that resumes the pause; for a file None takes the one that saved it. For a
            pause, or a run that waits at one, it tells what a resume there will do.
        app: of a saved pause; None takes the only imported one that fits, and tells less where none does.

    Raises:
        UsageError: an app, or an unknown version.
    """
    version = dify_version(dify)
    found = find(ctx, target)
    if isinstance(found, FileTarget):
        return _of_file(ctx, found, app, version)
    if found.kind == "app":
        raise UsageError(
            f"{target} is an app.",
            "`why` explains runs and saved pauses.",
            f"For an app: workbench check {target}",
        )
    return _of_run(ctx, found, version)


def _of_run(ctx: Context, target: StoredTarget, dify: str | None) -> WhyResult:
    pause = None
    if target.kind == "pause":
        pause = ctx.store.pause(target.id)
        loaded = open_run(ctx, pause.run_id, until=pause.step)
        subject = f"{loaded.run.app}, run {pause.run_id} at its pause, step {pause.step}"
    else:
        loaded = open_run(ctx, target.id)
        subject = f"{loaded.run.app}, run {target.id}, {loaded.run.status}"
        if dify is not None and loaded.run.status == "paused":
            pause = ctx.store.pauses(loaded.run.run_id)[-1]
    if pause is not None and dify is not None:
        runtime = read_runtime_state(pause.state, "the pause")
        gate = None if pause.gate is None else read_gate_state(pause.gate)
        findings, answers = _of_saved(loaded.graph, loaded.app, runtime, gate, dify)
        findings = (*_refused(gate, dify, loaded.run.kernel), *findings)
        subject += f", resumed on Dify {dify}"
    else:
        findings = diagnose(loaded.graph, loaded.timeline, loaded.app.mode)
        answers = loaded.timeline.at(loaded.timeline.steps).answers
    return WhyResult(
        findings,
        answers,
        subject,
        titles(loaded.graph),
        edge_words(loaded.graph),
        environment=loaded.environment,
    )


def _of_file(ctx: Context, target: FileTarget, app: Path | str | None, dify: str | None) -> WhyResult:
    if target.kind == "app":
        raise UsageError(
            f"{target.name} is an app.",
            "`why` explains runs and saved pauses.",
            f"For an app: workbench check {target.name}",
        )
    if target.kind == "sse-capture":
        from workbench.verbs.captures import why_capture

        return why_capture(ctx, target, app, dify=dify)
    saved = open_saved(target)
    known = known_app(ctx, target, app, saved.runtime)
    if known.app is None:
        return _without_app(saved, known, dify or saved.dify)
    found, graph = known.app, graph_of(known.app.graph, known.app.root)
    findings, answers = _of_saved(graph, found, saved.runtime, saved.gate, dify or saved.dify)
    return WhyResult(
        (*_refused(saved.gate, dify, saved.kernel), *findings),
        answers,
        f"{saved.name}, {saved.told}",
        titles(graph),
        edge_words(graph),
        (*known.notes, *saved.notes),
        environment_of(found, saved.runtime),
    )


def _without_app(saved: SavedPause, known: KnownApp, dify: str | None) -> WhyResult:
    """What can be told of a saved pause alone."""
    inside = None if saved.runtime is None else saved.runtime.response_coordinator
    findings, answers = diagnose_bare(
        None if saved.gate is None else saved.gate.data,
        dify,
        coordinator=None if inside is None else read_gate_state(inside).data,
    )
    findings = (*_refused(saved.gate, dify, saved.kernel), *findings)
    fitting = [f"{name!r} ({app_id[:12]})" for name, app_id in known.fitting[:4]]
    fits = (f"{len(known.fitting)} imported apps fit: {', '.join(fitting)}.",) if fitting else ()
    return WhyResult(
        findings,
        answers,
        f"{saved.name}, {saved.told}",
        titles_of(saved),
        notes=(NEEDS_APP, *fits, *saved.notes),
        environment=environment_of(None, saved.runtime),
        partial=True,
    )


def _refused(gate: GateState | None, dify: str | None, kernel: str) -> Iterator[Finding]:
    """The gate as it was saved is one that the engine of the resume does not load.

    Args:
        dify: the Dify that resumes it; None: the engine `kernel`, which saved it.
    """
    if gate is None or (dify is not None and gate_fate(dify) != "kept"):
        return
    from workbench.verbs.fork import kernel_of_dify

    raw = parse_json(gate.text, "the gate state", max_values=STATE_VALUES)
    yield from unreadable_gate(raw, kernel if dify is None else kernel_of_dify(dify))


def _of_saved(
    graph: Graph, app: App, runtime: RuntimeState | None, gate: GateState | None, dify: str | None
) -> tuple[tuple[Finding, ...], tuple[AnswerState, ...]]:
    """What a resume on a Dify version will do, from the parts of a saved pause."""
    names = edge_names(list(app.graph["edges"]))
    inside = None if runtime is None else runtime.response_coordinator
    return diagnose_saved(
        graph,
        None if runtime is None else base_of(runtime, names),
        None if gate is None else translate_edges(gate.data, names),
        dify,
        coordinator=None if inside is None else translate_edges(read_gate_state(inside).data, names),
    )


def titles_of(saved: SavedPause) -> dict[str, str]:
    """The titles that a saved pause tells itself: those of its forms."""
    reasons = () if saved.runtime is None else saved.runtime.pause_reasons
    told = ((reason.get("node_id"), reason.get("node_title")) for reason in reasons)
    return {node: title for node, title in told if isinstance(node, str) and isinstance(title, str)}


def titles(graph: Graph) -> dict[str, str]:
    """The nodes' titles by id."""
    return {node.id: node.title or node.id for node in graph.nodes.values()}


def edge_words(graph: Graph) -> dict[str, str]:
    """The edges in words, by id: "Above 100? (true) → Ask the team lead"."""
    return {edge.id: _words(graph, edge) for edge in graph.edges.values()}


def _words(graph: Graph, edge: Edge) -> str:
    ends = [
        graph.nodes[end].title or end if end in graph.nodes else end for end in (edge.source, edge.target)
    ]
    handle = "" if edge.handle == "source" else f" ({edge.handle})"
    return f"{ends[0]}{handle} → {ends[1]}"
