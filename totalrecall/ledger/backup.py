"""Daily copies of the ledger, each checked, the last seven kept."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from datetime import date
from pathlib import Path

from totalrecall.errors import BusyError, LedgerError
from totalrecall.files.atomic import FILE_MODE, TEMP_PREFIX, TEMP_SUFFIX, make_folder, sync_folder
from totalrecall.files.failure import memory_file_error
from totalrecall.files.lock import hold
from totalrecall.ledger.database import first_fault, translated
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.schema import VERSION, version_of

FOLDER_NAME = "backups"
LOCK_NAME = "backup.lock"
KEPT = 7
_NAME = re.compile(r"ledger-(\d{8})\.sqlite")


def back_up(ledger: Ledger, *, day: date) -> Path | None:
    """The day's checked copy; None when there is one already, or somebody else makes it just now.

    The oldest copies over seven go.

    Raises:
        LedgerError: the copy cannot be written or does not pass its check; the older ones stay.
    """
    folder = ledger.path.parent / FOLDER_NAME
    target = folder / f"ledger-{day:%Y%m%d}.sqlite"
    if target.exists():
        return None
    try:
        make_folder(folder)
        with hold(folder / LOCK_NAME, command="totalrecall backup"):
            _sweep(folder)
            _copy(ledger, target)
            for old in backups(ledger.path.parent)[KEPT:]:
                old.unlink(missing_ok=True)
    except BusyError:
        return None
    except OSError as error:
        failure = memory_file_error("back up the ledger to", target, error)
        raise LedgerError(failure.title, failure.hint) from error
    return target


def backups(folder: Path) -> list[Path]:
    """The copies of the ledger in the state folder ``folder``, newest first."""
    there = folder / FOLDER_NAME
    if not there.is_dir():
        return []
    return sorted((one for one in there.iterdir() if _NAME.fullmatch(one.name)), reverse=True)


def newest_good(folder: Path) -> Path | None:
    """The newest copy that passes its check and that this version can read, None when there is none."""
    return next((one for one in backups(folder) if is_good(one)), None)


def is_good(path: Path) -> bool:
    """Whether a copy passes ``quick_check`` and has a version we know."""
    try:
        with contextlib.closing(_connect(path)) as connection:
            return not first_fault(connection) and 0 < version_of(connection) <= VERSION
    except sqlite3.Error:
        return False


def _copy(ledger: Ledger, target: Path) -> None:
    temp = target.with_name(f"{TEMP_PREFIX}{target.name}{TEMP_SUFFIX}")
    temp.touch(mode=FILE_MODE)
    try:
        with translated(target), contextlib.closing(_connect(temp)) as connection:
            ledger.copy_to(connection)
            _demand_sound(connection, ledger.path)
        temp.replace(target)
        sync_folder(target.parent)
    except BaseException:
        _sweep(target.parent)
        raise


def _demand_sound(connection: sqlite3.Connection, source: Path) -> None:
    if fault := first_fault(connection):
        raise LedgerError(
            f"The backup of {source} did not pass its check ({fault}).",
            "The older backups stay. Run `totalrecall doctor`.",
        )


def _connect(path: Path) -> sqlite3.Connection:
    # mode=rw: a copy that is gone meanwhile must not come back as an empty file.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _sweep(folder: Path) -> None:
    for leftover in folder.glob(f"{TEMP_PREFIX}*{TEMP_SUFFIX}*"):
        leftover.unlink(missing_ok=True)
