"""What the token budget takes from the head of a history."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.memory.settings import Prune

KEEPS = {"shipped": 1, "36758": 0, "turns": 0}
"""Messages that always survive. Shipped Dify keeps one, even over the budget."""


def suffix_counts(costs: Sequence[int], last: int, empty: int) -> list[int]:
    """The tokens of the newest k messages, for k from 0 on.

    Args:
        costs: of each message, newest first, when another one follows it.
        last: of the newest message, which nothing follows.
        empty: of an empty list.
    """
    counts = [empty]
    for place, cost in enumerate(costs):
        counts.append(counts[-1] + (last if place == 0 else cost))
    return counts


def kept(counts: Sequence[int], length: int, limit: int, rule: Prune) -> int:
    """How many of the newest `length` messages the budget leaves.

    `shipped` takes one message after the other and keeps one; `36758` (a pull request that was not merged)
    may take all; `turns` (#37491, #37544, not merged) takes a question with its answer.
    """
    step = 2 if rule == "turns" else 1
    while counts[length] > limit and length > KEEPS[rule]:
        length = max(0, length - step)
    return length
