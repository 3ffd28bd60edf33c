"""Reading the newest talk of a private session: the end of its transcript, in bounded memory."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Event, EventKind, Record, Role
from totalrecall.domain.session import Session, SessionKind, StoreKind
from totalrecall.domain.state import SkipReason
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.forgotten import forgotten_in
from totalrecall.jobs.gather import first_row, session_facts
from totalrecall.jobs.streams import identity_in, row_of
from totalrecall.jobs.task_touches import calls_in, touches_in
from totalrecall.transcripts.batch import BatchLimits, Classified, View, plan_batch
from totalrecall.transcripts.carry import Carry
from totalrecall.transcripts.filenames import family_id
from totalrecall.transcripts.noise import Keep, NotSpeech, SessionFacts, abandoned, classify

MESSAGES = 80
MESSAGE_CHARS = 2_500
# The end of a transcript is read; where it holds too little talk (images, long tool output), more of it.
TAIL_BYTES = (1 << 20, 16 << 20)
TAIL_ROWS = (600, 6_000)
ENOUGH_MESSAGES = 20
SESSIONS = 8
# What the user took back or kept off the record is in no picture, whatever the transcript still holds.
_GONE = frozenset({SkipReason.FORGOTTEN, SkipReason.DELETED_BY_USER, SkipReason.OFF_THE_RECORD})
_EVERYTHING = BatchLimits(messages=1_000_000, chars=1 << 40, message_chars=MESSAGE_CHARS)


@dataclass(frozen=True, slots=True)
class Where:
    """Which talk: of one session ("" for the newest with talk), up to one moment and after another."""

    session_id: str = ""
    until_ms: int | None = None
    since_ms: int | None = None
    messages: int = MESSAGES


def recent_talk(ctx: AgentContext, where: Where | None = None) -> TaskTalk:
    """The newest talk; an empty one when no private session holds any.

    Raises:
        SourceError: a transcript cannot be read.
    """
    for talk in talks(ctx, where or Where()):
        if talk.messages:
            return talk
    return TaskTalk()


def talks(ctx: AgentContext, where: Where) -> Iterable[TaskTalk]:
    """The talk of each private session, the one that changed last first; read when it is asked for."""
    for session in _private_sessions(ctx, where.session_id)[:SESSIONS]:
        yield _talk_of(ctx, session, where)


def _private_sessions(ctx: AgentContext, session_id: str) -> list[Session]:
    wanted = family_id(session_id)
    found = []
    for session in reversed(ctx.transcripts.sessions()):
        if wanted and family_id(session.session_id) != wanted:
            continue
        facts = _facts(ctx, session)
        if facts.session_reason is None and not facts.group and session.kind is not SessionKind.GROUP:
            found.append(session)
    return found


def _facts(ctx: AgentContext, session: Session) -> SessionFacts:
    row = row_of(session, ctx.ledger.session)
    return session_facts(ctx, session, row or first_row(session))


def _talk_of(ctx: AgentContext, session: Session, where: Where) -> TaskTalk:
    kept: list[Classified] = []
    for size in TAIL_BYTES if session.store is StoreKind.JSONL else TAIL_ROWS:
        start = max(0, session.size - size)
        kept = _classified(ctx, session, start, where.until_ms)
        if start == 0 or sum(isinstance(one.verdict, Keep) for one in kept) >= ENOUGH_MESSAGES:
            break
    kept = _newest(_since(_since_reset(kept), where.since_ms), where.messages)
    view = View(ctx.zone, ctx.screen, ctx.now())
    planned = plan_batch(kept, _EVERYTHING, view)
    messages = planned.messages if planned is not None else ()
    return replace(
        _with_times(ctx, kept, messages),
        session_id=family_id(session.session_id),
        key=session.key,
        source=session.location.name,
        messages=messages,
        touches=touches_in(kept, str(ctx.workspace), ctx.screen),
        calls=calls_in(kept),
    )


def _classified(ctx: AgentContext, session: Session, start: int, until_ms: int | None) -> list[Classified]:
    records = _records(ctx, session, start, until_ms)
    events = [one for one in records if isinstance(one.body, Event)]
    names = [_identity(session, one.body) for one in events]
    known = ctx.ledger.known([name for name in names if name])
    left, forgotten = abandoned(events), forgotten_in(ctx, session.session_id)
    facts, carry = _facts(ctx, session), Carry()
    kept: list[Classified] = []
    for record, name in zip(events, names, strict=True):
        event = record.body
        if not isinstance(event, Event):
            continue
        verdict, carry = classify(event, carry, facts)
        row = known.get(name)
        gone = (row is not None and row.reason in _GONE) or forgotten.covers(event)
        if event.entry_id in left or gone:
            verdict = NotSpeech()
        kept.append(Classified(event, verdict, name, record.start, record.end, carry))
    return _from_first_question(kept) if start else kept


def _records(ctx: AgentContext, session: Session, start: int, until_ms: int | None) -> list[Record]:
    records = ctx.transcripts.read(session, start)
    try:
        return [one for one in records if _in_time(one, until_ms)]
    finally:
        if isinstance(records, Generator):
            records.close()


def _in_time(record: Record, until_ms: int | None) -> bool:
    body = record.body
    return until_ms is None or not isinstance(body, Event) or body.at_ms is None or body.at_ms <= until_ms


def _identity(session: Session, body: object) -> bytes:
    if isinstance(body, Event) and body.kind in {EventKind.MESSAGE, EventKind.TOOL}:
        return identity_in(session, body)
    return b""


def _from_first_question(kept: list[Classified]) -> list[Classified]:
    """Without the beginning, where it cannot be told whose turn it was and whether it is off the record."""
    for at, one in enumerate(kept):
        if one.event.kind is EventKind.MESSAGE and one.event.role is Role.USER:
            return kept[at:]
    return []


def _since_reset(kept: list[Classified]) -> list[Classified]:
    """The talk since the last reset that has talk behind it: what was before is another task."""
    end = len(kept)
    for at in range(len(kept) - 1, -1, -1):
        if kept[at].event.kind is not EventKind.RESET:
            continue
        if any(isinstance(one.verdict, Keep) for one in kept[at:end]):
            return kept[at:end]
        end = at
    return kept[:end]


def _since(kept: list[Classified], since_ms: int | None) -> list[Classified]:
    if since_ms is None:
        return kept
    return [one for one in kept if one.event.at_ms is not None and one.event.at_ms > since_ms]


def _newest(kept: list[Classified], count: int) -> list[Classified]:
    left = count
    for at in range(len(kept) - 1, -1, -1):
        left -= isinstance(kept[at].verdict, Keep)
        if left <= 0:
            return kept[at:]
    return kept


def _with_times(ctx: AgentContext, kept: Sequence[Classified], messages: Sequence[Message]) -> TaskTalk:
    from totalrecall.llm.extractive.task_goal import is_idle

    said = [
        one.at
        for one in messages
        if one.role is Role.USER and (one.text or one.quoted) and not is_idle(one.text)
    ]
    moments = [one.event.at_ms for one in kept if _belongs(one) and one.event.at_ms is not None]
    last = datetime.fromtimestamp(max(moments) / 1000, UTC).astimezone(ctx.zone) if moments else None
    return TaskTalk(
        user_at=said[-1] if said else None,
        last_at=last,
        answered=not messages or messages[-1].role is Role.ASSISTANT,
    )


def _belongs(one: Classified) -> bool:
    return isinstance(one.verdict, Keep) or (isinstance(one.verdict, NotSpeech) and one.verdict.tools)
