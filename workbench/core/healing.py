"""Rebuilding a gate that was lost or went stale, from the runtime state of the pause alone.

A fresh gate is fed every edge that the runtime state says was taken, with the variables of the pause. What it
streams meanwhile is what the chat user has been shown already, so it is thrown away; what is left is the gate
as it would have been saved. Three things the runtime state does not tell, and they are treated openly:

* the order in which Answers opened: taken from the order in which nodes started (`graph_execution`), and told
  as a doubt where parallel branches could have opened them the other way round;
* what really reached the chat user, when an earlier resume went on with a lost gate: the message text
  decides, if there is one;
* chunk boundaries: a text from before the pause is streamed as one piece.

Rules: graphon 0.5 to 0.8 `ResponseStreamFilter`; core/gate.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.blocking import Scope, scope_of
from workbench.core.gate import Gate
from workbench.core.gate_state import Session
from workbench.core.graph import Graph, Selector, Text, Variable
from workbench.core.pool import Pool
from workbench.core.state import Base, Rules

_STREAMING_TYPES = frozenset({"llm", "agent", "tool"})
"""Node types whose `text` is streamed in chunks, then closed: a later Answer finds it empty."""


@dataclass(frozen=True, slots=True)
class Healed:
    """A rebuilt gate.

    Attributes:
        gate: the filter's own keys, edge ids of the DSL.
        shown: what the rebuilt gate holds for already streamed; not streamed again at the resume.
        evidence: what it was made from, one sentence each.
        doubts: what could not be known, one sentence each; empty when the rebuilt gate must be right.
    """

    gate: Mapping[str, Any]
    shown: str
    evidence: tuple[str, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Opened:
    """A response node that opened during the rebuilding, and the node whose edge opened it."""

    response: str
    by: str | None


def stale_edges(gate: Mapping[str, Any], base: Base) -> tuple[str, ...]:
    """Edges that a saved gate still waits for although the runtime state says they were taken."""
    lists = gate.get("paths_map") or {}
    waits = {edge for paths in lists.values() for path in paths for edge in path}
    return tuple(edge for edge, state in base.edge_states.items() if state == "taken" and edge in waits)


def rebuild(
    graph: Graph,
    base: Base,
    *,
    kernel: str,
    order: Sequence[str] = (),
    execution_ids: Mapping[str, str] | None = None,
    message: str | None = None,
) -> Healed:
    """The gate that the pause should have saved.

    Args:
        kernel: the engine kernel that is to load it (its scope decides).
        order: node ids in the order in which they first started.
        execution_ids: execution ids of nodes that have started, for the filter's `node_execution_ids`.
        message: what the chat user has been shown so far, when known.
    """
    scope = scope_of(graph, whole=Rules.of(kernel).whole)
    skipped = {n for n, state in base.node_states.items() if state == "skipped"}
    gate = Gate(scope, Pool(base.variables), skipped=skipped)
    opened: list[_Opened] = []
    shown = _follow(gate, {"kind": "GraphRunStarted"}, None, opened)
    for edge_id in _in_order(scope, base, order):
        source = scope.edges[edge_id].source
        shown += _follow(gate, {"kind": "GraphEdgeTaken", "edge": edge_id}, source, opened)
    gate.state.ids.update({n: x for n, x in (execution_ids or {}).items() if n in scope.nodes})
    taken = sum(state == "taken" for state in base.edge_states.values())
    evidence = [f"The runtime state: {taken} edges taken, {len(opened)} Answers opened."]
    doubts = _order_doubts(gate, opened)
    if message is not None:
        shown = _trust_message(gate, opened, shown, message, evidence, doubts)
    _refill_streams(gate, opened, base)
    return Healed(gate.dump(full_events=True), shown, tuple(evidence), tuple(doubts))


def _follow(gate: Gate, event: Mapping[str, Any], by: str | None, opened: list[_Opened]) -> str:
    pending = set(gate.state.pending)
    text = "".join(chunk.text for chunk in gate.feed(event))
    opened.extend(_Opened(r, by) for r in sorted(pending - set(gate.state.pending)))
    return text


def _in_order(scope: Scope, base: Base, order: Sequence[str]) -> list[str]:
    """Taken edges in the order in which their sources started; unknown sources last, ties as in the DSL."""
    started = {node: at for at, node in reversed(list(enumerate(order)))}
    taken = [e for e in scope.edges if base.edge_states.get(e) == "taken"]
    return sorted(taken, key=lambda e: started.get(scope.edges[e].source, len(started)))


def _order_doubts(gate: Gate, opened: Sequence[_Opened]) -> list[str]:
    """Pairs of Answers, one of them unfinished, that parallel branches could have opened in another order."""
    unfinished = {s.node_id for s in gate.state.waiting}
    if gate.state.active is not None:
        unfinished.add(gate.state.active.node_id)
    doubts = []
    for at, second in enumerate(opened):
        for first in opened[:at]:
            if not {first.response, second.response} & unfinished or first.by is None:
                continue
            if first.by == second.by or _leads_to(gate.scope, first.by, second.by):
                continue
            doubts.append(
                f"Whether {_name(gate, first.response)} or {_name(gate, second.response)} opened first "
                "is not in the runtime state; the order in which nodes started was taken."
            )
    return doubts


def _leads_to(scope: Scope, source: str, target: str | None) -> bool:
    seen, todo = {source}, [source]
    while todo:
        node = todo.pop()
        if node == target:
            return True
        for edge in scope.out.get(node, ()):
            if edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    return False


def _trust_message(
    gate: Gate,
    opened: Sequence[_Opened],
    shown: str,
    message: str,
    evidence: list[str],
    doubts: list[str],
) -> str:
    """Compare with what the user has; go back to where the message ends, if it ends between two segments."""
    if message == shown or re.fullmatch(_pattern(gate, opened), message, re.DOTALL):
        evidence.append("The message text agrees with what the gate has shown.")
        return message
    turns = _turns(gate, opened)
    text, cut = "", None
    if message == "":
        cut = (0, 0)
    for turn, (_, pieces) in enumerate(turns):
        for index, piece in enumerate(pieces):
            text += piece
            if text == message:
                cut = (turn, index + 1)
    if cut is None:
        doubts.append(
            "The message text is not what these Answers say: nothing is streamed again, and what is missing "
            "in the message stays missing."
        )
        return shown
    _go_back(gate, [response for response, _ in turns], cut)
    evidence.append("The message text ends earlier: what never reached the user is streamed at the resume.")
    return message


def _turns(gate: Gate, opened: Sequence[_Opened]) -> list[tuple[str, list[str]]]:
    """What each opened response node has streamed so far, segment by segment, in the order of their turns."""
    out = []
    for response in (o.response for o in opened):
        pieces = []
        for part in gate.scope.nodes[response].template[: _position(gate, response)]:
            pieces.append(part.text if isinstance(part, Text) else _value(gate, part.selector))
        out.append((response, pieces))
    return out


def _pattern(gate: Gate, opened: Sequence[_Opened]) -> str:
    """What has been shown as a pattern: variables may have had another value when they were streamed."""
    out = ""
    for response in (o.response for o in opened):
        for part in gate.scope.nodes[response].template[: _position(gate, response)]:
            out += re.escape(part.text) if isinstance(part, Text) else ".*?"
    return out


def _position(gate: Gate, response: str) -> int:
    state = gate.state
    if state.active is not None and state.active.node_id == response:
        return state.active.index
    waiting = any(session.node_id == response for session in state.waiting)
    return 0 if waiting else len(gate.scope.nodes[response].template)


def _value(gate: Gate, selector: Selector) -> str:
    if selector and selector[0] in gate.skipped:
        return ""
    return gate.pool.markdown(selector) or ""


def _go_back(gate: Gate, turns: Sequence[str], cut: tuple[int, int]) -> None:
    turn, index = cut
    if turn < len(turns) and index >= len(gate.scope.nodes[turns[turn]].template):
        turn, index = turn + 1, 0
    left = turns[turn:]
    gate.state.active = Session(left[0], index) if left else None
    gate.state.waiting = [Session(response) for response in left[1:]]


def _refill_streams(gate: Gate, opened: Sequence[_Opened], base: Base) -> None:
    """Give each model's stream back: empty where an Answer has read it, else as one piece."""
    read = {
        part.selector
        for response in (o.response for o in opened)
        for part in gate.scope.nodes[response].template[: _position(gate, response)]
        if isinstance(part, Variable)
    }
    for response in gate.scope.responses:
        for selector in sorted(gate.scope.selectors(response)):
            if not _was_streamed(gate.scope, selector, base):
                continue
            gate.state.closed.add(selector)
            if selector not in read:
                gate.state.buffers[selector] = [_whole_text(gate, selector)]
                gate.state.positions[selector] = 0


def _whole_text(gate: Gate, selector: Selector) -> dict[str, Any]:
    node = gate.scope.nodes[selector[0]]
    return {
        "id": gate.state.ids.get(node.id, ""),
        "node_id": node.id,
        "node_type": node.type,
        "selector": list(selector),
        "chunk": _value(gate, selector),
        "is_final": True,
    }


def _was_streamed(scope: Scope, selector: Selector, base: Base) -> bool:
    node = scope.nodes.get(selector[0]) if len(selector) == 2 else None
    if node is None or node.type not in _STREAMING_TYPES or selector[1] != "text":
        return False
    values = base.variables.get(node.id, {})
    return "text" in values and "error_message" not in values


def _name(gate: Gate, response: str) -> str:
    title = gate.scope.nodes[response].title
    return f"{title!r} ({response})" if title else response
