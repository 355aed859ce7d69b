"""What a saved pause will do when it is resumed, told from its runtime state and its gate state."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.answers import answer_states
from workbench.core.blocking import Scope, scope_of
from workbench.core.finding import AnswerState, Finding
from workbench.core.findings import branch, container, lost_gate, queue, references, unreachable
from workbench.core.findings.dify import gate_fate
from workbench.core.findings.lost import lost_edges
from workbench.core.findings.naming import edge_names, node_name, node_names, quoted
from workbench.core.findings.running import by_severity
from workbench.core.fitting import misfits
from workbench.core.gate import Chunk, Gate
from workbench.core.graph import Graph
from workbench.core.pool import Pool
from workbench.core.state import Base
from workbench.errors import BadInputError

UNFIT = "graph-changed-while-paused"
HEAL = (
    "`workbench heal FILE --app APP -o healed.json` writes the gate that is missing, for a resume on Dify "
    "1.16 or newer. On 1.15 nothing helps: the text stands in the run's outputs (node_finished of the "
    "Answer)."
)
READS_IT = (
    "Resume on Dify 1.16 or newer, which reads the gate state that was saved. On 1.15 read the text from the "
    "run's outputs (node_finished of the Answer)."
)
THE_APP_THEN = "Give the app as it was when the run paused (Dify keeps it in workflow_runs.graph)."


@dataclass(frozen=True)
class Saved:
    """A saved pause with the gate that a resume of it begins with.

    Attributes:
        loaded: the gate came out of the saved state; else it is fresh.
        reason: why it is fresh, as the end of a sentence.
        kept: a gate state was saved that this Dify does not read.
    """

    graph: Graph
    base: Base
    gate: Gate
    loaded: bool
    reason: str
    kept: bool = False


def diagnose_saved(
    graph: Graph,
    base: Base | None,
    gate: Mapping[str, Any] | None,
    dify: str | None = None,
    *,
    coordinator: Mapping[str, Any] | None = None,
) -> tuple[tuple[Finding, ...], tuple[AnswerState, ...]]:
    """What will go wrong when a saved pause is resumed, and where its Answers stand.

    Args:
        base: what the runtime state says, edge ids of the DSL; None for a bare gate state.
        gate: the saved gate state, edge ids of the DSL; None where there is none.
        dify: the Dify version that resumes it ("1.15.0", "main"); None: one that uses what is there.
        coordinator: the `response_coordinator` inside the runtime state of Dify 1.13 and 1.14, likewise
            translated. Only those versions read it.
    """
    fate = gate_fate(dify) if dify is not None else "kept"
    used = coordinator if fate == "inside" else None if fate == "lost" else gate
    scope = scope_of(graph, whole=_is_whole(used, dify))
    known = base or Base({})
    skipped = {node for node, state in known.node_states.items() if state == "skipped"}
    pool = Pool(known.variables)
    try:
        made = Gate(scope, pool, skipped=skipped, dump=used)
    except BadInputError as error:
        made = Gate(scope, pool, skipped=skipped)
        return (_unfit(error),), answer_states(made, known.edge_states)
    answers = answer_states(made, known.edge_states)
    saved = Saved(
        graph, known, made, used is not None, why_fresh(gate, coordinator, dify, fate), gate is not None
    )
    found = [
        *_misfits(saved),
        *(_of_gate(saved) if base is not None else ()),
        *_foreign_edges(saved),
        *container.of_app(graph),
        *unreachable.of_app(graph),
        *references.of_app(graph, {s: n for s, n in known.variables.items() if s in ("env", "conversation")}),
    ]
    return by_severity(found), answers


def _is_whole(used: Mapping[str, Any] | None, dify: str | None) -> bool:
    if used is not None:
        return str(used.get("version", "")).startswith("1")
    return dify is not None and dify != "main"


def why_fresh(
    gate: Mapping[str, Any] | None, coordinator: Mapping[str, Any] | None, dify: str | None, fate: str
) -> str:
    """Why a resume begins with a fresh gate, as the end of a sentence."""
    if fate == "lost" and gate is not None:
        return f"Dify {dify} does not read the gate state that was saved"
    if fate == "lost":
        return f"Dify {dify} saves no gate state"
    if coordinator is not None:
        where = "inside the runtime state (`response_coordinator`)"
        return f"its gate state is {where}, where only Dify 1.13 and 1.14 look"
    return "no gate state was saved with this pause"


def _of_gate(saved: Saved) -> Iterator[Finding]:
    """Everything that the runtime state and the gate say together."""
    locked = list(_locked(saved))
    replayed = [] if saved.loaded else list(_replayed(saved))
    if not saved.loaded:
        yield _missing(saved, locked, replayed)
    yield from locked
    yield from replayed
    done = completed(saved.gate.scope, saved.base)
    yield from queue.of_gate(saved.graph, saved.gate, done, dict.fromkeys(done, "succeeded"), over=False)
    yield from branch.of_gate(saved.graph, saved.gate, saved.base.edge_states, {})


def completed(scope: Scope, base: Base) -> set[str]:
    """Nodes that were done before the pause: they have outputs, or all their edges are known."""
    done = set()
    for node in scope.nodes:
        known = [base.edge_states.get(edge.id, "unknown") != "unknown" for edge in scope.out.get(node, ())]
        if base.node_states.get(node) != "skipped" and ((known and all(known)) or base.variables.get(node)):
            done.add(node)
    return done


def _locked(saved: Saved) -> Iterator[Finding]:
    done = completed(saved.gate.scope, saved.base)
    for response in sorted(saved.gate.state.pending):
        lost = lost_edges(saved.gate, saved.base.edge_states, response) if response not in done else None
        if not lost:
            continue
        why = (
            "The saved gate state had lost it already, at an earlier resume"
            if saved.loaded
            else f"A resume's fresh gate is never told of it: {saved.reason}"
        )
        yield Finding(
            code=lost_gate.LOCKED,
            severity="error",
            node_id=response,
            message=(
                f"{node_name(saved.graph, response)} will stay silent when the run comes to it: it waits for "
                f"{edge_names(saved.graph, lost)}, taken before the pause. {why}."
            ),
            advice=READS_IT if saved.kept and not saved.loaded else HEAL,
            edges=lost,
        )


def _replayed(saved: Saved) -> Iterator[Finding]:
    """A fresh gate opens at once what no edge holds back; that has been streamed before the pause."""
    trial = saved.gate.clone(Pool(saved.base.variables), saved.gate.skipped)
    texts: dict[str, str] = {}
    chunk: Chunk
    for chunk in trial.feed({"kind": "GraphRunStarted"}):
        texts[chunk.answer] = texts.get(chunk.answer, "") + chunk.text
    for response, text in texts.items():
        if text:
            yield Finding(
                code=lost_gate.REPLAYED,
                severity="error",
                node_id=response,
                message=(
                    f"{node_name(saved.graph, response)} was open before the pause and will be streamed "
                    f"again from its beginning: {quoted(text)}. A resume's fresh gate does not know of it: "
                    f"{saved.reason}."
                ),
                advice=READS_IT if saved.kept and not saved.loaded else HEAL,
            )


def _missing(saved: Saved, locked: Sequence[Finding], replayed: Sequence[Finding]) -> Finding:
    silent = [finding.node_id for finding in locked if finding.node_id]
    again = [finding.node_id for finding in replayed if finding.node_id]
    effects = []
    if silent:
        which = ", whichever of them the run comes to" if len(silent) > 1 else ""
        effects.append(f"{node_names(saved.graph, silent)} will stay silent{which}")
    if again:
        effects.append(f"{node_names(saved.graph, again)} will be streamed twice")
    told = ", and ".join(effects)
    return Finding(
        code=lost_gate.MISSING,
        severity="error" if effects else "info",
        node_id=None,
        message=(
            f"A resume begins with a fresh gate, because {saved.reason}. "
            + (
                f"{told}."
                if told
                else "Here that does no harm: no Answer waits for an edge from before the pause."
            )
        ),
        advice=(READS_IT if saved.kept and not saved.loaded else HEAL) if effects else "",
        edges=tuple(dict.fromkeys(edge for finding in locked for edge in finding.edges)),
    )


def _foreign_edges(saved: Saved) -> Iterator[Finding]:
    """A saved gate that waits for edges, or knows Answers, that the app does not have."""
    if not saved.loaded or saved.gate.state.lists is None:
        return
    scope = saved.gate.scope
    edges: Collection[str] = {e for paths in saved.gate.state.lists.values() for path in paths for e in path}
    gone = sorted(edge for edge in edges if edge not in scope.edges)
    new = [r for r in scope.responses if r not in saved.gate.state.responses]
    if not gone and not new:
        return
    told = []
    if gone:
        told.append(f"the saved gate waits for edges that the app does not have ({', '.join(gone[:4])})")
    if new:
        told.append(f"it does not know {node_names(saved.graph, new)}, which will never stream")
    yield Finding(
        code=UNFIT,
        severity="error",
        node_id=new[0] if new else None,
        message=f"The app is not the one that was paused: {' and '.join(told)}.",
        advice=THE_APP_THEN,
        edges=tuple(gone),
    )


def _misfits(saved: Saved) -> Iterator[Finding]:
    """A runtime state of another app, or of this one with other edges, where all else is wrong."""
    if told := "; ".join(misfits(saved.graph, saved.base)):
        yield Finding(
            code=UNFIT,
            severity="error",
            node_id=None,
            message=f"The app is not the one that was paused, so all else may be wrong: {told}.",
            advice=THE_APP_THEN,
        )


def _unfit(error: BadInputError) -> Finding:
    return Finding(UNFIT, "error", None, f"{error.title}: {error.cause}.", error.next_step)


HELP = {
    UNFIT: """\
# graph-changed-while-paused

The saved pause belongs to another version of the app: its runtime state or its gate state names nodes, edges
or Answers that this app does not have, lacks some that it has, or says of edges what can't be true of them.

**Why it matters.** Dify resumes with the graph of the workflow row, not with the one that was paused. The
gate waits for edges that no longer exist, so its Answers never open. On graphon 0.5 to 0.7 (Dify 1.15 to
1.17) edges are known by their position (`edge_3`), so adding or reordering one shifts all that follow,
without any error; 0.8 refuses the runtime state instead.

**What to do.** Explain and resume the pause with the app as it was: Dify keeps it in `workflow_runs.graph`.
""",
}
