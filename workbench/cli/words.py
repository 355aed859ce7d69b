"""Results in words, for people: lines of plain or coloured text."""

from __future__ import annotations

import json
import shlex
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.cli.style import Style
from workbench.verbs.results import ComparedRuns, PauseInfo, RunResult
from workbench.views.forms import form_text
from workbench.views.safe import safe_line, safe_text, width
from workbench.views.secrets import Mask

SHORT_ID = 8
WIDE = 100
"""Columns of a paragraph, at most."""
LONG = 2000
"""Characters of one value that a screen shows; what is cut is said."""


def short(identifier: str) -> str:
    """The beginning of an id, long enough to type and to be told apart most of the time."""
    return identifier[:SHORT_ID] if len(identifier) > SHORT_ID + 4 else identifier


def run_lines(result: RunResult, mask: Mask, style: Style) -> Iterator[str]:
    """How a segment ended, and what to do next."""
    forked = f", forked from {short(str(result.forked_from['run_id']))}" if result.forked_from else ""
    gate = f", gate {result.gate}" if result.gate else ""
    yield (
        f"{style.status(result.status)}  {safe_line(mask.text(result.app), 60)}  run {result.run_id}  "
        f"{result.steps} steps on {result.kernel}{gate}{forked}"
    )
    if result.error:
        yield f"{style.bad('error:')} {indent(mask.text(result.error))}"
    if result.streamed:
        yield from titled("streamed", mask.text(result.streamed), style)
    elif result.mode == "advanced-chat":
        yield style.dim("streamed  nothing")
    if result.stream_error:
        yield style.bad("the stream broke: ") + indent(mask.text(result.stream_error))
    if result.answer is not None and result.answer != result.streamed:
        yield from titled("answer", mask.text(result.answer), style)
    if result.mode != "advanced-chat" and result.outputs:
        yield from titled("outputs", value_text(mask.data(result.outputs)), style)
    if result.pause is not None:
        yield from pause_lines(result.pause, mask, style)
        yield from resume_hints(result, style)
    elif result.mode == "advanced-chat" and result.answer and result.answer != result.streamed:
        yield style.dim("→ ") + f"workbench why {short(result.run_id)}"


def pause_lines(pause: PauseInfo, mask: Mask, style: Style) -> Iterator[str]:
    """What a pause asks."""
    for reason in pause.reasons:
        node = str(reason.get("node_id") or "")
        title = safe_line(str(reason.get("node_title") or node), 60)
        if reason.get("type") != "human_input_required":
            message = safe_line(mask.text(str(reason.get("message") or "")), 120)
            yield f"{style.info('stopped')}  before {title} ({safe_line(node)})  {message}".rstrip()
            continue
        yield f"{style.info('waits')}  for {title} ({safe_line(node)})"
        if reason.get("content"):
            yield f"  {indent(form_text(mask.text(str(reason['content']))))}"
        actions = ", ".join(
            f"{each['id']} ({each.get('title') or each['id']})" for each in reason.get("actions") or ()
        )
        yield f"  actions  {safe_line(actions)}"
        for field in reason.get("fields") or ():
            default = field.get("default")
            shown = f" = {safe_line(value_text(mask.data(default)), 80)}" if default not in (None, "") else ""
            yield f"  field    {safe_line(field['name'])} ({safe_line(str(field.get('type', '')))}){shown}"


def resume_hints(result: RunResult, style: Style) -> Iterator[str]:
    """The command lines that go on from here."""
    assert result.pause is not None
    forms = [reason for reason in result.pause.reasons if reason.get("type") == "human_input_required"]
    command = ["workbench", "resume", short(result.run_id)]
    if forms:
        form = forms[0]
        actions = form.get("actions") or ()
        if len(forms) > 1:
            command += ["--node", str(form["node_id"])]
        command += ["--action", str(actions[0]["id"]) if actions else "__timeout"]
        for field in form.get("fields") or ():
            command += ["--field", f"{field['name']}=..."]
    yield style.dim("→ ") + safe_line(shlex.join(command))
    yield style.dim("→ ") + f"workbench why {short(result.run_id)}"


def compared_lines(result: ComparedRuns, mask: Mask, style: Style) -> Iterator[str]:
    """One line a kernel, what each did (what several share is told once), then the differences."""
    rows = [(run.kernel, run.status, str(run.steps), short(run.run_id)) for run in result.runs]
    yield from table(("kernel", "status", "steps", "run"), rows, style)
    for title, values in _facts(result, mask):
        kernels: dict[str, list[str]] = {}
        for run, value in zip(result.runs, values, strict=True):
            kernels.setdefault(value, []).append(run.kernel)
        for at, (value, names) in enumerate(kernels.items()):
            whose = "" if len(kernels) == 1 else style.warn(", ".join(names)) + ": "
            yield f"{style.dim(f'{title if at == 0 else "":<9}')} {whose}{value}"
    if not result.differences:
        alone = f"Only one engine kernel ran. {result.why_one}".rstrip()
        yield style.good("No differences.") if len(result.runs) > 1 else alone
    for each in result.differences:
        yield f"{style.warn(', '.join(each.kernels))}: {indent(mask.text(each.what))}"
        yield f"  {each.cause or 'No known cause fits.'}"


def _facts(result: ComparedRuns, mask: Mask) -> Iterator[tuple[str, list[str]]]:
    """What each run did, a value a run."""
    runs, ways = result.runs, result.ways
    if any(run.error for run in runs):
        yield "error", [indent(mask.text(run.error or "none")) for run in runs]
    yield "streamed", [safe_line(mask.text(run.streamed or "nothing"), LONG) for run in runs]
    yield "answer", [safe_line(mask.text(run.answer or "nothing"), LONG) for run in runs]
    yield "path", [safe_line(" → ".join(way.nodes) or "nothing ran", LONG) for way in ways]
    yield "findings", [safe_line(", ".join(map(_finding, way.findings)) or "none") for way in ways]


def _finding(found: tuple[str, str | None]) -> str:
    code, node = found
    return f"{code} ({node})" if node else code


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], style: Style) -> Iterator[str]:
    """Columns as wide as their widest cell; cells must be single lines."""
    listed = list(rows)
    widths = [max(map(width, column)) for column in zip(head, *listed, strict=True)]
    for number, row in enumerate([head, *listed]):
        cells = (cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=True))
        line = "  ".join(cells).rstrip()
        yield style.dim(line) if number == 0 else line


def titled(title: str, text: str, style: Style) -> Iterator[str]:
    """A title and a text, on one line when it is short."""
    clean = safe_text(text)
    missing = len(clean) - LONG
    if missing > 0:
        clean = f"{clean[:LONG]}… ({missing} more characters; --json has them all)"
    if "\n" not in clean:
        yield f"{style.dim(title)}  {clean}"
        return
    yield style.dim(title)
    yield from (f"  {line}" for line in clean.split("\n"))


def wrapped(text: str, before: str, first: str = "") -> Iterator[str]:
    """Sentences as lines of a readable width; the first one may have its own beginning."""
    columns = min(shutil.get_terminal_size((WIDE, 24)).columns, WIDE)
    for part in safe_text(text).split("\n"):
        lines = textwrap.wrap(
            part,
            columns,
            initial_indent=first or before,
            subsequent_indent=before,
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield from lines or [""]
        first = ""


def indent(text: str) -> str:
    """Safe text whose further lines stand under the first."""
    return safe_text(text).replace("\n", "\n  ")


def compact(value: Any) -> str:
    """A value on one line: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def value_text(value: Any) -> str:
    """A value as a person writes it: text as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    compact = isinstance(value, Mapping | list) and len(str(value)) < 80
    return json.dumps(value, ensure_ascii=False, indent=None if compact else 2, default=str)
