"""`workbench lab`: JupyterLab in this process, for this machine only, asking the network for nothing."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.errors import UsageError, WorkbenchError
from workbench.notebook.bench import KERNEL, STORE
from workbench.verbs.lessons import INDEX

LOOPBACK = "127.0.0.1"
NEWS = "@jupyterlab/apputils-extension:announcements"
TOKEN = "--IdentityProvider.token"


def lab(
    folder: Path,
    *,
    store: Path | None = None,
    kernel: str | None = None,
    port: int | None = None,
    browser: bool = True,
    told: Callable[[str], None] = print,
) -> None:
    """Serve a folder in JupyterLab until Ctrl-C or SIGTERM; its Jupyter kernels end with it.

    Args:
        store, kernel: what `Workbench()` uses in its notebooks.
        port: None takes 8888 or the next free one.
        told: gets the address, with its token, when it answers.

    Raises:
        UsageError: JupyterLab is not installed.
        WorkbenchError: the port is taken.
    """
    app = _labapp()
    for name, value in ((STORE, store), (KERNEL, kernel)):
        if value is not None:
            os.environ[name] = str(value)
    token = os.environ.get("JUPYTER_TOKEN") or secrets.token_hex(24)
    try:
        server = app.initialize_server(argv=[*_arguments(folder, port, browser), f"{TOKEN}={token}"])
    except SystemExit as error:
        raise WorkbenchError(
            "JupyterLab could not start.",
            f"Port {port} is taken." if port else "Its own words stand above.",
            "Leave --port out to take a free one.",
        ) from error
    server.web_app.settings["page_config_hook"] = _without_news
    for number in (signal.SIGINT, signal.SIGHUP):  # Jupyter would ask, or leave its kernels behind
        signal.signal(number, lambda *_: server.stop(from_signal=True))
    told(f"http://{LOOPBACK}:{server.port}{server.default_url}?token={token}")
    server.start()


def _labapp() -> Any:
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        raise UsageError(
            "JupyterLab is not installed here.",
            f"{type(error).__name__}: {error}",
            "Install it: pip install 'answer-workbench[notebook]'. Or open the notebooks with a JupyterLab, "
            "Notebook 7 or VS Code of your own.",
        ) from error
    return LabApp


def _without_news(handler: Any, page: dict[str, Any]) -> dict[str, Any]:
    """JupyterLab's page without the question whether it may ask the network for news."""
    page["disabledExtensions"] = [*page.get("disabledExtensions", ()), NEWS]
    return page


def _arguments(folder: Path, port: int | None, browser: bool) -> list[str]:
    wanted = [
        f"--ServerApp.ip={LOOPBACK}",
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.allow_root=True",
        "--Application.log_level=WARN",
        f"--LabApp.default_url=/lab/tree/{INDEX}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    return wanted if port is None else [*wanted, f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
