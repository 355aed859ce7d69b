"""Scripts: what the outside world answers in a run, read from YAML and checked against the app.

The whole vocabulary stands in kernels/SCRIPT.md. Every problem is told with its node and line, all of them
at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from workbench.errors import BadInputError
from workbench.records.app import App
from workbench.records.reading import check_size, decode, shorten
from workbench.records.script_answers import RULES
from workbench.records.script_rules import (
    DEFAULT_KEYS,
    KEYS_OF_TYPE,
    SELF_MADE,
    UNKNOWN_TYPE,
    Report,
    ScriptNode,
    Spot,
    TooManyProblems,
    did_you_mean,
    told,
)
from workbench.records.yaml_reading import Path, YamlDocument, path_text, read_yaml

SCRIPT_LIMIT = 1_000_000
"""Bytes of a script."""

MOST_TOLD = 10
"""Problems that one message lists."""

_ROUND = re.compile(r"\d{1,6}(\.\d{1,6}){0,9}")


def read_script(data: bytes, app: App | None, source: str = "script") -> dict[str, Any]:
    """Read and check a script.

    Args:
        data: the YAML (or JSON) text.
        app: the app it is for; None checks only what no app is needed for.
        source: the file's name, for messages.

    Returns:
        The `script` of the protocol: {"nodes": {node id: {...}}, "defaults": {node type: {...}}}, plain
        JSON. Nodes named by their title are given by their id.

    Raises:
        BadInputError: every problem with its line and node.
    """
    check_size(len(data), source, SCRIPT_LIMIT)
    if not _has_content(decode(data, source)):
        return {"nodes": {}}
    document = read_yaml(data, source, lines=True)
    report = Report()
    script: dict[str, Any] = {}
    with suppress(TooManyProblems):
        for path, _line in document.repeated:
            Spot(report, path).say(f"`{shorten(str(path[-1]), 40)}` stands here twice")
        script = _Reader(app).read(document.value, report)
    if report.problems:
        raise _refusal(source, document, report)
    return script


def _has_content(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _refusal(source: str, document: YamlDocument, report: Report) -> BadInputError:
    lines = dict(document.lines)
    lines.update(document.repeated)
    found = sorted({(_line_of(lines, path), _place(path), text) for path, text in report.problems})
    told_ = [f"line {line}{place}: {text}" for line, place, text in found[:MOST_TOLD]]
    if len(found) > MOST_TOLD:
        told_.append(f"... and {len(found) - MOST_TOLD} more")
    return BadInputError(
        f"{source} has {len(found)} mistake{'s' if len(found) > 1 else ''}",
        "\n".join(told_),
        "Correct them; the vocabulary of scripts is explained in kernels/SCRIPT.md.",
    )


def _line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a value, or of the nearest one around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _place(path: Path) -> str:
    if len(path) > 1 and path[0] == "nodes":
        inner = path_text(path[2:]) if len(path) > 2 else ""
        return f", node {shorten(str(path[1]), 40)}" + (f", {inner}" if inner else "")
    return f", {path_text(path)}" if path else ""


class _Reader:
    """Reads one script against one app."""

    def __init__(self, app: App | None) -> None:
        self.nodes = None if app is None else {node.id: node for node in _nodes_of(app)}

    def read(self, value: Any, report: Report) -> dict[str, Any]:
        top = Spot(report, ())
        if not isinstance(value, Mapping):
            top.say(f"a script is a mapping with `nodes`, not {told(value)}")
            return {"nodes": {}}
        for key in value:
            if key not in ("nodes", "defaults"):
                looks_like_node = self.nodes is not None and self._find(key) is not None
                hint = (
                    "put it under `nodes:`" if looks_like_node else did_you_mean(key, ["nodes", "defaults"])
                )
                top.at(key).say(f"unknown key `{shorten(key, 40)}`; {hint}")
        script: dict[str, Any] = {"nodes": self._nodes(value.get("nodes"), top.at("nodes"))}
        if value.get("defaults") is not None:
            script["defaults"] = self._defaults(value["defaults"], top.at("defaults"))
        return script

    def _nodes(self, value: Any, spot: Spot) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            spot.say(f"`nodes` must be a mapping from node ids to what they answer, not {told(value)}")
            return {}
        made: dict[str, Any] = {}
        for name, entry in value.items():
            at = spot.at(name)
            node = self._node(name, at)
            if self.nodes is not None and node is None:
                continue
            key = node.id if node else name
            if key in made:
                at.say(f"the node {key} is named twice, by id and by title")
            made[key] = self._entry(entry, Spot(at.report, at.path, node))
        return made

    def _find(self, name: str) -> ScriptNode | None:
        nodes = self.nodes or {}
        if name in nodes:
            return nodes[name]
        titled = [node for node in nodes.values() if node.title == name]
        return titled[0] if len(titled) == 1 else None

    def _node(self, name: str, spot: Spot) -> ScriptNode | None:
        if self.nodes is None:
            return None
        found = self._find(name)
        if found is not None:
            return found
        titled = [node.id for node in self.nodes.values() if node.title == name]
        if titled:
            spot.say(
                f"{len(titled)} nodes are called {shorten(name, 40)!r}; use the id: {', '.join(titled[:8])}"
            )
            return None
        spot.say(f"the app has no node {shorten(name, 40)!r}; {self._suggest(name)}")
        return None

    def _suggest(self, name: str) -> str:
        nodes = [node for node in (self.nodes or {}).values() if node.type not in SELF_MADE]
        names = {node.id: node.id for node in nodes}
        names |= {n.title: n.id for n in nodes if n.title and n.title.lower() != n.id.lower()}
        hint = did_you_mean(name, list(names))
        for spoken, node_id in names.items():
            if spoken != node_id and f"mean {spoken}" in hint:
                return f"{hint} (its id is {node_id})"
        return hint

    def _defaults(self, value: Any, spot: Spot) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            spot.say(f"`defaults` must be a mapping from node types to what they answer, not {told(value)}")
            return {}
        made: dict[str, Any] = {}
        for node_type, entry in value.items():
            at = spot.at(node_type)
            if node_type not in KEYS_OF_TYPE:
                at.say(
                    f"no node type {shorten(node_type, 40)!r}; {did_you_mean(node_type, list(KEYS_OF_TYPE))}"
                )
                continue
            made[node_type] = self._keys(entry, at, KEYS_OF_TYPE[node_type] & DEFAULT_KEYS)
        return made

    def _entry(self, entry: Any, spot: Spot) -> dict[str, Any]:
        """What a node answers, with its rounds and calls."""
        node = spot.node
        if node is not None and node.type in SELF_MADE:
            spot.say(f"{_article(node.type)} node works out its result itself: a script can't change it")
            return {}
        keys = UNKNOWN_TYPE if node is None else KEYS_OF_TYPE.get(node.type, UNKNOWN_TYPE)
        if node is None:
            keys = frozenset().union(*KEYS_OF_TYPE.values())
        made = self._keys(entry, spot, keys)
        if node is not None and "rounds" in made and not node.in_container:
            spot.at("rounds").say("the node is in no loop or iteration, so it has no rounds")
        inner = keys - {"rounds", "calls"}
        if "rounds" in made:
            made["rounds"] = self._rounds(made["rounds"], spot.at("rounds"), inner)
        if "calls" in made:
            made["calls"] = self._calls(made["calls"], spot.at("calls"), inner)
        return made

    def _rounds(self, value: Any, spot: Spot, keys: frozenset[str]) -> Any:
        if isinstance(value, list):
            return [None if v is None else self._short(v, spot.at(i), keys) for i, v in enumerate(value)]
        if not isinstance(value, Mapping):
            spot.say(f"`rounds` must be a list, or a mapping from round numbers (from 0), not {told(value)}")
            return {}
        for key in value:
            if not _ROUND.fullmatch(key):
                spot.at(key).say(
                    f"{shorten(key, 40)!r} is no round: 0 is the first; 1.0 is inner 0 of outer 1"
                )
        return {key: self._short(item, spot.at(key), keys) for key, item in value.items()}

    def _calls(self, value: Any, spot: Spot, keys: frozenset[str]) -> list[Any]:
        if not isinstance(value, list) or not value:
            spot.say(
                "`calls` must be a list with an entry for each call (the last one holds for all further ones)"
            )
            return []
        return [self._short(item, spot.at(index), keys) for index, item in enumerate(value)]

    def _short(self, value: Any, spot: Spot, keys: frozenset[str]) -> dict[str, Any]:
        """An entry of a round or call; text alone means {text: ...} where the node speaks."""
        if isinstance(value, str) and "text" in keys:
            return {"text": value}
        return self._keys(value, spot, keys)

    def _keys(self, entry: Any, spot: Spot, keys: frozenset[str]) -> dict[str, Any]:
        if entry is None:
            return {}
        if not isinstance(entry, Mapping):
            spot.say(f"a mapping is needed here ({', '.join(sorted(keys))}), not {told(entry)}")
            return {}
        made: dict[str, Any] = {}
        for key, value in entry.items():
            at = spot.at(key)
            if key not in keys:
                what = f"{_article(spot.type)} node" if spot.node else "it"
                at.say(f"`{shorten(key, 40)}` is not for {what}; {did_you_mean(key, sorted(keys))}")
            elif key in ("rounds", "calls"):
                made[key] = value
            else:
                made[key] = RULES[key](value, at)
        for one, other in (("text", "chunks"), ("submit", "timeout"), ("class", "text"), ("class", "chunks")):
            if one in made and other in made:
                spot.at(other).say(f"`{one}` and `{other}` say the same thing twice: keep one")
        return made


def _article(node_type: str) -> str:
    return f"{'an' if node_type[:1] in 'aeiou' or node_type.startswith('llm') else 'a'} {node_type}"


def _nodes_of(app: App) -> Iterator[ScriptNode]:
    for node in app.graph["nodes"]:
        data = node.get("data")
        data = data if isinstance(data, Mapping) else {}
        inside = node.get("parentId") or data.get("iteration_id") or data.get("loop_id")
        yield ScriptNode(
            id=str(node["id"]),
            type=str(data.get("type") or ""),
            title=str(data.get("title") or ""),
            data=data,
            in_container=bool(inside),
        )
