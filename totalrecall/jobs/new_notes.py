"""The notes that a job has not looked at yet, with the user's own words behind them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Event, Role
from totalrecall.domain.session import Session
from totalrecall.domain.state import SkipReason
from totalrecall.jobs.context import OBSERVED_KINDS, AgentContext
from totalrecall.jobs.streams import stream_of
from totalrecall.jobs.why import find_message
from totalrecall.ledger.rows import BatchRow, NoteRow, SeenRow
from totalrecall.llm.own_words import own_words
from totalrecall.transcripts.envelopes import unwrap

_LEFT_OUT = frozenset({SkipReason.FORGOTTEN, SkipReason.OFF_THE_RECORD, SkipReason.DELETED_BY_USER})


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note with where it came from.

    Attributes:
        note: the note, as the ledger knows it.
        session_id: the talk it was made from.
        said: the user's own words that it cites, screened; empty when it stands on nobody's but the agent's.
        at: when the first cited message was said, None when none has a time.
    """

    note: NoteRow
    session_id: str
    said: tuple[str, ...]
    at: datetime | None


@dataclass(frozen=True, slots=True)
class NewNotes:
    """The notes since a job looked last.

    Attributes:
        notes: oldest first; private sessions only.
        upto: what ``looked_at`` is to be told once the job has done its work.
    """

    notes: tuple[NewNote, ...]
    upto: str


def new_notes(ctx: AgentContext, job: str, *, with_words: bool = True) -> NewNotes:
    """The notes of batches that were committed since ``job`` looked last. Group talk is never among them.

    ``with_words`` False leaves the transcripts alone: ``said`` is empty then.
    """
    last_ms, known = _mark(ctx.ledger.get(_fact(job)))
    fresh = [one for one in ctx.ledger.committed_since(last_ms) if one.marker not in known]
    if not fresh:
        return NewNotes((), "")
    sessions = {stream_of(one): one for one in ctx.transcripts.sessions()} if with_words else {}
    notes = [note for batch in fresh for note in _of_batch(ctx, batch, sessions)]
    newest = max(one.settled_ms or 0 for one in fresh)
    same = [one.marker for one in fresh if one.settled_ms == newest]
    return NewNotes(tuple(notes), json.dumps([newest, [*same, *(known if newest == last_ms else ())]]))


def looked_at(ctx: AgentContext, job: str, notes: NewNotes) -> None:
    """Remember how far ``job`` has looked."""
    if notes.upto:
        ctx.ledger.set(_fact(job), notes.upto)


def as_new_note(ctx: AgentContext, note: NoteRow) -> NewNote | None:
    """One note with the words behind it, however old; None when it came from a group."""
    batch = ctx.ledger.batch(note.marker)
    if batch is None or batch.session.kind not in OBSERVED_KINDS:
        return None
    sessions = {stream_of(one): one for one in ctx.transcripts.sessions()}
    return _with_source(ctx, note, batch.session.session_id, sessions)


def _of_batch(ctx: AgentContext, batch: BatchRow, sessions: dict[str, Session]) -> list[NewNote]:
    if batch.session.kind not in OBSERVED_KINDS:
        return []
    return [
        _with_source(ctx, note, batch.session.session_id, sessions)
        for note in ctx.ledger.notes_of(batch.marker)
        if note.text and note.removed_ms is None
    ]


def _with_source(ctx: AgentContext, note: NoteRow, session_id: str, sessions: dict[str, Session]) -> NewNote:
    rows = [one for one in ctx.ledger.provenance(note.note_id) if one.reason not in _LEFT_OUT]
    times = [one.at_ms for one in rows if one.at_ms is not None]
    at = datetime.fromtimestamp(min(times) / 1000, ctx.zone) if times else None
    return NewNote(note, session_id, _said(ctx, rows, sessions) if sessions else (), at)


def _said(ctx: AgentContext, rows: Sequence[SeenRow], sessions: dict[str, Session]) -> tuple[str, ...]:
    words = []
    for row in rows:
        _, event = find_message(ctx, row, sessions)
        if event is not None and event.role is Role.USER and (mine := _own(event, ctx)):
            words.append(ctx.screen(mine))
    return tuple(words)


def _own(event: Event, ctx: AgentContext) -> str:
    """The user's own words of a message: without envelopes, quotes, mail and pasted blocks (R092)."""
    plain = Message(
        number=1,
        role=Role.USER,
        text=unwrap(event.text).text,
        at=ctx.now(),
        identity=b"",
    )
    return own_words(plain)


def _mark(raw: str | None) -> tuple[int, frozenset[str]]:
    try:
        at_ms, markers = json.loads(raw or "")
        return int(at_ms), frozenset(str(one) for one in markers)
    except (ValueError, TypeError):
        return 0, frozenset()


def _fact(job: str) -> str:
    return f"looked:{job}"
