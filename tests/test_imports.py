"""What is loaded, looked at in fresh processes: the contracts of import-linter see only what is written."""

from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import workbench

ROOT = Path(workbench.__file__).resolve().parent.parent
NOTEBOOK = ("IPython", "ipykernel", "ipywidgets", "anywidget", "jupyterlab", "altair", "pandas", "pyarrow")
HEAVY = ("duckdb", "pydantic", "textual", "rich", "graphon", "yaml", "uv", *NOTEBOOK)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(workbench.__path__, "workbench.")
    if not module.name.endswith("__main__")
)
TELL = "import json, sys; print(json.dumps([name for name in sys.modules if name.count('.') < 3]))"


def loaded(code: str) -> set[str]:
    """The modules that a fresh process holds after `code`, however that ends."""
    program = f"import contextlib, io\nwith contextlib.suppress(SystemExit):\n    {code}\n{TELL}"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    return set(json.loads(done.stdout.splitlines()[-1]))


def heavy(code: str) -> set[str]:
    return loaded(code) & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    assert heavy("from workbench.cli import main; main(['--help'])") == set()


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("workbench.errors", set()),
        ("workbench.home", set()),
        ("workbench.core.graph", set()),
        ("workbench.engine", set()),
        ("workbench.actions", set()),
        ("workbench", set()),
        ("workbench.notebook", {"yaml"}),
        ("workbench.verbs.why", {"yaml"}),
        ("workbench.verbs.resume", {"yaml"}),
    ],
)
def test_a_package_loads_only_what_it_needs(package: str, allowed: set[str]) -> None:
    assert heavy(f"import {package}") <= allowed


def test_nothing_of_the_workbench_loads_graphon_and_only_the_terminal_interface_loads_textual() -> None:
    others = [name for name in MODULES if not name.startswith(("workbench.tui", "workbench.widgets"))]
    found = heavy(f"import {', '.join(others)}")
    assert "graphon" not in found
    assert "textual" not in found


def test_every_module_can_be_imported_on_its_own() -> None:
    """Import cycles show only when a module comes first."""
    program = (
        "import importlib, os, sys, click, duckdb, platformdirs, textual.app, yaml\n"
        "for name in sys.argv[1:]:\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        try:\n"
        "            importlib.import_module(name)\n"
        "        except BaseException as error:\n"
        "            print(name, repr(error), flush=True)\n"
        "        os._exit(0)\n"
        "    os.waitpid(pid, 0)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, *MODULES], capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("folder", "forbidden"), [("kernels", "workbench"), ("workbench", "graphon"), ("workbench", "tests")]
)
def test_the_two_sides_do_not_import_each_other(folder: str, forbidden: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if forbidden in imported(node)
    ]
    assert found == []


def imported(node: ast.AST) -> set[str]:
    """The top-level names that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        return {node.module.split(".")[0]}
    return set()
