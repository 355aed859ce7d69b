"""Messages for YAML that can't be read: libyaml's own words, with the place and what to do."""

from __future__ import annotations

import yaml

from workbench.errors import BadInputError
from workbench.records.reading import MAX_DEPTH, shorten, too_deep, truncated

Path = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top."""


def path_text(path: Path) -> str:
    """`workflow.graph.nodes[3].data` for people."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{shorten(part, 30)}" for part in path)
    return text.removeprefix(".") or "the top"


def syntax_error(error: yaml.YAMLError, text: str, source: str) -> BadInputError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    if mark is None:  # the reader's own errors: a character that YAML forbids
        position = getattr(error, "position", None)
        where = f"line {text.count(chr(10), 0, position) + 1}: " if isinstance(position, int) else ""
        char = getattr(error, "character", None)
        what = f"the control character {char:#06x}" if isinstance(char, int) else problem
        return BadInputError(
            f"{source} is not valid YAML",
            f"{where}{what} is not allowed.",
            "Remove it: it often comes from copying out of a terminal or a web page.",
        )
    if "maximum nesting depth" in problem:
        return too_deep(source, MAX_DEPTH + 1)
    place = f"line {mark.line + 1}, column {mark.column + 1}"
    line = text.split("\n", mark.line + 1)[mark.line : mark.line + 1]
    around = f" Near: {shorten(line[0])!r}" if line and line[0].strip() else ""
    at_end = "expected" in problem and not text[_offset(text, mark) :].strip()
    if at_end or "found unexpected end of stream" in problem:
        return truncated(source, f"{place} ({problem})")
    if "'\\t'" in problem or (line and "\t" in line[0][: len(line[0]) - len(line[0].lstrip())]):
        return BadInputError(
            f"{source} is not valid YAML",
            f"{place}: a tab stands where only spaces may indent.{around}",
            "Replace the tabs by spaces.",
        )
    title, copy = f"{source} is not valid YAML", "Copy or download the file itself, completely."
    if "\n" not in text.strip() and len(text) > 200:
        return BadInputError(
            title,
            "All of it stands on one line: its line breaks were lost on the way (a web page?).",
            copy,
        )
    if "<document start>" in problem:
        return BadInputError(title, f"Its beginning is missing: what is there ends at {place}.{around}", copy)
    quotes = "cannot start any token" in problem or "mapping values are not allowed" in problem
    what = "Put the text there in quotes" if quotes else "Correct that place"
    return BadInputError(title, f"{place}: {problem}.{around}", f"{what}, or export the app again from Dify.")


def _offset(text: str, mark: yaml.Mark) -> int:
    """Where a mark stands in the text (libyaml's own index counts bytes)."""
    start = 0
    for _ in range(mark.line):
        start = text.find("\n", start) + 1
        if start == 0:
            return len(text)
    return start + int(mark.column)
