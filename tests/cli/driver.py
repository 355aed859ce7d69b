"""Drives the command line: in this process, or as a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.cli.frame import run

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures"
WORKBENCH = (sys.executable, "-m", "workbench")


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as one JSON document."""
        return json.loads(self.out)


def cli(*arguments: str | Path) -> Done:
    """Run a command in this process, its streams caught as bytes, as those of a pipe."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Done(code, written(out), written(err))


def written(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def start(*arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command as a process in a session of its own; its streams are pipes."""
    return subprocess.Popen(
        [*WORKBENCH, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, **options.pop("env", {})},
        **options,
    )


def process(*arguments: str | Path, **options: Any) -> Done:
    """Run a command as a process of its own to its end."""
    started = start(*arguments, **options)
    out, err = started.communicate(timeout=100)
    return Done(started.returncode, out.decode(), err.decode())


def fixture(name: str) -> Path:
    """The app of a fixture ("shapes/t1-if-else")."""
    return FIXTURES / name / "app.yml"
