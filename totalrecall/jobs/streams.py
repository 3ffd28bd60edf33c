"""Which place mark belongs to which transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from totalrecall.domain.event import Event, EventKind
from totalrecall.domain.identity import identity_of
from totalrecall.domain.session import Session, StoreKind
from totalrecall.ledger.rows import Adoption, SessionRow
from totalrecall.transcripts.filenames import family_id

_Item = TypeVar("_Item")


def chunks(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The items in lists of ``size``, the last one shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def stream_of(session: Session) -> str:
    """The ledger's key for a transcript: the session id, and its ending if ``/new`` or ``/reset`` closed it.

    The file that takes the closed one's place may have the same session id; each has a place mark of its own.
    """
    name = session.location.name
    if session.store is StoreKind.JSONL and session.ended and ".jsonl." in name:
        return f"{family_id(session.session_id)}#{name.rsplit('.jsonl.', 1)[1]}"
    return session.session_id


def row_of(session: Session, find: Callable[[str], SessionRow | None]) -> SessionRow | None:
    """The session's row; of a transcript that the ledger does not know, its family's, under the own name.

    A file that was just closed by ``/new`` goes on from the place mark it had under its live name (R024), and
    a copy of a known transcript is nothing new. ``find`` gives the row of a stream.
    """
    stream = stream_of(session)
    row = find(stream)
    family = family_id(session.session_id)
    if row is None and family != stream and (kin := find(family)) is not None:
        row = replace(kin, session_id=stream)
    return row


def identity_in(session: Session, event: Event) -> bytes:
    """What makes a message of this transcript the same one in its copies, also where entries have no id."""
    return identity_of(event, family_id(session.session_id))


def session_id_of(stream: str) -> str:
    """The host's session id in a stream's name."""
    return stream.split("#", 1)[0]


def is_message(event: Event) -> bool:
    """Whether the record holds words of the user or the assistant: what coverage counts."""
    return event.kind is EventKind.MESSAGE and bool(event.text.strip())


def is_before_adoption(event: Event, row: SessionRow, adoption: Adoption, *, met_known: bool) -> bool:
    """Whether an entry that the ledger does not know was said before the agent was adopted.

    Its own time decides, where the session existed at adoption, or where it began later and brings older
    entries along (a fork, a rotation). A session that turns up later and began earlier (a restored folder, a
    clock that was wrong) is read from its start. An entry without a time counts as older as long as no entry
    that the ledger knows was met before it in the session (``met_known``).
    """
    if event.at_ms is None:
        return row.existed_at_adoption and not met_known
    if event.at_ms >= adoption.begins_at_ms:
        return False
    began_later = row.started_ms is not None and row.started_ms >= adoption.begins_at_ms
    return row.existed_at_adoption or began_later
