"""A healed resume says what the unbroken run says, or `heal` has told its doubt: random apps on all kernels.

`make soak` plays a thousand apps a kernel; WORKBENCH_HEAL_SEEDS="0:5000" chooses others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.heal.playing import Pair, play_pair
from workbench.engine import KERNELS, install
from workbench.engine.client import Client
from workbench.home import home

LANES = 4
"""Children at once: graphon 0.7 spends most of its time asleep (facts: graphon-in-practice, 5.1)."""


def pairs(kernel: str, seeds: range) -> Iterator[Pair]:
    """Every app twice; with the message text as evidence for every second one."""
    installed = install(kernel, home(), lambda _: None)
    with ExitStack() as stack, ThreadPoolExecutor(LANES) as pool:
        clients = [Client(installed) for _ in range(LANES)]
        for client in clients:
            stack.callback(client.close)

        def lane(number: int) -> list[Pair]:
            own = seeds[number::LANES]
            return [play_pair(clients[number], kernel, seed, with_message=bool(seed % 2)) for seed in own]

        for done in pool.map(lane, range(LANES)):
            yield from done


def judge(kernel: str, seeds: range) -> None:
    played = list(pairs(kernel, seeds))
    wrong = [pair for pair in played if not pair.same]
    silent = [pair.told() for pair in wrong if not pair.healed.doubts]
    assert not silent, "\n".join(silent)
    rebuilt = sum(pair.healed.rebuilt for pair in played)
    print(f"{kernel}: {len(played)} apps, {rebuilt} gates rebuilt, {len(wrong)} flagged exceptions")
    for pair in wrong:
        print("  ", pair.told())
    assert rebuilt > len(played), "too few pauses to prove anything"
    assert len(wrong) * 50 <= len(played), "more exceptions than doubts could excuse"


@pytest.mark.kernel
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_hundred_random_apps(kernel: str) -> None:
    judge(kernel, range(100))


@pytest.mark.soak
@pytest.mark.kernel
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_thousand_random_apps(kernel: str) -> None:
    first, last = os.environ.get("WORKBENCH_HEAL_SEEDS", "100:1100").split(":")
    judge(kernel, range(int(first), int(last)))
