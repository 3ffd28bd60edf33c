"""Notes: what is remembered. The format is in the README ("What it writes")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Priority(StrEnum):
    """How much a note matters. The values are the signs used in the files."""

    HIGH = "🔴"
    MEDIUM = "🟡"
    LOW = "🟢"


class NoteType(StrEnum):
    """What a note is about. May be missing in a file."""

    RULE = "rule"
    PREFERENCE = "preference"
    DECISION = "decision"
    GOAL = "goal"
    TASK = "task"
    HABIT = "habit"
    FACT = "fact"
    EVENT = "event"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Note:
    """One line of ``observations.md`` with its children (one level only).

    ``time`` is ``HH:MM`` in the user's zone or "" when a line has none; ``text`` is one line without control
    characters or line separators.
    """

    priority: Priority
    day: date
    time: str
    text: str
    type: NoteType | None = None
    children: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftNote:
    """A note as an engine proposes it, before judging and screening.

    Attributes:
        note: the note; its children carry no citations of their own, they share these.
        cites: numbers of the batch's messages it stands for; empty when the engine gave none.
        verified: False when its details occur in no cited message; such a note is never above 🟡.
    """

    note: Note
    cites: tuple[int, ...] = ()
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Dropped:
    """A line an engine produced that was left out, with the reason (loop, echo, prose, secret, known)."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several calls took. ``cost_usd`` None means that neither endpoint nor price table knows."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Compression:
    """An engine's answer for a batch.

    ``nothing_notable`` is True only when the engine plainly said so. No notes and not ``nothing_notable``
    means that nothing survived judging: the batch is set aside, not counted as done.
    """

    notes: tuple[DraftNote, ...]
    nothing_notable: bool = False
    dropped: tuple[Dropped, ...] = ()
    engine: str = "extractive"
    model: str = ""
    prompt_hash: str = ""
    usage: Usage = Usage()
