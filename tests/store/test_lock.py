"""The sidecar lock: turns, time limits, who holds it, and nothing that keeps it after a death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.errors import StoreBusyError, StoreError
from workbench.store.flock import Descriptor
from workbench.store.lock import Lock

HOLD = """
import sys, time
from pathlib import Path
from workbench.store.lock import Lock
lock = Lock(Path(sys.argv[1]))
lock.take(sys.argv[2], 10)
print("held", flush=True)
sys.stdin.read()
lock.give(changed=True)
"""


def holder(path: Path, verb: str = "run r1") -> subprocess.Popen[str]:
    """Another process that holds the lock until its standard input closes."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), verb],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.lock"


def test_turns_and_the_counter(path: Path) -> None:
    lock = Lock(path)
    assert lock.counter() == 0
    lock.take("import", 1)
    found = lock.holder()
    assert found is not None
    assert (found.pid, found.verb) == (os.getpid(), "import")
    assert abs(found.since - time.time()) < 60
    lock.give(changed=True)
    assert lock.counter() == 1
    assert lock.holder() is None
    lock.take("list", 1)
    lock.give(changed=False)
    lock.give(changed=True)  # it isn't held any more: nothing happens
    assert lock.counter() == 1


def test_a_busy_lock_names_its_holder(path: Path) -> None:
    child = holder(path)
    try:
        began = time.monotonic()
        with pytest.raises(StoreBusyError) as caught:
            Lock(path).take("list", 0.2)
        assert 0.1 < time.monotonic() - began < 10
        assert f"process {child.pid} (run r1, for " in caught.value.cause
        assert "waited 0 s" in caught.value.cause
    finally:
        child.communicate()
    Lock(path).take("list", 5)


def test_waits_its_turn(path: Path) -> None:
    child = holder(path)
    assert child.stdin is not None
    threading.Timer(0.2, child.stdin.close).start()
    lock = Lock(path)
    lock.take("list", 30)
    lock.give(changed=False)
    assert lock.counter() == 1
    child.wait()


def test_a_killed_holder_lets_go(path: Path) -> None:
    child = holder(path, "run r9")
    threading.Timer(0.2, child.kill).start()
    lock = Lock(path)
    lock.take("list", 30)
    assert child.wait() == -signal.SIGKILL
    found = lock.holder()
    assert found is not None
    assert found.pid == os.getpid()  # not the dead one's
    lock.give(changed=False)


def test_who_gave_up_waiting_does_not_take_it_later(path: Path) -> None:
    child = holder(path)
    with pytest.raises(StoreBusyError):
        Lock(path).take("list", 0.05)
    child.communicate()  # lets go; the thread that waits behind us gets it and has to give it back
    for _ in range(3):
        lock = Lock(path)
        lock.take("list", 10)
        lock.give(changed=False)


def test_threads_take_turns_too(path: Path) -> None:
    inside, most = [], []

    def work() -> None:
        lock = Lock(path)
        for _ in range(20):
            lock.take("work", 30)
            inside.append(1)
            most.append(len(inside))
            inside.pop()
            lock.give(changed=True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}
    assert Lock(path).counter() == 80


def test_a_forked_child_does_not_keep_it(path: Path) -> None:
    """Run in a process of its own: forking a test runner with threads is asking for trouble."""
    code = """
import os, sys, time
from pathlib import Path
from workbench.store.lock import Lock
lock = Lock(Path(sys.argv[1]))
lock.take("run", 1)
child = os.fork()
if not child:
    sys.stdin.read()
    os._exit(0)
lock.give(changed=False)
Lock(Path(sys.argv[1])).take("again", 5)
print("free")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "free\n", done.stderr


def test_ctrl_c_ends_the_wait_and_leaves_nothing(path: Path) -> None:
    """The lock is free once its holder has gone, while the process that gave up lives on."""
    code = """
import sys
from pathlib import Path
from workbench.store.lock import Lock
print("waiting", flush=True)
try:
    Lock(Path(sys.argv[1])).take("list", 60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.read()
"""
    for _ in range(5):
        keeper = holder(path)
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() in {"interrupted\n", ""}  # "": it came before `try`
        keeper.communicate()
        lock = Lock(path)
        lock.take("list", 20)
        lock.give(changed=False)
        child.communicate()


def test_a_damaged_lock_file_is_no_trouble(path: Path) -> None:
    path.write_bytes(b"\xff" * 7)
    lock = Lock(path)
    assert lock.counter() == 0
    assert lock.holder() is None
    lock.take("import", 1)
    lock.give(changed=True)
    assert lock.counter() == 1
    path.write_text("00000000000000000041\nnot a holder")
    assert Lock(path).counter() == 41
    assert Lock(path).holder() is None


def test_a_lock_that_cant_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "store.lock").mkdir()
    with pytest.raises(StoreError, match="can't be locked"):
        Lock(tmp_path / "store.lock").take("list", 1)


def test_descriptors_do_not_pile_up(path: Path) -> None:
    folder = Path("/proc/self/fd") if Path("/proc/self/fd").exists() else Path("/dev/fd")
    lock = Lock(path)
    lock.take("warm up", 1)
    lock.give(changed=False)
    before = len(list(folder.iterdir()))
    for _ in range(50):
        lock.take("work", 1)
        lock.give(changed=True)
    assert len(list(folder.iterdir())) == before


def test_an_open_file_that_nobody_knows_any_more_is_free(path: Path) -> None:
    one = Descriptor(path, os.O_RDWR | os.O_CREAT)
    two = Descriptor(path, os.O_RDWR)
    assert one.try_lock()
    assert not two.try_lock()
    del one
    assert two.try_lock()
    two.close()
    two.close()
    assert not two.try_lock()
