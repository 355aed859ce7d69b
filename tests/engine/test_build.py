"""Builds of engine kernels: whole or not there; broken ones are seen and replaced; errors say what to do."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from tests.engine.small_kernels import make_sources
from workbench.engine import kernels
from workbench.engine import uv as uv_module
from workbench.engine.kernels import check, ensure, folder_of, install, is_built, list_kernels, remove
from workbench.engine.uv import deepest
from workbench.errors import KernelError, UsageError

NAME = "graphon-0.8"
BUILDER = """
import os, signal, sys
from pathlib import Path
from workbench.engine import kernels
sources, home, die_at = sys.argv[1:]
kernels.sources = lambda: Path(sources)
def report(line):
    print(line, flush=True)
    if die_at and die_at in line:
        os.kill(os.getpid(), signal.SIGKILL)
kernels.install("graphon-0.8", Path(home), report)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home; kernels come from a small source folder, without a network."""
    use_sources(tmp_path / "sources", monkeypatch)
    return tmp_path / "home"


def use_sources(folder: Path, monkeypatch: pytest.MonkeyPatch, node_factory: str = "") -> None:
    made = make_sources(folder, node_factory)
    monkeypatch.setattr(kernels, "sources", lambda: made)
    monkeypatch.setenv("UV_FIND_LINKS", str(folder / "wheels"))
    monkeypatch.setenv("UV_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")


def builder(place: Path, die_at: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILDER, str(place.parent / "sources" / "kernels"), str(place), die_at]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_kernel_is_built_once(place: Path) -> None:
    lines: list[str] = []
    assert [status.state for status in list_kernels(place)] == ["missing"] * 4
    kernel = install(NAME, place, lines.append)
    assert lines[0].startswith("graphon-0.8: building")
    assert "ready after" in lines[-1]
    assert (kernel.name, kernel.graphon, kernel.host.name) == (NAME, "0.8.0", "host")
    assert kernel.folder.name.startswith("graphon-0.8-")
    assert kernel.folder.name.endswith(f"-cp3{sys.version_info.minor}")
    assert check(NAME, kernel.folder) is None
    assert list_kernels(place)[0].state == "built"
    assert list_kernels(place)[0].size > 100
    lines.clear()
    assert install(NAME, place, lines.append) == kernel
    assert ensure(NAME, place, lines.append) == kernel
    assert lines == []


@pytest.mark.parametrize("moment", ["building", "checking"])
def test_a_killed_build_leaves_nothing_that_is_trusted(place: Path, moment: str) -> None:
    killed = builder(place, die_at=moment)
    killed.communicate()
    assert killed.returncode == -9
    assert list_kernels(place)[0].state == "missing"
    if moment == "checking":
        assert list((place / "kernels").glob(".building-graphon-0.8-*"))
    install(NAME, place, lambda _: None)
    assert list_kernels(place)[0].state == "built"
    assert not list((place / "kernels").glob(".building-*"))


def test_two_builders_at_once_build_once(place: Path) -> None:
    builders = [builder(place) for _ in range(3)]
    said = "".join(process.communicate()[0] for process in builders)
    assert [process.returncode for process in builders] == [0, 0, 0]
    assert said.count("ready after") == 1
    assert is_built(folder_of(NAME, place))


def test_the_lock_goes_with_its_holder(place: Path) -> None:
    builder(place, die_at="checking").communicate()
    lines: list[str] = []
    install(NAME, place, lines.append)
    assert not [line for line in lines if "waiting" in line]


@pytest.mark.parametrize("damage", ["module", "version", "interpreter", "marker"])
def test_a_damaged_build_is_built_again(place: Path, damage: str) -> None:
    folder = install(NAME, place, lambda _: None).folder
    site = next(folder.glob("lib/python*/site-packages"))
    match damage:
        case "module":
            shutil.rmtree(site / "graphon" / "dsl")
        case "version":
            metadata = site / "graphon-0.8.0.dist-info" / "METADATA"
            text = metadata.read_text().replace("0.8.0", "0.7.9")
            metadata.unlink()  # it is a hard link into uv's cache
            metadata.write_text(text)
        case "interpreter":
            (folder / "bin" / "python").unlink()
        case "marker":
            (folder / kernels.MARKER).unlink()
    assert check(NAME, folder) is not None or not is_built(folder)
    lines: list[str] = []
    install(NAME, place, lines.append)
    assert any("building" in line for line in lines)
    assert check(NAME, folder) is None


def test_a_file_damaged_in_uvs_cache_too_is_fetched_again(place: Path) -> None:
    folder = install(NAME, place, lambda _: None).folder
    module = next(folder.glob("lib/python*/site-packages/graphon/dsl/node_factory.py"))
    with module.open("w") as file:  # in place, and so through the hard link
        file.write("raise ImportError('damaged')")
    lines: list[str] = []
    install(NAME, place, lines.append)
    assert check(NAME, folder) is None
    assert any("past uv's cache" in line for line in lines)


def test_other_pins_give_another_folder(place: Path) -> None:
    first = install(NAME, place, lambda _: None).folder
    pins = kernels.requirements(NAME)
    digest = hashlib.sha256(next((place.parent / "sources" / "wheels").iterdir()).read_bytes()).hexdigest()
    pins.write_text(pins.read_text().strip() + f" \\\n    --hash=sha256:{digest}\n")
    second = install(NAME, place, lambda _: None).folder
    assert first != second
    assert list_kernels(place)[0].older == (first,)
    assert remove(NAME, place) == 2
    assert list_kernels(place)[0].state == "missing"
    assert remove(NAME, place) == 0


def test_a_build_that_does_not_work_is_told_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_sources(tmp_path / "sources", monkeypatch, node_factory="raise ImportError('no libfoo here')")
    with pytest.raises(KernelError, match="does not work") as caught:
        install(NAME, tmp_path / "home", lambda _: None)
    assert "no libfoo here" in caught.value.cause
    assert list_kernels(tmp_path / "home")[0].state == "missing"
    assert not list((tmp_path / "home" / "kernels").glob(".building-*"))


def test_without_network_and_cache_the_error_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV_FIND_LINKS")
    with pytest.raises(KernelError, match="without a network") as caught:
        install(NAME, place, lambda _: None)
    assert "workbench kernels install graphon-0.8" in caught.value.next_step


@pytest.mark.parametrize(
    ("says", "title"),
    [
        ("error: Failed to write: No space left on device (os error 28)", "the disk is full"),
        ("error: invalid peer certificate: UnknownIssuer", "certificate is not trusted"),
        ("error: error sending request for url: dns error", "without a network"),
        ("error: failed to create: Permission denied (os error 13)", "can't be written"),
        ("error: something else", "can't be built."),
    ],
)
def test_uvs_errors_are_sorted(place: Path, monkeypatch: pytest.MonkeyPatch, says: str, title: str) -> None:
    uv = place.parent / "uv"
    uv.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 2\n")
    uv.chmod(0o755)
    monkeypatch.setattr(uv_module, "uv_program", lambda: str(uv))
    with pytest.raises(KernelError) as caught:
        install(NAME, place, lambda _: None)
    assert title in caught.value.title
    assert says.removeprefix("error: ") in caught.value.cause


def test_a_full_disk_is_not_taken_for_a_missing_network(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = place.parent / "calls"
    uv = place.parent / "uv"
    uv.write_text(f"#!/bin/sh\necho $4 >>{calls}\n[ $4 = venv ] || {{ echo 'No space left' >&2; exit 2; }}\n")
    uv.chmod(0o755)
    monkeypatch.setattr(uv_module, "uv_program", lambda: str(uv))
    with pytest.raises(KernelError, match="disk is full"):
        install(NAME, place, lambda _: None)
    assert calls.read_text().split() == ["venv", "pip"]


def test_uvs_deepest_cause_is_told() -> None:
    lines = [
        "Resolved 24 packages",
        "error: Failed to install: a",
        "  cause: first".strip(),
        "cause: the last one",
    ]
    assert deepest(lines) == "Failed to install: a the last one"
    assert deepest(["warning: odd", "something else"]) == "warning: odd something else"


def test_an_interrupted_build_cleans_up(place: Path) -> None:
    def interrupt(line: str) -> None:
        if "checking" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(NAME, place, interrupt)
    assert [path.name for path in (place / "kernels").iterdir()] == [".lock-graphon-0.8"]


def test_an_unknown_kernel_is_named(place: Path) -> None:
    with pytest.raises(UsageError, match="graphon-9") as caught:
        install("graphon-9", place, lambda _: None)
    assert "graphon-0.5" in caught.value.next_step


def test_the_users_settings_do_not_lead_uv_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_CONSTRAINT"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    environment = uv_module.uv_environment()
    assert "/elsewhere" not in environment.values()
    assert environment["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"


def test_sources_lie_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "workbench"
    monkeypatch.setattr(workbench, "__file__", str(package / "__init__.py"))
    with pytest.raises(KernelError, match="sources are missing"):
        kernels.sources()
    (tmp_path / "site-packages" / "kernels" / "host").mkdir(parents=True)
    assert kernels.sources() == tmp_path / "site-packages" / "kernels"
    (package / "_kernels" / "host").mkdir(parents=True)
    assert kernels.sources() == package / "_kernels"
