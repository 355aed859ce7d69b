"""The committed front end: small, without the network, and what its source makes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from workbench.widgets.wire import STATIC

FRONT = Path(__file__).resolve().parents[2] / "frontend"
MOST = 200_000


def test_it_is_small_and_asks_nobody() -> None:
    module = (STATIC / "workbench.js").read_text(encoding="utf-8")
    style = (STATIC / "workbench.css").read_text(encoding="utf-8")
    assert len(module) + len(style) < MOST
    assert set(re.findall(r"https?://[^\"'`\s)]+", module + style)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bimport\s*\(|\bfetch\(\"|XMLHttpRequest|WebSocket|@import|url\(", module + style)


def test_no_source_makes_markup_of_data() -> None:
    for file in (FRONT / "src").glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(", text
        ), file


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (FRONT / "package-lock.json").read_text(encoding="utf-8")


def test_a_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        _missing("npm is not installed: apt-get install npm")
    place = tmp_path / "front"
    shutil.copytree(FRONT, place, ignore=shutil.ignore_patterns("node_modules"))
    installed = FRONT / "node_modules"
    if installed.is_dir():
        (place / "node_modules").symlink_to(installed)
    else:
        got = subprocess.run([npm, "ci", "--silent"], cwd=place, capture_output=True, text=True, timeout=100)
        if got.returncode:
            pytest.skip(f"npm could not get esbuild: {got.stderr[-300:]}")
    out = tmp_path / "out"
    subprocess.run(["node", "build.mjs", str(out)], cwd=place, check=True, timeout=60)
    for name in ("workbench.js", "workbench.css"):
        assert (out / name).read_bytes() == (STATIC / name).read_bytes(), f"npm run build in frontend: {name}"


def _missing(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
