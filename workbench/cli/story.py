"""The bundled example, told as text."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.cli.style import Style
from workbench.cli.words import short, wrapped
from workbench.verbs.results import RunResult, WhyResult
from workbench.verbs.story import ACTION, FIELDS, QUERY, Story

FIELD = " ".join(f'--field {name}="{value}"' for name, value in FIELDS.items())


def story_lines(story: Story, style: Style) -> Iterator[str]:
    """Four parts: the pause, the gate lost, the gate restored, what to try next."""
    yield from _pause(story, style)
    yield from _lost(story, style)
    yield from _restored(story, style)
    yield from _next(story, style)


def _pause(story: Story, style: Style) -> Iterator[str]:
    paused, names = story.paused, story.at_pause.edge_names
    form = next(reason for reason in paused.pause.reasons if reason.get("node_id")) if paused.pause else {}
    answer = story.at_pause.titles.get(story.waiting.node_id, story.waiting.node_id)
    yield style.bold("1. A chatflow pauses for a person")
    yield f'   A customer writes: "{QUERY}"'
    asked = form.get("node_title") or form.get("node_id")
    yield f'   "{paused.app}" ran on the real {paused.kernel} and waits at "{asked}"'
    yield f"   (run {short(paused.run_id)}, {paused.steps} steps)."
    yield f'   The Answer "{answer}" is {story.waiting.state}. It streams once these edges are taken:'
    for edge in story.waiting.taken:
        yield f"     {style.good('taken    ')} {names.get(edge, edge)}"
    for edge in story.waiting.blocking:
        yield f"     {style.warn('not yet  ')} {names.get(edge, edge)}"
    yield ""


def _lost(story: Story, style: Style) -> Iterator[str]:
    yield style.bold("2. Approved, but the gate is lost (as in Dify 1.15, which does not save it)")
    yield from _what_happened(story.lost, style)
    for finding in story.lost_why.findings:
        if finding.severity not in ("error", "warning"):
            continue
        yield f"   {style.severity(finding.severity, finding.code)}:"
        yield from wrapped(finding.message, "   ")
        for edge in finding.edges:
            yield f"     {style.bad('lost     ')} {story.lost_why.edge_names.get(edge, edge)}  [{edge}]"
    yield ""


def _restored(story: Story, style: Style) -> Iterator[str]:
    yield style.bold("3. The same pause again, with its gate restored (a fork: the first run stays as it is)")
    yield from _what_happened(story.restored, style)
    yield f"   {_verdict(story.restored_why, style)}"
    yield ""


def _what_happened(result: RunResult, style: Style) -> Iterator[str]:
    streamed = f'"{result.streamed}"' if result.streamed else "nothing"
    yield f'   The run {result.status}; its answer is: "{result.answer}"'
    yield f"   What the customer saw: {style.bold(streamed)}"


def _verdict(why: WhyResult, style: Style) -> str:
    return (
        style.warn("Something is still wrong.") if why.troubled else style.good("`why` finds nothing wrong.")
    )


def _next(story: Story, style: Style) -> Iterator[str]:
    lost, pause = short(story.lost.run_id), story.paused.pause
    yield style.bold("What to try next")
    program = Path(sys.executable).with_name("workbench")
    if shutil.which("workbench") is None and program.exists():
        yield f"   alias workbench={shlex.quote(str(program))}"
        yield f"      {style.dim('first of all: it is not on your PATH')}"
    commands = [
        (f"workbench why {lost}", "the finding, with its evidence and advice"),
        (f"workbench show {lost} --step {story.paused.steps}", "everything that was true at the pause"),
        ("workbench run my-export.yml --query hi", "your own chatflow, offline, on the real engine"),
        ("workbench check my-export.yml --dify 1.15.0", "what would go silent, before it does"),
        ("workbench", "the TUI on all runs"),
    ]
    if pause is not None:
        resume = f"workbench resume {short(pause.pause_id)} --action {ACTION} {FIELD}"
        commands.insert(2, (resume, "resume it yourself (a fork)"))
    for command, what in commands:
        yield f"   {command}"
        yield f"      {style.dim(what)}"
