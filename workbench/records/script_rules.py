"""What a script may say: the keys of each node type, and the shape of each key's value.

kernels/SCRIPT.md tells it to users; kernels/host/world carries it out. A rule gets a value and the spot
where it stands, reports what is wrong there and gives back the value as plain JSON.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.records.reading import nearest, shorten
from workbench.records.yaml_reading import Path

MOST_SECONDS = 3600.0
_STREAMED = frozenset({"text", "chunks"})
_COMMON = frozenset({"delay", "fail", "calls", "rounds"})

KEYS_OF_TYPE: Mapping[str, frozenset[str]] = {
    "llm": _COMMON | _STREAMED | {"reasoning", "usage", "outputs"},
    "question-classifier": _COMMON | _STREAMED | {"reasoning", "usage", "class"},
    "parameter-extractor": _COMMON | _STREAMED | {"reasoning", "usage", "outputs"},
    "agent": _COMMON | _STREAMED | {"usage", "outputs", "json", "files"},
    "tool": _COMMON | _STREAMED | {"usage", "outputs", "json", "files"},
    "code": _COMMON | {"outputs"},
    "http-request": _COMMON | {"status", "headers", "body", "timeout"},
    "template-transform": _COMMON,
    "human-input": frozenset({"submit", "timeout", "calls", "rounds"}),
    "knowledge-retrieval": _COMMON | {"results", "outputs"},
    "document-extractor": _COMMON | {"text", "outputs"},
    "datasource": _COMMON | {"text", "outputs"},
    "datasource-empty": _COMMON | {"text", "outputs"},
    "knowledge-index": _COMMON | {"outputs"},
    "trigger-webhook": _COMMON | {"outputs"},
    "trigger-schedule": _COMMON | {"outputs"},
    "trigger-plugin": _COMMON | {"outputs"},
}
UNKNOWN_TYPE = _COMMON | _STREAMED | {"outputs"}
"""Keys of a type that neither graphon nor this table knows: it runs as a stub."""

SELF_MADE = frozenset(
    """start end answer if-else variable-aggregator variable-assigner assigner list-operator loop loop-start
    loop-end iteration iteration-start""".split()  # noqa: SIM905
)
"""Types that work out their result themselves: there is nothing outside of the run to script."""

STREAMING = frozenset({"llm", "agent", "tool"})
"""Types whose chunks leave the node while it runs, so that a failure may come after some of them."""

DEFAULT_KEYS = frozenset(
    {"delay", "fail", "usage", "reasoning", "text", "chunks", "status", "headers", "body", "timeout"}
)
"""Keys that also make sense for every node of a type (`defaults`)."""


@dataclass(frozen=True)
class ScriptNode:
    """What the rules ask of a node of the app."""

    id: str
    type: str
    title: str
    data: Mapping[str, Any]
    in_container: bool = False


MOST_PROBLEMS = 50
"""A file with more is not a script that someone wrote; looking for near names takes time."""


class TooManyProblems(Exception):  # noqa: N818
    """Reading stops: what was found is enough to tell."""


@dataclass
class Report:
    """Problems in the order they were found, each with the path of its place in the file."""

    problems: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Spot:
    """Where in the script a value stands, and the node it is about (None: no app was given)."""

    report: Report
    path: Path
    node: ScriptNode | None = None

    def at(self, *parts: str | int) -> Spot:
        return Spot(self.report, (*self.path, *parts), self.node)

    def say(self, text: str) -> None:
        self.report.problems.append((self.path, text))
        if len(self.report.problems) >= MOST_PROBLEMS:
            raise TooManyProblems

    @property
    def data(self) -> Mapping[str, Any]:
        return self.node.data if self.node else {}

    @property
    def type(self) -> str:
        return self.node.type if self.node else ""


def told(value: Any) -> str:
    """A value for a message, with its kind where that is the mistake."""
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "nothing"}
    named = kinds.get(type(value))
    return named or f"{shorten(repr(value), 40)}"


def did_you_mean(name: str, names: list[str]) -> str:
    near = nearest(name, names)
    listed = ", ".join(shorten(n, 40) for n in names[:12]) + (", ..." if len(names) > 12 else "")
    return f"did you mean {' or '.join(near)}?" if near else f"there are: {listed or 'none'}."


def plain(value: Any, spot: Spot) -> Any:
    """Any JSON value; NaN and the infinities are none."""
    if isinstance(value, float) and not math.isfinite(value):
        spot.say(f"{value} is no JSON number")
    elif isinstance(value, Mapping):
        return {str(k): plain(v, spot.at(str(k))) for k, v in value.items()}
    elif isinstance(value, list):
        return [plain(v, spot.at(i)) for i, v in enumerate(value)]
    return value


def text(value: Any, spot: Spot) -> str:
    if not isinstance(value, str):
        hint = " (put it in quotes)" if isinstance(value, int | float) else ""
        spot.say(f"`{spot.path[-1]}` must be text, not {told(value)}{hint}")
        return ""
    return value


def seconds(value: Any, spot: Spot) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_SECONDS:
        spot.say(f"`{spot.path[-1]}` must be seconds from 0 to {MOST_SECONDS:.0f}, not {told(value)}")
        return 0.0
    return value


def whole(value: Any, spot: Spot, least: int, most: int = 10**9) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        bounds = f"from {least}" + (f" to {most}" if most < 10**9 else " up")
        spot.say(f"`{spot.path[-1]}` must be a whole number {bounds}, not {told(value)}")
        return least
    return value


def mapping(value: Any, spot: Spot, known: tuple[str, ...] | None = None) -> dict[str, Any]:
    """A mapping with known keys (any, when None is given)."""
    if not isinstance(value, Mapping):
        spot.say(f"`{spot.path[-1]}` must be a mapping, not {told(value)}")
        return {}
    for key in value:
        if known is not None and key not in known:
            spot.at(key).say(f"unknown key `{shorten(key, 40)}`; {did_you_mean(key, list(known))}")
    return {k: v for k, v in value.items() if known is None or k in known}


def flag(value: Any, spot: Spot) -> bool:
    if not isinstance(value, bool):
        spot.say(f"`{spot.path[-1]}` must be true or false, not {told(value)}")
    return value is True


def chunks(value: Any, spot: Spot) -> list[Any]:
    """Texts, or {text, wait} with the seconds before it."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        spot.say(f"`{spot.path[-1]}` must be a list of texts, not {told(value) if value != [] else 'empty'}")
        return []
    made: list[Any] = []
    for index, item in enumerate(value):
        at = spot.at(index)
        if isinstance(item, Mapping):
            given = mapping(item, at, ("text", "wait"))
            made.append(
                {
                    "text": text(given.get("text", ""), at.at("text")),
                    **({"wait": seconds(given["wait"], at.at("wait"))} if "wait" in given else {}),
                }
            )
        elif isinstance(item, str):
            made.append(item)
        else:
            hint = " (put it in quotes)" if isinstance(item, int | float) else ""
            at.say(f"a chunk must be text or {{text, wait}}, not {told(item)}{hint}")
    return made


_ERROR_TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")


def fail(value: Any, spot: Spot) -> Any:
    """true, an attempt, attempts, or {attempts, after_chunks, error, error_type}."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | list):
        return {"attempts": _attempts(value, spot)}
    given = mapping(value, spot, ("attempts", "after_chunks", "error", "error_type"))
    made: dict[str, Any] = {}
    if "attempts" in given:
        made["attempts"] = _attempts(given["attempts"], spot.at("attempts"))
    if "after_chunks" in given:
        made["after_chunks"] = whole(given["after_chunks"], spot.at("after_chunks"), 0)
        if spot.node and spot.type not in STREAMING and made["after_chunks"]:
            spot.at("after_chunks").say(f"a {spot.type} node streams nothing, so it can't fail after chunks")
    if "error" in given:
        made["error"] = text(given["error"], spot.at("error"))
    if "error_type" in given:
        made["error_type"] = text(given["error_type"], spot.at("error_type"))
        if not _ERROR_TYPE.fullmatch(made["error_type"]):
            spot.at("error_type").say("`error_type` must be a class name such as InvokeRateLimitError")
    return made


def _attempts(value: Any, spot: Spot) -> list[int]:
    listed = value if isinstance(value, list) else [value]
    if not listed:
        spot.say("`attempts` is empty: name at least one (the first is 1), or leave it out to fail always")
    return [whole(item, spot, 1) for item in listed]


_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
_PRICES = ("prompt_price", "completion_price", "total_price", "latency")


def usage(value: Any, spot: Spot) -> dict[str, Any]:
    given = mapping(value, spot, (*_USAGE, *_PRICES, "currency"))
    for key, item in given.items():
        if key in _USAGE:
            whole(item, spot.at(key), 0)
        elif key in _PRICES and (isinstance(item, bool) or not isinstance(item, int | float) or item < 0):
            spot.at(key).say(f"`{key}` must be a number from 0 up, not {told(item)}")
        elif key == "currency":
            text(item, spot.at(key))
    return given


Rule = Callable[[Any, Spot], Any]
