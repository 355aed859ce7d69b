"""A resume without the gate's state: Answers that can never open, Answers that are streamed twice."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.finding import Finding
from workbench.core.findings.evidence import Evidence, Resume
from workbench.core.findings.lost import lost_edges
from workbench.core.findings.naming import edge_names, node_name, node_names, quoted

LOCKED = "answer-locked-before-pause"
MISSING = "gate-state-missing"
REPLAYED = "answer-replayed"


def of_run(evidence: Evidence) -> Iterator[Finding]:
    """Findings about the resumes of a run."""
    if not evidence.resumes:
        return
    harmed: set[str] = set()
    for response in evidence.gate.state.pending:
        finding = _locked(evidence, response)
        if finding is not None:
            harmed.add(response)
            yield finding
    for resume in evidence.resumes:
        for finding in _replayed(evidence, resume):
            harmed.add(finding.node_id or "")
            yield finding
    for resume in evidence.resumes:
        if resume.fresh:
            yield _missing(evidence, resume, sorted(harmed))


def _locked(evidence: Evidence, response: str) -> Finding | None:
    ran = response in evidence.executions
    if not ran and not evidence.paused:
        return None
    lost = lost_edges(evidence.gate, evidence.state.edges, response, arrived=ran)
    if not lost:
        return None
    graph = evidence.graph
    steps = [evidence.taken_at[edge] for edge in lost if edge in evidence.taken_at]
    resume = _losing_resume(evidence, steps)
    since = (
        f"the resume at step {resume.first_step} began without the gate's state, so it"
        if resume
        else "The gate"
    )
    what = "stays silent although it has run" if ran else "will stay silent"
    return Finding(
        code=LOCKED,
        severity="error",
        node_id=response,
        message=(
            f"{node_name(graph, response)} {what}: it waits for "
            f"{edge_names(graph, lost, evidence.taken_at)}. That was before the pause; {since} never hears "
            "of it again."
        ),
        advice=(
            "Resume the pause again with its gate restored. In Dify, 1.16 and newer save the gate's state; "
            "on 1.15 read the text from the run's outputs, or put no branch, Answer or assigner before the "
            "pause."
        ),
        edges=lost,
        steps=tuple(steps),
    )


def _losing_resume(evidence: Evidence, steps: list[int]) -> Resume | None:
    """The resume that lost edges which were taken at these steps."""
    before = max(steps, default=0)
    return next((resume for resume in evidence.resumes if resume.fresh and resume.first_step > before), None)


def _replayed(evidence: Evidence, resume: Resume) -> Iterator[Finding]:
    timeline = evidence.timeline
    if not resume.fresh and not _went_back(evidence, resume):
        return
    for response in evidence.gate.state.responses:
        chunks = evidence.streamed.get(response, [])
        before = "".join(chunk.text for step, chunk in chunks if step < resume.first_step)
        again = [
            (step, chunk)
            for step, chunk in chunks
            if timeline.segment_of(step) == resume.index and (before or step == resume.first_step)
        ]
        text = "".join(chunk.text for _, chunk in again)
        if not text or (not before and not resume.from_file):
            continue
        yield Finding(
            code=REPLAYED,
            severity="error",
            node_id=response,
            message=(
                f"{node_name(evidence.graph, response)} was streamed again from its beginning: "
                f"{quoted(before or text)} came before the pause, and {quoted(text)} from step {again[0][0]} "
                f"on. The resume at step {resume.first_step} began without the gate's state, so the gate did "
                "not know what had been streamed."
            ),
            advice=(
                "Resume the pause again with its gate restored. In Dify, 1.16 and newer save the gate's "
                "state; on 1.15 the chat user sees the text twice."
            ),
            steps=(chunks[0][0], again[0][0]) if before else (again[0][0],),
        )


def _went_back(evidence: Evidence, resume: Resume) -> bool:
    """A saved state was loaded that is older than what had been streamed."""
    if resume.from_file or resume.first_step < 2:
        return False
    before = evidence.timeline.machine_at(resume.first_step - 1).gate.state
    loaded = evidence.timeline.machine_at(resume.first_step).gate.state
    return any(r in loaded.pending and r not in before.pending for r in before.responses)


def _missing(evidence: Evidence, resume: Resume, harmed: list[str]) -> Finding:
    if harmed:
        told = f"That is why {node_names(evidence.graph, harmed)} went wrong in this run."
    else:
        told = "Here that does no harm: no edge that an Answer waits for was taken before the pause."
    return Finding(
        code=MISSING,
        severity="info",
        node_id=None,
        message=f"The resume at step {resume.first_step} began with a fresh gate. {told}",
        advice="Restore the gate's state when you resume." if harmed else "",
        steps=(resume.first_step,),
    )


HELP = {
    MISSING: """\
# gate-state-missing

A run was resumed, or will be, without the state of its stream gate (`ResponseStreamFilter`).

**Why it matters.** The gate decides when an Answer may stream: when every branch, container, Answer and
assigner edge on one of its paths has been taken. It learns of an edge once, when the edge is taken. What
was taken before the pause is not told again after it. A gate that starts fresh at a resume therefore

* never opens an Answer that has such an edge behind it (`answer-locked-before-pause`), and
* streams an Answer again that was open before the pause (`answer-replayed`).

The workflow itself is not harmed: nodes run, the outputs are right, only the stream is wrong.

**When it is harmless.** Nothing but plain nodes (LLM, code, template, HTTP, tool) between the start and the
pause: then no edge is lost. Text of an LLM that ran before the pause comes as one piece instead of many.

**Which Dify.** 1.13 and 1.14 keep the state inside the runtime state (`response_coordinator`). 1.15 keeps
it nowhere. 1.16 and newer keep it beside the runtime state (`serialized_response_stream_filter_state`). A
run that was paused on 1.14 and resumed on 1.15 or newer loses it too.

**What to do.** Upgrade to Dify 1.16 or newer. For runs that are paused already `workbench heal` rebuilds the
gate state, which 1.16 and newer read; for 1.15 nothing helps, the text stands in the run's outputs.
`workbench resume --gate restored` and `--gate fresh` show both worlds. Where it must
stay 1.15, `workbench check APP --dify 1.15` plays the app through and names a change of the graph, if there
is one, that keeps what it does and loses nothing at the pause.
""",
    LOCKED: """\
# answer-locked-before-pause

An Answer waits for an edge that was taken before the pause. It ran, its text is in the run's outputs, and
the chat shows nothing of it.

**Why.** An Answer opens when, on one of its paths from the start, every *blocking* edge has been taken: an
edge that leaves a branch (if-else, classifier, human input, a node with a fail branch), a container (loop,
iteration), an Answer or End, or an assigner that writes a variable of this Answer. The gate strikes such
edges as they are taken. When a run resumes with a gate that does not remember (see `gate-state-missing`),
the edges from before the pause are never struck: the Answer stays locked, and so does its text.

**How to read the finding.** It names the edges that were lost and the step that took each. `start ->
if-else -> human input -> Answer` is the shortest case: the edge from the if-else is the lock.

**What to do.** Resume the same pause again with the gate restored. On Dify 1.15 the state is not saved:
upgrade to 1.16, or move the human input before the branch, or leave the assigner behind it.
""",
    REPLAYED: """\
# answer-replayed

A chat user got the same text twice: an Answer that had been streamed before the pause was streamed again
after it.

**Why.** A gate that starts fresh at a resume (see `gate-state-missing`) knows no Answer that has finished,
and none that was under way. Every Answer that no blocking edge holds back opens at once, and begins at its
first word.

**Seen in Dify 1.15** as "the first reply is shown twice, later ones are missing": the second half of it is
`answer-locked-before-pause`, because the edge that leaves the first Answer is lost as well.

**What to do.** Resume with the gate restored; upgrade Dify to 1.16 or newer.
""",
}
