"""From a transcript to its next portion: what is new, what is skipped and why, where reading goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import BadRecord, Event, EventKind, Record
from totalrecall.domain.session import Session, SessionKind
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import SourceError
from totalrecall.jobs.adoption_ends import NOWHERE, adoption_end, forget_adoption_end
from totalrecall.jobs.context import OBSERVED_KINDS, AgentContext
from totalrecall.jobs.forgotten import Forgotten, forgotten_in
from totalrecall.jobs.streams import chunks, identity_in, is_before_adoption, is_message, stream_of
from totalrecall.ledger.rows import Adoption, SeenRow, SessionRow
from totalrecall.transcripts.batch import BatchLimits, Classified, PlannedBatch, View, plan_batch
from totalrecall.transcripts.carry import Carry, decode_carry, encode_carry
from totalrecall.transcripts.noise import Keep, NotSpeech, SessionFacts, Skip, Verdict, abandoned, classify
from totalrecall.transcripts.store import Opening, Start

RECORDS_AT_ONCE = 500
RECORDS_PER_PORTION = 20_000
PEEK_CHARS = 50_000_000
# What must be told from its copies: words, tools, and the cuts of a talk, which are told once.
_KNOWN_AGAIN = frozenset({EventKind.MESSAGE, EventKind.TOOL, EventKind.COMPACTION, EventKind.RESET})


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a portion.

    Attributes:
        end: where reading goes on behind it.
        item: the event with its verdict; None for a record that could not be read.
        row: its line for the ledger; None when it is known already or needs none.
        carry: what the reading remembers behind it.
    """

    end: int
    item: Classified | None
    row: SeenRow | None
    carry: Carry


@dataclass(frozen=True, slots=True)
class Portion:
    """The next entries of a session, at least one batch's worth of messages if there are so many.

    Attributes:
        session: the transcript.
        row: the session as the ledger had it, counts of this portion not yet added.
        entries: in order; may be empty.
        waiting: the transcript is being rewritten just now; look again later.
        rescanned: it is not the one the cursor knew and is read from its start.
    """

    session: Session
    row: SessionRow
    entries: tuple[Entry, ...] = ()
    waiting: bool = False
    rescanned: bool = False

    @property
    def bad_records(self) -> int:
        """How many records could not be read."""
        return sum(1 for one in self.entries if one.item is None)

    def planned(self, limits: BatchLimits, view: View) -> PlannedBatch:
        """The first batch of the portion; without messages when nothing in it is for an engine."""
        batch = plan_batch((one.item for one in self.entries if one.item is not None), limits, view)
        return batch or PlannedBatch((), 0, Carry(), 0)

    def up_to(self, end: int) -> Portion:
        """The entries before ``end``."""
        return replace(self, entries=tuple(one for one in self.entries if one.end <= end))

    def before_open_tools(self) -> Portion:
        """The entries before the first tool call or result that belongs to the talk."""
        for place, one in enumerate(self.entries):
            if one.row is not None and one.row.state is MessageState.PENDING:
                return replace(self, entries=self.entries[:place])
        return self

    def seen(self) -> tuple[SeenRow, ...]:
        """The lines for the ledger."""
        return tuple(one.row for one in self.entries if one.row is not None)


def first_row(session: Session) -> SessionRow:
    """The row of a session that the ledger does not know yet: read from its start."""
    return SessionRow(
        session_id=stream_of(session),
        store=session.store,
        key=session.key,
        kind=session.kind,
        location=str(session.location),
        cursor=Cursor(session.store),
        existed_at_adoption=False,
        started_ms=None,
        last_at_ms=None,
    )


def session_skip(ctx: AgentContext, session: Session, row: SessionRow) -> SkipReason | None:
    """Why nothing of a session is observed, or None. By key and origin; what was learnt once is kept."""
    key = session.key or row.key
    kind = session.kind if session.key or not row.key else row.kind
    settings = ctx.settings
    if any(fnmatchcase(key, glob) or fnmatchcase(session.session_id, glob) for glob in settings.exclude):
        return SkipReason.EXCLUDED
    included = any(
        fnmatchcase(key, glob) or fnmatchcase(session.session_id, glob) for glob in settings.include
    )
    if kind is SessionKind.GROUP:
        return None if included or settings.groups == "notes" else SkipReason.GROUP_OFF
    return None if included or kind in OBSERVED_KINDS else SkipReason.MACHINE_SESSION


def gather(
    ctx: AgentContext,
    session: Session,
    row: SessionRow | None,
    limits: BatchLimits,
) -> Portion:
    """The session's next portion.

    A transcript that is no longer the one the cursor knew is read from its start; what is known is passed by.
    """
    known = row or first_row(session)
    opening = ctx.transcripts.open(session, row.cursor if row else None)
    if opening.start in {Start.NOTHING, Start.WAIT}:
        return Portion(session, known, waiting=opening.start is Start.WAIT)
    if opening.start is Start.RESCAN:
        known = replace(known, cursor=Cursor(session.store), bad_records=0, unknown_types=())
        ctx.ledger.put_session(known, rescan=True)
        forget_adoption_end(ctx, known.session_id)
    known = replace(known, location=str(session.location), store=session.store)
    known = replace(known, ended=known.ended and session.ended)
    if session.key:
        known = replace(known, key=session.key, kind=session.kind)
    portion = _read(ctx, session, known, (opening, ctx.ledger.adoption(), limits))
    return replace(portion, rescanned=opening.start is Start.RESCAN)


def read_portion(ctx: AgentContext, session: Session, row: SessionRow, limits: BatchLimits) -> Portion:
    """The entries from the row's place mark on, whatever the transcript looks like; nothing is written."""
    position = row.cursor.position
    opening = Opening(Start.RESUME if position else Start.FRESH, position)
    return _read(ctx, session, row, (opening, ctx.ledger.adoption(), limits))


def peek(ctx: AgentContext, session: Session, row: SessionRow | None, adoption: Adoption) -> Portion:
    """The session's unread entries, as the next run would find them; nothing is written.

    ``adoption`` is what holds or would hold. Very long backlogs are shown by their first entries.
    """
    first_run = ctx.ledger.adoption() is None
    known = row or replace(first_row(session), existed_at_adoption=first_run)
    opening = ctx.transcripts.open(session, row.cursor if row else None)
    if opening.start in {Start.NOTHING, Start.WAIT}:
        return Portion(session, known)
    everything = BatchLimits(messages=RECORDS_PER_PORTION, chars=PEEK_CHARS)
    return _read(ctx, session, known, (opening, adoption, everything))


def advanced(ctx: AgentContext, portion: Portion) -> SessionRow:
    """The session's row as it is once the portion is done: cursor, counts, times."""
    row, last = portion.row, portion.entries[-1]
    events = [one.item.event for one in portion.entries if one.item is not None]
    unknown = Counter(dict(row.unknown_types))
    unknown.update(event.type_name for event in events if event.kind is EventKind.UNKNOWN)
    times = [event.at_ms for event in events if event.at_ms is not None and is_message(event)]
    cursor = ctx.transcripts.cursor_at(portion.session, last.end, encode_carry(last.carry))
    return replace(
        row,
        cursor=cursor,
        last_entries=_last_entries(ctx, portion.session, cursor),
        last_at_ms=max([*times, row.last_at_ms or 0]) or None,
        bad_records=row.bad_records + portion.bad_records,
        unknown_types=tuple(sorted(unknown.items())),
    )


def _last_entries(ctx: AgentContext, session: Session, cursor: Cursor) -> str:
    try:
        return ctx.transcripts.last_entries(session, cursor)
    except SourceError:
        # Read a moment ago and closed to us now: without the hash the cursor alone decides.
        return ""


def session_facts(ctx: AgentContext, session: Session, row: SessionRow) -> SessionFacts:
    """What the noise rules must know of the whole session."""
    kind = session.kind if session.key or not row.key else row.kind
    return SessionFacts(
        session_reason=session_skip(ctx, session, row),
        group=kind is SessionKind.GROUP,
        off_the_record=ctx.settings.off_the_record,
    )


@dataclass(frozen=True, slots=True)
class _Ground:
    """What holds for every record of one chunk."""

    adoption: Adoption | None
    facts: SessionFacts
    seen: Mapping[bytes, SeenRow]
    abandoned: Collection[str]
    forgotten: Forgotten
    appended_from: Callable[[], int]


def _read(
    ctx: AgentContext,
    session: Session,
    row: SessionRow,
    how: tuple[Opening, Adoption | None, BatchLimits],
) -> Portion:
    opening, adoption, limits = how
    facts = session_facts(ctx, session, row)
    forgotten = forgotten_in(ctx, session.session_id)
    resumed = opening.start is Start.RESUME
    # Asked for only where an entry looks older than it can be.
    appended_from = cache(lambda: adoption_end(ctx, row.session_id) if resumed else NOWHERE)
    state = _Reading(row, decode_carry(row.cursor.carry) if resumed else Carry(), met_known=resumed)
    records = ctx.transcripts.read(session, opening.position)
    try:
        for chunk in chunks(records, RECORDS_AT_ONCE):
            identities = [_identity(one, session) for one in chunk]
            seen = ctx.ledger.known([one for one in identities if one])
            ground = _Ground(adoption, facts, seen, abandoned(chunk), forgotten, appended_from)
            for record, identity in zip(chunk, identities, strict=True):
                state.take(record, identity, ground)
            enough = state.messages > limits.messages or state.chars > limits.chars
            if enough or len(state.entries) >= RECORDS_PER_PORTION:
                break
    finally:
        if isinstance(records, Generator):
            records.close()
    return Portion(session, state.row, tuple(state.entries))


@dataclass(slots=True)
class _Reading:
    """The running state of one portion."""

    row: SessionRow
    carry: Carry
    met_known: bool
    entries: list[Entry] = field(default_factory=list)
    identities: set[bytes] = field(default_factory=set)
    messages: int = 0
    chars: int = 0

    def take(self, record: Record, identity: bytes, ground: _Ground) -> None:
        """Add one record with what becomes of it."""
        if isinstance(record.body, BadRecord):
            self.entries.append(Entry(record.end, None, None, self.carry))
            return
        event = record.body
        if self.row.started_ms is None and event.at_ms is not None:
            self.row = replace(self.row, started_ms=event.at_ms)
        verdict, self.carry = classify(event, self.carry, ground.facts)
        line = None
        if identity:
            verdict, line = self._settle(record, event, identity, verdict, ground)
            self.identities.add(identity)
        if isinstance(verdict, Keep):
            self.messages += 1
            self.chars += len(verdict.text)
        item = Classified(event, verdict, identity, record.start, record.end, self.carry)
        self.entries.append(Entry(record.end, item, line, self.carry))

    def _settle(
        self, record: Record, event: Event, identity: bytes, verdict: Verdict, ground: _Ground
    ) -> tuple[Verdict, SeenRow | None]:
        """The verdict that counts, and the ledger's line; none for what is known or before adoption."""
        known = identity in ground.seen or identity in self.identities
        self.met_known = self.met_known or known
        old = ground.adoption is not None and is_before_adoption(
            event, self.row, ground.adoption, met_known=self.met_known
        )
        if known or (old and record.start < ground.appended_from()):
            return NotSpeech(), None
        if event.entry_id in ground.abandoned and not isinstance(verdict, Skip):
            verdict = Skip(SkipReason.ABANDONED_BRANCH)
        if isinstance(verdict, Keep | NotSpeech) and ground.forgotten.covers(event):
            verdict = Skip(SkipReason.FORGOTTEN) if is_message(event) else NotSpeech()
        pending = isinstance(verdict, Keep) or (isinstance(verdict, NotSpeech) and verdict.tools)
        reason = verdict.reason if isinstance(verdict, Skip) else SkipReason.SILENT
        line = SeenRow(
            identity=identity,
            session_id=self.row.session_id,
            position=record.start,
            is_message=is_message(event),
            state=MessageState.PENDING if pending else MessageState.SKIPPED,
            reason=None if pending else reason,
            at_ms=event.at_ms,
        )
        return verdict, line


def _identity(record: Record, session: Session) -> bytes:
    body = record.body
    if isinstance(body, BadRecord) or body.kind not in _KNOWN_AGAIN:
        return b""
    return identity_in(session, body)
