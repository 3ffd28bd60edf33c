"""Which proposed drops code can verify. Pure. What it cannot verify stays."""

from __future__ import annotations

from collections.abc import Iterable

from totalrecall.domain.note import NoteType, Priority
from totalrecall.llm.reflection.ageing import is_aged, last_day
from totalrecall.llm.reflection.answer import Answer, DropLine
from totalrecall.llm.reflection.case import Case
from totalrecall.llm.reflection.duplicates import says_all_of, says_the_same
from totalrecall.llm.reflection.protect import may_give_way, rank
from totalrecall.llm.reflection.subject import is_newer, same_subject
from totalrecall.llm.reflection.types import Dropped, DropReason, Item

_NOISE = frozenset({NoteType.EVENT, NoteType.CONTEXT, None})
_NEEDS_OTHER = frozenset({DropReason.SUPERSEDED, DropReason.RESOLVED, DropReason.DUPLICATE})


def verified_drops(answer: Answer, case: Case) -> tuple[tuple[Dropped, ...], frozenset[int]]:
    """The drops that hold, and the numbers of those that do not."""
    cited = {number for note in answer.notes for number in note.cites}
    asked = {number: line for line in answer.drops for number in line.numbers}
    holding = settled(
        dropped
        for number, line in asked.items()
        if number not in cited and (dropped := _verified(number, line, case)) is not None
    )
    return holding, frozenset(asked) - {one.number for one in holding}


def settled(drops: Iterable[Dropped]) -> tuple[Dropped, ...]:
    """Those of the drops whose place is taken by a note that stays, by number.

    A drop that points to a note which leaves itself holds only if that one points to a note that stays.
    """
    holding = {one.number: one for one in drops}
    while failing := [number for number in holding if not _ends_well(number, holding)]:
        for number in failing:
            del holding[number]
    return tuple(holding[number] for number in sorted(holding))


def is_noise(item: Item) -> bool:
    """True when a note is small enough to be called noise: 🟢 through and through, and nothing that lasts."""
    notes = (item.note, *item.note.children)
    return all(note.priority is Priority.LOW and note.type in _NOISE for note in notes)


def takes_place_of(old: Item, new: Item, reason: DropReason) -> bool:
    """True when code agrees that an unprotected note leaves for another one."""
    if reason is DropReason.DUPLICATE:
        covers = says_the_same(new.note, old.note) or says_all_of(new.note, old.note)
        as_high = rank(new.note.priority) >= rank(old.note.priority)
        return covers and as_high and last_day(new) >= last_day(old)
    return is_newer(new.note, old.note) and same_subject(new.note, old.note)


def _verified(number: int, line: DropLine, case: Case) -> Dropped | None:
    free = {item.number: item for item in case.changeable}
    fixed = {item.number: item for item in case.fixed}
    every = free | fixed
    old, new, reason = every.get(number), every.get(line.by or 0), line.reason
    if old is None or reason is None or old is new or number in case.untouchable:
        return None
    if reason in _NEEDS_OTHER:
        agreed = may_give_way if number in fixed else takes_place_of
        return Dropped(number, reason, new.number) if new and agreed(old, new, reason) else None
    holds = is_aged(old, case.today) if reason is DropReason.AGED else is_noise(old)
    return Dropped(number, reason) if holds and number in free else None


def _ends_well(number: int, drops: dict[int, Dropped]) -> bool:
    """True when following "by" from note to note ends at one that stays."""
    seen = {number}
    one = drops[number]
    while one.by is not None:
        if one.by in seen:
            return False
        if one.by not in drops:
            return True
        seen.add(one.by)
        one = drops[one.by]
    return len(seen) == 1
