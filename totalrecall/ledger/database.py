"""One open ledger file: who may open it when, transactions, and SQLite's errors in our words."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from totalrecall.errors import BusyError, LedgerError
from totalrecall.files.atomic import FILE_MODE, make_folder
from totalrecall.files.failure import memory_file_error
from totalrecall.ledger.schema import VERSION, migrate, refuse_newer, version_of

FILE_NAME = "ledger.sqlite"
USERS_NAME = "ledger.users"
BUSY_S = 10.0
CHECKPOINT_MS = 1_000
POLL_S = 0.01
CHECK_EVERY_MS = 24 * 3600 * 1000
WAL_LIMIT_BYTES = 1 << 20


class Database:
    """An open ledger. Not shared between threads: each opens its own."""

    def __init__(self, path: Path, connection: sqlite3.Connection, users_fd: int) -> None:
        self.path = path
        self._connection = connection
        self._users_fd = users_fd

    @classmethod
    def open(cls, folder: Path, *, now_ms: int) -> Database:
        """Open or make the ledger in ``folder``; see ``Ledger.open``."""
        path = folder / FILE_NAME
        users_fd = _open_users(folder)
        connection: sqlite3.Connection | None = None
        try:
            with translated(path):
                alone = _enter(users_fd)
                unclean = alone and wal_of(path).exists()
                connection = _connect(path)
                alone = _settle_version(connection, users_fd, path, alone=alone)
                database = cls(path, connection, users_fd)
                database._check(now_ms, unclean=unclean)
                if alone:
                    fcntl.flock(users_fd, fcntl.LOCK_SH)
                return database
        except BaseException:
            if connection is not None:
                connection.close()
            os.close(users_fd)
            raise

    def close(self) -> None:
        """Close the file; the last one out leaves neither ``-wal`` nor ``-shm``. Closing twice is fine."""
        self._connection.close()
        if self._users_fd >= 0:
            os.close(self._users_fd)
            self._users_fd = -1

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with translated(self.path):
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of the block is on the disk when it ends, or nothing of it ever was."""
        connection = self._connection
        with translated(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def truncate_wal(self) -> bool:
        """Bring everything into the main file and empty the ``-wal``; False when a reader kept it from it."""
        # Who waits for this is told to come again: a reader may stay for long.
        self.read(f"PRAGMA busy_timeout = {CHECKPOINT_MS}")
        try:
            busy, _, _ = self.read("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        finally:
            self.read(f"PRAGMA busy_timeout = {BUSY_S * 1000:.0f}")
        return not busy

    def backup_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole ledger into ``target``."""
        with translated(self.path):
            self._connection.backup(target)

    def _check(self, now_ms: int, *, unclean: bool) -> None:
        rows = self.read("SELECT value FROM facts WHERE name = 'checked_ms'")
        age_ms = now_ms - int(rows[0][0]) if rows else None
        # A clock that was set back makes the age negative: check, and start counting again.
        if not unclean and age_ms is not None and 0 <= age_ms < CHECK_EVERY_MS:
            return
        if rows and (found := first_fault(self._connection)):
            raise damaged(self.path, found)
        with self.write() as connection:
            connection.execute("INSERT OR REPLACE INTO facts VALUES ('checked_ms', ?)", (now_ms,))


def wal_of(path: Path) -> Path:
    """The write-ahead log beside a database file."""
    return path.with_name(path.name + "-wal")


def first_fault(connection: sqlite3.Connection) -> str:
    """What ``quick_check`` finds first, "" when all is well."""
    row = connection.execute("PRAGMA quick_check(1)").fetchone()
    return "" if row == ("ok",) else str(row[0])


def damaged(path: Path, found: str) -> LedgerError:
    """The error for a ledger that can no longer be trusted."""
    return LedgerError(
        f"The ledger {path} is damaged ({found}).",
        "Run `totalrecall repair`: it moves the file aside and restores the newest backup.",
    )


@contextlib.contextmanager
def only_user(folder: Path) -> Iterator[None]:
    """Nobody else has the ledger of ``folder`` open, and nobody can open it inside the block.

    Raises BusyError when somebody has it open.
    """
    users_fd = _open_users(folder)
    try:
        if not _enter(users_fd):
            raise BusyError(
                "The ledger is in use.",
                "End the other command, or stop the service, then try again.",
            )
        yield
    finally:
        os.close(users_fd)


def says_damaged(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file itself is broken, and not its disk, its rights or its users."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as ours: busy, damaged, no room."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        primary = code & 0xFF if code is not None else None
        if primary in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise BusyError(f"The ledger {path} is in use for too long.", "Try again in a moment.") from error
        if says_damaged(error):
            raise damaged(path, str(error)) from error
        if primary in _WORLD:
            raise LedgerError(f"The ledger {path} cannot be used: {error}.", _WORLD[primary]) from error
        raise


_WORLD = {
    sqlite3.SQLITE_FULL: "Make room on that disk; nothing was changed.",
    sqlite3.SQLITE_IOERR: "Look at the free space and the health of that disk; nothing was changed.",
    sqlite3.SQLITE_READONLY: "Give your user the right to write the file and its folder.",
    sqlite3.SQLITE_CANTOPEN: "Give your user the right to read and write the file and its folder.",
    sqlite3.SQLITE_PERM: "Give your user the right to write the file and its folder.",
    sqlite3.SQLITE_AUTH: "Give your user the right to write the file and its folder.",
}


def _open_users(folder: Path) -> int:
    """The file by which those who have the ledger open know of each other; the kernel forgets the dead."""
    try:
        make_folder(folder)
    except OSError as error:
        failure = memory_file_error("make the folder", folder, error)
        raise LedgerError(failure.title, failure.hint) from error
    return _open_private(folder / USERS_NAME)


def _open_private(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        failure = memory_file_error("open", path, error)
        raise LedgerError(failure.title, failure.hint) from error


def _enter(users_fd: int) -> bool:
    """Join the users of the ledger; True when there is nobody else, and then nobody else gets in yet."""
    deadline_s = time.monotonic() + BUSY_S
    while time.monotonic() < deadline_s:
        for kind, alone in ((fcntl.LOCK_EX, True), (fcntl.LOCK_SH, False)):
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(users_fd, kind | fcntl.LOCK_NB)
                return alone
        time.sleep(POLL_S)
    raise BusyError(
        "Another process has been making or checking the ledger for too long.", "Try again later."
    )


def _connect(path: Path) -> sqlite3.Connection:
    # Made by us and not by SQLite, so that it, its -wal and its -shm are private from the first byte on. Only
    # when it is missing: closing a descriptor frees every lock that this process holds on an existing file.
    if not path.exists():
        os.close(_open_private(path))
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES:d}")
    except BaseException:
        connection.close()
        raise
    return connection


def _settle_version(connection: sqlite3.Connection, users_fd: int, path: Path, *, alone: bool) -> bool:
    """Bring the schema up to date where that is needed; returns whether we are alone with the file."""
    version = version_of(connection)
    refuse_newer(version, str(path))
    if version == VERSION:
        return alone
    deadline_s = time.monotonic() + BUSY_S
    while not alone:
        if time.monotonic() > deadline_s:
            raise BusyError(
                "The ledger must be brought up to date, and another process has it open.",
                "End the other command, or stop the service, then try again.",
            )
        # Let go first: two who wait for each other's share would wait for ever.
        fcntl.flock(users_fd, fcntl.LOCK_UN)
        time.sleep(POLL_S * (1 + os.getpid() % 7))
        alone = _enter(users_fd)
        if version_of(connection) == VERSION:
            return alone
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection)
    return True
