"""Makes the pictures of the README from the real program: `.venv/bin/python tools/pictures.py [FOLDER]`.

Runs the bundled example on the real engine in a workbench of its own, opens the TUI on it, and writes SVG.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SIZE = (118, 34)
FONT_FACE = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
"""Textual's pictures load a font from the net; a reader's own one will do."""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        kernels = ROOT / ".cache" / "home" / "kernels"
        kernels.mkdir(parents=True, exist_ok=True)
        (Path(scratch) / "kernels").symlink_to(kernels, target_is_directory=True)
        os.environ |= {"WORKBENCH_HOME": scratch, "TZ": "UTC", "TEXTUAL_ANIMATIONS": "none"}
        os.environ.pop("NO_COLOR", None)
        for name, picture in pictures().items():
            (folder / f"{name}.svg").write_text(picture, "utf-8")
            print(folder / f"{name}.svg")


def pictures() -> dict[str, str]:
    """The example paused, the same run after a resume that lost the gate, and that one beside a whole one."""
    from workbench.verbs.context import make_context
    from workbench.verbs.resume import resume
    from workbench.verbs.run import run

    ctx = make_context(None)
    app = ROOT / "fixtures" / "examples" / "refund-approval" / "app.yml"
    query = "My order arrived broken, I want my money back."
    paused = run(ctx, app, query=query)
    before = asyncio.run(picture(ctx, paused.run_id))
    approved: dict[str, Any] = {"action": "approve", "fields": {"note": "It is on its way."}}
    resume(ctx, paused.run_id, gate="fresh", **approved)
    whole = run(ctx, app, query=query)
    resume(ctx, whole.run_id, gate="restored", **approved)
    return {
        "paused": before,
        "debugger": asyncio.run(picture(ctx, paused.run_id)),
        "compare": asyncio.run(picture(ctx, whole.run_id, beside=paused.run_id)),
    }


async def picture(ctx: object, run_id: str, beside: str | None = None) -> str:
    """The debugger on a run, or the run compared with another one, as SVG."""
    from workbench.tui.app import WorkbenchApp

    app = WorkbenchApp(ctx, selected=run_id)  # type: ignore[arg-type]
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(40):
            await pilot.pause(0.05)
        if beside is not None:
            app.open_compare(run_id, beside)
            for _ in range(40):
                await pilot.pause(0.05)
        return FONT_FACE.sub("", app.export_screenshot(title="Answer Workbench"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
