"""For the tests of the Python API: a workbench on a store of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench import Workbench
from workbench.notebook import Run


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter and IPython read and write nothing of the user's."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delenv("JUPYTER_TOKEN", raising=False)


@pytest.fixture
def wb(home: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """A workbench with an empty store."""
    for name in ("WORKBENCH_STORE", "WORKBENCH_KERNEL"):
        monkeypatch.delenv(name, raising=False)
    return Workbench(progress=False)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store that holds the bundled example, paused at its form; and the run's id. To be copied."""
    store = tmp_path_factory.mktemp("recorded") / "workbench.duckdb"
    bench = Workbench(store, kernel="graphon-0.8", progress=False)
    return store, bench.run(bench.example(), "My order arrived broken").id


@pytest.fixture
def paused(recorded: tuple[Path, str], wb: Workbench) -> Run:
    """The bundled example, paused at its form, alone in the store of `wb`."""
    store, run_id = recorded
    for file in store.parent.iterdir():
        if file.is_file():
            shutil.copy2(file, wb.store.with_name(file.name))
    return wb.run_of(run_id)
