"""`show` and `runs` in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from workbench.cli.style import Style
from workbench.cli.words import compact, short, table, titled
from workbench.views.inspecting import inspection_lines
from workbench.views.safe import cut, safe_line
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.store.rows import RunRow
    from workbench.verbs.lineage import Branch
    from workbench.verbs.show import Shown

WIDEST = 100


def shown_lines(shown: Shown, mask: Mask, style: Style) -> Iterator[str]:
    """A run at a step."""
    state = shown.state
    run = "" if shown.run is None else f"run {shown.run.run_id}  "
    yield (
        f"{style.bold(safe_line(mask.text(shown.name), 60))}  {run}{style.status(shown.status)}  "
        f"step {state.step} of {shown.steps} on {shown.kernel}"
    )
    for note in shown.notes:
        yield f"{style.dim('note')}  {safe_line(mask.text(note))}"
    if state.event is not None:
        yield f"{style.dim('event')}  {_event(state.event, mask)}"
    yield style.dim("nodes")
    yield from _nodes(shown, style)
    yield from _edges(shown, style)
    yield style.dim("gate")
    yield from _gate(state.gate)
    yield style.dim("Answers")
    for answer in state.answers:
        rest = f"  waits for {', '.join(map(safe_line, answer.blocking))}" if answer.blocking else ""
        yield f"  {answer.state:<7} {_title(shown, answer.node_id)}{rest}"
    if shown.pause is None:
        yield style.dim("variables")
    variables = mask.variables(state.variables) if shown.pause is None else {}
    for node, values in variables.items():
        for name, value in values.items():
            who = shown.written[node][name]
            by = f"  by {safe_line(mask.text(who.by), 40)}{'' if who.step is None else f', step {who.step}'}"
            line = f"{safe_line(node)}.{safe_line(name)} = {safe_line(compact(value))}"
            yield "  " + cut(line, WIDEST - len(by)) + by
    if shown.pause is not None:
        yield from inspection_lines(shown.pause, mask)
    yield from titled("streamed", mask.text(state.streamed) or "nothing", style)
    if state.stream_error:
        yield style.bad("the stream broke: ") + safe_line(mask.text(state.stream_error))


def runs_lines(rows: Sequence[RunRow], mask: Mask, style: Style) -> Iterator[str]:
    """One line a run."""
    if not rows:
        yield "No runs."
        return
    head = ("run", "status", "app", "started", "steps", "kernel", "")
    cells = [
        (
            short(row.run_id),
            row.status,
            cut(safe_line(mask.text(row.app)), 40),
            datetime.fromtimestamp(row.started_at).strftime("%Y-%m-%d %H:%M:%S"),
            str(row.steps),
            row.kernel,
            _remark(row),
        )
        for row in rows
    ]
    yield from table(head, cells, style)


def tree_lines(families: Sequence[Branch], mask: Mask, style: Style) -> Iterator[str]:
    """One line a run, forks below the run they were made of."""
    if not families:
        yield "No runs."
    todo = [(branch, "", "") for branch in reversed(families)]
    while todo:
        branch, lead, below = todo.pop()
        yield f"{style.dim(lead)}{_twig(branch, mask, style)}"
        last = len(branch.forks) - 1
        for place in range(last, -1, -1):
            mine, rest = ("\u2514\u2500 ", "   ") if place == last else ("\u251c\u2500 ", "\u2502  ")
            todo.append((branch.forks[place], below + mine, below + rest))


def _twig(branch: Branch, mask: Mask, style: Style) -> str:
    row = branch.run
    started = datetime.fromtimestamp(row.started_at).strftime("%Y-%m-%d %H:%M:%S")
    forked = f"  from step {row.forked_from['step']}" if row.forked_from else ""
    lost = (
        f" of {short(str(row.forked_from['run_id']))}, not in this store"
        if branch.orphan and row.forked_from
        else ""
    )
    line = (
        f"{short(row.run_id)}  {row.status}{forked}{lost}  {cut(safe_line(mask.text(row.app)), 40)}"
        f"  {started}  {row.kernel}"
    )
    return line if branch.found else style.dim(line)


def _remark(row: RunRow) -> str:
    if row.interrupted:
        return "interrupted: its process was killed"
    return f"fork of {short(str(row.forked_from['run_id']))}" if row.forked_from else ""


def _nodes(shown: Shown, style: Style) -> Iterator[str]:
    paint = {"succeeded": style.good, "failed": style.bad, "exception": style.warn, "paused": style.info}
    for node_id, state in shown.state.nodes.items():
        status = shown.state.status.get(node_id, "")
        yield f"  {state:<8} {_title(shown, node_id)}  {paint.get(status, style.dim)(status)}".rstrip()


def _edges(shown: Shown, style: Style) -> Iterator[str]:
    taken = [safe_line(edge) for edge, state in shown.state.edges.items() if state == "taken"]
    skipped = [safe_line(edge) for edge, state in shown.state.edges.items() if state == "skipped"]
    if taken:
        yield f"{style.dim('edges taken')}  {', '.join(taken)}"
    if skipped:
        yield f"{style.dim('edges skipped')}  {', '.join(skipped)}"


def _gate(gate: Mapping[str, Any]) -> Iterator[str]:
    def named(session: Mapping[str, Any] | None) -> str:
        return (
            "none" if session is None else f"{safe_line(str(session['node_id']))} at part {session['index']}"
        )

    waiting = [named(session) for session in gate.get("waiting_sessions") or ()]
    pending = [safe_line(str(session["node_id"])) for session in gate.get("pending_sessions") or ()]
    yield f"  streams  {named(gate.get('active_session'))}"
    yield f"  queued   {', '.join(waiting) or 'none'}"
    yield f"  locked   {', '.join(pending) or 'none'}"
    for buffer in gate.get("stream_buffers") or ():
        yield f"  buffer   {safe_line('.'.join(buffer['selector']))}: {len(buffer['events'])} pieces"


def _event(event: Mapping[str, Any], mask: Mask) -> str:
    rest = {key: value for key, value in event.items() if key != "kind"}
    return cut(f"{event['kind']}  {safe_line(compact(mask.data(rest)))}", WIDEST)


def _title(shown: Shown, node_id: str) -> str:
    node = shown.graph.nodes.get(node_id)
    title = node.title if node else ""
    return f"{safe_line(title)} ({safe_line(node_id)})" if title and title != node_id else safe_line(node_id)
