"""Too many paths to an Answer: graphon lists them all when a run begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from workbench.core.finding import Finding
from workbench.core.findings.naming import node_name, number
from workbench.core.graph import Graph
from workbench.core.paths import PATH_LIMIT, search_cost

EXPLODE = "paths-explode"
HANGS: Final = 1_000_000
"""Recursive calls from which on a run does not begin in any useful time: graphon needs about 5 s for
262,144 paths and did not finish 1,048,576 within a minute (facts: graphon-in-practice, 4.1).
"""
SLOW: Final = 20 * PATH_LIMIT
"""Calls that cost about a tenth of a second, with few paths or many."""


def of_app(graph: Graph, *, in_run: bool = False) -> Iterator[Finding]:
    """Every response node with more paths than are listed here, and searches that are long without finding
    many.

    Args:
        in_run: a run of it is explained; then this is no trouble of the run.
    """
    cost = search_cost(graph)
    exploding = [response for response, count in cost.paths.items() if count > PATH_LIMIT]
    for response in exploding:
        count = cost.paths[response]
        yield Finding(
            code=EXPLODE,
            severity="info" if in_run else _severity(count),
            node_id=response,
            message=_sentence(
                f"{number(count)} paths{' or more' if cost.capped else ''} lead to "
                f"{node_name(graph, response)}, and Dify lists each of them before the first node runs"
                f"{_effect(count)}."
            ),
            advice=_ADVICE,
        )
    if not exploding and cost.calls > SLOW:
        yield Finding(
            code=EXPLODE,
            severity="info" if in_run else _severity(cost.calls),
            node_id=None,
            message=(
                f"Before the first node runs, Dify follows {number(cost.calls)} partial paths to find the "
                f"few that lead to an Answer{_effect(cost.calls)}: it also searches where no Answer can be "
                "reached."
            ),
            advice=_ADVICE,
        )


_ADVICE: Final = (
    "Join branches in fewer places: one if-else with many cases instead of many in a row, or a part of the "
    "graph as a tool of its own. The workbench itself streams such an app by reachability, without lists."
)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _severity(count: int) -> Literal["error", "warning"]:
    return "error" if count >= HANGS else "warning"


def _effect(count: int) -> str:
    if count >= HANGS:
        return ", so the run does not begin in any useful time"
    return ", which delays the start" + (" by seconds" if count >= 10 * PATH_LIMIT else "")


HELP = {
    EXPLODE: """\
# paths-explode

Before a run begins, Dify's stream gate lists every path from the start to every Answer. Two branches that
join again double the number of paths; twenty of them in a row make a million.

| if-else diamonds in a row | paths | start of the run |
|---|---|---|
| 8 | 256 | 2 ms |
| 12 | 4,096 | 46 ms |
| 16 | 65,536 | 1 s |
| 18 | 262,144 | 4.5 s, 126 MB |
| 20 | 1,048,576 | not within a minute |

The saved gate state holds the lists, too: 15 MB with 65,536 paths. The search does not turn back where no
Answer can be reached, so it may be long although few paths are found.

**What the workbench does.** It decides by reachability, which is linear and gives the same stream. Above
4,096 paths to one Answer it writes `"paths_map": null, "paths_count": N` instead of the lists, and runs the
engine without graphon's own gate.

**What to do.** Join branches in fewer places; use one if-else with many cases; move a part of the graph
into a workflow tool. Errors are told from a million on, warnings from 4,097 on.
""",
}
