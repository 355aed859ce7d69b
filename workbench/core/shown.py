"""The chat message as evidence: which Answers, and how much of them, have really reached the chat user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.gate import Gate
from workbench.core.gate_state import Session
from workbench.core.graph import Selector, Text

_MOST_TRIES = 10_000


@dataclass(frozen=True, slots=True)
class Told:
    """What the message says.

    Attributes:
        agrees: it can be read as turns of the Answers that have opened.
        shown: what counts as streamed from now on.
        sentence: for people.
    """

    agrees: bool
    shown: str
    sentence: str


@dataclass(frozen=True, slots=True)
class _Turn:
    """`read` segments of a response node's template, as far as the message holds them."""

    response: str
    read: int


def trust(gate: Gate, opened: Sequence[str], shown: str, message: str) -> Told:
    """Set the sessions of a rebuilt gate to what the message holds.

    Args:
        opened: response nodes that have opened, in their likely order.
        shown: what the gate would have streamed in that order.
    """
    turns = next(_readings(gate, opened, message), None)
    if turns is not None:
        _set_sessions(gate, opened, turns)
        if message == shown:
            return Told(True, message, "The message text agrees with what the gate has shown.")
        return Told(
            True,
            message,
            "The message text says which Answers were streamed, and how far; the rest is still owed.",
        )
    again = next(_readings(gate, opened, message, times=2), None)
    if again is not None:
        _set_sessions(gate, opened, again)
        return Told(
            True,
            message,
            "The message text holds an Answer twice, as after a resume with a lost gate; what it does not "
            "hold is still owed.",
        )
    if re.fullmatch(_pattern(gate, opened), message, re.DOTALL):
        return Told(
            True, message, "The message text agrees, save for variables that were assigned again since."
        )
    return Told(
        False,
        shown,
        "The message text is not what these Answers say: nothing is streamed again, and what is missing in "
        "the message stays missing.",
    )


def position(gate: Gate, response: str) -> int:
    """The next segment of an opened response node; its template's length when it is done."""
    state = gate.state
    if state.active is not None and state.active.node_id == response:
        return state.active.index
    waiting = [s.index for s in state.waiting if s.node_id == response]
    return waiting[0] if waiting else len(gate.scope.nodes[response].template)


def value_of(gate: Gate, selector: Selector) -> str:
    """What a variable says in the stream; empty for one that was skipped or is not there."""
    if selector and selector[0] in gate.skipped:
        return ""
    return gate.pool.markdown(selector) or ""


def _readings(
    gate: Gate, opened: Sequence[str], message: str, *, times: int = 1
) -> Iterator[tuple[_Turn, ...]]:
    """The ways to read the message as turns, one Answer after the other, the likely order first.

    Args:
        times: how often an Answer can be there.
    """
    pieces = {response: _pieces(gate, response) for response in opened}
    lengths = {response: len(gate.scope.nodes[response].template) for response in opened}
    tries = 0

    def read(rest: str, left: tuple[str, ...], turns: tuple[_Turn, ...]) -> Iterator[tuple[_Turn, ...]]:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            return
        if not rest and not any(_says_nothing(pieces[r], lengths[r]) for r in left[:1]):
            yield turns
            return
        for response in dict.fromkeys(left):
            place = left.index(response)
            others = (*left[:place], *left[place + 1 :])
            at = 0
            for number, piece in enumerate(pieces[response]):
                if not rest.startswith(piece, at):
                    break
                at += len(piece)
                if number + 1 == lengths[response]:
                    yield from read(rest[at:], others, (*turns, _Turn(response, number + 1)))
                elif at == len(rest):
                    yield (*turns, _Turn(response, _furthest(pieces[response], number + 1)))
        if not rest:
            yield turns

    yield from read(message, tuple(opened) * times, ())


def _says_nothing(pieces: Sequence[str], length: int) -> bool:
    """An Answer without any text can have had its turn without a trace."""
    return len(pieces) == length and not any(pieces)


def _furthest(pieces: Sequence[str], read: int) -> int:
    """Empty segments behind a place were passed with it."""
    while read < len(pieces) and not pieces[read]:
        read += 1
    return read


def _pieces(gate: Gate, response: str) -> list[str]:
    """The segments that can have been streamed: up to the first variable that is not there yet."""
    out = []
    for part in gate.scope.nodes[response].template:
        if isinstance(part, Text):
            out.append(part.text)
        elif part.selector and part.selector[0] in gate.skipped:
            out.append("")
        elif (text := gate.pool.markdown(part.selector)) is not None:
            out.append(text)
        else:
            break
    return out


def _set_sessions(gate: Gate, opened: Sequence[str], turns: Sequence[_Turn]) -> None:
    begun: dict[str, int] = {}
    for turn in turns:
        begun[turn.response] = max(turn.read, begun.get(turn.response, 0))
    left = [Session(r, begun[r]) for r in begun if begun[r] < len(gate.scope.nodes[r].template)]
    left += [Session(r) for r in opened if r not in begun]
    gate.state.active = left[0] if left else None
    gate.state.waiting = left[1:]


def _pattern(gate: Gate, opened: Sequence[str]) -> str:
    """What has been shown as a pattern: variables may have had another value when they were streamed."""
    out = ""
    for response in opened:
        for part in gate.scope.nodes[response].template[: position(gate, response)]:
            out += re.escape(part.text) if isinstance(part, Text) else ".*?"
    return out
