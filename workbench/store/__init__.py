"""DuckDB store: what the workbench remembers. Importing this does not load DuckDB; the first lease does."""

from workbench.store.recorder import Recorder
from workbench.store.rows import (
    AppRow,
    NodeRow,
    PauseRow,
    Ref,
    RunDetail,
    RunRow,
    SegmentRow,
    StoredFile,
    Streamed,
)
from workbench.store.store import Store

__all__ = [
    "AppRow",
    "NodeRow",
    "PauseRow",
    "Recorder",
    "Ref",
    "RunDetail",
    "RunRow",
    "SegmentRow",
    "Store",
    "StoredFile",
    "Streamed",
]
