"""Where talks are cut: which records and which sessions say that an agent forgets what it was doing. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from totalrecall.domain.boundary import Boundary, BoundaryKind
from totalrecall.domain.event import BadRecord, Event, EventKind
from totalrecall.domain.session import Session, SessionKind
from totalrecall.jobs.context import OBSERVED_KINDS
from totalrecall.jobs.streams import session_id_of
from totalrecall.ledger.rows import SessionRow

if TYPE_CHECKING:
    from totalrecall.jobs.gather import Portion

# Two files of one key may grow side by side for a while (an overflow); the older one ends when it rests.
FOLLOWED_AFTER_MS = 600_000
_KINDS = {EventKind.COMPACTION: BoundaryKind.COMPACTION, EventKind.RESET: BoundaryKind.ENDED}
_STAMP = "%Y-%m-%dT%H-%M-%S"
_STAMP_CHARS = 19


def cut_of(body: Event | BadRecord) -> BoundaryKind | None:
    """What a record says happened to the talk; None for every record that is no cut."""
    return None if isinstance(body, BadRecord) else _KINDS.get(body.kind)


@dataclass(frozen=True, slots=True)
class Cut:
    """A boundary that a record of the transcript stands for, with the identity it is known by."""

    identity: bytes
    boundary: Boundary


def cuts_in(portion: Portion) -> list[Cut]:
    """The cuts of a portion that the ledger does not know yet; none of groups and machine sessions."""
    kind = _kind(portion.session, portion.row)
    if kind not in OBSERVED_KINDS:
        return []
    found = []
    for one in portion.entries:
        if one.item is None or one.row is None or (what := cut_of(one.item.event)) is None:
            continue
        boundary = _boundary(what, portion.session, portion.row, one.item.event.at_ms)
        found.append(Cut(one.row.identity, boundary))
    return found


def end_of(session: Session, row: SessionRow, newest_of_key: Mapping[str, Session]) -> Boundary | None:
    """The end of a session that goes on no more, None while it does or when its end was told before.

    A session has ended when ``/new`` or ``/reset`` closed it, or when another one has taken its key.
    """
    kind = _kind(session, row)
    if row.ended or kind not in OBSERVED_KINDS:
        return None
    newest = newest_of_key.get(session.key or row.key)
    if not session.ended and (newest is None or not _follows(newest, session)):
        return None
    return _boundary(BoundaryKind.ENDED, session, row, _ended_ms(session))


def newest_by_key(sessions: Sequence[Session]) -> dict[str, Session]:
    """The session that each key stands for now; ``sessions`` come oldest change first."""
    return {one.key: one for one in sessions if one.key and not one.ended}


def _kind(session: Session, row: SessionRow) -> SessionKind:
    return session.kind if session.key or not row.key else row.kind


def _boundary(what: BoundaryKind, session: Session, row: SessionRow, at_ms: int | None) -> Boundary:
    name = session_id_of(row.session_id)
    return Boundary(what, name, session.key or row.key, _kind(session, row), at_ms)


def _follows(newest: Session, session: Session) -> bool:
    later_ms = newest.modified_ms - session.modified_ms
    return newest.session_id != session.session_id and later_ms > FOLLOWED_AFTER_MS


def _ended_ms(session: Session) -> int:
    """When the file was closed, by its name; else its last change."""
    _, _, stamp = session.location.name.partition(".jsonl.reset.")
    try:
        at = datetime.strptime(stamp[:_STAMP_CHARS], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return session.modified_ms
    return int(at.timestamp() * 1000)
