"""`check --fix`: the change that `check` advises, written into a copy of the app, and proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core import findings
from workbench.core.blocking import scope_of
from workbench.core.finding import Finding
from workbench.core.findings.dify import gate_fate
from workbench.core.findings.foretelling import Remedy, changed
from workbench.core.findings.foretelling.remedy import edge_id_of
from workbench.core.findings.lost_gate import MISSING
from workbench.core.findings.pausing import LOSES, advised
from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App, read_app
from workbench.records.app_editing import change_app, dsl_edge, dsl_node
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment, environment_of
from workbench.verbs.names import dify_version
from workbench.verbs.proving import Proof, prove
from workbench.verbs.target import find_app
from workbench.verbs.writing import place, write_private

REWRITTEN = "The file could not be changed in place, so it was written anew: comments and layout are lost."


@dataclass(frozen=True)
class Fix:
    """One change of an app that takes the harm of one form away.

    Attributes:
        number: by which it can be chosen, from 1.
        finding: what it is against.
        words: the change in words.
        applied: it is in the written app; False where it was not chosen, or no longer needed.
    """

    number: int
    finding: Finding
    words: str
    nodes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    applied: bool = False


@dataclass(frozen=True)
class FixResult:
    """What was changed, and what shows that it is right.

    Attributes:
        dify: the Dify that it is for.
        left: findings of severity error or warning that the result still has.
        data: the changed app; the app's own bytes where nothing was changed.
        faithful: only the changed places differ.
        proof: runs of both apps on the real engine; None where nothing was changed.
        reason: why there is nothing to change, else None.
    """

    name: str
    dify: str
    fixes: tuple[Fix, ...]
    left: tuple[Finding, ...]
    data: bytes = field(repr=False)
    faithful: bool = True
    proof: Proof | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    environment: Environment = field(default=(), repr=False)

    @property
    def changed(self) -> bool:
        return any(fix.applied for fix in self.fixes)


def fix(
    ctx: Context,
    app: Path | str,
    *,
    dify: str | None = None,
    choose: Sequence[str] = (),
    script: Mapping[str, Any] | None = None,
    play: bool = True,
) -> FixResult:
    """Make the changes that `check` advises.

    Args:
        dify: the Dify that it is for; None: the one that loses the gate's state.
        choose: only these, by number or by the id of the form; none means all.
        script: what the world answers when both apps are played.
        play: also run both on that Dify's engine.

    Raises:
        UsageError: no app, an unknown version, or no such change.
        WorkbenchError: the changed app is not what it should be; nothing is given then.
    """
    version = dify_version(dify) or LOSES
    found = find_app(ctx, app)
    listed = _list(found, version)
    wanted = _chosen(listed, choose)
    now, faithful, done = found, True, []
    for one in listed:
        remedy = _remedy(now, version, one.finding.node_id) if one.number in wanted else None
        if remedy is None:
            done.append(one)
            continue
        now, spliced = _apply(now, remedy)
        faithful = faithful and spliced
        done.append(replace(_told(one, remedy), applied=True))
    _check(found, now, version, [one for one in done if one.applied])
    forms = [str(one.finding.node_id) for one in done if one.applied]
    proof = prove(ctx, found, now, forms, script or {}) if forms and play else None
    _hold(found, proof)
    return FixResult(
        name=found.name,
        dify=version,
        fixes=tuple(done),
        left=tuple(finding for finding in _findings(now, version) if finding.severity != "info"),
        data=now.data,
        faithful=faithful,
        proof=proof,
        reason=None if done else _reason(found, version),
        notes=() if faithful else (REWRITTEN,),
        environment=environment_of(found),
    )


def _list(app: App, dify: str) -> list[Fix]:
    graph = graph_of(app.graph, app.root)
    found = [
        (finding, remedy) for finding, remedy in advised(graph, scope_of(graph), dify) if remedy is not None
    ]
    return [
        _told(Fix(number, finding, remedy.words), remedy) for number, (finding, remedy) in enumerate(found, 1)
    ]


def _told(one: Fix, remedy: Remedy) -> Fix:
    return replace(
        one,
        words=remedy.words,
        nodes=tuple(node.id for node in remedy.nodes),
        edges=tuple(edge_id_of(edge) for edge in remedy.edges),
        removed=remedy.removed,
    )


def _chosen(listed: Sequence[Fix], choose: Sequence[str]) -> set[int]:
    by_name = {str(one.number): one.number for one in listed}
    by_name |= {str(one.finding.node_id): one.number for one in listed}
    unknown = [name for name in choose if name not in by_name]
    if unknown:
        raise UsageError(
            f"There is no change {unknown[0]!r}.",
            f"Valid: {', '.join(f'{one.number} ({one.finding.node_id})' for one in listed) or 'none'}.",
            "`workbench check APP --fix` lists the changes.",
        )
    return {by_name[name] for name in choose} or set(by_name.values())


def _remedy(app: App, dify: str, form: str | None) -> Remedy | None:
    """The change for a form as the app is now: an earlier one may have made it needless, or another."""
    graph = graph_of(app.graph, app.root)
    for finding, remedy in advised(graph, scope_of(graph), dify):
        if finding.node_id == form:
            return remedy
    return None


def _apply(app: App, remedy: Remedy) -> tuple[App, bool]:
    graph = graph_of(app.graph, app.root)
    after = changed(graph, remedy)
    nodes = [
        dsl_node(node.id, node.type, node.title, node.data, *_place(graph, node.beside, number))
        for number, node in enumerate(remedy.nodes)
    ]
    edges = [
        dsl_edge(
            edge_id_of(edge),
            edge.source,
            edge.handle,
            edge.target,
            after.nodes[edge.source].type,
            after.nodes[edge.target].type,
        )
        for edge in remedy.edges
    ]
    made = change_app(app, nodes=nodes, edges=edges, removed=remedy.removed)
    read = read_app(made.data, app.name)
    got = graph_of(read.graph, read.root)
    if list(got.nodes) != list(after.nodes) or _ends(got) != _ends(after):
        raise WorkbenchError(
            f"The changed {app.name} does not read as it should.",
            "Its file says things twice, or in a way that the workbench can't change.",
            "Make the advised change in Dify's editor: " + remedy.words,
        )
    return read, made.faithful


def _ends(graph: Graph) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.handle, edge.target) for edge in graph.edges.values()]


def _place(graph: Graph, beside: str, number: int) -> tuple[float, float]:
    """On the canvas below the node that it belongs to, one after another."""
    box = graph.nodes[beside].box if beside in graph.nodes else None
    x, y = (box.x, box.y + box.height) if box else (0.0, 0.0)
    return x + 300.0 * number, y + 60.0


def _findings(app: App, dify: str) -> tuple[Finding, ...]:
    declared = {
        "env": [variable["name"] for variable in app.environment_variables],
        "conversation": [variable["name"] for variable in app.conversation_variables],
    }
    return findings.check(graph_of(app.graph, app.root), dify, declared=declared, mode=app.mode)[0]


def _check(before: App, after: App, dify: str, applied: Sequence[Fix]) -> None:
    """The harm is gone and nothing grave has come."""
    if not applied:
        return
    old = {(finding.code, finding.node_id) for finding in _findings(before, dify)}
    new = [finding for finding in _findings(after, dify) if finding.severity != "info"]
    gone = {(MISSING, fix.finding.node_id) for fix in applied}
    wrong = [f for f in new if (f.code, f.node_id) in gone or (f.code, f.node_id) not in old]
    if wrong:
        raise WorkbenchError(
            f"The change does not help {before.name}.",
            wrong[0].message,
            "Choose one change alone (--only), or make it in Dify's editor.",
        )


def _hold(app: App, proof: Proof | None) -> None:
    """What runs on the real engine contradicts is not given."""
    if proof is None or proof.problem is not None or proof.holds:
        return
    what = "the text is not all shown after a resume" if proof.same_text else "it streams another text"
    raise WorkbenchError(
        f"The change does not help {app.name}: played on {proof.kernel}, {what}.",
        f"{proof.runs} runs and {proof.resumes} resumes were compared.",
        "Choose one change alone (--only), or run the app on Dify 1.16 or newer.",
    )


def _reason(app: App, dify: str) -> str:
    if gate_fate(dify) != "lost":
        return f"Dify {dify} keeps the gate's state at a pause: no form does harm there."
    if any(finding.code == MISSING for finding in _findings(app, dify)):
        return "No change of the graph was found that takes the harm away and keeps what the app does."
    return f"No form of {app.name} does harm on Dify {dify}."


def given_script(ctx: Context, app: Path | str, script: Path) -> dict[str, Any]:
    """A script for the runs of the proof. Raises BadInputError."""
    from workbench.records.reading import read_file
    from workbench.records.script import read_script

    return read_script(read_file(script), find_app(ctx, app), str(script))


def place_to_write(app: Path | str, output: str | None, *, in_place: bool) -> Path | None:
    """Where the changed app goes; the app itself only when that is asked for.

    Raises:
        UsageError: the output is the input, or the input is no file.
    """
    source = Path(app)
    is_file = source.is_file()
    if in_place:
        if output is not None or not is_file:
            raise UsageError(
                "--in-place writes over the app's own file.",
                "-o names another file." if output is not None else f"{app} is no file.",
                "Give one of both." if output is not None else "Write a file with -o FILE.",
            )
        return source
    if output is None:
        return None
    place(Path(output), source, other="Choose another -o, or --in-place.")
    return Path(output)


def write(result: FixResult, to: Path | None) -> str | None:
    """Write the changed app, whole or not at all; nothing where nothing was changed."""
    if to is None or not result.changed:
        return None
    write_private(to, result.data)
    return str(to)
