"""The widgets in JupyterLab 4, under a real Chromium: shown by a cell, stepped by hand, heard by Python."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import start
from tests.notebook.test_lab import free_port
from tests.widgets.page import LARGE

CELLS = (
    "from workbench import Workbench\nwb = Workbench(progress=False)\nrun = next(iter(wb.runs()))\n"
    "player = run.player(3)\nplayer",
    "print('heard', player.step)",
    "from IPython.display import display\npause = run.pause\n"
    "of_run = run.show_gate(3), run.compare(run), run.why().widget()\n"
    "for each in (*of_run, pause.form(), pause.editor(), wb.browse()):\n    display(each)",
)


@pytest.fixture
def lab(home: Path, recorded: tuple[Path, str]) -> Iterator[str]:
    """`workbench lab` on the store of the paused run, with a notebook; its address."""
    nbformat = pytest.importorskip("nbformat")
    for file in recorded[0].parent.iterdir():
        if file.is_file():
            shutil.copy2(file, home / file.name)
    process = start("lab", "--no-browser", "--port", str(free_port()))
    address = ""
    assert process.stderr is not None
    for line in process.stderr:
        if b"http://" in line:
            address = line[line.index(b"http://") :].decode().split()[0]
            break
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, next(home.rglob("index.ipynb")).with_name("try.ipynb"))
    yield address
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    finally:
        process.kill()


def test_cells_show_every_widget_and_the_kernel_hears_them(chrome: Any, lab: str) -> None:
    base, token = lab.split("?token=")
    page = chrome.new_context(viewport=LARGE).new_page()
    page.set_default_timeout(40_000)
    page.goto(f"{base[: base.index('/lab')]}/lab/tree/try.ipynb?token={token}")
    # A key that comes before the kernel is there opens a question for it: the status bar tells.
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    _run(page, ".wb .wb-node[data-look]")
    assert page.locator(".wb-where").first.inner_text() == "3 / 11"
    page.get_by_role("button", name="One step on").first.click()
    page.get_by_text("4 / 11").wait_for()
    cells = page.locator(".jp-CodeCell").count()
    page.keyboard.press("b")  # a new cell, were the keys of the notebook not at rest here
    page.keyboard.press("ArrowRight")
    page.get_by_text("5 / 11").wait_for()
    assert page.locator(".jp-CodeCell").count() == cells
    # ipywidgets sends one change after the other: a cell that runs at once may still see the step before.
    _run(page, "text=heard 5", 1)
    _run(page, ".jp-CodeCell:nth-of-type(3) .wb >> nth=5", 2)
    others = page.locator(".jp-CodeCell").nth(2)
    for words in ("step 3 of 11", "Keep as a new file", "0 differences", "every status", "1 finding"):
        assert words in others.inner_text()
    others.get_by_role("button", name="Approve").click()
    others.get_by_text(": succeeded, 20 steps").wait_for()
    others.locator("[data-status=succeeded]").first.wait_for()  # the list of runs, too, has heard it
    page.context.close()


def _run(page: Any, shows: str, cell: int = 0) -> None:
    """Run a cell until it shows something: a key can come before the kernel, or its news."""
    from playwright.sync_api import TimeoutError as Late

    for _ in range(4):
        dialog = page.locator(".jp-Dialog")
        assert dialog.count() == 0, dialog.first.inner_text()
        page.locator(".jp-CodeCell").nth(cell).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        with suppress(Late):
            page.locator(shows).first.wait_for(state="attached", timeout=12_000)
            return
    raise AssertionError(page.locator(".jp-Notebook").inner_text())
