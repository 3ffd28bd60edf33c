"""Recounting every message of the sources against the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from totalrecall.domain.event import Event, Record
from totalrecall.domain.session import Session
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import SourceError
from totalrecall.jobs.adoption_ends import NOWHERE, adoption_end
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import chunks, identity_in, is_before_adoption, is_message, row_of
from totalrecall.ledger.rows import Adoption, SeenRow, SessionRow
from totalrecall.memory.observations import LineKind, parse
from totalrecall.transcripts.store import Start

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a recount found; every message of the sources is in exactly one of the states.

    Attributes:
        messages: how many different messages the sources hold.
        states: how many are in each state.
        reasons: skipped ones by reason.
        copies: further occurrences of messages already counted (rewritten, forked, rotated transcripts).
        unaccounted: messages before a place mark that the ledger knows nothing of: must be 0.
        gone: messages in the ledger whose transcript is gone.
        unreadable: sessions that could not be read, with the reason.
        doubled: markers that stand in the notes' file more than once on one day: must be none.
    """

    messages: int
    states: Mapping[MessageState, int]
    reasons: Mapping[SkipReason, int]
    copies: int
    unaccounted: int
    gone: int
    unreadable: Mapping[str, str] = field(default_factory=dict)
    doubled: tuple[str, ...] = ()

    @property
    def adds_up(self) -> bool:
        """Whether every message is accounted for, once."""
        counted = sum(self.states.values()) == self.messages
        return counted and not self.unaccounted and not self.unreadable and not self.doubled


@dataclass(slots=True)
class _Recount:
    """The running totals."""

    seen: set[bytes] = field(default_factory=set)
    states: Counter[MessageState] = field(default_factory=Counter)
    reasons: Counter[SkipReason] = field(default_factory=Counter)
    copies: int = 0
    unaccounted: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def verify(ctx: AgentContext) -> Coverage:
    """Every message of every transcript, with the state it is in. Reads everything, writes nothing."""
    count = _Recount()
    adoption = ctx.ledger.adoption()
    rows = {row.session_id: row for row in ctx.ledger.sessions()}
    for session in ctx.transcripts.sessions():
        try:
            _count_session(ctx, session, row_of(session, rows.get), adoption, count)
        except SourceError as error:
            count.unreadable[session.session_id] = error.title
    total = ctx.ledger.counts().total
    known = sum(count.states[state] for state in MessageState if state not in _NOT_STORED)
    return Coverage(
        messages=len(count.seen),
        states=dict(count.states),
        reasons=dict(count.reasons),
        copies=count.copies,
        unaccounted=count.unaccounted,
        gone=max(0, total - known),
        unreadable=count.unreadable,
        doubled=_doubled(ctx),
    )


_NOT_STORED = frozenset({MessageState.PENDING, MessageState.BEFORE_ADOPTION})


def _count_session(
    ctx: AgentContext,
    session: Session,
    row: SessionRow | None,
    adoption: Adoption | None,
    count: _Recount,
) -> None:
    opening = ctx.transcripts.open(session, row.cursor if row else None)
    limit = row.cursor.position if row and opening.start in {Start.RESUME, Start.NOTHING} else 0
    appended_from = max(limit, adoption_end(ctx, row.session_id)) if row and limit else NOWHERE
    messages = (
        record
        for record in ctx.transcripts.read(session, 0)
        if isinstance(record.body, Event) and is_message(record.body)
    )
    met_known = False
    for chunk in chunks(messages, CHUNK):
        identities = [identity_in(session, one.body) for one in chunk if isinstance(one.body, Event)]
        known = ctx.ledger.known(identities)
        for record, identity in zip(chunk, identities, strict=True):
            met_known = met_known or identity in known
            if identity in count.seen:
                count.copies += 1
                continue
            count.seen.add(identity)
            if identity in known:
                _count_known(known[identity], count)
            elif (
                row
                and adoption
                and _older(record, row, adoption, met_known)
                and (record.start < appended_from)
            ):
                count.states[MessageState.BEFORE_ADOPTION] += 1
            elif row and row.rebuilt and record.start < limit:
                # The mirror says that it was settled; the next run registers it.
                count.states[MessageState.NOTED] += 1
            elif record.start >= limit:
                count.states[MessageState.PENDING] += 1
            else:
                count.unaccounted += 1


def _count_known(row: SeenRow, count: _Recount) -> None:
    count.states[row.state] += 1
    if row.reason is not None:
        count.reasons[row.reason] += 1


def _older(record: Record, row: SessionRow, adoption: Adoption, met_known: bool) -> bool:
    return isinstance(record.body, Event) and is_before_adoption(
        record.body, row, adoption, met_known=met_known
    )


def _doubled(ctx: AgentContext) -> tuple[str, ...]:
    headings = Counter(
        (line.marker, line.day)
        for line in parse(ctx.notes.read())
        if line.kind is LineKind.HEADING and line.marker
    )
    return tuple(sorted({marker for (marker, _), times in headings.items() if times > 1}))
