"""For all tests: the user's own workbench is never touched."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
CACHE = REPOSITORY / ".cache" / "home"
"""Holds the engine kernels that tests build; kept between runs."""

os.environ["WORKBENCH_HOME"] = str(CACHE)
os.environ.pop("WORKBENCH_MODEL_KEY", None)
# `make test &` in a script ignores SIGINT, for all children too: tests of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty WORKBENCH_HOME that shares the built engine kernels with all other tests."""
    kernels = CACHE / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "kernels").symlink_to(kernels, target_is_directory=True)
    monkeypatch.setenv("WORKBENCH_HOME", str(folder))
    return folder
