"""`execute` against a fake host: every message reaches the sink in order, every end is told as what it is."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.collect import Collect
from tests.engine.processes import gone
from workbench.engine import control as control_module
from workbench.engine import session
from workbench.engine.control import Control
from workbench.engine.kernels import Kernel
from workbench.engine.order import Ended, Order, PauseSaved
from workbench.engine.session import RefusedError, describe, execute, start_early
from workbench.errors import KernelError

END = {"msg": "end", "status": "succeeded", "outputs": {"answer": "hi"}, "error": None, "node_run_steps": 3}


def order(*steps: list[Any], **more: Any) -> Order:
    return Order("graphon-0.8", "run-1", {"fake": list(steps)}, **more)


@pytest.fixture(autouse=True)
def _fake_kernel(faked: Any) -> None:
    """All tests here use the fake host."""


def test_messages_reach_the_sink_in_order(tmp_path: Path) -> None:
    sink = Collect()
    ended = execute(
        order(
            ["say", {"msg": "graph", "root": "start", "nodes": {}, "edges": []}],
            ["say", {"msg": "pool", "variables": {"sys": {}}}],
            ["say", {"msg": "event", "n": 1, "at": 1.5, "event": {"kind": "GraphRunStarted"}}],
            ["say", {"msg": "stream", "n": 1, "chunks": [["answer", ["answer", "answer"], "hi", True]]}],
            ["say", {"msg": "something new"}],
            ["say", {"msg": "stream", "n": 2, "error": "ValueError: closed"}],
            ["say", END],
        ),
        sink,
        tmp_path,
    )
    assert sink.calls == [
        ("graph", "start"),
        ("pool", {"sys": {}}),
        ("event", 1, "GraphRunStarted"),
        ("stream", 1, [["answer", ["answer", "answer"], "hi", True]], None),
        ("stream", 2, [], "ValueError: closed"),
    ]
    assert ended == Ended("succeeded", {"answer": "hi"}, None, 0, 3, 0, None)


def test_a_start_sends_run_and_a_state_sends_resume(tmp_path: Path) -> None:
    sink = Collect()
    execute(order(["say", END], inputs={"a": 1}, system={"query": "q"}), sink, tmp_path)
    execute(order(["say", END], state="{}", forms={"human": {"action": "yes", "fields": {}}}), sink, tmp_path)
    start, resume = sink.told(0), sink.told(1)
    assert (start["cmd"], start["inputs"], start["system"]) == ("run", {"a": 1}, {"query": "q"})
    assert (resume["cmd"], resume["state"], resume["gate"]) == (
        "resume",
        "{}",
        {"mode": "fresh", "state": None},
    )
    assert resume["forms"] == {"human": {"action": "yes", "fields": {}}}


def test_a_pause_brings_what_a_resume_needs(tmp_path: Path) -> None:
    reason = {"type": "human_input_required", "node_id": "human"}
    pause = {"state": '{"a": "\ud800"}', "gate": "{}", "reasons": [reason]}
    ended = execute(order(["say", {**END, "status": "paused", "pause": pause}]), Collect(), tmp_path)
    assert ended.status == "paused"
    assert ended.pause == PauseSaved('{"a": "\ud800"}', "{}", (reason,))


def test_lone_surrogates_survive_both_ways(tmp_path: Path) -> None:
    sink = Collect()
    execute(order(["say", END], inputs={"text": "a\udc80b"}), sink, tmp_path)
    assert sink.told(0)["inputs"]["text"] == "a\udc80b"


def test_a_refusal_carries_the_hosts_words(tmp_path: Path) -> None:
    refusal = {"msg": "error", "title": "No.", "cause": "Node x.", "next_step": "Mend it.", "node_id": "x"}
    with pytest.raises(RefusedError, match="No") as caught:
        execute(order(["say", refusal]), Collect(), tmp_path)
    assert (caught.value.cause, caught.value.next_step, caught.value.node_id) == ("Node x.", "Mend it.", "x")


def test_a_host_that_does_not_come_to_ready_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faked: Kernel
) -> None:
    (tmp_path / "__main__.py").write_text("import sys\nsys.exit('ImportError: no graphon here')\n")
    broken = replace(faked, host=tmp_path)
    monkeypatch.setattr(session, "ensure", lambda *_: broken)
    monkeypatch.setattr(session, "check", lambda *_: None)
    with pytest.raises(KernelError, match="does not start") as caught:
        execute(order(["say", END]), Collect(), tmp_path)
    assert "no graphon here" in caught.value.cause


def test_another_protocol_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faked: Kernel) -> None:
    (tmp_path / "__main__.py").write_text("""print('{"msg": "ready", "protocol": 2}')""")
    older = replace(faked, host=tmp_path)
    monkeypatch.setattr(session, "ensure", lambda *_: older)
    monkeypatch.setattr(session, "check", lambda *_: None)
    with pytest.raises(KernelError, match="does not start") as caught:
        execute(order(["say", END]), Collect(), tmp_path)
    assert "speaks protocol 2, the workbench 1" in caught.value.cause


@pytest.mark.parametrize("fault", [None, "graphon does not import"])
def test_a_damaged_kernel_is_built_again_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faked: Kernel, fault: str | None
) -> None:
    builds: list[str] = []

    def build(name: str, *_: Any, **__: Any) -> Kernel:
        builds.append(name)
        return faked

    monkeypatch.setattr(session, "check", lambda *_: fault)
    monkeypatch.setattr(session, "build", build)
    failure = {"msg": "error", "title": "ModuleNotFoundError", "internal": True}
    with pytest.raises(RefusedError):
        execute(order(["say", failure]), Collect(), tmp_path)
    assert builds == (["graphon-0.8"] if fault else [])


def test_a_crash_is_told_with_the_last_words(tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        execute(
            order(["stderr", "first\nMemoryError: \x1b[31mout of memory\n"], ["exit", 9]), Collect(), tmp_path
        )
    assert "It exited with 9" in caught.value.cause
    assert "MemoryError:  [31mout of memory" in caught.value.cause
    assert "\x1b" not in str(caught.value)


def test_a_killed_child_is_told_with_the_signal(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="ended in the middle") as caught:
        execute(order(["signal", "SIGKILL"]), Collect(), tmp_path)
    assert "SIGKILL" in caught.value.cause


@pytest.mark.parametrize(
    "line", ["not json\n", "[1]\n", '"text"\n', '{"no": "msg"}\n', "{" + '"a":[' * 90_000 + "\n"]
)
def test_what_is_not_the_protocol_ends_the_run(tmp_path: Path, line: str) -> None:
    with pytest.raises(KernelError) as caught:
        execute(order(["raw", line], ["deaf"]), Collect(), tmp_path)
    assert "not the protocol" in caught.value.cause


def test_a_message_without_its_keys_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(KernelError) as caught:
        execute(order(["say", {"msg": "event", "n": 1}], ["deaf"]), Collect(), tmp_path)
    assert "'event' without 'at'" in caught.value.cause


def test_a_line_that_never_ends_is_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.engine.client.MAX_LINE", 1000)
    with pytest.raises(KernelError) as caught:
        execute(order(["raw", "x" * 5000], ["deaf"]), Collect(), tmp_path)
    assert "too long" in caught.value.cause


def test_an_abort_from_another_thread_reaches_the_host(tmp_path: Path) -> None:
    control, sink = Control(), Collect()

    class PullsTheBrake(Collect):
        def event(self, *_: Any) -> None:
            threading.Thread(target=control.abort, args=["enough"]).start()

    sink = PullsTheBrake()
    event = {"msg": "event", "n": 1, "at": 0, "event": {"kind": "X"}}
    ended = execute(
        order(["say", event], ["wait", "abort"], ["say", {**END, "status": "stopped"}]),
        sink,
        tmp_path,
        control,
    )
    assert ended.status == "stopped"
    assert sink.notes[-1] == "abort: enough"


def test_what_was_pulled_before_the_start_is_told_after_it(tmp_path: Path) -> None:
    control, sink = Control(), Collect()
    control.pause("look")
    control.abort()
    control.abort("a second reason does not count")
    execute(order(["wait", "pause"], ["wait", "abort"], ["say", END]), sink, tmp_path, control)
    assert sink.notes[-2:] == ["pause: look", "abort: Stopped by the user."]


def test_a_host_that_ignores_an_abort_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_module, "ABORT_SECONDS", 0.2)
    control = Control()
    control.abort("enough")
    ended = execute(order(["deaf"]), Collect(), tmp_path, control)
    assert ended.status == "stopped"
    assert ended.error == "enough The engine kernel had to be killed."


def test_a_hung_host_is_killed_after_its_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "GRACE_SECONDS", 0.2)
    with pytest.raises(KernelError) as caught:
        execute(order(["deaf"], limits={"max_seconds": 0.1}), Collect(), tmp_path)
    assert "beyond its time limit" in caught.value.cause


def test_what_the_sink_raises_comes_out_and_the_host_is_gone(tmp_path: Path) -> None:
    class Full(Collect):
        def event(self, *_: Any) -> None:
            raise OSError("the store is full")

    started = time.monotonic()
    with pytest.raises(OSError, match="the store is full"):
        execute(order(["events", 100_000], ["deaf"]), Full(), tmp_path)
    assert time.monotonic() - started < 30


def test_what_a_kernel_started_dies_with_it(tmp_path: Path) -> None:
    """It holds the kernel's pipes open: without its end nobody would hear of the kernel's."""
    sink = Collect()
    began = time.monotonic()
    with pytest.raises(KernelError):
        execute(order(["grandchild"], ["signal", "SIGKILL"]), sink, tmp_path)
    assert time.monotonic() - began < 40
    assert gone(int(sink.notes[-1]), seconds=10)


def test_a_kernel_that_is_not_built_is_not_started_early(tmp_path: Path) -> None:
    assert start_early("graphon-0.8", tmp_path) is None


def test_describe_gives_the_graph(tmp_path: Path) -> None:
    graph = {"msg": "graph", "root": "start", "nodes": {}, "edges": []}
    assert describe("graphon-0.8", {"fake": [["say", graph], ["say", {"msg": "done"}]]}, tmp_path) == graph


def test_the_child_sees_little_of_the_users_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    sink = Collect()
    execute(order(["env"], ["facts"], ["say", END]), sink, tmp_path)
    execute(order(["env"], ["say", END], options={"model": {"url": "http://127.0.0.1"}}), sink, tmp_path)
    plain, facts, model = sink.told(1), sink.told(2), sink.told(4)
    assert not {"WORKBENCH_MODEL_KEY", "PYTHONPATH", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"} & plain.keys()
    assert facts == {"isolated": 1, "cwd": "/", "sid": True}
    assert (model["WORKBENCH_MODEL_KEY"], model["HTTPS_PROXY"]) == ("secret", "http://proxy")
    assert "AWS_SECRET_ACCESS_KEY" not in model
