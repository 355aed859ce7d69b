"""Recorded SSE streams: opened, explained alone or with their app, and shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core.captures import findings, signs
from workbench.core.captures.played import Explained, explain, explain_rest
from workbench.core.captures.reading import runs_of
from workbench.core.captures.run import CapturedRun
from workbench.core.captures.texts import facts_of
from workbench.core.finding import AnswerState, Finding
from workbench.core.findings.running import by_severity
from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App, read_app
from workbench.records.reading import decode
from workbench.records.sse import Capture, read_capture
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment, environment_of
from workbench.verbs.known_app import MOST_LOOKED_AT, KnownApp, app_needed
from workbench.verbs.results import WhyResult
from workbench.verbs.target import FileTarget, find, find_app
from workbench.verbs.why import edge_words, titles

KIND = "sse-capture"
NEEDS_APP = (
    "With --app APP the edges that were taken are inferred, and the gate is replayed: which edge an Answer "
    "waited for."
)
STEPS = (
    "Steps are those of the journal that is inferred from the stream: "
    "`workbench show CAPTURE --app APP --step N`."
)
NO_NODES = "No event of a node is in it: what each Answer said is not told, only the text."


@dataclass(frozen=True)
class OpenedCapture:
    """A recorded stream with the runs in it.

    Attributes:
        app, graph: None where its app is not known.
        explained: for each run that is recorded from its start, where the app is known.
        notes: what is broken or missing in it, and which app was taken.
    """

    capture: Capture
    runs: tuple[CapturedRun, ...]
    app: App | None = None
    graph: Graph | None = None
    explained: tuple[Explained | None, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def environment(self) -> Environment:
        return environment_of(self.app)


def open_capture(ctx: Context, target: FileTarget, app: Path | str | None = None) -> OpenedCapture:
    """Read a recorded stream; without `app` the only imported app with all its nodes is taken.

    Raises:
        BadInputError: there is no event in it.
        UsageError: `app` is no app, or has none of the nodes.
    """
    capture = read_capture(decode(target.data, target.name), target.name)
    runs = runs_of(capture.events)
    known = KnownApp(find_app(ctx, app)) if app is not None else _known(ctx, runs)
    notes = (*capture.notes, *known.notes, *_notes(runs))
    if known.app is None:
        return OpenedCapture(capture, runs, notes=notes)
    graph = graph_of(known.app.graph, known.app.root)
    _fits(target.name, runs, graph, known.app)
    explained = tuple(_explained(graph, known.app, run) for run in runs)
    strange = sorted({node for each in explained if each for node in each.inferred.unknown})
    if strange:
        shown = ", ".join(strange[:4])
        notes = (*notes, f"The app is another version of the one that ran: it does not have {shown}.")
    guessed = sorted({node for each in explained if each for node in each.inferred.guessed})
    if guessed:
        notes = (*notes, f"The way out of {', '.join(guessed[:4])} is not told; what ran next decided.")
    return OpenedCapture(capture, runs, known.app, graph, explained, notes)


def find_capture(ctx: Context, text: Path | str) -> FileTarget | None:
    """The recorded stream that `text` names, None where it names something else."""
    found = find(ctx, text)
    return found if isinstance(found, FileTarget) and found.kind == KIND else None


def replayable(
    ctx: Context, target: FileTarget, app: Path | str | None, verb: str
) -> tuple[OpenedCapture, CapturedRun, Explained]:
    """The first run of a recording that is recorded from its start, with its inferred journal.

    Raises:
        UsageError: its app is not known, or there is no such run.
    """
    opened = open_capture(ctx, target, app)
    if opened.app is None:
        raise app_needed(target.name, verb)
    for run, explained in zip(opened.runs, opened.explained, strict=True):
        if explained is not None:
            return opened, run, explained
    raise UsageError(
        f"{target.name} has no steps.",
        "No run in it is recorded from its start with its nodes.",
        f"workbench show {target.name} tells what is in it.",
    )


def why_capture(
    ctx: Context, target: FileTarget, app: Path | str | None = None, *, dify: str | None = None
) -> WhyResult:
    """Findings about a recorded stream: silent and repeated Answers, and signs of Dify's known faults.

    Args:
        dify: not used, which is told: a recording shows what has happened, on whatever Dify.
    """
    opened = open_capture(ctx, target, app)
    found = [*signs.of_runs(opened.runs)]
    for number, run in enumerate(opened.runs):
        found += _prefixed(opened, run, [*_of_run(opened, number), *signs.of_run(run)])
    graph = opened.graph
    notes = [*opened.notes]
    if dify is not None:
        notes.append("The Dify version is not used: a recording shows what has happened.")
    if graph is not None and any(finding.steps for finding in found):
        notes.append(STEPS)
    if graph is None and any(run.nodes for run in opened.runs):
        notes.append(NEEDS_APP)
    return WhyResult(
        by_severity(found),
        tuple(_answers(opened)),
        subject(opened),
        _titles(opened),
        {} if graph is None else edge_words(graph),
        tuple(notes),
        opened.environment,
        partial=graph is None,
    )


def subject(opened: OpenedCapture) -> str:
    """ "talk.txt: run 426a60bd, chatflow, resumed 1 time, succeeded"."""
    told = "; ".join(_told(run) for run in opened.runs)
    return f"{opened.capture.name}: {told}"


def status_of(run: CapturedRun) -> str:
    """How it ended, for people."""
    return run.status or "cut off before its end"


def _told(run: CapturedRun) -> str:
    name = f"run {run.run_id}" if run.run_id else "a talk"
    kind = {"advanced-chat": "chatflow", "workflow": "workflow", "chat": "chat app"}[run.mode]
    resumes = f", resumed {run.resumes} time{'s' if run.resumes > 1 else ''}" if run.resumes else ""
    return f"{name}, {kind}{resumes}, {status_of(run)}"


def _notes(runs: tuple[CapturedRun, ...]) -> Iterator[str]:
    if len(runs) > 1:
        yield f"{len(runs)} runs are in one recording; each is told by itself."
    for run in runs:
        yield from dict.fromkeys(run.notes)
        if run.begins == "middle" and run.run_id is not None:
            yield "The recording begins in the middle of the run."
        elif run.begins == "resume":
            yield (
                "The recording begins when the run goes on from a pause. Put the recording of its first "
                "part above "
                "it (cat first.txt second.txt > both.txt) to see all of it."
            )
        if run.status is None:
            yield "The recording ends before the run does: what is missing at its end is not judged."
        if run.run_id is not None and run.mode == "advanced-chat" and not run.nodes:
            yield NO_NODES
        if run.error or run.errors:
            yield "The run failed: " + "; ".join([*([run.error] if run.error else []), *run.errors])
        for node in run.nodes:
            if node.status == "failed":
                yield f"Node {node.title!r} ({node.node}) failed: {node.error or 'no error is told'}"


def _prefixed(opened: OpenedCapture, run: CapturedRun, found: list[Finding]) -> list[Finding]:
    """In a recording of several runs each finding names its run."""
    if len(opened.runs) < 2:
        return found
    return [replace(each, message=f"Run {run.run_id or '?'}: {each.message}") for each in found]


def _of_run(opened: OpenedCapture, number: int) -> tuple[Finding, ...]:
    run = opened.runs[number]
    if opened.graph is None:
        return tuple(findings.of_run(run))
    explained = opened.explained[number]
    return explain_rest(opened.graph, run) if explained is None else explained.findings


def _explained(graph: Graph, app: App, run: CapturedRun) -> Explained | None:
    if run.begins != "start" or not run.nodes:
        return None
    return explain(graph, run, _variables(app, run), app.mode)


def _variables(app: App, run: CapturedRun) -> dict[str, dict[str, Any]]:
    """What is known of the pool before the first event."""
    system = {key[4:]: value for key, value in run.inputs.items() if key.startswith("sys.")}
    return {
        "sys": system,
        "env": {str(each["name"]): each.get("value") for each in app.environment_variables},
        "conversation": {str(each["name"]): each.get("value") for each in app.conversation_variables},
    }


def _fits(name: str, runs: tuple[CapturedRun, ...], graph: Graph, app: App) -> None:
    nodes = {node.node for run in runs for node in run.nodes}
    strange = sorted(nodes - graph.nodes.keys())
    if strange and 2 * len(strange) >= len(nodes):
        raise UsageError(
            f"{name} is not of the app {app.name!r}.",
            f"Of its {len(nodes)} nodes the app does not have {len(strange)}: {', '.join(strange[:4])}.",
            "Give the app that ran: exported from the same Dify, its node ids are the stream's.",
        )


def _known(ctx: Context, runs: tuple[CapturedRun, ...]) -> KnownApp:
    """The only imported app that has all nodes of the recording."""
    nodes = {node.node for run in runs for node in run.nodes}
    if len(nodes) < 2 or not ctx.store_file.exists():
        return KnownApp(None)
    fitting = []
    for app_id, data in ctx.store.newest_apps(MOST_LOOKED_AT):
        if not all(node.encode() in data for node in nodes):
            continue
        try:
            app = read_app(data, f"app {app_id[:8]}")
        except WorkbenchError:
            continue
        if nodes <= {entry["id"] for entry in app.graph["nodes"]}:
            fitting.append((app_id, app))
    if len(fitting) == 1:
        app_id, only = fitting[0]
        return KnownApp(
            only, (f"No --app was given; the imported app {only.name!r} ({app_id[:12]}) was taken.",)
        )
    named = ", ".join(f"{app.name!r} ({app_id[:12]})" for app_id, app in fitting[:4])
    return KnownApp(None, (f"{len(fitting)} imported apps fit: {named}.",) if fitting else ())


def _answers(opened: OpenedCapture) -> Iterator[AnswerState]:
    """Where each Answer stands: by the replay, else by what was streamed."""
    for number, run in enumerate(opened.runs):
        explained = opened.explained[number] if opened.explained else None
        if explained is not None:
            yield from explained.timeline.at(explained.timeline.steps).answers
            continue
        silent = {node.node for node in facts_of(run).silent}
        for node in dict.fromkeys(each.node for each in run.answers):
            yield AnswerState(node, "locked" if node in silent else "done")


def _titles(opened: OpenedCapture) -> Mapping[str, str]:
    told = {node.node: node.title for run in opened.runs for node in run.nodes}
    return told if opened.graph is None else {**told, **titles(opened.graph)}
