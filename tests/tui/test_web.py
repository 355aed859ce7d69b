"""The TUI in a browser: only for this machine and the holder of the key; it starts, reacts and ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from workbench.cli.frame import run
from workbench.cli.group import workbench

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    environment = {**os.environ, "WORKBENCH_HOME": str(tmp_path / "home")}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "workbench.cli", "--web",
        env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert program.stderr is not None
    try:
        line = (await asyncio.wait_for(program.stderr.readline(), 30)).decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", line)
        assert found, line
        yield found[0], program
    finally:
        if program.returncode is None:
            program.kill()
        await program.wait()


async def seen(socket: Any, *words: bytes) -> bytes:
    """What the page was sent, until all words are in it (between escape codes)."""
    text, end = b"", time.monotonic() + 30
    while not all(word in text for word in words):
        message = await socket.receive(timeout=max(0.1, end - time.monotonic()))
        assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), (message, text[-3000:])
        if message.type == aiohttp.WSMsgType.BINARY:
            text += message.data
            assert time.monotonic() < end, text[-3000:]
    return text


async def test_a_page_runs_the_program_and_everything_ends(tmp_path: Path) -> None:
    async with served(tmp_path) as (address, program), aiohttp.ClientSession() as session:
        origin = address.partition("/?")[0]
        async with session.get(address) as page:
            text = await page.text()
            assert "Answer Workbench" in text
            assert "googleapis" not in text, "nothing comes from the net"
            assert "css/xterm.css" in text, "without it the page is not laid out"
            assert "default-src 'none'" in page.headers["Content-Security-Policy"]
            cookies = {name: morsel.value for name, morsel in page.cookies.items()}
        socket_url = re.search(r'websocket-url="(.*?)"', text)
        assert socket_url
        whole = {"Origin": origin, "Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())}
        async with session.ws_connect(socket_url[1] + "?width=100&height=30", headers=whole) as socket:
            await seen(socket, b"Answer", b"No runs yet")
            await socket.send_json(["stdin", "?"])
            await seen(socket, b"Help")
            await socket.send_json(["stdin", "q"])
            await seen(socket, b"No runs yet")
            await socket.send_json(["stdin", "Q"])
            async with asyncio.timeout(30):
                while (await socket.receive()).type not in (
                    aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSING
                ):  # fmt: skip
                    pass
        async with session.ws_connect(socket_url[1], headers=whole) as socket:
            await seen(socket, b"No runs yet")
            program.send_signal(signal.SIGINT)
            assert await asyncio.wait_for(program.wait(), 20) == 0
            assert program.stderr is not None
            assert b"Traceback" not in await program.stderr.read()


async def test_without_the_key_or_from_another_page_nothing_is_served(tmp_path: Path) -> None:
    async with served(tmp_path) as (address, _), aiohttp.ClientSession() as session:
        origin, _, key = address.partition("/?key=")
        port = origin.rpartition(":")[2]
        known = {"Cookie": f"workbench-{port}={key}"}
        refused = [
            ("/", {}),
            ("/?key=wrong", {}),
            ("/static/js/textual.js", {}),
            ("/ws", {}),
            ("/ws", known),
            ("/ws", {**known, "Origin": "http://127.0.0.1:1"}),
            ("/ws", {**known, "Origin": "https://example.org"}),
            ("/", {**known, "Host": f"rebound.example.org:{port}"}),
        ]
        for path, headers in refused:
            async with session.get(origin + path, headers=headers) as answer:
                assert answer.status == 403, (path, headers)
                assert "workbench" in await answer.text()


def test_options_that_do_not_fit_are_refused() -> None:
    for words, told in ((["--port", "9"], "--port goes with --web"), (["--web", "runs"], "stand alone")):
        done = CliRunner().invoke(workbench, words)
        assert done.exit_code == 2
        assert told in done.output


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    assert run(["--web"]) == 1
    assert "answer-workbench[web]" in capsys.readouterr().err


def test_a_taken_port_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import socket

    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run(["--web", "--port", str(taken.getsockname()[1])]) == 1
    assert "Give another one with --port" in capsys.readouterr().err
