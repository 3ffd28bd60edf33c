"""The ledger's tables, and the steps from each version to the next."""

from __future__ import annotations

import sqlite3

from totalrecall.errors import LedgerError

# One string per version. A released step is never changed; a new version adds a step.
STEPS: tuple[str, ...] = (
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE sessions (
        session_id PRIMARY KEY NOT NULL, store TEXT NOT NULL, key NOT NULL, kind TEXT NOT NULL,
        location NOT NULL, position INTEGER NOT NULL, head TEXT NOT NULL, tail TEXT NOT NULL, carry NOT NULL,
        existed_at_adoption INTEGER NOT NULL, started_ms INTEGER, last_at_ms INTEGER, ended INTEGER NOT NULL,
        bad_records INTEGER NOT NULL, unknown_types TEXT NOT NULL, last_entries TEXT NOT NULL,
        rebuilt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE seen (
        identity BLOB PRIMARY KEY NOT NULL, session_id NOT NULL, position INTEGER NOT NULL,
        is_message INTEGER NOT NULL, state TEXT NOT NULL CHECK (state <> 'pending'), reason TEXT,
        at_ms INTEGER, marker TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX seen_by_session ON seen (session_id, is_message, state, reason, position);
    CREATE INDEX seen_by_marker ON seen (marker) WHERE marker <> '';
    CREATE TABLE batches (
        marker TEXT PRIMARY KEY NOT NULL, session_id NOT NULL, session_after TEXT NOT NULL,
        status TEXT NOT NULL, provisional INTEGER NOT NULL, planned_ms INTEGER NOT NULL, engine TEXT NOT NULL,
        model NOT NULL, prompt_hash TEXT NOT NULL, calls INTEGER NOT NULL, tokens_in INTEGER NOT NULL,
        tokens_out INTEGER NOT NULL, cost_usd REAL, file_digest TEXT NOT NULL, attempts INTEGER NOT NULL,
        error NOT NULL, nothing_notable INTEGER NOT NULL, settled_ms INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX batches_open ON batches (status) WHERE status IN ('planned', 'generated', 'writing');
    CREATE INDEX batches_provisional ON batches (session_id) WHERE provisional;
    CREATE INDEX batches_by_time ON batches (planned_ms);
    CREATE TABLE planned (
        marker TEXT NOT NULL REFERENCES batches (marker) ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        identity BLOB NOT NULL, session_id NOT NULL, position INTEGER NOT NULL, is_message INTEGER NOT NULL,
        state TEXT NOT NULL, reason TEXT, at_ms INTEGER, PRIMARY KEY (marker, ordinal)
    ) WITHOUT ROWID;
    CREATE TABLE notes (
        note_id TEXT PRIMARY KEY NOT NULL, marker TEXT NOT NULL REFERENCES batches (marker) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL, day TEXT NOT NULL, time TEXT NOT NULL, priority TEXT NOT NULL, type TEXT,
        text NOT NULL, text_hash BLOB NOT NULL, parent_id TEXT, verified INTEGER NOT NULL, removed_ms INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX notes_by_marker ON notes (marker, ordinal);
    CREATE INDEX notes_by_day ON notes (day, time);
    CREATE INDEX notes_by_hash ON notes (text_hash);
    CREATE TABLE cites (
        note_id TEXT NOT NULL REFERENCES notes (note_id) ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        identity BLOB NOT NULL, PRIMARY KEY (note_id, ordinal)
    ) WITHOUT ROWID;
    CREATE INDEX cites_by_identity ON cites (identity);
    CREATE TABLE dropped (
        dropped_id INTEGER PRIMARY KEY, marker TEXT NOT NULL, text NOT NULL, reason TEXT NOT NULL,
        at_ms INTEGER NOT NULL
    );
    CREATE TABLE runs (
        run_id INTEGER PRIMARY KEY, job TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,
        ok INTEGER NOT NULL, numbers TEXT NOT NULL
    );
    CREATE INDEX runs_by_job ON runs (job, started_ms);
    """,
    # Reflections. The notes that one makes stand in `notes` under its marker, which has a row in `batches`,
    # so that whoever looks for a note finds them; `cites` holds all messages of what they stand for.
    """
    CREATE TABLE reflections (
        reflection_id INTEGER PRIMARY KEY, marker TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
        started_ms INTEGER NOT NULL, ended_ms INTEGER, engine TEXT NOT NULL, model NOT NULL,
        numbers TEXT NOT NULL, backup NOT NULL,
        before_digest TEXT NOT NULL, after_digest TEXT NOT NULL, after_bytes INTEGER NOT NULL,
        undo TEXT NOT NULL, undone_ms INTEGER
    );
    CREATE INDEX reflections_open ON reflections (status) WHERE status IN ('planned', 'undoing');
    CREATE TABLE departures (
        marker TEXT NOT NULL REFERENCES reflections (marker) ON DELETE CASCADE, number INTEGER NOT NULL,
        note_id TEXT NOT NULL, day TEXT NOT NULL, line NOT NULL, block TEXT NOT NULL, reason TEXT NOT NULL,
        into_id TEXT NOT NULL, by_hash BLOB NOT NULL, left_ms INTEGER, returned_ms INTEGER,
        PRIMARY KEY (marker, number)
    ) WITHOUT ROWID;
    CREATE INDEX departures_by_note ON departures (note_id);
    CREATE INDEX departures_by_time ON departures (left_ms);
    """,
)
VERSION = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version a file has; 0 when it is new."""
    row = connection.execute("PRAGMA user_version").fetchone()
    return int(row[0])


def refuse_newer(version: int, where: str) -> None:
    """Raises LedgerError when a newer Total Recall wrote the file."""
    if version > VERSION:
        raise LedgerError(
            f"The ledger {where} has version {version}; this Total Recall knows up to {VERSION}.",
            "Install the newer Total Recall again, or restore a backup with `totalrecall repair`.",
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to ``VERSION``, each step in a transaction with its number: a crash leaves a whole step.

    The caller is alone with the file.
    """
    for number in range(version_of(connection), VERSION):
        statements = [one for one in STEPS[number].split(";\n") if one.strip()]
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1:d}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
