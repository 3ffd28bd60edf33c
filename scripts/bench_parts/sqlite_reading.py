"""How the cost of looking at an agent's database grows with the database: it must not.

A look is what each run does: list the sessions, compare with the cursor, read 20 new rows, make the new
cursor.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from totalrecall.domain.cursor import Cursor
from totalrecall.transcripts.sqlite.store import SqliteStore

SMALL_BYTES = 1_000_000
LARGE_BYTES = 400_000_000
NEW_ROWS = 20
ROUNDS = 40
REACH = 1.2
START_MS = 1_796_000_000_000
WORDS = "We agreed that the release goes to staging first and that Dana looks at the logs. " * 24

Row = tuple[str, float, float, float, float]


def rows(small_bytes: int = SMALL_BYTES, large_bytes: int = LARGE_BYTES) -> list[Row]:
    """(name, ours, yardstick, ratio, reach) of each figure; times in milliseconds, the median of ROUNDS."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.sqlite"), Path(folder, "large.sqlite")
        with closing(_filled(small, small_bytes)), closing(_filled(large, large_bytes)):
            pair = (_Look(small), _Look(large))
            yardstick, ours = _median_ms(pair)
    name = f"20 new rows at the end of a {large_bytes // 1_000_000} MB store, ms against 1 MB"
    return [(name, ours, yardstick, ours / yardstick, REACH)]


class _Look:
    """A reader that knows the session up to NEW_ROWS before its end."""

    def __init__(self, database: Path) -> None:
        self.store = SqliteStore("main", database, now_ms=lambda: START_MS * 2)
        (session,) = self.store.sessions()
        self.cursor = self.store.cursor_at(session, session.size - NEW_ROWS, "")

    def once(self) -> Cursor:
        """One look with a new store object, as after a restart."""
        store = SqliteStore("main", self.store.database, now_ms=lambda: START_MS * 2)
        (session,) = store.sessions()
        opening = store.open(session, self.cursor)
        records = list(store.read(session, opening.position))
        if len(records) != NEW_ROWS:
            raise RuntimeError(f"{len(records)} rows were read")
        return store.cursor_at(session, records[-1].end, "")


def _median_ms(looks: tuple[_Look, _Look]) -> tuple[float, float]:
    """The median time of both, measured in turns so that the machine's moods hit both."""
    times: tuple[list[float], list[float]] = ([], [])
    for look in looks:
        look.once()
    for _ in range(ROUNDS):
        for look, spent in zip(looks, times, strict=True):
            start = time.perf_counter()
            look.once()
            spent.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])


def _filled(database: Path, size_bytes: int) -> sqlite3.Connection:
    """A database in WAL mode with one session of about ``size_bytes``, still open as beside a gateway."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(
        "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,"
        " created_at INTEGER NOT NULL, event_zstd BLOB, PRIMARY KEY (session_id, seq)) STRICT"
    )
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO transcript_events VALUES ('s1', ?, ?, ?, NULL)", _events(size_bytes))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection


def _events(size_bytes: int) -> Iterator[tuple[int, str, int]]:
    message = {"role": "user", "content": WORDS, "timestamp": START_MS}
    for seq in range(size_bytes // len(WORDS)):
        entry = {
            "type": "message",
            "id": f"{seq:036}",
            "timestamp": "2026-11-30T00:00:00.000Z",
            "message": message,
        }
        yield seq, json.dumps(entry), START_MS + seq
