"""What goes into a reflection and what comes out. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Protocol

from totalrecall.domain.note import Note, Usage


class Author(StrEnum):
    """Who wrote a note: we, or a person (also a note of ours that a person edited)."""

    OURS = "ours"
    PERSON = "person"


class DropReason(StrEnum):
    """Why a note leaves without another text in its place."""

    SUPERSEDED = "superseded"
    RESOLVED = "resolved"
    AGED = "aged"
    DUPLICATE = "duplicate"
    NOISE = "noise"


class RefusalCode(StrEnum):
    """What is wrong with an answer."""

    EMPTY = "empty"
    INCOMPLETE = "incomplete"
    LOOPED = "looped"
    PROSE = "prose"
    NO_NUMBERS = "no_numbers"
    UNKNOWN_NUMBER = "unknown_number"
    NAMED_TWICE = "named_twice"
    PROTECTED = "protected"
    REASON = "reason"
    LOST_DETAIL = "lost_detail"
    INVENTED_DETAIL = "invented_detail"
    SWAPPED = "swapped"
    VAGUE = "vague"
    TOO_LITTLE_LEFT = "too_little_left"
    LONGER = "longer"
    NO_HIGH_LEFT = "no_high_left"
    PRIORITY = "priority"
    TYPE = "type"
    LANGUAGE = "language"
    LEAK = "leak"
    INSTRUCTION = "instruction"
    NOTHING_DONE = "nothing_done"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why an answer is not accepted; ``sentence`` holds numbers, never words of the notes."""

    code: RefusalCode
    sentence: str


@dataclass(frozen=True, slots=True)
class Item:
    """A top-level note of the log with its children, as one unit.

    Attributes:
        number: unique within the request, from 1, in the order of the file.
        note: what it says.
        author: PERSON as soon as one line of the unit is a person's.
    """

    number: int
    note: Note
    author: Author = Author.OURS


@dataclass(frozen=True, slots=True)
class Dropped:
    """A note that leaves. ``by`` is the note that says it now, for superseded, resolved and duplicate.

    Where ``by`` was merged or dropped itself, what stands for it stands for this one too.
    """

    number: int
    reason: DropReason
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """A new text in the place of ``stands_for`` (one or more numbers, ascending)."""

    note: Note
    stands_for: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReflectionRequest:
    """What a reflector gets.

    Attributes:
        items: all notes of the log.
        today: the present day in the user's zone.
        agent: whom calls are booked to.
        word_limit: ``REFLECTOR_WORD_THRESHOLD``; above it the whole is consolidated once more.
    """

    items: tuple[Item, ...]
    today: date
    agent: str
    word_limit: int = 8_000


@dataclass(frozen=True, slots=True)
class Reflection:
    """What becomes of each note: every number of the request is in exactly one of the three.

    Attributes:
        kept: carried over word for word.
        merged: new texts.
        dropped: what leaves.
        usage: what the calls took.
        engine: ``llm`` or ``extractive``.
        refusals: ranges of the log whose answers were refused; their notes are among ``kept``.
    """

    kept: tuple[int, ...]
    merged: tuple[Merged, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = field(default_factory=Usage)
    engine: str = "extractive"
    refusals: tuple[Refusal, ...] = ()

    @property
    def changes(self) -> bool:
        """False when every note stays as it is: no progress."""
        return bool(self.merged or self.dropped)


@dataclass(frozen=True, slots=True)
class ReflectionRefused:
    """No answer was accepted: the log stays as it is. An expected outcome, not an error."""

    refusals: tuple[Refusal, ...]
    usage: Usage = field(default_factory=Usage)


class Reflector(Protocol):
    """A language model, or the built-in rules."""

    @property
    def name(self) -> str:
        """``llm`` or ``extractive``."""

    def reflect(self, request: ReflectionRequest) -> Reflection | ReflectionRefused:
        """What becomes of each note.

        Raises:
            ModelUnreachableError: no model answered.
            CeilingError: the budget is used up.
            ConfigError: the key is refused, or no model of that name exists.
        """
