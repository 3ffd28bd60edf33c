"""How long notes stay, by type, from their own day; a reflection makes no note older. Pure.

Only 🟢 and 🟡 leave by age. Rules, decisions and open tasks never do, nor what a person wrote, nor what names
a day that is still to come. A note without a type stays as long as a fact: nobody knows what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from totalrecall.domain.note import NoteType, Priority
from totalrecall.llm.reflection.future import names_coming_day
from totalrecall.llm.reflection.types import Author, Item

LIFE_DAYS: dict[NoteType | None, int | None] = {
    NoteType.EVENT: 14,
    NoteType.CONTEXT: 30,
    NoteType.FACT: 90,
    None: 90,
    NoteType.PREFERENCE: 180,
    NoteType.GOAL: 365,
    NoteType.HABIT: 365,
    NoteType.RULE: None,
    NoteType.DECISION: None,
    # An open task is done, not old: it waits for a note that says so.
    NoteType.TASK: None,
}


def is_aged(item: Item, today: date) -> bool:
    """True when the note leaves by age. Children count: the unit leaves when the last of them may."""
    last = last_day(item)
    return last < today and not names_coming_day(item.note, today)


def last_day(item: Item) -> date:
    """The last day on which the note is not too old yet; the end of the calendar for what stays."""
    notes = (item.note, *item.note.children)
    if item.author is Author.PERSON or any(note.priority is Priority.HIGH for note in notes):
        return date.max
    # A child that lost its type in the file is a detail of the note above it.
    life = longest_life(note.type for note in notes if note is item.note or note.type is not None)
    try:
        return date.max if life is None else item.note.day + timedelta(days=life)
    except OverflowError:
        return date.max


def longest_life(types: Iterable[NoteType | None]) -> int | None:
    """The days that the longest-lived of these types stays; None when one of them stays for good."""
    lives = [LIFE_DAYS[kind] for kind in types]
    bounded = [life for life in lives if life is not None]
    return max(bounded) if len(bounded) == len(lives) and lives else None


def longest_lived(types: Iterable[NoteType | None]) -> NoteType | None:
    """The type a note gets that stands for notes of these types: the one that stays longest."""

    def life(kind: NoteType | None) -> tuple[float, bool]:
        days = LIFE_DAYS[kind]
        return (float("inf") if days is None else days, kind is not None)

    return max(types, key=life, default=None)
