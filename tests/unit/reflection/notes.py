"""Notes for these tests, and an answer judged in one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.llm.reflection.acceptance import Accepted, accept
from totalrecall.llm.reflection.answer import read_answer
from totalrecall.llm.reflection.case import Case
from totalrecall.llm.reflection.faults import Fault
from totalrecall.llm.reflection.protect import protection
from totalrecall.llm.reflection.types import Author, Item, RefusalCode

TODAY = date(2026, 6, 30)
RED, YELLOW, GREEN = Priority.HIGH, Priority.MEDIUM, Priority.LOW
FACT, EVENT, CONTEXT = NoteType.FACT, NoteType.EVENT, NoteType.CONTEXT


def note(
    text: str, kind: NoteType | None = FACT, sign: Priority = YELLOW, *, ago: int = 10, time: str = "09:00",
    children: Sequence[Note] = (),
) -> Note:  # fmt: skip
    """A note of some days ago."""
    return Note(sign, TODAY - timedelta(days=ago), time, text, kind, tuple(children))


def items(*notes: Note, persons: Sequence[int] = ()) -> tuple[Item, ...]:
    """The notes numbered from 1; ``persons``: the numbers that a person wrote."""
    return tuple(
        Item(number, one, Author.PERSON if number in persons else Author.OURS)
        for number, one in enumerate(notes, 1)
    )


def case_of(found: Sequence[Item]) -> Case:
    """What an answer about these notes is judged against; what is protected is fixed."""
    free = tuple(one for one in found if protection(one, TODAY) is None)
    fixed = tuple(one for one in found if protection(one, TODAY) is not None)
    return Case(free, fixed, TODAY, lambda text: text.replace("swordfish", "[password]"))


def judged(found: Sequence[Item], answer: str, *, cut: bool = False) -> Accepted | tuple[Fault, ...]:
    """What becomes of an answer."""
    return accept(read_answer(answer), case_of(found), cut=cut)


def codes(found: Sequence[Item], answer: str, *, cut: bool = False) -> set[RefusalCode]:
    """Why an answer is refused; empty when it is accepted."""
    outcome = judged(found, answer, cut=cut)
    return set() if isinstance(outcome, Accepted) else {one.code for one in outcome}
