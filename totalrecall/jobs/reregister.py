"""After a repair from the mirror: what lies before a place mark gets its state again, unread."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Event, Record
from totalrecall.domain.session import Session
from totalrecall.domain.state import MessageState
from totalrecall.errors import SourceError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.gather import advanced, read_portion
from totalrecall.jobs.streams import identity_in, row_of, session_id_of
from totalrecall.ledger.mirror import Unreadable, read_mirror
from totalrecall.ledger.rows import SeenRow, SessionRow
from totalrecall.transcripts.batch import BatchLimits
from totalrecall.transcripts.store import Start

_Last = dict[str, set[bytes]]
STRETCH = BatchLimits(messages=2000, chars=4_000_000)


def reregister(ctx: AgentContext, sessions: Sequence[Session]) -> None:
    """Give everything before the place marks of rebuilt sessions a state; they are ``rebuilt`` no longer.

    To be called before anything is committed: the next commit writes the mirror anew.
    """
    if not ctx.ledger.has_rebuilt():
        return
    last = _last_settled(ctx)
    for session in sessions:
        row = row_of(session, ctx.ledger.session)
        if row is None or not row.rebuilt:
            continue
        # One that cannot be read stays as it is; the run tells of it.
        with contextlib.suppress(SourceError):
            _register(ctx, session, row, last)


def _register(ctx: AgentContext, session: Session, row: SessionRow, last: _Last) -> None:
    """Messages count as noted, noise as skipped with its reason.

    In a transcript that was rewritten after the mirror, the last message that the mirror names tells how far
    it was read; one that does not hold that message is read as new: a note too many is better than a message
    lost.
    """
    opening = ctx.transcripts.open(session, row.cursor)
    if opening.start is Start.WAIT:
        return
    rewritten = opening.start is Start.RESCAN
    end = _read_up_to(ctx, session, last) if rewritten else row.cursor.position
    done = replace(row, cursor=Cursor(session.store))
    while done.cursor.position < end:
        part = read_portion(ctx, session, done, STRETCH).up_to(end)
        if not part.entries:
            break
        # The stored place mark stays until all is registered: a crash in between begins again.
        ctx.ledger.register(row, [_settled(one) for one in part.seen()])
        done = advanced(ctx, part)
    if rewritten or done.cursor.position:
        ctx.ledger.pass_over(replace(done, rebuilt=False), (), rescan=rewritten)


def _last_settled(ctx: AgentContext) -> _Last:
    """The last settled message of each session, as the mirror names it."""
    last: _Last = {}
    mirror = read_mirror(ctx.mirror_path)
    if not isinstance(mirror, Unreadable):
        for mark in mirror.high_water.sessions:
            if mark.last_identity:
                last.setdefault(session_id_of(mark.session_id), set()).add(bytes.fromhex(mark.last_identity))
    return last


def _read_up_to(ctx: AgentContext, session: Session, last: _Last) -> int:
    """Where the last message that the mirror names ends in a rewritten transcript; 0 when it is not there."""
    wanted = last.get(session_id_of(session.session_id), set())
    return max((one.end for one in _matching(ctx, session, wanted)), default=0) if wanted else 0


def _matching(ctx: AgentContext, session: Session, wanted: set[bytes]) -> Iterator[Record]:
    for record in ctx.transcripts.read(session, 0):
        if isinstance(record.body, Event) and identity_in(session, record.body) in wanted:
            yield record


def _settled(row: SeenRow) -> SeenRow:
    return replace(row, state=MessageState.NOTED) if row.state is MessageState.PENDING else row
