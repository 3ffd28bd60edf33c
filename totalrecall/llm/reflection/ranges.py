"""Which notes go to the model together, and which of the newest stay as they are. Pure.

Ranges follow days; a day that does not fit is cut too. A range shows the model what it may change, and as
context what it may only point to: the protected notes of its days, and newer ones on the same subjects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil

from totalrecall.domain.words import count_words
from totalrecall.llm.reflection.prompt import line_of, when
from totalrecall.llm.reflection.subject import said, same_subject
from totalrecall.llm.reflection.types import Item
from totalrecall.llm.tokens import estimate_tokens

NEWEST_DAYS = 3
MOST_NOTES = 60
_MOST_TOKENS = 5_000
_LEAST_TOKENS = 200
_CONTEXT_SHARE = 0.35
_MOST_RELATED = 300
_PER_NOTE_TOKENS = 8
_SPARE_TOKENS = 900
_LEAST_ANSWER = 300


@dataclass(frozen=True, slots=True)
class Range:
    """Notes for one call: those that may change, and those that stand beside them unchanged."""

    changeable: tuple[Item, ...]
    context: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """What fits into one call: tokens of notes, and notes that may change."""

    tokens: int
    notes: int = MOST_NOTES


def room_for(system_tokens: int, tokens_per_call: int) -> Room:
    """The room that a call leaves beside system text and answer, estimates taken as a quarter too low."""
    left = (tokens_per_call - system_tokens * 1.25 - _SPARE_TOKENS) / 2.2
    return Room(min(_MOST_TOKENS, max(_LEAST_TOKENS, int(left))))


def answer_tokens(part: Range) -> int:
    """How long the answer for a range may get: never longer than what it stands for, numbers included."""
    tokens = sum(map(tokens_of, part.changeable))
    return max(_LEAST_ANSWER, tokens + _PER_NOTE_TOKENS * len(part.changeable))


def tokens_of(item: Item) -> int:
    """The estimated tokens of a note as the model sees it."""
    return estimate_tokens(line_of(item)) + 2


def newest(items: Iterable[Item], today: date, word_limit: int) -> frozenset[int]:
    """The numbers of the notes that are too new to be touched.

    Those of the last three days, newest first, up to half of the word limit: a log that is filled within two
    days must get shorter too.
    """
    found: set[int] = set()
    room = word_limit // 2
    for item in sorted(items, key=when, reverse=True):
        if (today - item.note.day).days >= NEWEST_DAYS:
            break
        room -= count_words(said(item.note))
        if room < 0:
            break
        found.add(item.number)
    return frozenset(found)


def plan_ranges(changeable: Sequence[Item], others: Iterable[Item], room: Room) -> tuple[Range, ...]:
    """The changeable notes in ranges of about one size, oldest first; a note too long for a call is left."""
    limit = int(room.tokens * (1 - _CONTEXT_SHARE))
    sizes = {item.number: tokens_of(item) for item in changeable}
    fitting = sorted((item for item in changeable if sizes[item.number] <= limit), key=when)
    total = sum(sizes[item.number] for item in fitting)
    count = max(1, ceil(total / limit), ceil(len(fitting) / room.notes))
    # Even ranges: the last one is not a rest of two notes.
    target = Room(
        min(limit, ceil(total / count) + limit // 20), min(room.notes, ceil(len(fitting) / count) + 3)
    )
    parts = _cut(_days(fitting), sizes, target)
    shares = _shares(parts, sorted(others, key=when))
    return tuple(
        Range(tuple(part), _context(part, share, room)) for part, share in zip(parts, shares, strict=True)
    )


def halves(part: Range) -> tuple[Range, ...]:
    """The range in two, each with the context, or with less context; nothing when it cannot be cut more."""
    middle = len(part.changeable) // 2
    if middle == 0:
        fewer = part.context[len(part.context) // 2 + 1 :]
        return (Range(part.changeable, fewer),) if part.context else ()
    context = part.context[-len(part.context) // 2 :] if part.context else ()
    return (Range(part.changeable[:middle], context), Range(part.changeable[middle:], context))


def _shares(parts: Sequence[Sequence[Item]], others: Sequence[Item]) -> list[tuple[list[Item], list[Item]]]:
    """For each range the fixed notes of its days, each in one range, and all others that are near in time."""
    shares: list[tuple[list[Item], list[Item]]] = []
    start = 0
    for at, part in enumerate(parts):
        end = start
        while end < len(others) and (at + 1 == len(parts) or others[end].note.day <= part[-1].note.day):
            end += 1
        beside = [*others[max(0, start - _MOST_RELATED) : start], *others[end:][-_MOST_RELATED:]]
        shares.append((list(others[start:end]), beside))
        start = end
    return shares


def _context(part: Sequence[Item], share: tuple[list[Item], list[Item]], room: Room) -> tuple[Item, ...]:
    """What stands beside a range, oldest first.

    What is on the subjects of its notes goes before the rest of its days, and that before what is on the
    subjects of its fixed notes.
    """
    own, beside = share
    left = int(room.tokens * _CONTEXT_SHARE)
    related = [item for item in reversed([*own, *beside]) if _is_on_subject(item, part)]
    chosen: dict[int, Item] = {}
    for item in (*related, *reversed(own), *(one for one in reversed(beside) if _is_on_subject(one, own))):
        if item.number in chosen:
            continue
        left -= tokens_of(item)
        if left < 0:
            break
        chosen[item.number] = item
    return tuple(sorted(chosen.values(), key=when))


def _is_on_subject(item: Item, of: Sequence[Item]) -> bool:
    return any(same_subject(item.note, one.note) for one in of)


def _cut(days: Sequence[Sequence[Item]], sizes: Mapping[int, int], target: Room) -> list[list[Item]]:
    """Whole days together as far as they fit; a day that fits nowhere is filled in note by note."""
    parts: list[list[Item]] = []
    part: list[Item] = []
    used = 0
    for day in days:
        whole = sum(sizes[item.number] for item in day)
        alone = len(day) <= target.notes and whole <= target.tokens
        if part and alone and (used + whole > target.tokens or len(part) + len(day) > target.notes):
            parts.append(part)
            part, used = [], 0
        for item in day:
            if part and (used + sizes[item.number] > target.tokens or len(part) >= target.notes):
                parts.append(part)
                part, used = [], 0
            part.append(item)
            used += sizes[item.number]
    return [*parts, part] if part else parts


def _days(items: Sequence[Item]) -> list[list[Item]]:
    days: dict[date, list[Item]] = {}
    for item in items:
        days.setdefault(item.note.day, []).append(item)
    return list(days.values())
