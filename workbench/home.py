"""Where the workbench keeps what is the user's: the store, the engine kernels, the settings.

`WORKBENCH_HOME`, else the platform's data folder (Linux: `$XDG_DATA_HOME` or `~/.local/share`, macOS:
`~/Library/Application Support`). The folder is private (0700): a store holds whatever the runs held.
"""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import WorkbenchError

FOLDER = "answer-workbench"
STORE = "workbench.duckdb"


def home() -> Path:
    """The workbench's folder, absolute, made when it is missing (0700).

    Raises:
        WorkbenchError: the folder can't be made or is a file, or nothing says where it would be.
    """
    folder = chosen_home()
    private_folder(folder)
    return folder


def chosen_home() -> Path:
    """The folder that `home()` would use, without making it. An empty `WORKBENCH_HOME` counts as unset."""
    given = os.environ.get("WORKBENCH_HOME")
    if given:
        return Path(given).expanduser().absolute()
    if not os.environ.get("HOME"):
        return _without_home_variable()
    import platformdirs

    return platformdirs.user_data_path(FOLDER, appauthor=False)


def store_path(folder: Path | None = None) -> Path:
    """The store's file in `folder` (default: `home()`)."""
    return (folder or home()) / STORE


def kernels_dir(folder: Path | None = None) -> Path:
    """The folder of the built engine kernels in `folder` (default: `home()`), made when it is missing."""
    return private_folder((folder or home()) / "kernels")


def private_folder(folder: Path) -> Path:
    """Make `folder` and its missing parents for this user only; an existing one keeps its mode.

    Raises:
        WorkbenchError: it can't be made, or something else has its name.
    """
    before = os.umask(0o077)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(
            f"The folder {folder} can't be made.",
            f"{error.strerror or error}.",
            "Set WORKBENCH_HOME to a folder that you can write to.",
        ) from error
    finally:
        os.umask(before)
    return folder


def _without_home_variable() -> Path:
    """`HOME` is unset or empty (cron, `env -i`): the account's own home folder.

    `platformdirs` would expand an empty `HOME` to the root folder.
    """
    import pwd

    try:
        account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise WorkbenchError(
            "The workbench does not know where to keep its data.",
            "HOME is not set and this user has no account entry.",
            "Set WORKBENCH_HOME to a folder that you can write to.",
        ) from None
    return account / ".local" / "share" / FOLDER
