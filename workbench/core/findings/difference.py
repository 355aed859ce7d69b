"""What was streamed is not what the Answer said: which Answer, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from workbench.core.answers import phase_of
from workbench.core.finding import Finding
from workbench.core.findings.evidence import Evidence
from workbench.core.findings.naming import node_name, node_names, quoted, reference
from workbench.core.findings.streaming import container_of
from workbench.core.graph import Selector, Variable

DIFFERS = "stream-differs-from-answer"
TWICE = "same-variable-twice"
ORDER = "parallel-answers-order"
_STORED = "The run's outputs hold the answer; a chat user who was watching saw the streamed text."


def of_run(evidence: Evidence, explained: Collection[str]) -> Iterator[Finding]:
    """Compare every Answer that ran with what was streamed in its turn.

    Args:
        explained: Answers whose difference another finding has explained already.
    """
    differing = [r for r in evidence.executions if r not in explained and _differs(evidence, r)]
    for response in differing:
        causes = tuple(_causes(evidence, response))
        repeated = [cause for cause in causes if cause.code == TWICE]
        if repeated:
            yield _twice(evidence, response, repeated[0].sentence)
        yield _difference(evidence, response, causes)
    if not differing and not explained and evidence.finished and not evidence.died_at:
        yield from _order(evidence)


def _differs(evidence: Evidence, response: str) -> bool:
    expected = evidence.expected(response)
    if expected is None or not (evidence.finished or evidence.paused):
        return False
    if evidence.stream_died(evidence.executions[response][-1].step):
        return False
    is_root = response in evidence.gate.scope.nodes and evidence.graph.nodes[response].parent is None
    if evidence.paused and (not is_root or phase_of(evidence.gate, response) != "done"):
        return False
    streamed = evidence.text_of(response)
    if streamed == expected:
        return False
    return not (_began_before(evidence, response) and expected.endswith(streamed))


def _began_before(evidence: Evidence, response: str) -> bool:
    """Was it streamed in part before this journal begins, in the run that was resumed or forked?"""
    if not any(resume.from_file for resume in evidence.resumes):
        return False
    return response not in evidence.timeline.machine_at(0).gate.state.pending


@dataclass(frozen=True, slots=True)
class _Cause:
    """Why an Answer's stream differs: the code it belongs to, a sentence, and what takes it away."""

    sentence: str
    cure: str
    code: str = DIFFERS


def _causes(evidence: Evidence, response: str) -> Iterator[_Cause]:
    graph, gate = evidence.graph, evidence.gate
    node = graph.nodes[response]
    if node.parent is not None:
        box = container_of(graph, node)
        where = node_name(graph, box.id) if box else "a container"
        yield _Cause(
            f"It runs inside {where}, where nothing is streamed.",
            f"Put an Answer behind {where} that names its output.",
        )
        return
    if phase_of(gate, response) == "queued" and gate.state.active is not None:
        head = node_name(graph, gate.state.active.node_id)
        yield _Cause(f"It waits behind {head}, which never ends its turn.", f"Mend what {head} waits for.")
        return
    seen: set[Selector] = set()
    for part in node.template:
        if isinstance(part, Variable) and part.selector not in seen:
            seen.add(part.selector)
            yield from _causes_of(evidence, response, part.selector)


def _causes_of(evidence: Evidence, response: str, selector: Selector) -> Iterator[_Cause]:
    graph, gate = evidence.graph, evidence.gate
    source = selector[0] if selector else ""
    name, variable = node_name(graph, source), reference(selector)
    buffer = gate.state.buffers.get(selector)
    if source in gate.scope.nodes and source in evidence.machine.skipped:
        yield _Cause(
            f"{variable} is of {name}, which was skipped: the gate passes over it, the Answer writes its "
            "name.",
            "Name a variable aggregator of the branches instead.",
        )
        return
    if buffer is not None:
        readers = _readers(evidence, selector)
        if sum(readers.values()) > 1:
            yield _Cause(_twice_told(evidence, selector, readers), "Name it at one place only.", TWICE)
        retried = [
            step for step in evidence.retries.get(source, ()) if _streamed_before(evidence, selector, step)
        ]
        if retried:
            yield _Cause(
                f"{name} was tried again at step {retried[0]} after it had begun to stream: the pieces of "
                "the failed attempt stay in the stream.",
                f"Put a template behind {name} and name that, so that only the last attempt is shown, or "
                "switch its retries off.",
            )
        if evidence.state.status.get(source) == "exception":
            yield _Cause(
                f"{name} broke off while it streamed and went on with its error strategy: the gate keeps to "
                "the pieces and never looks at the value that replaced them.",
                f"Give {name} a fail branch instead of a default value, or name a template behind it.",
            )
        if not retried and sum(readers.values()) < 2:
            yield from _reworked(evidence, selector, "".join(event["chunk"] for event in buffer))
        return
    text = evidence.machine.pool.markdown(selector)
    if text is None:
        yield _Cause(
            f"{variable} never got a value: the gate waits for it, the Answer writes its name.",
            "Correct the reference, or name a variable that always has a value.",
        )
        return
    told = [c.text for _, c in evidence.streamed.get(response, ()) if c.selector == selector]
    if told and told[-1] != text:
        yield _Cause(
            f"{variable} changed between the stream ({quoted(told[-1])}) and the Answer ({quoted(text)}).",
            "Name a template that holds the value which is meant.",
        )


def _reworked(evidence: Evidence, selector: Selector, streamed: str) -> Iterator[_Cause]:
    value = evidence.machine.pool.markdown(selector)
    if value is not None and value != streamed and evidence.state.status.get(selector[0]) == "succeeded":
        name = node_name(evidence.graph, selector[0])
        yield _Cause(
            f"{name} streamed {quoted(streamed)} but its output is {quoted(value)}: the node changed the "
            "text after streaming it.",
            f"Put a template behind {name} and name that.",
        )


def _streamed_before(evidence: Evidence, selector: Selector, step: int) -> bool:
    return any(chunk < step for chunk in evidence.chunk_steps.get(selector, ()))


def _readers(evidence: Evidence, selector: Selector) -> Counter[str]:
    """How often each opened Answer names a streamed variable, up to where its stream has come."""
    gate = evidence.gate
    readers: Counter[str] = Counter()
    for response in gate.state.responses:
        if response in gate.state.pending or response not in gate.scope.nodes:
            continue
        parts = gate.scope.nodes[response].template
        count = sum(isinstance(part, Variable) and part.selector == selector for part in parts)
        if count:
            readers[response] = count
    return readers


def _twice_told(evidence: Evidence, selector: Selector, readers: Counter[str]) -> str:
    where = f"in {node_names(evidence.graph, sorted(readers))}" if len(readers) > 1 else "in one Answer"
    return (
        f"{reference(selector)} is named {sum(readers.values())} times {where}: its pieces are streamed "
        "once, at the first place."
    )


def _twice(evidence: Evidence, response: str, sentence: str) -> Finding:
    return Finding(
        code=TWICE,
        severity="warning",
        node_id=response,
        message=f"{node_name(evidence.graph, response)}: {sentence}",
        advice=(
            "Name the streamed variable at one place only, and a template or variable aggregator that holds "
            "it at the others: those have a value and can be read again."
        ),
    )


def _difference(evidence: Evidence, response: str, causes: Sequence[_Cause]) -> Finding:
    expected, streamed = evidence.expected(response) or "", evidence.text_of(response)
    why = (
        " ".join(cause.sentence for cause in causes)
        or "The cause is not one of those known here; `workbench show` tells each step."
    )
    return Finding(
        code=DIFFERS,
        severity="warning",
        node_id=response,
        message=(
            f"{node_name(evidence.graph, response)} streamed {quoted(streamed) if streamed else 'nothing'}, "
            f"but its answer is {quoted(expected)}. {why}"
        ),
        advice=" ".join(dict.fromkeys((*(cause.cure for cause in causes), _STORED))),
        steps=tuple(execution.step for execution in evidence.executions[response]),
    )


def _order(evidence: Evidence) -> Iterator[Finding]:
    ran = sorted(
        (executions[0].step, response)
        for response, executions in evidence.executions.items()
        if evidence.expected(response) and evidence.streamed.get(response)
    )
    answered = [response for _, response in ran]
    place = {response: number for number, response in enumerate(_stream_order(evidence))}
    streamed = sorted((r for r in answered if r in place), key=lambda response: place[response])
    if streamed == answered:
        return
    yield Finding(
        code=ORDER,
        severity="warning",
        node_id=streamed[0],
        message=(
            f"The stream shows {node_names(evidence.graph, streamed)} in this order, the final answer has "
            f"{node_names(evidence.graph, answered)}: Answers stream in the order in which they open (by id "
            "when one step opens several), the final answer is put together in the order in which they run."
        ),
        advice="Put parallel Answers behind one another, or gather the texts and answer once.",
        steps=tuple(step for step, _ in ran),
    )


def _stream_order(evidence: Evidence) -> list[str]:
    order = dict.fromkeys(chunk.answer for chunk in evidence.state.chunks if chunk.answer)
    return list(order)


HELP = {
    DIFFERS: """\
# stream-differs-from-answer

The text that a chat user saw in an Answer's turn is not the text that the Answer gave. Both come from the
same template, but by two roads: the Answer node fills its template when it runs; the gate streams it while
the nodes before it run. The finding tells which of the known causes it was:

| cause | what is streamed | what the answer is |
|---|---|---|
| an LLM was tried again after its first chunks | `ab` + `abc` | `abc` |
| an LLM broke off and went on with a default value | `ab`, then nothing more | the default value |
| the variable is of a skipped node | nothing at its place | its name, as `llm.text` |
| the variable never gets a value | the text before it, then nothing | its name |
| the same streamed variable at two places | once, at the first place | at both (`same-variable-twice`) |
| an Answer waits behind a starved one | nothing | its text (`queue-head-starved`) |
| an Answer inside a loop or iteration | nothing | its text (`answer-in-container`) |
| the variable was changed between stream and answer | the one value | the other value |
| the node reworked its text after streaming it | the raw text | the reworked text |
| a stream that ended began again | nothing from there on | its text (`stream-closed-twice`) |
| two Answers in parallel | in the order of opening | in the order of running (`parallel-answers-order`) |

**What to do.** The stored message and the run's outputs hold the answer; only who was watching saw the other
text. Where the two must agree, take away the cause: a fail branch instead of a default value, a template or
aggregator between a node that is tried again and the Answer, one place a streamed variable.

Text that is missing because of a lost gate is told as `answer-locked-before-pause`, text that comes twice
as `answer-replayed`.
""",
    TWICE: """\
# same-variable-twice

A streamed variable (the text of an LLM, agent or tool) is named at two places: twice in one Answer, or in
two Answers of the same run. Its pieces are read once; at the second place the gate finds the stream ended
and streams nothing. The answer itself holds the text at both places.

Variables that are not streamed (a template's output, a code output, a form field) may be named as often as
you like.

**What to do.** Put a template or a variable aggregator behind the LLM and name that at the other places.
""",
    ORDER: """\
# parallel-answers-order

Two Answers ran in parallel branches. The stream shows them in the order in which the gate opened them (by
id when one step opened several), each as a whole. The final answer is put together in the order in which
they ran. So the chat that was watched and the message that is stored differ in their order; no text is
missing.

**What to do.** Put the Answers behind one another, or gather both texts and answer once.
""",
}
