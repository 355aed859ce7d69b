"""Who is told that the store has changed, and where."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from workbench import Workbench
from workbench.notebook.watching import Watch


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


class Counter:
    def __init__(self) -> None:
        self.value: int | Exception = 1

    def __call__(self) -> int:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def test_a_change_is_told_once_and_not_after_the_end() -> None:
    counter, told = Counter(), []
    watch = Watch(counter, lambda: told.append(threading.current_thread().name), period=0.01)
    counter.value = 2
    assert until(lambda: len(told) == 1)
    time.sleep(0.05)
    assert told == ["workbench-watch"]
    watch.stop()
    counter.value = 3
    time.sleep(0.05)
    assert len(told) == 1
    assert watch.stopped


def test_a_store_that_can_t_be_read_now_is_asked_again() -> None:
    counter, told = Counter(), []
    with Watch(counter, lambda: told.append(1), period=0.01):
        counter.value = OSError("busy")
        time.sleep(0.05)
        counter.value = 1
        time.sleep(0.05)
        assert told == []
        counter.value = 2
        assert until(lambda: told == [1])


def test_a_callback_that_fails_ends_the_watch() -> None:
    counter = Counter()

    def fails() -> None:
        raise ValueError("no")

    watch = Watch(counter, fails, period=0.01)
    counter.value = 2
    assert until(lambda: watch.stopped)
    assert isinstance(watch.error, ValueError)


async def test_in_an_event_loop_it_is_told_there() -> None:
    counter, told = Counter(), []
    with Watch(counter, lambda: told.append(threading.current_thread()), period=0.01):
        counter.value = 2
        async with asyncio.timeout(10):
            while not told:
                await asyncio.sleep(0.01)
    assert told == [threading.current_thread()]


@pytest.mark.kernel
def test_a_run_is_a_change(wb: Workbench) -> None:
    seen: list[int] = []
    with wb.watch(lambda: seen.append(len(wb.runs()))):
        wb.example().run("hi")
        assert until(lambda: 1 in seen)
