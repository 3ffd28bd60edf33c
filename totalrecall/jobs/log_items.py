"""The notes of the log as a reflection gets them, and what of its answer still holds when it comes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Note
from totalrecall.jobs.context import AgentContext
from totalrecall.ledger.rows import NoteRow
from totalrecall.llm.reflection.types import Author, Dropped, DropReason, Item, Merged, Reflection
from totalrecall.memory.observations import render_note
from totalrecall.memory.reflected_log import Entry, Key, entries_in, key_of

Known = Mapping[Key, Sequence[NoteRow]]


@dataclass(frozen=True, slots=True)
class LogItem:
    """A note of the log under its number; ``known`` is the ledger's row, None when we did not write it."""

    number: int
    entry: Entry
    known: NoteRow | None

    @property
    def item(self) -> Item:
        """As a reflector gets it."""
        return Item(self.number, self.entry.note, Author.OURS if self.known else Author.PERSON)


@dataclass(frozen=True, slots=True)
class Holding:
    """What of an answer holds for the log as it is now; ``lapsed`` counts what does not any more."""

    merged: tuple[Merged, ...]
    dropped: tuple[Dropped, ...]
    lapsed: int


def known_notes(ctx: AgentContext) -> Known:
    """The notes that stand in the log by the ledger's books, by their very lines.

    A note that is not there exactly so was written or edited by a person, or comes from the ledger of another
    agent that shares the file, and is left alone: each agent consolidates what it wrote itself.
    """
    stand_ins = {one.marker for one in ctx.ledger.provisional()}
    rows = [one for one in ctx.ledger.notes() if one.text and one.marker not in stand_ins]
    children: dict[str, list[NoteRow]] = {}
    for row in sorted(rows, key=lambda one: one.ordinal):
        if row.parent_id:
            children.setdefault(row.parent_id, []).append(row)
    known: dict[Key, list[NoteRow]] = {}
    for row in rows:
        if not row.parent_id:
            under = tuple(_note(one) for one in children.get(row.note_id, ()))
            line = render_note(replace(_note(row), children=under))
            known.setdefault(key_of(row.day, line), []).append(row)
    return known


def items_in(text: str, known: Known) -> list[LogItem]:
    """The notes of the log, numbered in the order of the file. Provisional ones are not among them."""
    left = {key: list(rows) for key, rows in known.items()}
    items: list[LogItem] = []
    for entry in entries_in(text):
        if entry.provisional or entry.day is None:
            continue
        rows = left.get(entry.key)
        items.append(LogItem(len(items) + 1, entry, rows.pop(0) if rows else None))
    return items


def holding(items: Sequence[LogItem], answer: Reflection, text: str) -> Holding:
    """What of the answer holds for the log ``text``, which may have been edited since it was asked.

    A new note comes only while everything it stands for stands unchanged, else it would bring back what a
    person took out. A note leaves only if it stands unchanged, and so does what says it now. A note that is
    not ours never leaves.
    """
    standing = _standing(items, text)
    ours = {one.number for one in items if one.known is not None} & standing
    by = {one.number: one.by for one in answer.dropped if one.by is not None}
    merged = tuple(one for one in answer.merged if one.stands_for and ours.issuperset(one.stands_for))
    dropped = tuple(
        one for one in answer.dropped
        if one.number in ours and (one.by is None or one.by in standing) and not _in_a_circle(one.number, by)
    )  # fmt: skip
    lapsed = len(answer.merged) - len(merged) + len(answer.dropped) - len(dropped)
    return Holding(merged, dropped, lapsed)


def hash_of(key: Key) -> bytes:
    """By what a note is known again without its words."""
    day, line = key
    raw = f"{day}\n{line}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, digest_size=16).digest()


def anchor_of(number: int, holds: Holding, items: Mapping[int, LogItem]) -> Key:
    """The note that says in the end what the note ``number`` said."""
    by = {one.number: one.by for one in holds.dropped if one.by is not None}
    while (following := by.get(number)) is not None:
        number = following
    for one in holds.merged:
        if number in one.stands_for:
            return key_of(one.note.day, render_note(one.note))
    return items[number].entry.key


def reasons_of(holds: Holding) -> Counter[DropReason]:
    """How many notes are dropped for which reason."""
    return Counter(one.reason for one in holds.dropped)


def _standing(items: Sequence[LogItem], text: str) -> set[int]:
    there = Counter(entry.key for entry in entries_in(text) if not entry.provisional)
    standing = set()
    for one in items:
        if there[one.entry.key] > 0:
            there[one.entry.key] -= 1
            standing.add(one.number)
    return standing


def _in_a_circle(number: int, by: Mapping[int, int]) -> bool:
    met = {number}
    following = by.get(number)
    while following is not None:
        if following in met:
            return True
        met.add(following)
        following = by.get(following)
    return False


def _note(row: NoteRow) -> Note:
    return Note(row.priority, row.day, row.time, row.text, row.type)
