"""Advice of the verbs, which names commands and options, said in Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

_VERBS = "runs|run|resume|show|why|check|fork|diff|edit|heal|import|export"
_COMMAND = re.compile(
    rf"(?P<before>`|: )workbench (?P<verb>{_VERBS})\b(?P<rest>[^`(\n]*?)(?P<after>`|\.?$| \()"
)
_OPTION = re.compile(r"(?<![\w-])--(?P<name>[a-z][a-z-]*[a-z])(?: (?P<number>\d+)\b)?")
_NAMES = {
    "set": "values",
    "unset": "remove",
    "input": "inputs",
    "field": "fields",
    "with-forks": "forks",
}
"""Arguments that are not called as their options are."""


def in_python(text: str) -> str:
    """A sentence with `workbench VERB ARGUMENTS` as a call, and other options as arguments."""
    return _OPTION.sub(_argument, _COMMAND.sub(_call, text))


def _call(found: re.Match[str]) -> str:
    words = found["rest"].split()
    verb, end = found["verb"], ""
    if "--fix" in words:
        verb = "fix"
        words.remove("--fix")
    if "-o" in words[:-1]:
        place = words.index("-o")
        end = f".save({_value(words[place + 1])})" if verb in ("heal", "fix") else ""
        del words[place : place + 2]
    if words[-1:] == ["--targets"]:
        verb, end, words = "load", ".targets()", words[:-1]
    verb = "import_" if verb == "import" else verb
    return f"{found['before']}wb.{verb}({', '.join(_arguments(words))}){end}{found['after']}"


def _arguments(words: list[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if not word.startswith("--"):
            yield _value(word)
            continue
        name = word.removeprefix("--")
        value = next(rest, "True")
        key, equals, text = value.partition("=")
        given = f"{{{_value(key, quoted=True)}: {_value(text, quoted=True)}}}" if equals else _value(value)
        yield f"{_NAMES.get(name, name.replace('-', '_'))}={given}"


def _value(word: str, *, quoted: bool = False) -> str:
    """A word as Python: numbers, placeholders (ID, FILE) and dots as they are, all else as a text."""
    bare = word.isdigit() or word == "..." or word == "True" or (word.isupper() and word.isalpha())
    return word if bare and not quoted else repr(word)


def _argument(found: re.Match[str]) -> str:
    name = found["name"]
    return f"{_NAMES.get(name, name.replace('-', '_'))}={found['number'] or ''}"
