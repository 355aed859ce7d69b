"""The frame of the protocol: start, describe, what isn't a command, ends."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernels.host import apps
from tests.kernels.host.driver import HOST, Host, fixture, interpreter

pytestmark = pytest.mark.kernel


def test_ready_tells_which_engine_this_is(host: Host) -> None:
    ready = host.ready
    assert ready["protocol"] == 1
    assert ready["kernel"] == f"graphon-{host.generation}"
    assert ready["graphon"].startswith(host.generation)
    assert ready["pid"] == host.process.pid


def test_describe_reports_the_root_graph(host: Host) -> None:
    host.send(cmd="describe", app=fixture("shapes/t4-assigned-variable").app.payload())
    graph = host.until().of("graph")[0]
    assert graph["nodes"]["hum"]["kind"] == "branch"
    assert graph["nodes"]["answer"]["template"] == [["text", "c="], ["variable", ["conversation", "c"]]]
    assert graph["nodes"]["answer"]["text_selector"] == ["answer", "answer"]
    written = {node: facts["writes"] for node, facts in graph["nodes"].items() if facts["writes"]}
    assert written == {"assign": [["conversation", "c"]]}
    assert ["hum-approve-answer-target", "hum", "answer", "approve"] in graph["edges"]
    named = set() if host.generation == "0.8" else {edge[0] for edge in graph["edges"]}
    assert set(graph["edge_names"].values()) == named


def test_describe_leaves_child_graphs_out(host: Host) -> None:
    host.send(cmd="describe", app=fixture("containers/loop").app.payload())
    graph = host.until().of("graph")[0]
    assert graph["nodes"]["loop"]["kind"] == "container"
    assert not {"loopstart", "show", "add"} & set(graph["nodes"])
    assert all(edge[1] in graph["nodes"] and edge[2] in graph["nodes"] for edge in graph["edges"])


def test_a_fail_branch_node_counts_as_branch(host: Host) -> None:
    given = apps.app(
        [apps.llm("llm", error_strategy="fail-branch"), apps.answer("answer", "x")],
        [apps.edge("start", "llm"), apps.edge("llm", "answer", "fail-branch")],
    )
    host.send(cmd="describe", app=given)
    assert host.until().of("graph")[0]["nodes"]["llm"]["kind"] == "branch"


def test_what_is_no_command_is_refused_and_the_host_goes_on(newest: Host) -> None:
    for line in (b'{"cmd": "dance"}', b"not json", b"[" * 100_000, b"[1]", b""):
        newest.send_bytes(line + b"\n")
    titles = [newest.until().error["title"] for _ in range(4)]
    assert "dance" in titles[0]
    assert titles[1:3] == ["A command is not JSON"] * 2
    newest.open_commands = 0
    assert newest.run(apps.chain(apps.answer("answer", "still here"))).answer == "still here"


def test_exit_ends_the_process() -> None:
    with Host("0.8") as host:
        host.send(cmd="exit")
        assert host.ended()
        assert host.process.wait(5) == 0


def test_closed_input_ends_the_process_even_in_a_run() -> None:
    with Host("0.8") as host:
        script = {"nodes": {"llm": {"chunks": ["a"], "delay": 60}}}
        host.begin(apps.chain(apps.llm("llm"), apps.answer("answer", "x")), script=script)
        host.until_event("NodeRunStarted", "llm")
        assert host.close() == 0


def test_a_terminated_host_ends_its_messages_first() -> None:
    with Host("0.8") as host:
        script = {"nodes": {"llm": {"chunks": ["a", {"text": "b", "wait": 60}]}}}
        host.begin(apps.chain(apps.llm("llm"), apps.answer("answer", "{{#llm.text#}}")), script=script)
        host.until_event("NodeRunStarted", "llm")
        host.process.terminate()
        assert [message["msg"] for message in host.rest()] in (["event", "stream"], [])
        assert host.process.wait(5) == 0


def test_a_host_that_nobody_reads_ends_with_its_input() -> None:
    """The pipe is full and a writer waits in it: that must not keep the process alive."""
    with subprocess.Popen(
        [interpreter("0.8"), "-I", HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        script = {"nodes": {"llm": {"chunks": ["x" * 1000] * 5000}}}
        given = apps.chain(apps.llm("llm"), apps.answer("answer", "x"))
        command = {"cmd": "run", "run_id": "r", "app": given, "system": {"query": "q"}, "script": script}
        process.stdin.write(json.dumps(command).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(10) == 0


def test_the_parents_death_ends_the_process_though_its_input_stays_open() -> None:
    """Only the host's parent is killed: the other end of the host's input is held by this test."""
    middle = (
        "import subprocess, sys\n"
        "host = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
        "print(host.stdout.readline().decode(), flush=True)\n"
        "host.wait()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", middle, str(interpreter("0.8")), "-I", str(HOST)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert parent.stdout is not None
    assert parent.stderr is not None
    assert json.loads(parent.stdout.readline())["msg"] == "ready"
    parent.kill()
    # Both write to this pipe; it ends when the last of them does.
    parent.stderr.read()
    parent.wait(5)


def test_works_from_a_read_only_folder(tmp_path: Path) -> None:
    copy = tmp_path / "kernels" / "host"
    shutil.copytree(HOST, copy, ignore=shutil.ignore_patterns("__pycache__"))
    folders = [copy, *(path for path in copy.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        with Host("0.8", folder=copy) as host:
            assert host.run(apps.chain(apps.answer("answer", "read-only"))).answer == "read-only"
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_text_that_utf8_cannot_say_arrives(newest: Host) -> None:
    script = {"nodes": {"llm": {"chunks": ["\ud800 lone", "日本", "\x00\x1b[2J\u2028"]}}}
    outcome = newest.run(apps.chain(apps.llm("llm"), apps.answer("answer", "{{#llm.text#}}")), script=script)
    assert outcome.chunks[:3] == ["\ud800 lone", "日本", "\x00\x1b[2J\u2028"]


def test_commands_wait_for_their_turn(newest: Host) -> None:
    newest.begin(apps.chain(apps.answer("answer", "one")))
    newest.begin(apps.chain(apps.answer("answer", "two")))
    assert [newest.until().answer, newest.until().answer] == ["one", "two"]
