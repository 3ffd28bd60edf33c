"""What code carries over word for word, and when a note may go for a newer one all the same. Pure."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.llm.dates import named_days
from totalrecall.llm.extractive.similar import gist
from totalrecall.llm.reflection.future import names_coming_day
from totalrecall.llm.reflection.subject import covers_subject, is_newer, said, same_subject, says_done
from totalrecall.llm.reflection.types import Author, DropReason, Item

HIGH_DAYS = 30
_LASTING = frozenset(
    {NoteType.RULE, NoteType.DECISION, NoteType.GOAL, NoteType.PREFERENCE, NoteType.TASK}
)  # fmt: skip
# What may stand in the place of a protected note: its own kind, or what binds at least as much.
_REPLACED_BY: dict[NoteType, frozenset[NoteType | None]] = {
    NoteType.RULE: frozenset({NoteType.RULE, NoteType.DECISION, NoteType.PREFERENCE}),
    NoteType.PREFERENCE: frozenset({NoteType.PREFERENCE, NoteType.RULE}),
    NoteType.DECISION: frozenset({NoteType.DECISION, NoteType.RULE}),
    NoteType.GOAL: frozenset({NoteType.GOAL, NoteType.DECISION}),
    NoteType.TASK: frozenset({NoteType.TASK, NoteType.DECISION}),
}
_RANK = {Priority.HIGH: 2, Priority.MEDIUM: 1, Priority.LOW: 0}


class Protection(StrEnum):
    """Why a note stays word for word."""

    PERSON = "person"
    LASTING = "lasting"
    COMING_DAY = "coming_day"
    NEW_HIGH = "new_high"


def protection(item: Item, today: date) -> Protection | None:
    """Why the note must stay as it is; None when it may be merged and dropped. A child protects its unit."""
    if item.author is Author.PERSON:
        return Protection.PERSON
    notes = (item.note, *item.note.children)
    if any(note.type in _LASTING for note in notes):
        return Protection.LASTING
    if names_coming_day(item.note, today):
        return Protection.COMING_DAY
    young = (today - item.note.day).days < HIGH_DAYS
    if young and any(note.priority is Priority.HIGH for note in notes):
        return Protection.NEW_HIGH
    return None


def may_give_way(old: Item, new: Item, reason: DropReason) -> bool:
    """True when code agrees that a protected note leaves for a newer one.

    Never what a person wrote. Superseded: newer, the same subject, as binding, and no 🟢 for a 🔴.
    Resolved: an open task, and the newer note says that it is done. A unit with children leaves only for one
    that has them too: a single line cannot stand for all of it.
    """
    if old.author is Author.PERSON or not is_newer(new.note, old.note):
        return False
    if not same_subject(new.note, old.note):
        return False
    if reason is DropReason.RESOLVED:
        return _is_task(old.note) and says_done(new.note) and _names_the_same(new.note, old.note)
    if reason is not DropReason.SUPERSEDED or len(new.note.children) < len(old.note.children):
        return False
    if _top(old.note) - _top(new.note) > 1 or not covers_subject(new.note, old.note):
        return False
    allowed = [_REPLACED_BY[kind] for note in _all(old.note) if (kind := note.type) in _REPLACED_BY and kind]
    return all(any(note.type in kinds for note in _all(new.note)) for kinds in allowed)


def rank(priority: Priority) -> int:
    """2 for 🔴, 1 for 🟡, 0 for 🟢."""
    return _RANK[priority]


def _names_the_same(done: Note, task: Note) -> bool:
    """True when the done note has every number and month of the task: invoice 212 is not invoice 213."""
    told, wanted = named_days(said(done)), named_days(said(task))
    return gist(said(task)).values <= gist(said(done)).values and wanted.months <= told.months


def _is_task(note: Note) -> bool:
    """An open task and nothing else that lasts."""
    return {one.type for one in _all(note)} & _LASTING == {NoteType.TASK}


def _all(note: Note) -> tuple[Note, ...]:
    return (note, *note.children)


def _top(note: Note) -> int:
    return max(rank(one.priority) for one in _all(note))
