"""Leases: transactions that hold or vanish, and errors that a person can act on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from tests.store.making import App, begin, finished_run
from workbench.errors import StoreBusyError, StoreError
from workbench.store import Store
from workbench.store.lease import lease
from workbench.store.schema import MIGRATIONS, prepare


def test_an_error_inside_takes_everything_back(store: Store) -> None:
    store.put_app(App())
    before = store.change_counter()
    with contextlib.suppress(KeyError), lease(store.path, "test", write=True) as held:
        held.insert("apps", id="x")
        held.insert_rows("blobs", ("id", "size"), [("b", 1)])
        raise KeyError
    with lease(store.path, "test", write=False) as held:
        assert held.all("SELECT id FROM apps WHERE id = 'x'") == []
        assert held.all("SELECT id FROM blobs WHERE id = 'b'") == []
    assert store.change_counter() == before


def test_queries_can_not_reach_other_files(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StoreError), lease(store.path, "test", write=False) as held:
        held.all(f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    with pytest.raises(StoreError), lease(store.path, "test", write=False) as held:
        held.run("INSTALL httpfs")
    with lease(store.path, "test", write=False) as held:
        assert held.one("SELECT current_setting('memory_limit')") == ("488.2 MiB",)


def test_a_damaged_file(store: Store) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(os.urandom(20_000))
    with pytest.raises(StoreError) as caught:
        store.runs()
    assert caught.value.title == f"The store is damaged, or no store at all: {store.path}"
    assert "--store FILE" in caught.value.next_step


def test_a_truncated_file(store: Store) -> None:
    for number in range(3):
        finished_run(store, f"run-{number}")
    data = store.path.read_bytes()
    for size in (len(data) // 2, 5_000, 100):
        store.path.write_bytes(data[:size])
        with pytest.raises(StoreError):
            store.runs()
    store.path.write_bytes(data)
    assert len(store.runs()) == 3


def test_something_elses_database(store: Store) -> None:
    store.path.parent.mkdir()
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("CREATE TABLE mine (a INTEGER)")
    with pytest.raises(StoreError, match="is no store of the workbench"):
        store.runs()
    with duckdb.connect(str(store.path)) as connection:
        assert connection.execute("SELECT count(*) FROM mine").fetchall() == [(0,)]


def test_a_store_of_a_newer_workbench(store: Store) -> None:
    finished_run(store, "run-1")
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("UPDATE store_info SET value = '99' WHERE key = 'version'")
    with pytest.raises(StoreError) as caught:
        store.runs()
    assert "was made by a newer workbench" in caught.value.title
    assert "It has version 99" in caught.value.cause
    assert "Upgrade the workbench" in caught.value.next_step


def test_another_program_holds_the_database(store: Store) -> None:
    """A DuckDB shell does not know our lock."""
    finished_run(store, "run-1")
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    with pytest.raises(StoreBusyError, match="opened by another program") as caught:
        store.runs()
    assert str(child.pid) in caught.value.cause
    child.communicate()
    assert len(store.runs()) == 1


READ_ONLY = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
import duckdb
from tests.store.making import begin
from workbench.errors import StoreError
from workbench.store import Store
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere
folder = Path(sys.argv[1])
for path in (folder / "s.duckdb", folder / "deeper" / "s.duckdb"):
    for action in (Store(path).runs, lambda: begin(Store(path))):
        try:
            action()
        except StoreError as error:
            print(error.title, "|", error.cause, "|", error.next_step)
"""


def test_a_folder_that_cant_be_written() -> None:
    root = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)  # pytest's own folders may not be entered by others
        folder = Path(made) / "locked"
        folder.mkdir()
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder), str(root)],
            capture_output=True,
            text=True,
            check=False,
        )
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 4
    assert all("Permission denied" in line for line in told)
    assert all("right" in line or "--store FILE" in line for line in told)


def test_a_folder_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for action in (
        Store(tmp_path / "file" / "s.duckdb").runs,
        lambda: begin(Store(tmp_path / "file" / "s.duckdb")),
    ):
        with pytest.raises(StoreError, match="can't be made"):
            action()
    (tmp_path / "s.duckdb").mkdir()
    with pytest.raises(StoreError):
        Store(tmp_path / "s.duckdb").runs()


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.store.making import STARTED, Ended, begin, finished_run
from workbench.errors import StoreError
from workbench.store import Store
store = Store(Path(sys.argv[1]))
finished_run(store, "before")
recorder = begin(store, "during")
limit = store.path.stat().st_size + 200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # no file may grow beyond: as good as a full disk
import os
told = None
try:
    for n in range(100_000):
        recorder.event(n, 1.0, {"kind": "NodeRunStreamChunk", "text": os.urandom(2000).hex()})
        reported = recorder.step
    recorder.finish(Ended())
except StoreError as error:
    told = error
print(reported)
print(told.title, "|", told.next_step)
"""


def test_a_full_disk(store: Store) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(store.path), str(root)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reported, message = done.stdout.splitlines()
    assert "disk" in message
    row = store.run("during")
    assert row.interrupted
    assert row.steps >= int(reported) > 10
    assert len(store.events("during")) == row.steps
    assert store.run("before").status == "succeeded"


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    finished_run(Store(path), "run-1")
    later = (*MIGRATIONS, "ALTER TABLE apps ADD COLUMN colour VARCHAR", "CREATE TABLE more (a INTEGER);")
    with duckdb.connect(str(path)) as connection:
        prepare(connection, path, later)
        assert connection.execute("SELECT value FROM store_info WHERE key = 'version'").fetchall() == [
            (str(len(later)),)
        ]
        assert connection.execute("SELECT colour FROM apps").fetchall() == []
        assert connection.execute("SELECT id FROM workflow_runs").fetchall() == [("run-1",)]
        prepare(connection, path, later)  # nothing left to do
    kept = tmp_path / f"old.duckdb.version-{len(MIGRATIONS)}"
    assert [row.run_id for row in Store(kept).runs()] == ["run-1"]


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    finished_run(Store(path), "run-1")
    broken = (*MIGRATIONS, "ALTER TABLE apps ADD COLUMN colour VARCHAR", "SELECT * FROM nowhere")
    with duckdb.connect(str(path)) as connection, pytest.raises(duckdb.Error):
        prepare(connection, path, broken)
    assert [row.run_id for row in Store(path).runs()] == ["run-1"]


def test_the_tables_of_version_1_stay_what_they_are() -> None:
    """A released step is never edited: stores out there have run it. A change is a new step."""
    import hashlib

    assert hashlib.sha256(MIGRATIONS[0].encode()).hexdigest()[:16] == "2f3fe62c71177bde"


def test_odd_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / 'it\'s; a "store" [x]\u00e9'
    finished_run(Store(odd / "a.duckdb"), "run-1")
    assert len(Store(odd / "a.duckdb").runs()) == 1
    monkeypatch.chdir(odd)
    assert len(Store(Path("a.duckdb")).runs()) == 1
    (tmp_path / "link").symlink_to(odd)
    finished_run(Store(tmp_path / "link" / "a.duckdb"), "run-2")
    assert [row.run_id for row in Store(Path("../link/a.duckdb")).runs()] == ["run-2", "run-1"]


def test_many_stores_in_one_process(tmp_path: Path) -> None:
    stores = [Store(tmp_path / f"{number}.duckdb") for number in range(5)]
    for _ in range(2):
        for number, store in enumerate(stores):
            store.put_app(App(str(number).encode()))
            assert len(store.apps()) == 1


FORKED = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from tests.store.making import STARTED, begin, finished_run, say
from workbench.errors import StoreError
from workbench.store import Store
store = Store(Path(sys.argv[1]))
finished_run(store, "run-1")
recorder = begin(store, "alive")
say(recorder, [STARTED])
child = os.fork()
if not child:
    try:
        finished_run(store, "of-the-child")
        assert not store.run("alive").interrupted  # the parent's recorder lives, seen from here
        try:
            recorder.event(1, 1.0, STARTED)  # but it is not ours
        except StoreError:
            os._exit(0)
    finally:
        os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert len(store.runs()) == 3
recorder.event(2, 1.0, STARTED)
recorder.close()
assert store.run("alive").steps == 2
"""


def test_a_forked_child_has_a_database_of_its_own(store: Store) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, str(store.path), str(root)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
