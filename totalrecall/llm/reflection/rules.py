"""The reflector without a model: only what is certain. Pure, deterministic, and done after one run.

Old notes leave by age, duplicates become one, an old value leaves when the new note names it, and a task when
a note says in its own words that it is done. What needs judgement stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from totalrecall.domain.note import NoteType, Usage
from totalrecall.llm.extractive.similar import gist
from totalrecall.llm.reflection.ageing import is_aged, last_day
from totalrecall.llm.reflection.draft import Draft, draft_of
from totalrecall.llm.reflection.drops import settled, takes_place_of
from totalrecall.llm.reflection.duplicates import key_of, says_all_of, says_the_same, words_of_note
from totalrecall.llm.reflection.future import days_of
from totalrecall.llm.reflection.prompt import when
from totalrecall.llm.reflection.protect import may_give_way, protection, rank
from totalrecall.llm.reflection.ranges import newest
from totalrecall.llm.reflection.subject import replaced_words, said, says_done
from totalrecall.llm.reflection.types import (
    Author,
    Dropped,
    DropReason,
    Item,
    Merged,
    Reflection,
    ReflectionRequest,
)


class ExtractiveReflector:
    """Consolidates by rules; the same log always gives the same answer."""

    name = "extractive"

    def reflect(self, request: ReflectionRequest) -> Reflection:
        """What becomes of each note."""
        return tidied(request).reflection(self.name, Usage(), ())


def tidied(request: ReflectionRequest) -> Draft:
    """The log after all that is certain: a model is asked only about the rest."""
    new = newest(request.items, request.today, request.word_limit)
    draft = draft_of(request.items)
    aged = [item for item in draft.pieces if item.number not in new and is_aged(item, request.today)]
    draft = draft.applied((), [Dropped(item.number, DropReason.AGED) for item in aged])
    merged, dropped = _alike(_exact_groups(draft.pieces), new, request.today)
    draft = draft.applied(merged, settled(dropped))
    draft = draft.applied((), settled(_replaced(draft.pieces, new)))
    merged, dropped = _alike(_near_pairs(draft.pieces), new, request.today)
    return draft.applied(merged, settled(dropped))


def _alike(
    groups: Iterable[Sequence[Item]], new: frozenset[int], today: date
) -> tuple[list[Merged], list[Dropped]]:
    """What becomes of groups that say the same; the first of each says all that the others say."""
    merged: list[Merged] = []
    dropped: list[Dropped] = []
    for first, *others in groups:
        rest = [item for item in others if item.author is not Author.PERSON and item.number not in new]
        taken = [item for item in rest if _is_told_by(first, item, today)]
        dropped += [Dropped(item.number, DropReason.DUPLICATE, first.number) for item in taken]
        left = [item for item in rest if item not in taken and protection(item, today) is None]
        free = first.number not in new and protection(first, today) is None
        if free and left and (one := _one_of([first, *left])) is not None:
            merged.append(one)
    return merged, dropped


def _is_told_by(first: Item, item: Item, today: date) -> bool:
    """True when ``item`` may leave as a duplicate; what is protected only for the very same words."""
    if protection(item, today) is not None and not says_the_same(first.note, item.note):
        return False
    return takes_place_of(item, first, DropReason.DUPLICATE)


def _one_of(items: Sequence[Item]) -> Merged | None:
    """The first note's words with the highest sign and the newest day; None where that would move a day."""
    latest = max(items, key=when).note
    highest = max((item.note.priority for item in items), key=rank)
    note = replace(items[0].note, priority=highest, day=latest.day, time=latest.time)
    note = replace(note, children=tuple(replace(child, day=latest.day) for child in note.children))
    if days_of(note) != days_of(items[0].note):
        return None
    return Merged(note, tuple(sorted(item.number for item in items)))


def _exact_groups(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Notes in the same words, best first: a person's, then the highest sign, then the longest to stay."""
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        groups.setdefault((str(item.note.type), key_of(item.note)), []).append(item)
    for group in groups.values():
        group.sort(key=_worth, reverse=True)
        same = [group[0], *(item for item in group[1:] if says_the_same(group[0].note, item.note))]
        if len(same) > 1:
            yield same


def _near_pairs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """A note and those that it says all of, each note in one group."""
    words = {item.number: words_of_note(item.note) for item in items}
    often = Counter(word for found in words.values() for word in found)
    standing: dict[str, list[Item]] = {}
    for item in items:
        for word in words[item.number]:
            standing.setdefault(word, []).append(item)
    groups: dict[int, list[Item]] = {}
    used: set[int] = set()
    for short in sorted(items, key=lambda one: (len(words[one.number]), one.number)):
        if not words[short.number] or short.number in groups:
            continue
        rarest = min(words[short.number], key=lambda word: (often[word], word))
        for long in sorted(standing[rarest], key=_worth, reverse=True):
            if long.number == short.number or long.number in used or short.number in used:
                continue
            if words[short.number] <= words[long.number] and says_all_of(long.note, short.note):
                groups.setdefault(long.number, [long]).append(short)
                used.add(short.number)
                break
    return iter(groups.values())


def _replaced(items: Sequence[Item], new: frozenset[int]) -> Iterator[Dropped]:
    """Notes whose value a newer note names as replaced, and tasks that a newer note calls done."""
    latest_first = sorted(items, key=when, reverse=True)
    naming = [(item, words) for item in latest_first if (words := _replaced_by(item))]
    done = [item for item in latest_first if says_done(item.note)]
    for old in items:
        if old.number in new or old.author is Author.PERSON:
            continue
        told = said(old.note).casefold()
        later = next(
            (
                item
                for item, words in naming
                if any(one in told for one in words) and _surely_replaces(item, words, old, told)
            ),
            None,
        )
        if later is not None:
            yield Dropped(old.number, DropReason.SUPERSEDED, later.number)
            continue
        by = next((item for item in done if _surely_done(item, old)), None)
        if by is not None:
            yield Dropped(old.number, DropReason.RESOLVED, by.number)


def _replaced_by(item: Item) -> tuple[str, ...]:
    return tuple(words.casefold() for words in replaced_words(item.note))


def _surely_replaces(later: Item, words: tuple[str, ...], old: Item, told: str) -> bool:
    """True when, but for the value that it replaces, the newer note says all that the older one says."""
    if later.note.type is not old.note.type or not may_give_way(old, later, DropReason.SUPERSEDED):
        return False
    now = gist(said(later.note))
    rests = (gist(told.replace(one, " ")) for one in words if one in told)
    return any(rest.words and rest.words <= now.words and rest.values <= now.values for rest in rests)


def _surely_done(done: Item, task: Item) -> bool:
    """True when the note says in the task's own words that it is done."""
    if task.note.type is not NoteType.TASK or not may_give_way(task, done, DropReason.RESOLVED):
        return False
    wanted, told = gist(said(task.note)), gist(said(done.note))
    return wanted.words <= told.words and wanted.values <= told.values


def _worth(item: Item) -> tuple[bool, int, date, date, str, int]:
    person = item.author is Author.PERSON
    return (person, rank(item.note.priority), last_day(item), *when(item))
