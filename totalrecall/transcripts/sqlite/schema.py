"""What the agent's database looks like, found by its columns and never by its version number.

Only the tables named here are ever selected: the same file holds credentials and much else that is not ours.
Agent schemas 19 (OpenClaw 2026.8.1 to 2026.9.3) and 23 (2026.9.6) were read; what is missing of the optional
tables and columns is done without.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from totalrecall.errors import SourceError

EVENTS = "transcript_events"
NODES = "session_nodes"
WINDOWS = "session_windows"
WATERMARKS = "transcript_rewrite_watermarks"
ARCHIVES = "session_transcript_archives"
COLD_ARCHIVES = "session_transcript_cold_archives"
TABLES = (EVENTS, NODES, WINDOWS, WATERMARKS, ARCHIVES, COLD_ARCHIVES)


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of each named table; a table that does not exist has none."""

    columns: dict[str, frozenset[str]]

    def has(self, table: str, *columns: str) -> bool:
        """True when ``table`` exists and has all ``columns``."""
        present = self.columns[table]
        return bool(present) and present.issuperset(columns)

    @property
    def body(self) -> str:
        """The SQL expressions for a row's plain and compressed body, NULL for the one that does not exist."""
        plain = "event_json" if self.has(EVENTS, "event_json") else "NULL"
        packed = "event_zstd" if self.has(EVENTS, "event_zstd") else "NULL"
        return f"{plain}, {packed}"

    def pick(self, table: str, wanted: tuple[str, ...]) -> str:
        """``wanted`` as a SELECT list in which columns that ``table`` lacks are NULL."""
        present = self.columns[table]
        return ", ".join(name if name in present else f"NULL AS {name}" for name in wanted)


def read_schema(connection: sqlite3.Connection) -> Schema:
    """The schema as it stands. Raises SourceError when transcripts cannot be found in it."""
    schema = Schema({table: _columns(connection, table) for table in TABLES})
    if not schema.has(EVENTS):
        raise SourceError(
            "The agent's database has no transcript_events table.",
            "OpenClaw keeps its transcripts elsewhere: totalrecall doctor shows where it looked.",
        )
    if not schema.has(EVENTS, "session_id", "seq") or schema.body == "NULL, NULL":
        raise SourceError(
            "The agent's database has a transcript_events table of a form this version does not know.",
            "Update Total Recall; no message is lost meanwhile.",
        )
    return schema


def has_transcripts(connection: sqlite3.Connection) -> bool:
    """True when the database is made for transcripts; up to 2026.7.1 it has other tables only."""
    return bool(_columns(connection, EVENTS))


def _columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset(bytes(name).decode("utf-8", "replace") for (name,) in rows)
