"""From a note back to the messages it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.event import Event, Role
from totalrecall.domain.session import Session
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import identity_in, session_id_of, stream_of
from totalrecall.ledger.rows import NoteRow, SeenRow

EXCERPT_CHARS = 400
MATCHES = 5


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """One message behind a note.

    Attributes:
        session_id: the host's session.
        location: the transcript it stands in, "" when it is gone.
        at: its time in the user's zone, None when it has none.
        role: who spoke, None when the transcript is gone.
        text: the beginning of its words, screened; "" when the transcript is gone.
    """

    session_id: str
    location: str
    at: datetime | None
    role: Role | None
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """A note with the messages it stands for."""

    note: NoteRow
    engine: str
    model: str
    messages: tuple[SourceMessage, ...]


def why(ctx: AgentContext, text: str) -> list[Reason]:
    """The notes that hold ``text``, best match first, each with its messages; [] when no note does.

    The text may be pasted from the file with its sign, time and type: they are ignored.
    """
    found = ctx.ledger.find_note(_bare(text))[:MATCHES]
    sessions = {stream_of(one): one for one in ctx.transcripts.sessions()} if found else {}
    reasons = []
    for note in found:
        batch = ctx.ledger.batch(note.marker)
        rows = ctx.ledger.provenance(note.note_id)
        reasons.append(
            Reason(
                note,
                batch.engine if batch else "",
                batch.model if batch else "",
                tuple(_messages(ctx, rows, sessions)),
            ),
        )
    return reasons


def _bare(text: str) -> str:
    from totalrecall.memory.observations import notes_in, parse

    line = text.strip()
    for candidate in (line, f"- {line}"):
        notes = notes_in(parse(candidate))
        if notes:
            return notes[0][2].text
    return line


def _messages(
    ctx: AgentContext, rows: Sequence[SeenRow], sessions: dict[str, Session]
) -> list[SourceMessage]:
    messages = []
    for row in rows:
        session, event = find_message(ctx, row, sessions)
        at_ms = event.at_ms if event is not None else row.at_ms
        messages.append(
            SourceMessage(
                session_id=session_id_of(row.session_id),
                location=str(session.location) if session else "",
                at=datetime.fromtimestamp(at_ms / 1000, ctx.zone) if at_ms is not None else None,
                role=event.role if event else None,
                text=_excerpt(ctx, event) if event else "",
            ),
        )
    return messages


def find_message(
    ctx: AgentContext, row: SeenRow, sessions: dict[str, Session]
) -> tuple[Session | None, Event | None]:
    """The message where it stood, else anywhere in its session's transcripts, else in none."""
    wanted = session_id_of(row.session_id)
    candidates = [one for name, one in sessions.items() if session_id_of(name) == wanted]
    candidates.sort(key=lambda one: stream_of(one) != row.session_id)
    for session in candidates:
        for position in (row.position, 0):
            for record in ctx.transcripts.read(session, position):
                if isinstance(record.body, Event):
                    if identity_in(session, record.body) == row.identity:
                        return session, record.body
                    if position:
                        break
    return (candidates[0] if candidates else None), None


def _excerpt(ctx: AgentContext, event: Event) -> str:
    text = " ".join(ctx.screen(event.text).split())
    return text if len(text) <= EXCERPT_CHARS else text[: EXCERPT_CHARS - 1] + "…"
