"""Saved states with anything at any place: read with notes or refused with a message, never a crash."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.records.saved import gate_text, runtime_text, text
from workbench.errors import BadInputError
from workbench.records.gate_state import KEYS, read_gate_state, translate_edges, unknown_edges
from workbench.records.recognise import recognise
from workbench.records.resumption_context import GATE, RUNTIME, read_resumption_context
from workbench.records.runtime_state import read_runtime_state

NESTED = ("ready_queue", "graph_execution", "deferred_ready_tasks")
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just(10**400)
    | st.sampled_from(["", "[red]x[/]", "\x1b[31m", "\ud800", "edge_99999", "root", "{}", "[[[", "\u202e"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def opened(state: str) -> dict[str, Any]:
    """A runtime state with its nested texts opened."""
    data: dict[str, Any] = json.loads(state)
    return data | {key: json.loads(data[key]) for key in NESTED if key in data}


def closed(data: dict[str, Any]) -> str:
    nested = {key: json.dumps(data[key]) for key in NESTED if isinstance(data.get(key), dict | list)}
    return json.dumps(data | nested)


@st.composite
def spoilt(draw: st.DrawFn, good: Any) -> Any:
    """`good` with some places replaced by anything, taken out, or said twice."""
    value = json.loads(json.dumps(good))
    for _ in range(draw(st.integers(1, 4))):
        place = value
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            inner = place[key]
            if isinstance(inner, dict | list) and inner and draw(st.booleans()):
                place = inner
                continue
            if isinstance(place, dict) and draw(st.booleans()):
                del place[key]
            else:
                place[key] = draw(anything)
            break
    return value


CASES = [(era, case) for era in "ACDE" for case in ("t5-parallel-llm", "every-type")] + [("E", "loop-pause")]


@SETTINGS
@given(st.data())
def test_runtime_states(data: st.DataObject) -> None:
    good = opened(runtime_text(*data.draw(st.sampled_from(CASES))))
    state = closed(data.draw(spoilt(good)))
    with contextlib.suppress(BadInputError):
        read = read_runtime_state(state)
        assert read.text == state
        assert all(isinstance(note, str) and "\n" not in note for note in read.notes)
        assert {node: set(held) for node, held in read.variables.items()} == {
            node: set(held) for node, held in read.variable_types.items()
        }
        assert all(
            isinstance(value, str) for value in (*read.node_states.values(), *read.edge_states.values())
        )
    assert recognise(state.encode("utf-8", "surrogatepass"), "x").kind in {"runtime-state", "unknown"}


@SETTINGS
@given(st.data())
def test_gates(data: st.DataObject) -> None:
    good = json.loads(gate_text(*data.draw(st.sampled_from(CASES))))
    state = json.dumps(data.draw(spoilt(good)))
    with contextlib.suppress(BadInputError):
        gate = read_gate_state(state)
        assert gate.text == state
        assert set(KEYS) <= gate.data.keys()
        for session in (*gate.data["waiting_sessions"], *gate.data["pending_sessions"]):
            assert isinstance(session["node_id"], str)
            assert session["index"] >= 0
        for buffer in gate.data["stream_buffers"]:
            assert all(isinstance(part, str) for part in buffer["selector"])
            assert all(isinstance(event["chunk"], str) for event in buffer["events"])
        translated = translate_edges(gate.data, {"edge_1": "one"})
        unknown_edges(translated, {})


@SETTINGS
@given(st.data())
def test_saved_pauses(data: st.DataObject) -> None:
    era, case = data.draw(st.sampled_from(CASES))
    good = json.loads(text(era, case))
    good[RUNTIME] = opened(good[RUNTIME])
    if good.get(GATE):
        good[GATE] = json.loads(good[GATE])
    bad = data.draw(spoilt(good))
    if isinstance(bad.get(RUNTIME), dict):
        bad[RUNTIME] = closed(bad[RUNTIME])
    if isinstance(bad.get(GATE), dict | list):
        bad[GATE] = json.dumps(bad[GATE])
    saved = json.dumps(bad)
    with contextlib.suppress(BadInputError):
        context = read_resumption_context(saved)
        assert context.text == saved
        assert context.origin.sentence
        assert isinstance(context.entity, dict)
    recognise(saved.encode("utf-8", "surrogatepass"), "x")


@SETTINGS
@given(st.data())
def test_cut_and_spliced_texts(data: st.DataObject) -> None:
    """Bytes taken out, doubled, or replaced anywhere."""
    good = text(*data.draw(st.sampled_from(CASES))).encode()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 200)))
    bad = good[:start] + data.draw(st.binary(max_size=8)) + good[end:]
    found = recognise(bad, "x")
    assert found.kind in {"resumption-context", "unknown", "sse-capture", "app"}
    with contextlib.suppress(BadInputError, UnicodeDecodeError):
        read_resumption_context(bad.decode())


@SETTINGS
@given(st.binary(max_size=300) | anything.map(lambda value: json.dumps(value).encode()))
def test_anything_at_all(data: bytes) -> None:
    found = recognise(data, "x")
    assert found.kind
    assert found.kind != "unknown" or found.error
