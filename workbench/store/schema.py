"""The tables of a store, by version. Names follow Dify's where Dify has the thing (facts:
dify-pause-resume.md, 2).

There are no indexes on purpose: leases are exclusive, so uniqueness is checked inside them, and an index
would make every open slower. `seq` numbers runs in the order of their start; rows of a run stand together, so
a filter on it skips nearly everything. Texts from outside are BLOBs in `blobs`, byte for byte; JSON of our
own is ASCII in VARCHAR. Times are UTC.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FIRST = """
CREATE TABLE store_info (key VARCHAR, value VARCHAR);

CREATE TABLE blobs (id VARCHAR, size BIGINT, data BLOB);
COMMENT ON COLUMN blobs.id IS 'first 32 hex digits of the SHA-256 of data';

CREATE TABLE apps (
    id VARCHAR, name VARCHAR, mode VARCHAR, dsl_version VARCHAR, search VARCHAR, imported_at TIMESTAMP
);
COMMENT ON COLUMN apps.id IS 'also the id of the blob with the exported DSL';

CREATE TABLE files (
    id VARCHAR, kind VARCHAR, name VARCHAR, detail VARCHAR, size BIGINT, imported_at TIMESTAMP
);

CREATE TABLE workflow_runs (
    seq BIGINT, id VARCHAR, app_id VARCHAR, app_name VARCHAR, type VARCHAR, triggered_from VARCHAR,
    status VARCHAR, interrupted BOOLEAN, kernel VARCHAR,
    inputs VARCHAR, system VARCHAR, script VARCHAR, options VARCHAR,
    outputs VARCHAR, answer VARCHAR, error VARCHAR,
    elapsed_time DOUBLE, total_tokens BIGINT, total_steps BIGINT, exceptions_count BIGINT,
    steps BIGINT, segments INTEGER, created_at TIMESTAMP, finished_at TIMESTAMP, search VARCHAR
);
COMMENT ON COLUMN workflow_runs.total_steps IS 'node runs, as Dify counts them';
COMMENT ON COLUMN workflow_runs.steps IS 'events in run_events';

CREATE TABLE run_segments (
    run BIGINT, segment INTEGER, kernel VARCHAR, first_step BIGINT, last_step BIGINT,
    gate_mode VARCHAR, gate_object_key VARCHAR, pause_id VARCHAR, forms VARCHAR, base_object_key VARCHAR,
    script VARCHAR, options VARCHAR, liveness VARCHAR, status VARCHAR, created_at TIMESTAMP, finished_at
    TIMESTAMP
);
COMMENT ON COLUMN run_segments.liveness IS 'file that its recorder keeps locked while it lives';

CREATE TABLE run_events (
    run BIGINT, step BIGINT, happened_at DOUBLE, kind VARCHAR, node_id VARCHAR, event VARCHAR
);
CREATE TABLE run_facts (run BIGINT, segment INTEGER, step BIGINT, kind VARCHAR, fact VARCHAR);
COMMENT ON TABLE run_facts IS 'graph, pool, notes; streamed chunks where the journal alone does not give
them';

CREATE TABLE workflow_node_executions (
    run BIGINT, index BIGINT, segment INTEGER, predecessor_node_id VARCHAR, node_execution_id VARCHAR,
    node_id VARCHAR, node_type VARCHAR, title VARCHAR, container_id VARCHAR, container_index BIGINT,
    inputs VARCHAR, process_data VARCHAR, outputs VARCHAR, status VARCHAR, error VARCHAR, error_type VARCHAR,
    edge_source_handle VARCHAR, elapsed_time DOUBLE, execution_metadata VARCHAR, total_tokens BIGINT, retries
    INTEGER, first_step BIGINT, last_step BIGINT, created_at TIMESTAMP, finished_at TIMESTAMP
);

CREATE TABLE workflow_pauses (
    id VARCHAR, run BIGINT, workflow_run_id VARCHAR, segment INTEGER, step BIGINT,
    state_object_key VARCHAR, gate_object_key VARCHAR, outputs VARCHAR,
    created_at TIMESTAMP, resumed_at TIMESTAMP
);
CREATE TABLE workflow_pause_reasons (
    id VARCHAR, pause_id VARCHAR, position INTEGER, type VARCHAR, form_id VARCHAR, message VARCHAR, node_id
    VARCHAR, reason VARCHAR
);

CREATE TABLE forks (run BIGINT, run_id VARCHAR, parent_run_id VARCHAR, step BIGINT, created_at TIMESTAMP);
"""

SECOND = """
CREATE TABLE edited_files (
    file_id VARCHAR, parent_kind VARCHAR, parent_id VARCHAR, run_id VARCHAR, step BIGINT, app_id VARCHAR,
    kernel VARCHAR, name VARCHAR, edits VARCHAR, created_at TIMESTAMP
);
COMMENT ON TABLE edited_files IS 'saved pauses that were made by editing another one, and the edits';
COMMENT ON COLUMN edited_files.parent_kind IS 'pause, file, or path of a file that was never stored';
"""

MIGRATIONS: tuple[str, ...] = (FIRST, SECOND)
"""SQL that brings a store from version N to N + 1. Only ever append."""


def prepare(connection: DuckDBPyConnection, path: Path, migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """Make the tables of a new store, or bring an older store up to date (a copy of the file is kept).

    Raises:
        StoreError: a newer workbench made it, or it is some other DuckDB database.
    """
    version = _version(connection, path)
    if version == len(migrations):
        return
    if version > len(migrations):
        raise StoreError(
            f"The store {path} was made by a newer workbench",
            f"It has version {version}; this workbench knows up to {len(migrations)}.",
            "Upgrade the workbench, or choose another store (--store FILE).",
        )
    if version:
        connection.execute("CHECKPOINT")  # all into the file, so that the copy is whole
        shutil.copy2(path, path.with_name(f"{path.name}.version-{version}"))
    connection.execute("BEGIN")
    for step in migrations[version:]:
        connection.execute(step)
    connection.execute("DELETE FROM store_info WHERE key = 'version'")
    connection.execute("INSERT INTO store_info VALUES ('version', ?)", [str(len(migrations))])
    connection.execute("COMMIT")


def _version(connection: DuckDBPyConnection, path: Path) -> int:
    """The store's version; 0 for a new file."""
    import duckdb

    try:
        rows = connection.execute("SELECT value FROM store_info WHERE key = 'version'").fetchall()
    except duckdb.Error:  # no such table or column
        tables = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        if not connection.execute(tables).fetchall():
            return 0
        rows = []
    if rows and str(rows[0][0]).isdigit():
        return int(rows[0][0])
    raise StoreError(
        f"{path} is no store of the workbench",
        "It is a DuckDB database that something else made.",
        "Choose another file (--store FILE).",
    )
