"""The shape of one raw engine event from a stranger: what a replay relies on (EVENT of kernels/PROTOCOL.md).

A journal that the workbench wrote needs no check; one out of a bundle does, so that a damaged or made-up one
is refused where it is imported and not when somebody looks at step 4711.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _selector(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _usage(value: Any) -> bool:
    """Numbers where the workbench adds up; prices may be texts."""
    return isinstance(value, Mapping) and all(
        _number(value.get(key, 0)) for key in ("prompt_tokens", "completion_tokens", "total_tokens")
    )


_NODE: Final[Mapping[str, Check]] = {"node": _text, "xid": _text}
_NEEDED: Final[Mapping[str, Mapping[str, Check]]] = {
    "GraphEdgeTaken": {"edge": _text, "source": _text, "target": _text},
    "GraphEdgeSkipped": {"edge": _text, "source": _text, "target": _text},
    "NodeRunStreamChunk": {**_NODE, "selector": _selector},
    "NodeRunReasoningChunk": {**_NODE, "selector": _selector},
    "NodeRunPauseRequested": {**_NODE, "reason": _mapping},
    "NodeRunVariableUpdated": {**_NODE, "selector": _selector},
}
_WHERE_GIVEN: Final[Mapping[str, Check]] = {
    "container": _text, "index": _index, "text": _text, "final": lambda value: isinstance(value, bool),
    "type": _text, "title": _text, "predecessor": _text, "outputs": _mapping, "usage": _usage,
    "elapsed": _number, "error": _text, "error_type": _text, "handle": _text, "exceptions_count": _index,
    "retry_index": _index, "round": _index, "fields": _mapping,
    "reasons": lambda value: isinstance(value, list) and all(isinstance(each, Mapping) for each in value),
}  # fmt: skip


def event_fault(event: Mapping[str, Any]) -> str | None:
    """What is wrong with an event, as the end of a sentence; None when it can be replayed."""
    kind = event.get("kind")
    if not isinstance(kind, str) or not kind:
        return "the event has no kind"
    needed = _NEEDED.get(kind, _NODE if kind.startswith("NodeRun") else {})
    for key, check in needed.items():
        if key not in event:
            return f"`{key}` of the {kind} is missing"
        if not check(event[key]):
            return f"`{key}` of the {kind} has the wrong type"
    for key, value in event.items():
        check = _WHERE_GIVEN.get(key, _anything)
        if not check(value) and key not in needed:
            return f"`{key}` of the {kind} has the wrong type"
    return None


def _anything(_: Any) -> bool:
    return True
