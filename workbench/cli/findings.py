"""Findings and the states of Answers, printed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from workbench.cli.output import print_json, say, tell
from workbench.cli.style import Style
from workbench.cli.words import indent, wrapped
from workbench.core.finding import AnswerState, Finding
from workbench.core.findings.naming import number
from workbench.core.paths import SearchCost
from workbench.verbs.results import WhyResult
from workbench.views.safe import safe_line
from workbench.views.secrets import Mask, mask_for
from workbench.views.shapes import why_json

FOUND = 4
MOST_EDGES = 8
"""Edges of one finding or Answer that a screen shows; one with a thousand has more than anybody reads."""


def print_findings(result: WhyResult, *, as_json: bool, unmask: bool) -> int:
    """Print what `why` or `check` found; the exit code."""
    mask = mask_for(result.environment, unmask=unmask)
    if as_json:
        print_json(why_json(result, mask))
    else:
        for note in result.notes:
            tell(f"note: {indent(mask.text(note))}")
        for line in why_lines(result, mask, Style(sys.stdout)):
            say(line)
    return FOUND if result.troubled else 0


def why_lines(result: WhyResult, mask: Mask, style: Style) -> Iterator[str]:
    """What was looked at, each finding with its evidence, then where each Answer stands."""
    yield style.bold(safe_line(mask.text(result.subject)))
    if not result.findings:
        sound = "Nothing wrong is seen in it, without its app." if result.partial else "Nothing is wrong."
        yield style.good(sound)
    told: set[str] = set()
    for finding in result.findings:
        yield from _finding(finding, result, mask, style, again=finding.advice in told)
        told.add(finding.advice)
    if result.answers:
        yield style.dim("Answers")
    for answer in result.answers:
        yield from _answer(answer, result, style)
    if result.search is not None and result.search.paths:
        yield style.dim("Start") + f"  {_search(result.search)}"


def _search(search: SearchCost) -> str:
    paths = sum(search.paths.values())
    took = search.seconds
    time = (
        "no noticeable time"
        if took < 0.05
        else f"about {took:.1f} s"
        if took < 3600
        else "longer than an hour"
    )
    more = " or more" if search.capped else ""
    count = f"{number(paths)} path{'' if paths == 1 else 's'}{more}"
    return f"Dify lists {count} before the first node runs: {time}."


def _versions(finding: Finding) -> str:
    first, last = finding.versions
    if first is None and last is None:
        return ""
    if first == last:
        return f"  Dify {first}"
    return f"  Dify {first} and newer" if last is None else f"  Dify {first or 'of old'} to {last}"


def _finding(finding: Finding, result: WhyResult, mask: Mask, style: Style, *, again: bool) -> Iterator[str]:
    """One finding; advice that was given before (`again`) is not given twice."""
    where = f"  {safe_line(result.titles.get(finding.node_id, finding.node_id))}" if finding.node_id else ""
    head = f"{style.severity(finding.severity, finding.severity)}  {style.bold(finding.code)}{where}"
    yield head + style.dim(_versions(finding))
    yield from wrapped(mask.text(finding.message), "  ")
    yield from _edges("  edge", finding.edges, result)
    if finding.advice:
        yield from wrapped("As above." if again else mask.text(finding.advice), "    ", "  → ")


def _answer(answer: AnswerState, result: WhyResult, style: Style) -> Iterator[str]:
    title = safe_line(result.titles.get(answer.node_id, answer.node_id))
    paint = {"locked": style.warn, "active": style.info, "queued": style.info, "done": style.good}
    yield f"  {paint.get(answer.state, style.dim)(answer.state)}  {title} ({safe_line(answer.node_id)})"
    yield from _edges("    taken    ", answer.taken, result)
    yield from _edges("    waits for", answer.blocking, result)


def _edges(word: str, edges: Sequence[str], result: WhyResult) -> Iterator[str]:
    for edge in edges[:MOST_EDGES]:
        yield f"{word} {_edge(edge, result)}"
    if len(edges) > MOST_EDGES:
        yield f"{word} ... and {len(edges) - MOST_EDGES} more (--json has them all)"


def _edge(edge: str, result: WhyResult) -> str:
    words = result.edge_names.get(edge)
    return f"{safe_line(words)}  [{safe_line(edge)}]" if words else safe_line(edge)
