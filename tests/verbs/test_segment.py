"""Whatever happens to the engine, the recorder learns the end, and is let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.core.graph import Graph
from workbench.engine import session
from workbench.engine.order import Ended, Order, PauseSaved
from workbench.errors import KernelError
from workbench.records.app import App
from workbench.verbs.context import Context
from workbench.verbs.segment import Segment, play, started_early
from workbench.verbs.watch import Began, Watcher

GRAPH = Graph({}, {}, "start")


class Recorder:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def graph(self, message: Mapping[str, Any]) -> None:
        self.said.append("graph")

    def pool(self, variables: Mapping[str, Any]) -> None:
        self.said.append("pool")

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> int:
        self.said.append(("event", n))
        return n

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        self.said.append(("stream", n))

    def note(self, text: str) -> None:
        self.said.append(("note", text))

    def finish(self, ended: Ended) -> str | None:
        self.said.append((ended.status, ended.error))
        return "p1" if ended.pause else None

    def close(self) -> None:
        self.said.append("closed")


class Listener(Watcher):
    """Writes into the recorder's list, so that the order of both shows."""

    def __init__(self, said: list[Any]) -> None:
        self.said = said

    def began(self, began: Began) -> None:
        self.said.append(("began", began.first_step))

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        self.said.append(("shown", step))

    def ended(self) -> None:
        self.said.append("ended")


def ended(**given: Any) -> Ended:
    values: dict[str, Any] = {
        "status": "succeeded",
        "outputs": {},
        "error": None,
        "exceptions_count": 0,
        "node_run_steps": 1,
        "total_tokens": 0,
        "pause": None,
    }
    return Ended(**(values | given))


def app() -> App:
    text = (Path(__file__).parents[2] / "fixtures/shapes/t1-if-else/app.yml").read_bytes()
    from workbench.records.app import read_app

    return read_app(text)


def run(
    monkeypatch: pytest.MonkeyPatch, execute: Any, tmp_path: Path, first_step: int = 1
) -> tuple[Any, list[Any]]:
    monkeypatch.setattr(session, "execute", execute)
    recorder: Any = Recorder()
    order = Order("graphon-0.8", "r1", {})
    segment = Segment(app(), GRAPH, first_step, notes=("said before",))
    context = Context(tmp_path / "store", tmp_path)
    try:
        result: Any = play(context, order, segment, recorder, Listener(recorder.said), None)
    except BaseException as error:
        result = error
    return result, recorder.said


def test_the_recorder_hears_everything_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def execute(order: Order, sink: Any, home: Path, control: Any, **_: Any) -> Ended:
        sink.graph({})
        sink.pool({})
        sink.event(1, 0.0, {"kind": "GraphRunStarted"})
        sink.stream(1, [["answer", ["answer", "answer"], "Hi", False]], None)
        return ended(outputs={"answer": "Hi"})

    result, said = run(monkeypatch, execute, tmp_path, first_step=5)
    assert (result.status, result.answer, result.streamed, result.steps) == ("succeeded", "Hi", "Hi", 5)
    assert result.notes == ("said before",)
    assert said == [
        ("began", 5),
        ("note", "said before"),
        "graph",
        "pool",
        ("event", 1),
        ("shown", 5),
        ("stream", 1),
        ("succeeded", None),
        "closed",
        "ended",
    ]


def test_a_pause_is_stored_before_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved = PauseSaved("{}", None, ({"type": "scheduled_pause"},))
    result, _ = run(
        monkeypatch,
        lambda *_, **__: ended(status="paused", pause=saved, outputs={"answer": "half"}),
        tmp_path,
    )
    assert (result.status, result.answer) == ("paused", None)
    assert result.pause.pause_id == "p1"


@pytest.mark.parametrize(
    ("error", "recorded"),
    [
        (
            KernelError("It died.", "By a signal.", "Try again."),
            ("failed", "It died. By a signal. Try again."),
        ),
        (KeyboardInterrupt(), ("stopped", "Interrupted (KeyboardInterrupt).")),
        (MemoryError(), ("stopped", "Interrupted (MemoryError).")),
    ],
)
def test_an_engine_that_breaks_is_recorded_and_told(
    error: BaseException, recorded: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def execute(*_: Any, **__: Any) -> Ended:
        raise error

    result, said = run(monkeypatch, execute, tmp_path)
    assert result is error
    assert said[-3:] == [recorded, "closed", "ended"]


def test_a_kernel_started_early_is_gone_when_the_run_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Early:
        closed = False

        def close(self) -> None:
            self.closed = True

    early = Early()
    monkeypatch.setattr(session, "start_early", lambda *_: early)

    def fails() -> None:
        with started_early(Context(tmp_path / "store", tmp_path), "graphon-0.8", {}) as client:
            assert client is early
            raise OSError("the store is full")

    with pytest.raises(OSError, match="the store is full"):
        fails()
    assert early.closed
