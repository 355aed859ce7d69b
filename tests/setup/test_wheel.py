"""A wheel, installed in an empty environment elsewhere, builds an engine kernel and runs an app."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = str(Path(sys.executable).parent / "uv")
PLAIN = {name: os.environ[name] for name in ("PATH", "HOME", "SSL_CERT_FILE", "TMPDIR") if name in os.environ}


def uv(*arguments: str) -> None:
    """Run uv, offline when its cache has what is asked for."""
    environment = PLAIN | {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    for offline in (["--offline"], []):
        command = [UV, *arguments, "--quiet", *offline]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return
    raise AssertionError(f"{arguments}: {done.stderr}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--out-dir", str(folder))
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_kernels_and_examples_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name and ".data/" not in name}
    assert tops == {"workbench"}
    for needed in (
        "workbench/_kernels/PROTOCOL.md",
        "workbench/_kernels/host/__main__.py",
        "workbench/_kernels/graphon-0.8/requirements.txt",
        "workbench/_kernels/graphon-0.5/requirements.txt",
        "workbench/_examples/refund-approval/app.yml",
        "workbench/py.typed",
    ):
        assert needed in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


@pytest.mark.kernel
@pytest.mark.timeout(300)
def test_an_empty_environment_elsewhere_runs_an_example(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    constraints = tmp_path / "constraints.txt"
    uv(
        "export",
        "--frozen",
        "--no-dev",
        "--no-emit-project",
        "--no-hashes",
        "--output-file",
        str(constraints),
    )
    uv("venv", "--python", sys.executable, str(place))
    python = place / "bin" / "python"
    uv("pip", "install", "--python", str(python), "--constraint", str(constraints), str(wheel))
    environment = {
        **PLAIN,
        "WORKBENCH_HOME": str(tmp_path / "home"),
        "PATH": f"{place / 'bin'}:/usr/bin:/bin",
    }

    def workbench(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(place / "bin" / "workbench"), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert "Usage: workbench" in workbench("--help").stdout
    example = next(place.glob("lib/python*/site-packages/workbench/_examples/refund-approval/app.yml"))
    done = workbench("run", str(example), "--json")
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["status"] == "paused"
    assert "graphon-0.8: ready after" in done.stderr
    assert list((tmp_path / "home" / "kernels").glob("graphon-0.8-*-cp*"))
