"""Targets in the frame of a container's round: `frame:0/ask.note`, `frame:0/node:ask`, `frame:0/edge:e1`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.edits import variables
from workbench.core.edits.document import Document
from workbench.core.edits.plan import Edit, Place, Plan, title_of, unknown
from workbench.core.edits.states import Edges, Nodes, mapping
from workbench.errors import UsageError
from workbench.records.json_places import Path


class Frames:
    """`frame:INDEX/TARGET`; INDEX counts the frames of the state from 0, or is a frame's id."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        name, slash, target = rest.partition("/")
        frames = dict(frames_of(doc))
        known = {**{str(index): path for index, path in enumerate(frames.values())}, **frames}
        if name not in known or not slash:
            raise unknown("frame", name, [f"{index}/" for index in range(len(frames))])
        data = (*known[name], "runtime_data")
        if target.startswith("node:"):
            return Nodes().plan(doc, target[5:], edit, (*data, "graph_node_states"))
        if target.startswith("edge:"):
            return Edges().plan(doc, target[5:], edit, (*data, "graph_edge_states"))
        if not isinstance(doc.value((*data, "variable_pool")), dict):
            raise UsageError(
                f"Frame {name} has no variables of its own.",
                "It shares those of the run.",
                f"Leave the frame out: {target}=...",
            )
        return variables.plan_in(doc, (*data, *variables.POOL), target, edit)

    def places(self, doc: Document) -> Iterator[Place]:
        for index, path in enumerate(dict(frames_of(doc)).values()):
            data = (*path, "runtime_data")
            prefix = f"frame:{index}/"
            for node, state in mapping(doc, (*data, "graph_node_states")).items():
                yield Place(f"{prefix}node:{node}", state, "", title_of(doc, node))
            for edge, state in mapping(doc, (*data, "graph_edge_states")).items():
                yield Place(f"{prefix}edge:{doc.dsl_edge(edge)}", state)
            if isinstance(doc.value((*data, "variable_pool")), dict):
                yield from variables.places_in(doc, (*data, *variables.POOL), prefix)


def frames_of(doc: Document) -> Iterator[tuple[str, Path]]:
    """The open rounds of containers, by id, and where they stand."""
    if doc.state_path is None:
        return
    path = (*doc.state_path, "container_frames")
    found: Any = doc.value(path)
    for index, frame in enumerate(found if isinstance(found, list) else ()):
        if isinstance(frame, dict):
            yield str(frame.get("frame_id")), (*path, index)
