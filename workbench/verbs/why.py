"""`why`: the reasons why an Answer is silent, repeated or late, in a run, a pause or a saved pause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.core.findings import diagnose, diagnose_saved
from workbench.core.graph import Edge, Graph
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError
from workbench.records.gate_state import edge_names, translate_edges
from workbench.verbs.context import Context
from workbench.verbs.environment import environment_of
from workbench.verbs.history import base_of
from workbench.verbs.inspect import open_run
from workbench.verbs.names import dify_version
from workbench.verbs.pauses import app_needed
from workbench.verbs.results import WhyResult
from workbench.verbs.saved import open_saved
from workbench.verbs.target import FileTarget, StoredTarget, find, find_app


def why(
    ctx: Context, target: Path | str, *, app: Path | str | None = None, dify: str | None = None
) -> WhyResult:
    """Findings about a run (or one of its pauses), or about a saved pause with its app.

    Args:
        dify: the Dify version that resumes the saved pause; None takes the one that saved it.

    Raises:
        UsageError: a saved pause without its app, an app, or an unknown version.
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
    return _of_run(ctx, found)


def _of_run(ctx: Context, target: StoredTarget) -> WhyResult:
    if target.kind == "pause":
        pause = ctx.store.pause(target.id)
        loaded = open_run(ctx, pause.run_id, until=pause.step)
        subject = f"{loaded.run.app}, run {pause.run_id} at its pause, step {pause.step}"
    else:
        loaded = open_run(ctx, target.id)
        subject = f"{loaded.run.app}, run {target.id}, {loaded.run.status}"
    findings = diagnose(loaded.graph, loaded.timeline)
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
    saved = open_saved(target)
    if app is None:
        raise app_needed(target.name, "why")
    found = find_app(ctx, app)
    graph = graph_of(found.graph, found.root)
    names = edge_names(list(found.graph["edges"]))
    dump: Any = None if saved.gate is None else translate_edges(saved.gate.data, names)
    base = None if saved.runtime is None else base_of(saved.runtime, names)
    findings, answers = diagnose_saved(graph, base, dump, dify or saved.dify)
    return WhyResult(
        findings,
        answers,
        f"{saved.name}, {saved.told}",
        titles(graph),
        edge_words(graph),
        saved.notes,
        environment_of(found, saved.runtime),
    )


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
