"""From the store's rows to the journal that core replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.state import DEFAULT_KERNEL, Base, Journal, Segment
from workbench.records.gate_state import read_gate_state, translate_edges
from workbench.records.runtime_state import RuntimeState, read_runtime_state

if TYPE_CHECKING:
    from workbench.store.rows import SegmentRow


def journal(
    rows: Sequence[SegmentRow], events: Sequence[Mapping[str, Any]], names: Mapping[str, str]
) -> Journal:
    """The journal of a run.

    Args:
        rows: the run's segments.
        events: its events, in order, from step 1.
        names: the app's edges by graphon's positional ids ("edge_3"), which older states use.
    """
    kept = [row for row in rows if row.first_step <= len(events)] or list(rows[:1])
    return Journal(
        variables=first_pool(rows),
        segments=tuple(_segment(row, names) for row in kept),
        events=tuple(events),
        kernel=rows[0].kernel if rows else DEFAULT_KERNEL,
    )


def first_pool(rows: Sequence[SegmentRow]) -> dict[str, dict[str, Any]]:
    """The variable pool before the first event, as plain values; empty when the run never came so far."""
    pool = rows[0].pool if rows else None
    return {
        node: {name: held["value"] for name, held in values.items()} for node, values in (pool or {}).items()
    }


def base_of(runtime: RuntimeState, names: Mapping[str, str]) -> Base:
    """What a runtime state says about nodes, edges and variables; edge ids are the DSL's."""
    return Base(
        variables=runtime.variables,
        variable_types=runtime.variable_types,
        node_states=runtime.node_states,
        edge_states={names.get(edge, edge): state for edge, state in runtime.edge_states.items()},
    )


def _segment(row: SegmentRow, names: Mapping[str, str]) -> Segment:
    state = None if row.base is None else read_runtime_state(row.base["state"], "the forked pause")
    return Segment(
        first_step=row.first_step,
        gate_mode=row.gate_mode,
        gate=_gate(row.gate, names),
        base=None if state is None else base_of(state, names),
        kernel=row.kernel,
    )


def _gate(text: str | None, names: Mapping[str, str]) -> Mapping[str, Any] | None:
    return None if text is None else translate_edges(read_gate_state(text).data, names)
