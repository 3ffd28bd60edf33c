"""What is sent to the model for one range: the system text unchanged, then all that changes. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import date

from totalrecall.domain.note import Note
from totalrecall.domain.words import count_words
from totalrecall.llm.extractive.dates import named_days, with_days
from totalrecall.llm.prompt import OWN_CALL_MARKER
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Item

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the model is to work on.

    Attributes:
        changeable, fixed: the notes by their numbers on this sheet; the two share no number.
        today: the present day.
        faults: what was wrong with the last answer, a sentence each; empty at the first try.
    """

    changeable: tuple[Item, ...]
    fixed: tuple[Item, ...]
    today: date
    faults: tuple[str, ...] = ()


def fence_name(sheet: Sheet, salt: bytes) -> str:
    """A name that nobody who wrote a note can know; the same notes and salt give the same name."""
    digest = hashlib.blake2b(key=salt[:64], digest_size=5)
    for item in (*sheet.changeable, *sheet.fixed):
        digest.update(f"{item.number}\0{said(item.note)}\0".encode("utf-8", "replace"))
    return f"notes-{digest.hexdigest()}"


def user_text(sheet: Sheet, fence: str) -> str:
    """The second message."""
    words = sum(count_words(said(item.note)) for item in sheet.changeable)
    head = [OWN_CALL_MARKER, f"Today {sheet.today.isoformat()} {_WEEKDAYS[sheet.today.weekday()]}"]
    head.append(f"{len(sheet.changeable)} notes to consolidate, {words} words; aim at {words // 2} words.")
    tail = []
    if sheet.faults:
        tail = ["Your last answer was refused. Answer again, whole, and mend this:"]
        tail += [f"* {_flat(fault, fence)}" for fault in sheet.faults]
    return "\n".join([*head, f"<{fence}>", *_lines(sheet, fence), f"</{fence}>", *tail]) + "\n"


def line_of(item: Item, *, fixed: bool = False) -> str:
    """A note as it stands on the sheet, its details below it; days that it only hints at are written out."""
    kind = f"[{item.note.type}] " if item.note.type else ""
    lines = [f"{item.number}{'!' if fixed else ''} {item.note.priority} {kind}{_words(item.note, item.note)}"]
    lines += [f"  + {child.priority} {_words(child, item.note)}" for child in item.note.children]
    return "\n".join(lines)


def as_shown(note: Note) -> Note:
    """The note with the days written out that it only hints at: what an answer is measured against."""
    children = tuple(_dated(child, note.day) for child in note.children)
    dated = _dated(note, note.day)
    return Note(dated.priority, dated.day, dated.time, dated.text, dated.type, children)


def _dated(note: Note, day: date) -> Note:
    text = with_days(note.text, named_days(note.text, day))
    return Note(note.priority, day, note.time, text, note.type)


def _lines(sheet: Sheet, fence: str) -> list[str]:
    fixed = {item.number for item in sheet.fixed}
    lines: list[str] = []
    day: date | None = None
    for item in sorted((*sheet.changeable, *sheet.fixed), key=lambda one: one.number):
        if item.note.day != day:
            day = item.note.day
            lines.append(f"= {day.isoformat()}")
        lines += [_unfenced(line, fence) for line in line_of(item, fixed=item.number in fixed).split("\n")]
    return lines


def _words(note: Note, parent: Note) -> str:
    return " ".join(_CONTROLS.sub(" ", with_days(note.text, named_days(note.text, parent.day))).split())


def _unfenced(line: str, fence: str) -> str:
    return line.replace(fence, "notes")


def _flat(text: str, fence: str) -> str:
    return _unfenced(" ".join(_CONTROLS.sub(" ", text).split()), fence)


def when(item: Item) -> tuple[date, str, int]:
    """What notes are sorted by: day, minute, place in the file."""
    return item.note.day, item.note.time, item.number
