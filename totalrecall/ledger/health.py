"""What is left of the ledger when a run starts, before anything is opened for writing."""

from __future__ import annotations

import contextlib
import sqlite3
from enum import StrEnum
from pathlib import Path

from totalrecall.errors import LedgerError
from totalrecall.ledger.backup import backups
from totalrecall.ledger.database import FILE_NAME, damaged, first_fault, says_damaged, translated
from totalrecall.ledger.mirror import Mirror, Unreadable, read_mirror
from totalrecall.ledger.schema import VERSION, version_of


class LedgerHealth(StrEnum):
    """OK: go on. FRESH: nothing was ever here. The others stop the service until `totalrecall repair`.

    MISSING_BUT_MIRROR: the file is gone or empty, and the mirror or a backup tells how far we were.
    MISSING_BUT_NOTES: the file is gone or empty, notes exist, and nothing tells how far we were.
    """

    OK = "ok"
    FRESH = "fresh"
    MISSING_BUT_MIRROR = "missing_but_mirror"
    MISSING_BUT_NOTES = "missing_but_notes"
    DAMAGED = "damaged"
    NEWER = "newer"


def diagnose(folder: Path, mirror_path: Path, *, notes_exist: bool, thorough: bool = False) -> LedgerHealth:
    """The state of the ledger in ``folder``; ``thorough`` checks every page, as opening does when due.

    Raises:
        LedgerError: it cannot be looked at: no room, no rights, a disk that fails. It need not be damaged.
        BusyError: another process keeps it.
    """
    path = folder / FILE_NAME
    try:
        version, fault = _look(path, thorough=thorough)
    except sqlite3.DatabaseError as error:
        if says_damaged(error):
            return LedgerHealth.DAMAGED
        with translated(path):
            raise
    if version > VERSION:
        return LedgerHealth.NEWER
    if fault:
        return LedgerHealth.DAMAGED
    if version > 0:
        return LedgerHealth.OK
    found = read_mirror(mirror_path)
    if isinstance(found, Mirror) or backups(folder):
        return LedgerHealth.MISSING_BUT_MIRROR
    # A mirror that cannot be read still tells that we were here.
    return LedgerHealth.MISSING_BUT_NOTES if notes_exist or not found.missing else LedgerHealth.FRESH


def demand_usable(health: LedgerHealth, folder: Path) -> None:
    """Raises the LedgerError that says what is wrong, unless the ledger is OK or FRESH."""
    path = folder / FILE_NAME
    if health is LedgerHealth.MISSING_BUT_MIRROR:
        raise LedgerError(
            f"The ledger {path} is gone, but its mirror or a backup is there.",
            "Run `totalrecall repair` to restore it; nothing is read before that.",
        )
    if health is LedgerHealth.MISSING_BUT_NOTES:
        raise LedgerError(
            f"There are notes, but the ledger {path} that knows what was read is gone, and so is its mirror.",
            "Run `totalrecall repair` and choose; starting over by itself would note everything twice.",
        )
    if health is LedgerHealth.DAMAGED:
        raise damaged(path, "it cannot be read")
    if health is LedgerHealth.NEWER:
        raise LedgerError(
            f"A newer Total Recall wrote the ledger {path}.",
            "Install the newer Total Recall again, or restore a backup with `totalrecall repair`.",
        )


def usable_mirror(mirror_path: Path) -> Mirror | None:
    """The mirror if it can be read."""
    found = read_mirror(mirror_path)
    return None if isinstance(found, Unreadable) else found


def _look(path: Path, *, thorough: bool) -> tuple[int, str]:
    """The file's schema version (0: none, or empty) and its first fault."""
    if not path.exists() or path.stat().st_size == 0:
        return 0, ""
    # Read-only, so that looking neither ends nor hides what a crash left in the write-ahead log.
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        version = version_of(connection)
        return version, first_fault(connection) if thorough and version <= VERSION else ""
