"""Targets for the paths that an Answer waits on: `gate:taken`, `gate:answer.paths`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.edits.document import Document
from workbench.core.edits.gate_parts import phase_of, scope
from workbench.core.edits.plan import MISSING, Plan, apply_steps, put
from workbench.core.edits.states import edge_named, edges_path, mapping
from workbench.core.edits.values import Given, as_list
from workbench.core.path_lists import path_lists
from workbench.errors import UsageError
from workbench.records.json_places import Path


def plan_paths(doc: Document, base: Path, answer: str, given: Given, target: str) -> Plan:
    given = as_list(given)
    value = given.value
    fits = isinstance(value, list) and all(isinstance(path, list) for path in value)
    if given.is_text or not fits:
        raise UsageError(
            f"{target} takes lists of edges.", "One list a path, with the edges that are still to be taken.",
            f'For example: {target}:=[["edge"], []]; or choose the taken edges: gate:taken=edge1,edge2',
        )  # fmt: skip
    held = mapping(doc, (*base, "paths_map"))
    saved = list(mapping(doc, edges_path(doc))) if doc.state_path is not None else []
    edges = [*(doc.graph.edges if doc.graph else ()), *saved, *_edges_in(held)]
    named = [
        [doc.gate_edge(doc.dsl_edge(edge_named(doc, str(edge), edges))) for edge in path] for path in value
    ]
    return Plan(
        f"paths to {answer}",
        (put(doc, (*base, "paths_map", answer), named),),
        named_paths(doc, held.get(answer, MISSING)),
        named_paths(doc, named),
    )


def named_paths(doc: Document, paths: Any) -> Any:
    """Lists of saved edge ids with the DSL's ids in their place; anything else as it is."""
    if not isinstance(paths, list):
        return paths
    return [
        [doc.dsl_edge(edge) if isinstance(edge, str) else edge for edge in path]
        if isinstance(path, list)
        else path
        for path in paths
    ]


def plan_taken(doc: Document, base: Path, given: Given, target: str) -> Plan:
    """`auto`: as the runtime state has it; `+edge,...`: these too; `edge,...`: exactly these."""
    given = as_list(given)
    text = ",".join(map(str, given.value)) if isinstance(given.value, list) else given.value
    if not isinstance(text, str):
        raise UsageError(
            f"{target} takes edges.", "", f"For example: {target}=edge1,edge2; or +edge3; or auto: as it ran"
        )
    before = sorted(taken_now(doc))
    more = text.startswith("+")
    held = mapping(doc, (*base, "paths_map"))
    if more:
        struck = {doc.gate_edge(edge) for edge in _named(doc, text[1:], held)}
        lists = {
            answer: [[edge for edge in path if edge not in struck] for path in listed]
            for answer, listed in held.items()
        }
    else:
        taken = set(states_taken(doc)) if text == "auto" else set(_named(doc, text, held))
        lists = _lists(doc, taken)
    steps = [
        put(doc, (*base, "paths_map", answer), listed)
        for answer, listed in lists.items()
        if listed != held.get(answer)
    ]
    after = apply_steps(doc, steps)
    notes = _opened(after, lists)
    return Plan("taken edges of the gate", tuple(steps), before, sorted(taken_now(after)), notes)


def _opened(doc: Document, lists: Mapping[str, Any]) -> tuple[str, ...]:
    """Answers that are locked although a path is open: the filter opens them at the next edge only."""
    gate = doc.gate() or {}
    free = [
        answer
        for answer, listed in lists.items()
        if any(path == [] for path in listed) and phase_of(gate, answer)[0] == "locked"
    ]
    return tuple(
        f"A path to {answer} is open now. It starts with the first event of the resume." for answer in free
    )


def _named(doc: Document, text: str, held: Mapping[str, Any]) -> list[str]:
    saved = list(mapping(doc, edges_path(doc))) if doc.state_path is not None else []
    edges = [*(doc.graph.edges if doc.graph else ()), *saved, *_edges_in(held)]
    names = [part.strip() for part in text.split(",") if part.strip() and part.strip() != "none"]
    return [doc.dsl_edge(edge_named(doc, name, edges)) for name in names]


def _lists(doc: Document, taken: set[str]) -> dict[str, list[list[str]]]:
    seen = scope(doc)
    known = (doc.gate() or {}).get("response_nodes")
    out = {}
    for answer in known if isinstance(known, list) else seen.responses:
        listed = path_lists(seen, answer) if answer in seen.nodes else ()
        if listed is None:
            raise UsageError(
                f"Too many paths lead to {answer}.", "graphon would have to list every one of them.",
                "Resume it in the workbench, whose gate needs no lists: --gate healed.",
            )  # fmt: skip
        out[answer] = [[doc.gate_edge(edge) for edge in path if edge not in taken] for path in listed]
    return out


def states_taken(doc: Document) -> list[str]:
    """The DSL's ids of the edges that the runtime state says were taken."""
    return [doc.dsl_edge(edge) for edge, state in mapping(doc, edges_path(doc)).items() if state == "taken"]


def taken_now(doc: Document) -> set[str]:
    """Blocking edges that no path list has any more; needs the app, else empty."""
    if doc.graph is None:
        return set()
    seen = scope(doc)
    paths = (doc.gate() or {}).get("paths_map")
    left = {doc.dsl_edge(edge) for edge in _edges_in(paths if isinstance(paths, dict) else {})}
    blocking = {edge for answer in seen.responses for path in path_lists(seen, answer) or () for edge in path}
    return blocking - left


def _edges_in(paths: Mapping[str, Any]) -> list[str]:
    return [
        edge
        for listed in paths.values()
        if isinstance(listed, list)
        for path in listed
        if isinstance(path, list)
        for edge in path
        if isinstance(edge, str)
    ]
