"""Code nodes: scripted outputs, or values of the declared types. graphon's own code node validates both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphon.nodes.code.limits import CodeNodeLimits

from . import replies
from .errors import make_error
from .turns import Turn
from .waiting import Waiter

LIMITS = CodeNodeLimits(
    max_string_length=400_000,
    max_number=2**63 - 1,
    min_number=-(2**63),
    max_precision=20,
    max_depth=5,
    max_number_array_length=1000,
    max_string_array_length=30,
    max_object_array_length=30,
)
"""Dify's defaults (api/configs/feature: CODE_MAX_*)."""


class CodeExecutionError(Exception):
    """The code failed; the message is what a user of Dify sees."""


class ScriptedCode:
    """CodeExecutorProtocol."""

    def __init__(
        self,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
        wanted: Mapping[str, str],
        real: Callable[[str, str, Mapping[str, Any]], Mapping[str, Any]] | None = None,
    ) -> None:
        self._data, self._waiter, self._next_turn = data, waiter, next_turn
        self._wanted, self._real = wanted, real

    def execute(self, *, language: Any, code: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        turn = self._next_turn()
        self._waiter.wait(turn.delay)
        if turn.failure is not None:
            raise make_error(CodeExecutionError, turn.failure, "CodeExecutionError")
        if turn.says("outputs"):
            given = turn.entry["outputs"]
            made = replies.code_outputs(self._data, self._wanted)
            # What the script leaves out is made up, what it adds is refused by the node as Dify would.
            return {**made, **given}
        if self._real is not None:
            return self._real(str(language), code, inputs)
        return replies.code_outputs(self._data, self._wanted)

    def is_execution_error(self, error: Exception) -> bool:
        return isinstance(error, CodeExecutionError)
