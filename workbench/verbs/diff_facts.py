"""What is known of a side of a comparison beside its values: titles, places, timing, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.aligned import Facts
from workbench.core.compare import Past, timing_view
from workbench.core.findings import diagnose
from workbench.core.graph_of import graph_of
from workbench.core.places import Place, Places, places
from workbench.core.state import Event
from workbench.verbs.context import Context
from workbench.verbs.inspect import LoadedRun
from workbench.verbs.lineage import past_of
from workbench.verbs.why import edge_words, titles

if TYPE_CHECKING:
    from workbench.records.app import App


def facts_of_run(ctx: Context, loaded: LoadedRun, step: int, view: str) -> Facts:
    """A run, or a step of it; as a whole also what came before a fork, how long it took and what is wrong."""
    whole = view == "run"
    past = past_of(ctx, loaded.run.forked_from) if whole else Past()
    found = Facts(
        titles(loaded.graph), edge_words(loaded.graph), _places(loaded, past, step if not whole else None)
    )
    if not whole:
        return found
    run_id = loaded.run.run_id
    last = loaded.timeline.at(loaded.timeline.steps)
    findings = [
        ((each.code, each.node_id or "", each.message), Place(run_id, each.steps[0]) if each.steps else None)
        for each in diagnose(loaded.graph, loaded.timeline)
    ]
    return Facts(
        found.titles,
        found.edges,
        found.places,
        _timing(loaded, past),
        findings,
        {
            answer.node_id: {
                "state": answer.state,
                "waits for": [found.edges.get(edge, edge) for edge in answer.blocking],
            }
            for answer in last.answers
        },
    )


def facts_of_app(app: App) -> Facts:
    """An app, or a saved pause of it: only what things are called."""
    graph = graph_of(app.graph, app.root)
    return Facts(titles(graph), edge_words(graph))


def _timing(loaded: LoadedRun, past: Past) -> dict[str, Any]:
    """As `timing_view`; nodes that ran before a fork are counted among the occurrences."""
    return timing_view([*past.events, *loaded.timeline.journal.events], loaded.times)


def _places(loaded: LoadedRun, past: Past, until: int | None) -> Places:
    timeline, run_id = loaded.timeline, loaded.run.run_id
    steps = timeline.steps if until is None else until
    told = [*_told(past), *_numbered(run_id, timeline.journal.events[:steps])]
    length = sum(map(len, past.chunks))
    streamed = [(length, Place(past.run_ids[-1], past.counts[-1]))] if past.chunks else []
    for step in range(1, steps + 1):
        fresh = sum(len(chunk.text) for chunk in timeline.chunks_at(step))
        if fresh:
            length += fresh
            streamed.append((length, Place(run_id, step)))
    return places(told, streamed, Place(run_id, steps))


def _told(past: Past) -> Iterator[tuple[Place, Event]]:
    at = 0
    for run_id, count in zip(past.run_ids, past.counts, strict=True):
        yield from _numbered(run_id, past.events[at : at + count])
        at += count


def _numbered(run_id: str, events: Sequence[Event]) -> Iterator[tuple[Place, Event]]:
    return ((Place(run_id, step), event) for step, event in enumerate(events, start=1))
