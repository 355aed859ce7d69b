"""`workbench lab`: JupyterLab on loopback on the user's copy of the lessons; it ends cleanly."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.driver import cli, start


def free_port() -> int:
    with socket.socket() as looking:
        looking.bind(("127.0.0.1", 0))
        return int(looking.getsockname()[1])


class Lab:
    """A running `workbench lab`."""

    def __init__(self, *arguments: str) -> None:
        self.process = start("lab", "--no-browser", "--port", str(free_port()), *arguments)
        self.told = b""
        self.address = ""
        self._found = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._found.wait(60), self.told
        assert self.address, self.told

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told += line
            if (found := re.search(rb"http://\S+", line)) and not self.address:
                self.address = found[0].decode()
                self._found.set()
        self._found.set()

    def get(self, path: str = "") -> bytes:
        base, token = self.address.split("/lab/tree/index.ipynb?token=")
        address = self.address if not path else f"{base}/{path}?token={token}"
        for attempt in range(50):
            try:
                with urllib.request.urlopen(address, timeout=20) as reply:
                    return bytes(reply.read())
            except urllib.error.URLError as error:
                if attempt == 49 or not isinstance(error.reason, ConnectionError):
                    raise
                time.sleep(0.1)
        raise AssertionError

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()


@pytest.fixture
def served(home: Path) -> Iterator[Lab]:
    opened = Lab()
    yield opened
    opened.process.kill()
    opened.process.wait()


def test_it_opens_the_index_with_the_four_jupyter_kernels(served: Lab, home: Path) -> None:
    assert served.address.startswith("http://127.0.0.1:")
    page = served.get()
    assert b"jupyterlab" in page.lower()
    assert b"apputils-extension:announcements" in page  # in the list of what is left out
    content = json.loads(served.get("api/contents/index.ipynb"))
    assert content["path"] == "index.ipynb"
    assert (home / "notebooks" / "index.ipynb").is_file()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(served.address.split("/lab")[0] + "/api/contents")
    specs = json.loads(served.get("api/kernelspecs"))["kernelspecs"]
    assert {name for name in specs if name.startswith("answer-workbench")} == {
        f"answer-workbench-graphon-{graphon}" for graphon in ("0.5", "0.6", "0.7", "0.8")
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_cleanly(home: Path, number: int) -> None:
    opened = Lab()
    opened.get()
    assert opened.end(number) == 0
    assert b"Traceback" not in opened.told


def test_a_port_that_is_taken_is_told(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "lab", "--no-browser", "--port", str(port)],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"Port {port} is taken." in done.stderr


def test_without_jupyterlab_it_is_said_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    done = cli("lab", "--no-browser")
    assert done.code == 2
    assert "JupyterLab is not installed here." in done.err
    assert "pip install 'answer-workbench[notebook]'" in done.err
