"""`workbench start` without a terminal: the story that `make start` tells."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.driver import process


@pytest.mark.kernel
def test_the_story_is_told_and_works_twice(home: object) -> None:
    for _ in range(2):
        done = process("start", env={"PATH": "/usr/bin:/bin"})
        assert done.code == 0, done.err
        paused, lost, restored, follow = done.out.split("\n\n")
        assert 'waits at "Ask the team lead"' in paused
        assert 'The Answer "Tell the customer" is locked' in paused
        assert "taken" in paused
        assert "Above 100? (true) → Ask the team lead" in paused
        assert "not yet" in paused
        assert "What the customer saw: nothing" in lost
        assert "answer-locked-before-pause" in lost
        assert "large-true-approval-target" in lost
        assert 'What the customer saw: "Your refund of 250 is approved.' in restored
        assert "nothing wrong" in restored
        assert "workbench resume" in follow
        assert f"alias workbench={Path(sys.executable).with_name('workbench')}" in follow
        assert "\x1b" not in done.out
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    assert "alias" not in process("start", env={"PATH": path}).out
