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
        "workbench/_notebooks/index.ipynb",
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


@pytest.mark.kernel
@pytest.mark.timeout(300)
def test_a_wheel_with_notebooks_brings_four_jupyter_kernels(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "notebooks"
    constraints = tmp_path / "constraints.txt"
    wanted = ["--frozen", "--no-dev", "--extra", "notebook", "--no-emit-project", "--no-hashes"]
    uv("export", *wanted, "--output-file", str(constraints))
    uv("venv", "--python", sys.executable, str(place))
    python = place / "bin" / "python"
    uv("pip", "install", "--python", str(python), "--constraint", str(constraints), f"{wheel}[notebook]")
    environment = {
        **PLAIN,
        "WORKBENCH_HOME": str(tmp_path / "home"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "PATH": f"{place / 'bin'}:/usr/bin:/bin",
    }
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "kernels").symlink_to(ROOT / ".cache" / "home" / "kernels", target_is_directory=True)

    def ran(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    listed = json.loads(ran(str(place / "bin" / "jupyter"), "kernelspec", "list", "--json"))["kernelspecs"]
    ours = {name: spec for name, spec in listed.items() if name.startswith("answer-workbench-")}
    assert [spec["spec"]["display_name"] for _, spec in sorted(ours.items())] == [
        "Answer Workbench · graphon 0.5 · Dify 1.15",
        "Answer Workbench · graphon 0.6 · Dify 1.16",
        "Answer Workbench · graphon 0.7 · Dify 1.17",
        "Answer Workbench · graphon 0.8 · Dify main",
    ]
    for name, spec in ours.items():
        assert Path(spec["resource_dir"], "logo-svg.svg").is_file()
        assert ran(str(python), "-c", IN_KERNEL, name).endswith(
            f"{name.removeprefix('answer-workbench-')} paused\n"
        )


IN_KERNEL = """
import sys
from jupyter_client.manager import run_kernel
with run_kernel(kernel_name=sys.argv[1]) as client:
    code = "run = wb.example().run('hi'); print(run.kernel, run.status)"
    reply = client.execute_interactive(code, timeout=100)
    assert reply["content"]["status"] == "ok", reply
"""
