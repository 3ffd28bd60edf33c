"""How long notes stay."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.unit.reflection.notes import EVENT, FACT, GREEN, RED, TODAY, YELLOW, items, note
from totalrecall.domain.note import Note, NoteType
from totalrecall.llm.reflection.ageing import is_aged, longest_lived
from totalrecall.llm.reflection.rules import tidied
from totalrecall.llm.reflection.types import Item, ReflectionRequest


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        (NoteType.EVENT, 14),
        (NoteType.CONTEXT, 30),
        (NoteType.FACT, 90),
        (None, 90),
        (NoteType.PREFERENCE, 180),
        (NoteType.GOAL, 365),
        (NoteType.HABIT, 365),
    ],
)
def test_each_type_has_its_age(kind: NoteType | None, days: int) -> None:
    """On the last day a note is still there, on the next it may leave; 🟡 and 🟢 alike."""
    for sign in (YELLOW, GREEN):
        (young,) = items(note("Ants in the kitchen", kind, sign, ago=days))
        (old,) = items(note("Ants in the kitchen", kind, sign, ago=days + 1))
        assert (is_aged(young, TODAY), is_aged(old, TODAY)) == (False, True)


@pytest.mark.parametrize(
    "one",
    [
        note("Never push to main", NoteType.RULE, GREEN, ago=4000),
        note("Use staging", NoteType.DECISION, GREEN, ago=4000),
        note("Renew the certificate", NoteType.TASK, GREEN, ago=4000),
        note("Ants in the kitchen", EVENT, RED, ago=4000),
        note("Lease ends on 2026-07-01", EVENT, GREEN, ago=400),
        note("Talk", EVENT, GREEN, ago=400, children=[note("Lease ends 2026-07-01", EVENT, GREEN)]),
        note("Talk", EVENT, GREEN, ago=80, children=[note("Ana likes tea", FACT, GREEN)]),
        note("Talk", EVENT, GREEN, ago=400, children=[note("Ants", EVENT, RED)]),
        note("From tomorrow", EVENT, GREEN, ago=-1),
    ],
)
def test_what_never_leaves_by_age(one: Note) -> None:
    """Rules, decisions, tasks, 🔴, coming days, longer-lived details, and a day ahead of the clock."""
    (item,) = items(one)
    assert not is_aged(item, TODAY)


def test_a_persons_note_never_ages() -> None:
    """However old and small."""
    (item,) = items(note("Ants", EVENT, GREEN, ago=4000), persons=[1])
    assert not is_aged(item, TODAY)


@pytest.mark.parametrize("day", [date.min, date(9999, 12, 31)])
def test_the_ends_of_the_calendar_are_days_too(day: date) -> None:
    """A heading with an odd year neither raises nor hides."""
    (item,) = items(Note(GREEN, day, "", "Ants tomorrow", NoteType.HABIT))
    assert is_aged(item, TODAY) is (day == date.min)


def test_age_counts_from_the_notes_own_day_however_often_it_is_looked_at() -> None:
    """A log that is reflected every day keeps a note as long as one that is reflected once."""
    log = items(note("Ants in the kitchen", EVENT, GREEN, ago=0), note("Cellar is dry", FACT, GREEN, ago=0))
    pieces: tuple[Item, ...] = log
    for days in range(1, 92):
        draft = tidied(ReflectionRequest(pieces, TODAY + timedelta(days=days), "main"))
        pieces = draft.pieces
        left = {piece.note.text for piece in pieces}
        assert ("Ants in the kitchen" in left) is (days <= 14)
        assert ("Cellar is dry" in left) is (days <= 90)


def test_what_stands_for_several_stays_as_long_as_the_longest() -> None:
    """A fact merged with an event stays a fact."""
    assert longest_lived([NoteType.EVENT, NoteType.FACT]) is NoteType.FACT
    assert longest_lived([None, NoteType.FACT]) is NoteType.FACT
    assert longest_lived([NoteType.EVENT, None]) is None
    assert longest_lived([NoteType.RULE, NoteType.HABIT]) is NoteType.RULE
    assert longest_lived([]) is None


def test_yellow_is_no_protection_from_age() -> None:
    """Only 🔴 is."""
    (item,) = items(note("Ants", EVENT, YELLOW, ago=15))
    assert is_aged(item, TODAY)
