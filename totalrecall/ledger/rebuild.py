"""`totalrecall repair`: bringing a lost or damaged ledger back, by the user's choice."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from totalrecall.domain.cursor import Cursor
from totalrecall.errors import LedgerError
from totalrecall.files.atomic import FILE_MODE, make_folder, sync_folder
from totalrecall.files.failure import memory_file_error
from totalrecall.ledger.backup import newest_good
from totalrecall.ledger.database import FILE_NAME, only_user
from totalrecall.ledger.health import usable_mirror
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.mirror import HighWater, SessionMark
from totalrecall.ledger.rows import SessionRow

_SIDES = ("", "-wal", "-shm")
_WORK_PREFIX = ".repair-"


class Way(StrEnum):
    """How to bring the ledger back, best first.

    BACKUP: the newest good backup, and the mirror for what came after it.
    MIRROR: the mirror alone: nothing is read twice, but `why` knows nothing of the notes until now.
    START_OVER: as on the first day; the notes stay, and what falls into the look-back window may come twice.
    """

    BACKUP = "backup"
    MIRROR = "mirror"
    START_OVER = "start_over"


@dataclass(frozen=True, slots=True)
class Choice:
    """One way that is open: ``source`` is the file it goes by, None for starting over."""

    way: Way
    source: Path | None


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done.

    Attributes:
        way: the way taken.
        aside: where the old file was moved, None when there was none.
        sessions: how many sessions the new ledger knows.
        to_register: how many of them have messages before their cursor that are yet to be registered.
    """

    way: Way
    aside: Path | None
    sessions: int
    to_register: int


def choices(folder: Path, mirror_path: Path) -> tuple[Choice, ...]:
    """The ways that are open, best first. Starting over always is."""
    backup = newest_good(folder)
    mirror = usable_mirror(mirror_path)
    ways = [Choice(Way.BACKUP, backup)] if backup else []
    if mirror is not None:
        ways.append(Choice(Way.MIRROR, mirror_path))
    return (*ways, Choice(Way.START_OVER, None))


def repair(folder: Path, mirror_path: Path, way: Way, *, now_ms: int) -> Repaired:
    """Make the ledger anew in the way the user chose. The old file is moved aside, never deleted.

    Sessions that come from the mirror are ``rebuilt``: the observer registers what lies before their cursor
    as noted (``Ledger.register``) before it goes on.

    Raises:
        LedgerError: that way is not open.
        BusyError: somebody has the ledger open.
    """
    source = {one.way: one.source for one in choices(folder, mirror_path)}
    if way not in source:
        raise LedgerError(f"The ledger cannot be restored by way of {way.value}.", "Choose another way.")
    mirror = usable_mirror(mirror_path) if way is not Way.START_OVER else None
    try:
        make_folder(folder)
        _sweep(folder)
        work = Path(tempfile.mkdtemp(prefix=_WORK_PREFIX, dir=folder))
        try:
            if way is Way.BACKUP and source[way] is not None:
                _copy(source[way], work / FILE_NAME)
            known, to_register = _fill(work, mirror.high_water if mirror else None, now_ms)
            with only_user(folder):
                aside = move_aside(folder, now_ms)
                (work / FILE_NAME).replace(folder / FILE_NAME)
                sync_folder(folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        failure = memory_file_error("repair the ledger in", folder, error)
        raise LedgerError(failure.title, failure.hint) from error
    return Repaired(way, aside, known, to_register)


def move_aside(folder: Path, now_ms: int) -> Path | None:
    """Rename what is left of the ledger; None when there was nothing. The caller is its only user."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now_ms / 1000))
    aside = folder / f"ledger-aside-{stamp}.sqlite"
    number = 1
    while any(aside.with_name(aside.name + side).exists() for side in _SIDES):
        number += 1
        aside = folder / f"ledger-aside-{stamp}-{number}.sqlite"
    moved = False
    for side in _SIDES:
        old = folder / f"{FILE_NAME}{side}"
        if old.exists():
            old.rename(aside.with_name(aside.name + side))
            moved = True
    return aside if moved else None


def _copy(source: Path | None, target: Path) -> None:
    if source is not None:
        shutil.copyfile(source, target)
        target.chmod(FILE_MODE)


def _fill(work: Path, high_water: HighWater | None, now_ms: int) -> tuple[int, int]:
    """Bring the ledger in ``work`` up to the mirror; returns its sessions, and those yet to be registered."""
    with Ledger.open(work, now_ms=now_ms) as ledger:
        # A batch that was under way when the copy was made has ended since, or is planned again.
        ledger.drop_open()
        if high_water is not None:
            _apply(ledger, high_water)
        rows = ledger.sessions()
        ledger.truncate_wal()
    return len(rows), sum(one.rebuilt for one in rows)


def _apply(ledger: Ledger, high_water: HighWater) -> None:
    said = high_water.adoption
    if said is not None:
        now = ledger.adopt(said, [])
        if now != said:
            ledger.move_adoption(said.begins_at_ms)
    for mark in high_water.sessions:
        row = ledger.session(mark.session_id)
        if row is None or _is_ahead(mark, row):
            ledger.put_session(_row(mark, row), rescan=True)


def _is_ahead(mark: SessionMark, row: SessionRow) -> bool:
    if (mark.store, mark.head) != (row.store, row.cursor.head):
        return True
    return mark.position > row.cursor.position


def _row(mark: SessionMark, before: SessionRow | None) -> SessionRow:
    row = SessionRow(
        session_id=mark.session_id,
        store=mark.store,
        key=mark.key,
        kind=mark.kind,
        location=mark.location,
        cursor=Cursor(mark.store, mark.position, mark.head, mark.tail),
        existed_at_adoption=mark.existed_at_adoption,
        started_ms=before.started_ms if before else None,
        last_at_ms=before.last_at_ms if before else None,
        ended=mark.ended,
    )
    return replace(row, rebuilt=mark.position > 0)


def _sweep(folder: Path) -> None:
    for leftover in folder.glob(f"{_WORK_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)
