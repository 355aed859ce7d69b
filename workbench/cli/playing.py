"""What `run` and `resume` share: live progress, Ctrl-C, the result and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.cli.live import watcher_for
from workbench.cli.output import print_json, say
from workbench.cli.stopping import stoppable
from workbench.cli.style import Style
from workbench.cli.words import compared_lines, run_lines
from workbench.verbs.environment import Environment
from workbench.verbs.results import ComparedRuns, RunResult
from workbench.verbs.watch import Watcher
from workbench.views.secrets import mask_for
from workbench.views.shapes import compared_json, run_json

if TYPE_CHECKING:
    from workbench.engine.control import Control

EXIT_CODES = {"succeeded": 0, "partial-succeeded": 0, "paused": 3}


class Play:
    """Plays runs of one app in front of a user; `environment` is what it masks."""

    def __init__(self, environment: Environment, *, unmask: bool, quiet: bool, as_json: bool) -> None:
        self._mask = mask_for(environment, unmask=unmask)
        self._quiet = quiet
        self._as_json = as_json

    def one(self, verb: Callable[[Watcher, Control], RunResult]) -> int:
        """Play one segment; its exit code."""
        from workbench.engine.control import Control

        control = Control()
        with stoppable(control) as stopper:
            result = verb(watcher_for(quiet=self._quiet, mask=self._mask), control)
        if self._as_json:
            print_json(run_json(result, self._mask))
        else:
            for line in run_lines(result, self._mask, Style(sys.stdout)):
                say(line)
        return stopper.exit_code(EXIT_CODES.get(result.status, 1))

    def compared(self, verb: Callable[[Watcher, Control], ComparedRuns]) -> int:
        """Play one segment on every engine kernel; the worst exit code."""
        from workbench.engine.control import Control

        control = Control()
        with stoppable(control) as stopper:
            result = verb(watcher_for(quiet=self._quiet, mask=self._mask), control)
        if self._as_json:
            print_json(compared_json(result, self._mask))
        else:
            for line in compared_lines(result, self._mask, Style(sys.stdout)):
                say(line)
        codes = {EXIT_CODES.get(run.status, 1) for run in result.runs}
        return stopper.exit_code(1 if 1 in codes else 3 if 3 in codes else 0)
