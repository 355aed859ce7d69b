"""Runs, states and apps with their secrets hidden, so that they can be given away.

More is hidden than on a screen, because a file goes on: every environment variable at its place, and wherever
its value turns up; values under keys that name a credential, and wherever those turn up; whatever has the
form of a well-known token. What an Answer shows to every chat user is kept (an environment variable that a
template names and that is no secret): a replay must stream the same text. Ids, node types and handles are
never touched, so that a journal stays a journal. The same text is hidden alike everywhere, also where a
stream had cut it in pieces: what was streamed and what the Answer said stay equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.core.compare import NESTED
from workbench.core.graph import Graph, Variable
from workbench.core.secrets import COPIED, MASK, SHORTEST, Mask, names_credential

_PLAIN_WORD: Final = re.compile(r"[A-Za-z][a-z]*([ _-][a-z]+)*")
_ONLY_REFERENCES: Final = re.compile(r"(\s*\{\{[^{}]*\}\}\s*)+")
_SEPARATORS: Final = re.compile(r"[.:/\[\]]")
_BEARER: Final = 8
"""A value under a credential's key is hidden elsewhere too when it has at least so many characters."""

_CONTENT: Final = frozenset(
    {
        "inputs", "outputs", "process_data", "metadata", "value", "error", "previous", "data", "context",
        "resources", "fields", "content", "reason", "reasons", "action_text",
    }
)  # fmt: skip
"""Keys of an event that hold what users and models said; all others are structure."""
_STRUCTURE: Final = frozenset(
    {
        "id", "type", "TYPE", "version", "kind", "mode", "source", "target", "sourceHandle", "targetHandle",
        "sourceType", "targetType", "parentId", "node_id", "node_type", "form_id", "session_id", "frame_id",
        "execution_id", "invocation_id", "parent_invocation_id", "root_node_id", "workflow_id", "selector",
        "value_type", "varType", "variable", "output_variable_name", "case_id", "iteration_id", "loop_id",
        "start_node_id", "provider_id", "provider_type", "comparison_operator", "logical_operator",
        "operation", "input_type", "state", "error_strategy",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Hider:
    """What is hidden of one family of runs.

    Attributes:
        environment: names of the environment variables whose values are hidden, `kept` of those that an
            Answer shows.
    """

    mask: Mask
    environment: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()

    def text(self, text: str) -> str:
        return self.mask.text(text)

    def content(self, value: Any) -> Any:
        """Plain JSON data, all of it content."""
        return self._walk(value, frozenset())

    def view(self, value: Any) -> Any:
        """A view of a run or a step that is compared (`core.compare`), its environment by place as well."""
        hidden = self.content(value)
        known = hidden.get("variables") if isinstance(hidden, Mapping) else None
        if not isinstance(known, Mapping) or not isinstance(known.get("env"), Mapping):
            return hidden
        environment = {name: blank(item) for name, item in known["env"].items()}
        return {**hidden, "variables": {**known, "env": environment}}

    # ---- journals

    def events(self, events: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The events of one run, in order."""
        streams: dict[tuple[Any, ...], list[int]] = {}
        for place, event in enumerate(events):
            if event.get("kind") in ("NodeRunStreamChunk", "NodeRunReasoningChunk"):
                streams.setdefault((event["node"], *event["selector"]), []).append(place)
        texts: dict[int, str] = {}
        for places in streams.values():
            told = [str(events[place].get("text", "")) for place in places]
            texts.update(zip(places, self.mask.pieces(told), strict=True))
        return [self._event(event, texts.get(place)) for place, event in enumerate(events)]

    def _event(self, event: Mapping[str, Any], text: str | None) -> dict[str, Any]:
        hidden = {
            key: self._content_of(key, value) if key in _CONTENT else value for key, value in event.items()
        }
        if text is not None and "text" in hidden:
            hidden["text"] = text
        return hidden

    def _content_of(self, key: str, value: Any) -> Any:
        structure = _STRUCTURE if key in ("reason", "reasons") else frozenset[str]()
        return self._walk(value, structure)

    def graph(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The `graph` message: only the literal parts of templates are content."""
        nodes = {
            node: {**facts, "template": [self._part(part) for part in facts["template"]]}
            if isinstance(facts, Mapping) and isinstance(facts.get("template"), list)
            else facts
            for node, facts in (message.get("nodes") or {}).items()
        }
        return {**message, "nodes": nodes} if nodes else dict(message)

    def _part(self, part: Any) -> Any:
        if isinstance(part, list) and len(part) == 2 and part[0] == "text" and isinstance(part[1], str):
            return ["text", self.mask.text(part[1])]
        return part

    def streams(self, told: Sequence[Sequence[Sequence[Any]]]) -> list[list[list[Any]]]:
        """What the gate let through, step by step: lists of chunks [node, selector, text, final]."""
        places: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
        for step, chunks in enumerate(told):
            for place, chunk in enumerate(chunks):
                places.setdefault((chunk[0], *chunk[1]), []).append((step, place))
        hidden = [[list(chunk) for chunk in chunks] for chunks in told]
        for found in places.values():
            texts = self.mask.pieces([told[step][place][2] for step, place in found])
            for (step, place), text in zip(found, texts, strict=True):
                hidden[step][place][2] = text
        return hidden

    def pool(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The `pool` message: {node: {name: {"type", "value"}}}."""
        return {
            node: {
                name: {**held, "value": self._variable(node, name, held["value"])}
                for name, held in names.items()
            }
            for node, names in variables.items()
        }

    def _variable(self, node: str, name: str, value: Any) -> Any:
        if name.startswith(COPIED):
            node, name = "env", name.removeprefix(COPIED)
        return blank(value) if node == "env" and name in self.environment else self.content(value)

    # ---- saved states

    def state(self, text: str) -> str:
        """A saved state (a context, a runtime state, a gate) as text; unchanged where nothing is hidden."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self.text(text)
        hidden = self._walk(value, _STRUCTURE)
        if hidden == value:
            return text
        return json.dumps(hidden, ensure_ascii=text.isascii(), separators=(",", ":"))

    def _walk(self, value: Any, structure: frozenset[str]) -> Any:
        if isinstance(value, str):
            return self.mask.text(value)
        if isinstance(value, Mapping):
            names = value if structure else {self.content_key(key): item for key, item in value.items()}
            return {key: self._under(key, item, structure) for key, item in names.items()}
        if isinstance(value, list | tuple):
            return self._pieces_of(value, structure)
        return value

    def content_key(self, key: Any) -> Any:
        """Keys of content may hold secrets, too (a table by address, say)."""
        return self.mask.text(key) if isinstance(key, str) else key

    def _under(self, key: Any, item: Any, structure: frozenset[str]) -> Any:
        if key in structure and structure:
            return item if isinstance(item, str | list) else self._walk(item, structure)
        if isinstance(key, str) and key.startswith(COPIED) and not structure:
            return self._variable("env", key.removeprefix(COPIED), item)
        if key == "variable_dictionary" and isinstance(item, Mapping):
            return {node: self._saved_names(node, names) for node, names in item.items()}
        if isinstance(item, str):
            if key in NESTED and structure:
                return self.state(item)
            if item and names_credential(key) and not _ONLY_REFERENCES.fullmatch(item):
                return MASK
        if key == "chunks" and isinstance(item, list) and all(isinstance(each, str) for each in item):
            return self.mask.pieces(item)
        return self._walk(item, structure)

    def _saved_names(self, node: Any, names: Any) -> Any:
        if not isinstance(names, Mapping):
            return self._walk(names, _STRUCTURE)
        return {name: self._saved_variable(node, name, held) for name, held in names.items()}

    def _saved_variable(self, node: Any, name: Any, held: Any) -> Any:
        if not isinstance(held, Mapping) or "value" not in held:
            return self._walk(held, _STRUCTURE)
        return {
            **{key: item for key, item in held.items() if key != "value"},
            "value": self._variable(str(node), str(name), held["value"]),
        }

    def _pieces_of(self, items: Sequence[Any], structure: frozenset[str]) -> list[Any]:
        """A list; buffered events of a gate are pieces of one text."""
        if items and all(isinstance(each, Mapping) and isinstance(each.get("chunk"), str) for each in items):
            texts = self.mask.pieces([each["chunk"] for each in items])
            return [
                {**self._walk(each, structure), "chunk": text}
                for each, text in zip(items, texts, strict=True)
            ]
        return [self._walk(each, structure) for each in items]

    def edits(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """A list of edits, {"name", "edits"}; targets are structure."""
        edits = [
            {key: self._edited(str(edit.get("set")), item) if key in ("to", "text") else item
             for key, item in edit.items()}
            for edit in value["edits"]
        ]  # fmt: skip
        return {"name": self.text(value["name"]), "edits": edits}

    def _edited(self, target: str, value: Any) -> Any:
        names = [name for name in _SEPARATORS.split(target) if name]
        if self.environment.intersection(name.removeprefix(COPIED) for name in names):
            return blank(value)
        (hidden,) = self.content({names[-1] if names else "": value}).values()
        return hidden

    # ---- apps

    def app(self, value: Any) -> Any:
        """An exported app, as plain data."""
        return self._app(value, ())

    def _app(self, value: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, Mapping):
            return {key: self._app_under(key, item, path) for key, item in value.items()}
        if isinstance(value, list):
            return [self._app(item, (*path, place)) for place, item in enumerate(value)]
        return self.mask.text(value) if isinstance(value, str) else value

    def _app_under(self, key: Any, item: Any, path: tuple[Any, ...]) -> Any:
        here = (*path, key)
        if _is_environment(path) and key == "environment_variables" and isinstance(item, list):
            return [self._declared(each, here) for each in item]
        if key in _STRUCTURE or (isinstance(key, str) and key.endswith("selector")):
            return item if isinstance(item, str | list) else self._app(item, here)
        if names_credential(key):
            return _without_credential(item) if isinstance(item, str | Mapping) else self._app(item, here)
        return self._app(item, here)

    def _declared(self, entry: Any, path: tuple[Any, ...]) -> Any:
        if not isinstance(entry, Mapping) or entry.get("name") not in self.environment:
            return self._app(entry, path)
        return {key: blank(item) if key == "value" else item for key, item in entry.items()}


def _is_environment(path: tuple[Any, ...]) -> bool:
    return path in ((), ("workflow",))


def _without_credential(item: str | Mapping[str, Any]) -> Any:
    if isinstance(item, str):
        return item if not item or _ONLY_REFERENCES.fullmatch(item) else MASK
    value = item.get("value")
    return {**item, "value": _without_credential(value)} if isinstance(value, str) else item


def is_masked(value: Any) -> bool:
    """Does plain data hold something hidden?"""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if MASK in item:
                return True
        elif isinstance(item, Mapping):
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return False


def blank(value: Any) -> Any:
    """What stands for a hidden value: of the same type, so that an engine can still load it."""
    if isinstance(value, str):
        return MASK if value else value
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return 0
    if isinstance(value, list):
        return []
    return {} if isinstance(value, Mapping) else value


def hider_for(
    environment: Iterable[Mapping[str, Any]], graphs: Iterable[Graph], contents: Iterable[Any]
) -> Hider:
    """What has to be hidden of some runs.

    Args:
        environment: their environment variables ({"name", "value", "value_type"}), a name may come twice.
        graphs: their apps' graphs: what an Answer names is shown to every chat user anyway.
        contents: all plain data of theirs in which a credential may stand under its name.
    """
    named = {
        part.selector[:2]
        for graph in graphs
        for node in graph.nodes.values()
        for part in node.template
        if isinstance(part, Variable) and len(part.selector) > 1
    }
    shown = {name for space, name in named if space == "env"}
    known = list(environment)
    secret = {each["name"] for each in known if each.get("value_type") == "secret"}
    kept = {each["name"] for each in known if each["name"] in shown - secret}
    hidden = {each["name"] for each in known} - kept
    values: set[str] = set()
    for each in known:
        value = each.get("value")
        if isinstance(value, str) and each["name"] in hidden:
            values.add(value if len(value) >= SHORTEST or each["name"] in shown else "")
    for content in contents:
        values.update(_credentials(content, {name for _, name in named}))
    values -= {"", MASK}
    return Hider(
        Mask(tuple(sorted(values, key=lambda value: (-len(value), value)))),
        frozenset(hidden),
        frozenset(kept),
    )


def _credentials(value: Any, shown: Collection[str]) -> Iterator[str]:
    """Texts under keys that name a credential, as far as they look like one or an Answer names such a key."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Mapping):
            for key, inner in item.items():
                if isinstance(inner, str) and names_credential(key):
                    if _is_telling(inner) or (key in shown and len(inner) > 2):
                        yield inner
                else:
                    stack.append(inner)
        elif isinstance(item, list | tuple):
            stack.extend(item)


def _is_telling(text: str) -> bool:
    """Could a text be a credential of its own, and not just a word that is found everywhere?"""
    return (
        len(text) >= _BEARER
        and not _PLAIN_WORD.fullmatch(text)
        and not _ONLY_REFERENCES.fullmatch(text)
        and MASK not in text
    )
