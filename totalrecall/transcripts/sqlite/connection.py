"""One short look into the agent's database that leaves no trace beside it.

The database belongs to a running gateway (R002). Each call of ``query`` opens, reads and closes, so that
nothing of ours is open while a caller thinks:

- ``-wal`` and ``-shm`` stand: the gateway runs, or died. ``mode=ro`` with ``readonly_shm=1``: SQLite then
  neither makes the ``-shm`` file nor writes a byte into it, and reads the WAL of a killed gateway without
  repairing it.
- no ``-wal`` stands: the gateway is down. A plain ``mode=ro`` would leave a ``-wal`` behind, so
  ``immutable=1``, which takes no lock and makes no file; it also sees no change, so a second look afterwards
  tells whether the result counts.

The file itself is never opened by any other means: closing any descriptor of it would drop the locks of this
process.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from totalrecall.errors import SourceError

BUSY_TIMEOUT_S = 5.0
"""How long SQLite itself waits for a lock. Longer than the locks of three seconds that were seen (R002)."""

ROW_LIMIT_BYTES = 4 * 1024 * 1024 + 65536
"""The longest value that a SELECT may load; SQLite refuses longer ones before it makes room for them."""

_ATTEMPTS = 5
_PAUSE_S = 0.02

_TRY_LATER = frozenset({
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,  # the shared index needs the gateway's repair, and we do not write
    sqlite3.SQLITE_SCHEMA,
})  # fmt: skip

T = TypeVar("T")


class LockedSourceError(SourceError):
    """The database is locked or between two states just now. Nothing is wrong; look again later."""

    exit_code = 75


class GoneSourceError(SourceError):
    """The database file does not exist, or no longer."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What stands on disk: the file's inode, size and time, and which companions it has."""

    inode: int
    size_bytes: int
    modified_ns: int
    wal: bool
    wal_bytes: int
    shm: bool
    journal: bool

    @property
    def down(self) -> bool:
        """True when no gateway can have unseen rows in a WAL."""
        return not self.wal or (self.wal_bytes == 0 and not self.shm)


def query(
    database: Path, work: Callable[[sqlite3.Connection], T], busy_timeout_s: float = BUSY_TIMEOUT_S
) -> T:
    """What ``work`` makes of one read-only snapshot of ``database``.

    ``work`` must take what it needs out of the connection: it is closed when it returns. It may run again
    when the gateway starts or stops meanwhile. Raises GoneSourceError, LockedSourceError (try later) or
    SourceError.
    """
    for _ in range(_ATTEMPTS):
        before = _look(database)
        _refuse_unreadable(before)
        try:
            result = _run(database, before, work, busy_timeout_s)
        except sqlite3.Error as error:
            if _look(database).down != before.down:
                continue  # the gateway came or went between the look and the opening
            raise _translated(error, database) from error
        if not before.down or _look(database) == before:
            return result
        time.sleep(_PAUSE_S)
    raise LockedSourceError("The agent's database changes all the time.", "It is read at the next run.")


def newest_change_ms(database: Path) -> int:
    """When the database or its WAL was last written, in milliseconds since 1970; 0 when there is none."""
    newest = 0
    for path in (database, _beside(database, "-wal")):
        try:
            newest = max(newest, path.stat().st_mtime_ns // 1_000_000)
        except OSError:
            continue  # absent or not ours to see: the reading itself says so
    return newest


def _beside(database: Path, suffix: str) -> Path:
    return database.with_name(database.name + suffix)


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _look(database: Path) -> _Look:
    real = database.resolve()  # SQLite puts -wal and -shm beside the file that a link points to
    try:
        stat = real.stat()
        wal_bytes = _size_of(_beside(real, "-wal"))
        shm_bytes = _size_of(_beside(real, "-shm"))
        journal_bytes = _size_of(_beside(real, "-journal"))
    except (FileNotFoundError, NotADirectoryError):
        raise GoneSourceError("The agent's database does not exist.") from None
    except OSError as error:
        raise SourceError(
            f"The agent's database cannot be looked at ({error.strerror}).",
            "Run Total Recall as the user that runs OpenClaw.",
        ) from error
    return _Look(
        inode=stat.st_ino,
        size_bytes=stat.st_size,
        modified_ns=stat.st_mtime_ns,
        wal=wal_bytes is not None,
        wal_bytes=wal_bytes or 0,
        shm=shm_bytes is not None,
        journal=bool(journal_bytes),
    )


def _refuse_unreadable(look: _Look) -> None:
    """States in which any reader would have to write a file first."""
    if look.journal:
        raise LockedSourceError(
            "The agent's database is in the middle of a write.", "It is read at the next run."
        )
    if look.wal_bytes and not look.shm:
        raise LockedSourceError(
            "The agent's database has a write-ahead log whose index is missing.",
            "OpenClaw repairs that at its next start; nothing is read before.",
        )


def _run(database: Path, look: _Look, work: Callable[[sqlite3.Connection], T], busy_timeout_s: float) -> T:
    flag = "immutable=1" if look.down else "readonly_shm=1"
    uri = f"{database.resolve().as_uri()}?mode=ro&{flag}"
    with closing(sqlite3.connect(uri, uri=True, timeout=busy_timeout_s, isolation_level=None)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW_LIMIT_BYTES)
        connection.text_factory = bytes  # one row of broken UTF-8 is that row's problem
        connection.execute("PRAGMA query_only=1")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("BEGIN")  # one snapshot for all of ``work``; ended by closing
        return work(connection)


def _translated(error: sqlite3.Error, database: Path) -> SourceError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _TRY_LATER:
        return LockedSourceError("The agent's database is locked.", "It is read at the next run.")
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return SourceError(
            f"The agent's database {database.name} is damaged or no SQLite file.",
            "OpenClaw's own check: openclaw doctor.",
        )
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        return SourceError(
            f"The agent's database {database.name} cannot be opened.",
            "Run Total Recall as the user that runs OpenClaw.",
        )
    name = getattr(error, "sqlite_errorname", "unknown error")
    return SourceError(f"The agent's database {database.name} cannot be read ({name}).")
