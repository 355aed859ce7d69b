"""A fake engine kernel: the workbench's own interpreter with a host that does what the test says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.engine import session
from workbench.engine.kernels import Kernel

FAKE_HOST = Path(__file__).parent / "fake_host"


@pytest.fixture
def fake() -> Kernel:
    return Kernel("graphon-0.8", "0.8.0", FAKE_HOST, Path(sys.executable), FAKE_HOST)


@pytest.fixture
def faked(fake: Kernel, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """`execute` uses the fake kernel."""
    monkeypatch.setattr(session, "ensure", lambda *_: fake)
    return fake
