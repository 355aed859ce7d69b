"""Ten malformed inputs of each saved format: a message that says what and where, within 2 s and 500 MB."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.saved import gate_text, runtime_text, text
from workbench.errors import BadInputError
from workbench.records.gate_state import read_gate_state
from workbench.records.recognise import recognise
from workbench.records.resumption_context import RUNTIME, read_resumption_context
from workbench.records.runtime_state import read_runtime_state

Reader = Callable[[str, str], object]
FORMATS: dict[str, tuple[Reader, str]] = {
    "pause": (read_resumption_context, text("E", "t1-if-else")),
    "runtime": (read_runtime_state, runtime_text("E", "t1-if-else")),
    "gate": (read_gate_state, gate_text("E", "t1-if-else")),
}
BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda _: "", "is empty"),
    "only spaces": (lambda _: " \n ", "is empty"),
    "cut off": (lambda good: good[: len(good) // 2], "is cut off"),
    "cut at the end": (lambda good: good[:-1], "is cut off"),
    "cut at the start": (lambda good: good[200:], "is not valid JSON"),
    "two of them": (lambda good: good + good, "One JSON document is expected"),
    "a web page": (lambda _: "<html>502 Bad Gateway</html>", "web page"),
    "Python's repr": (lambda good: repr(json.loads(good)), "is not valid JSON"),
    "a raw line break in a text": (lambda good: good.replace('"', '"a\n', 1), "raw line break"),
    "a list": (lambda good: f"[{good}]", "It holds a list"),
    "null": (lambda _: "null", "It holds null"),
    "another object": (lambda _: '{"status": 404, "message": "not found"}', "is not a "),
    "in quotes": (json.dumps, "It holds a text"),
    "too deep": (lambda good: good[:-1] + ',"x":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "too many values": (lambda good: good[:-1] + ',"x":[' + "0," * 1_300_000 + "0]}", "too many values"),
    "too large": (lambda good: good + " " * 26_000_000, "is too large"),
    "a number without end": (lambda good: good[:-1] + ',"x":' + "9" * 5_000 + "}", "is not valid JSON"),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("what", FORMATS)
def test_broken_texts_are_refused_with_a_message(what: str, how: str) -> None:
    read, good = FORMATS[what]
    spoil, words = BROKEN[how]
    with pytest.raises(BadInputError) as caught:
        read(spoil(good), "saved.json")
    assert words in str(caught.value)
    assert "saved.json" in caught.value.title
    assert caught.value.cause
    assert caught.value.next_step


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("what", FORMATS)
def test_broken_files_are_told_by_the_import(what: str, how: str) -> None:
    spoil, _ = BROKEN[how]
    found = recognise(spoil(FORMATS[what][1]).encode(), "saved.json")
    assert found.kind == "unknown"
    assert found.error


def _inside(state: str) -> str:
    return json.dumps({"version": "1", "generate_entity": {}, RUNTIME: state})


def _with_pool(pool: str) -> str:
    return (
        '{"version":"3.0","graph_execution":"{}","ready_queue":"{}","outputs":{},"variable_pool":'
        + pool
        + "}"
    )


def _variable(number: int) -> dict[str, object]:
    return {"value_type": "string", "value": "x", "name": f"v{number}", "selector": ["n", f"v{number}"]}


BOMBS: dict[str, Callable[[], str]] = {
    "100,000 variables": lambda: _inside(
        _with_pool(
            json.dumps({"variable_dictionary": {"n": {f"v{n}": _variable(n) for n in range(100_000)}}})
        )
    ),
    "500,000 damaged variables": lambda: _inside(
        _with_pool('{"variable_dictionary":{"n":{' + ",".join(f'"v{n}":[]' for n in range(500_000)) + "}}}")
    ),
    "a long text with one emoji": lambda: json.dumps(
        {RUNTIME: _with_pool('{"a": "' + "x" * 24_000_000 + '\U0001f642"}')}, ensure_ascii=False
    ),
    "a million keys": lambda: "{" + ",".join(f'"k{n}":{n}' for n in range(1_100_000)) + "}",
    "quotes and backslashes": lambda: _inside('\\"' * 5_000_000),
    "an endless event": lambda: '{"event"' + " " * 24_000_000 + "x",
    "a million events": lambda: 'data: {"event": "message"}\n' * 900_000,
    "half a million rows": lambda: '{"query": "a", "answer": "b"}\n' * 500_000,
    "blank lines": lambda: "\n" * 24_000_000 + "x",
    "half a million paths": lambda: json.dumps(
        {"type": "ResponseStreamFilter", "version": "2.0", "paths_map": {"a": [["e"]] * 500_000}}
    ),
    "depth inside": lambda: _inside('{"variable_pool":' + "[" * 100_000 + "]" * 100_000 + "}"),
    "depth in a text in a text": lambda: _inside(
        json.dumps(
            {"version": "3.0", "variable_pool": {}, "ready_queue": "[" * 100_000, "graph_execution": "{}"}
        )
    ),
}
_CHILD = """
import sys, time
from tests.records.memory import peak_megabytes
from workbench.records.reading import read_file, STATE_LIMIT
from workbench.records.recognise import recognise
before = time.process_time()
found = recognise(read_file(sys.argv[1], STATE_LIMIT), "bomb")
seconds = time.process_time() - before
print(seconds, peak_megabytes() / 1000, found.kind)
"""


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_cost_little(name: str, tmp_path: Path) -> None:
    """In a fresh process, so that its peak memory is its own. 2 s are measured as processor time."""
    path = tmp_path / "bomb"
    path.write_text(BOMBS[name](), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    seconds, gigabytes, _ = done.stdout.split()
    assert float(gigabytes) < 0.5
    assert float(seconds) < 4.0  # 2 s on a machine that does nothing else
