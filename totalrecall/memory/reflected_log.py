"""The observation log as a reflection sees it: notes that stay or leave, and the log written anew. Pure.

What we did not write stays where it is, byte for byte: prose, headings, blocks and notes of others,
provisional blocks. A block of ours that also holds such lines stays in its place too, without the notes that
leave. The other blocks of ours on days that change become one block a day, in the order of their days.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby

from totalrecall.domain.note import Note
from totalrecall.memory.observations import Line, LineKind, append_block, parse, render

Key = tuple[date | None, str]
NO_TIME = "~"


@dataclass(frozen=True, slots=True)
class Entry:
    """A note of the log with the lines of its children, as one unit.

    Attributes:
        start, end: its lines in the log, from 0, the end excluded.
        raw: those lines as they stand.
        day: the day of its heading, None above the first.
        marker: its block's marker, "".
        provisional: its block stands in until a model's notes come.
        note: what it says.
    """

    start: int
    end: int
    raw: str
    day: date | None
    marker: str
    provisional: bool
    note: Note

    @property
    def key(self) -> Key:
        """By what it is known again: its day and its very lines, whatever the line ends are."""
        return key_of(self.day, self.raw)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Lines that come into the log: a merged note, or one that returns."""

    day: date
    line: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of the log.

    Attributes:
        marker: of the blocks that are written.
        ours: the notes that we wrote, by key.
        leaving: what leaves; a key that stands twice and leaves once stays once.
        arriving: what comes.
    """

    marker: str
    ours: Collection[Key]
    leaving: Sequence[Key] = ()
    arriving: Sequence[Arrival] = ()


@dataclass(slots=True)
class _Block:
    """A heading with what stands under it. ``day`` None: it stays in its place."""

    lines: list[Line]
    day: date | None = None
    entries: list[Entry] = field(default_factory=list)
    touched: bool = False


def key_of(day: date | None, raw: str) -> Key:
    """The key of a note whose lines are ``raw``."""
    return day, raw.replace("\r", "")


def entries_in(text: str) -> list[Entry]:
    """Every note of the log with its children; a child without a parent right above it is left out."""
    return list(_entries(parse(text)))


def rewrite(text: str, change: Change) -> str:
    """The log after the change. The same text when nothing leaves or comes."""
    if not change.leaving and not change.arriving:
        return text
    lines = parse(text)
    gone = _gone(_entries(lines), Counter(change.leaving))
    blocks = _blocks(lines, gone, change.ours)
    days = {one.day for one in gone} | {one.day for one in change.arriving}
    for block in blocks:
        block.touched = block.day is not None and block.day in days
    newline = "\r" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else ""
    return _joined(blocks, change, newline)


def _entries(lines: Sequence[Line]) -> Iterator[Entry]:
    number = 0
    while number < len(lines):
        line, start = lines[number], number
        number += 1
        if line.kind is not LineKind.NOTE or line.note is None:
            continue
        children = []
        while number < len(lines) and lines[number].kind is LineKind.CHILD:
            if (child := lines[number].note) is not None:
                children.append(child)
            number += 1
        note = replace(line.note, children=tuple(children))
        raw = render(lines[start:number])
        yield Entry(start, number, raw, line.day, line.marker, line.provisional, note)


def _gone(entries: Iterable[Entry], leaving: Counter[Key]) -> list[Entry]:
    gone = []
    for entry in entries:
        if not entry.provisional and leaving[entry.key] > 0:
            leaving[entry.key] -= 1
            gone.append(entry)
    return gone


def _blocks(lines: Sequence[Line], gone: Sequence[Entry], ours: Collection[Key]) -> list[_Block]:
    """The log cut at its headings, without the lines that leave."""
    left = {number for entry in gone for number in range(entry.start, entry.end)}
    starts = [number for number, line in enumerate(lines) if line.kind is LineKind.HEADING]
    blocks = []
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        part = [lines[number] for number in range(start, end) if number not in left]
        if part:
            blocks.append(_block(part, ours))
    return blocks


def _block(part: list[Line], ours: Collection[Key]) -> _Block:
    head = part[0]
    entries = list(_entries(part))
    held = sum(one.end - one.start for one in entries)
    blank = sum(1 for line in part[1:] if not line.raw.strip())
    pure = (
        head.kind is LineKind.HEADING
        and bool(head.marker)
        and not head.provisional
        and held + blank + 1 == len(part)
        and all(one.key in ours for one in entries)
    )
    return _Block(part, head.day if pure else None, entries)


def _joined(blocks: Sequence[_Block], change: Change, newline: str) -> str:
    """The text of the blocks, with what arrives."""
    runs = [list(some) for _, some in groupby(blocks, key=lambda one: one.day is None)]
    movable = [run for run in runs if run[0].day is not None]
    homes = _homes(movable, change.arriving)
    lines: list[str] = []
    number = -1
    for run in runs:
        if run[0].day is None:
            lines += [line.raw for block in run for line in block.lines]
            continue
        number += 1
        days = [day for day, home in homes.items() if home == number]
        new = {day: body for day in days if (body := _new_block(day, movable, change, newline))}
        lines += _run(run, new, newline, is_last=run is runs[-1])
    text = "\n".join(lines)
    if movable:
        return text
    days = sorted({one.day for one in change.arriving})
    return append_block(text, "\n".join("\n".join([*_new_block(day, [], change, ""), ""]) for day in days))


def _homes(movable: Sequence[Sequence[_Block]], arriving: Sequence[Arrival]) -> dict[date, int]:
    """To which run of movable blocks each changed day goes: to one, so that a marker stands there once."""
    homes: dict[date, int] = {}
    for number, run in enumerate(movable):
        for block in run:
            if block.touched and block.day is not None:
                homes.setdefault(block.day, number)
    firsts = [min(block.day for block in run if block.day is not None) for run in movable]
    for one in arriving:
        if movable:
            earlier = [number for number, first in enumerate(firsts) if first <= one.day]
            homes.setdefault(one.day, earlier[-1] if earlier else 0)
    return homes


def _new_block(day: date, movable: Sequence[Sequence[_Block]], change: Change, newline: str) -> list[str]:
    """The lines of the day's new block: what stays of the old ones and what comes, by time; [] for none."""
    stays: list[tuple[str, str]] = []
    time = ""
    for block in (one for run in movable for one in run if one.touched and one.day == day):
        for entry in block.entries:
            time = entry.note.time or time
            stays.append((time, entry.raw))
    comes = [
        (one.time or NO_TIME, "\n".join(f"{line}{newline}" for line in one.line.split("\n")))
        for one in change.arriving
        if one.day == day
    ]
    body = [raw for _, raw in sorted([*stays, *comes], key=lambda one: one[0])]
    return [f"Date: {day.isoformat()} <!-- tr:{change.marker} -->{newline}", *body] if body else []


def _run(run: Sequence[_Block], new: Mapping[date, list[str]], newline: str, *, is_last: bool) -> list[str]:
    """The lines of blocks that stand together, in the order of their days."""
    kept = [(block.day, [line.raw for line in block.lines]) for block in run if not block.touched]
    days = [day for day, _ in kept if day is not None]
    if not new and len(kept) == len(run) and days == sorted(days):
        return [raw for _, raws in kept for raw in raws]
    parts = [(day, _without_blank_end(raws)) for day, raws in kept if day is not None]
    parts += list(new.items())
    lines: list[str] = []
    for _, raws in sorted(parts, key=lambda one: one[0]):
        lines += [*raws, newline]
    if is_last and lines:
        # The text ends with one line break, as it does after every block that is appended.
        lines[-1] = ""
    return lines


def _without_blank_end(raws: list[str]) -> list[str]:
    end = len(raws)
    while end and not raws[end - 1].strip():
        end -= 1
    return raws[:end]
