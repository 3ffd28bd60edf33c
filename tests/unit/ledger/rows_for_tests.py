"""Small rows to test the ledger with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.note import Compression, DraftNote, Dropped, Note, NoteType, Priority, Usage
from totalrecall.domain.session import SessionKind, StoreKind
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.ledger.rows import BatchRow, SeenRow, SessionRow

NOW = 1_771_000_000_000


def identity(number: int) -> bytes:
    """The identity of message ``number``."""
    return number.to_bytes(16, "big")


def session(position: int, session_id: str = "s1", head: str = "head", carry: str = "") -> SessionRow:
    """A session observed up to ``position``."""
    return SessionRow(
        session_id=session_id,
        store=StoreKind.JSONL,
        key=f"agent:main:{session_id}",
        kind=SessionKind.MAIN,
        location=f"/sessions/{session_id}.jsonl",
        cursor=Cursor(StoreKind.JSONL, position, head, f"tail{position}", carry),
        existed_at_adoption=True,
        started_ms=NOW,
        last_at_ms=NOW + position,
        unknown_types=(("new_thing", 2),),
    )


def seen(number: int, state: MessageState = MessageState.PENDING, session_id: str = "s1") -> SeenRow:
    """Message ``number``; skipped ones were commands."""
    reason = SkipReason.COMMAND if state is MessageState.SKIPPED else None
    return SeenRow(identity(number), session_id, number * 10, True, state, reason, NOW + number)


def batch(
    marker: str, first: int, last: int, session_id: str = "s1", *, provisional: bool = False
) -> BatchRow:
    """A planned batch of the messages ``first`` to ``last``; its cursor ends after the last."""
    return BatchRow(
        marker=marker,
        session=session(last * 10 + 10, session_id),
        seen=tuple(seen(number, session_id=session_id) for number in range(first, last + 1)),
        provisional=provisional,
        planned_ms=NOW + first,
    )


def with_skips(row: BatchRow, *numbers: int) -> BatchRow:
    """The batch with these messages skipped."""
    wanted = {identity(one) for one in numbers}
    return replace(
        row,
        seen=tuple(
            replace(one, state=MessageState.SKIPPED, reason=SkipReason.COMMAND)
            if one.identity in wanted
            else one
            for one in row.seen
        ),
    )


def answer(*texts: str, cites: tuple[int, ...] = (1,)) -> Compression:
    """An answer with one note per text; without texts it says that nothing is notable."""
    drafts = tuple(
        DraftNote(Note(Priority.HIGH, date(2026, 2, 14), "14:05", text, NoteType.DECISION), cites)
        for text in texts
    )
    return Compression(
        drafts,
        nothing_notable=not texts,
        dropped=(Dropped("again and again", "loop"),),
        engine="llm",
        model="some/model",
        prompt_hash="p1",
        usage=Usage(1, 100, 20, 0.001),
    )


def ids(row: BatchRow) -> list[bytes]:
    """The identities an engine may cite, in order."""
    return [one.identity for one in row.seen if one.state is MessageState.PENDING]
