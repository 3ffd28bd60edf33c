"""The last look at an outcome, whoever made it: nothing lost, doubled, or touched that is protected. Pure."""

from __future__ import annotations

from collections import Counter

from totalrecall.llm.reflection.ageing import is_aged
from totalrecall.llm.reflection.drops import settled
from totalrecall.llm.reflection.duplicates import says_the_same
from totalrecall.llm.reflection.protect import may_give_way, protection
from totalrecall.llm.reflection.ranges import newest
from totalrecall.llm.reflection.types import (
    Author,
    Dropped,
    DropReason,
    Item,
    Reflection,
    ReflectionRequest,
    Refusal,
    RefusalCode,
)


def broken(request: ReflectionRequest, outcome: Reflection) -> tuple[Refusal, ...]:
    """What is wrong with an outcome as a whole; empty when every note is accounted for as it must be.

    Every number is kept, merged or dropped, once. A person's and the newest notes are kept. A protected note
    is kept, or dropped by age, as an exact duplicate, or for a newer note on its subject that stays.
    """
    found: list[Refusal] = []
    merged = [number for one in outcome.merged for number in one.stands_for]
    named = Counter([*outcome.kept, *merged, *(one.number for one in outcome.dropped)])
    wrong = sum((named - Counter(item.number for item in request.items)).values())
    missing = sum(item.number not in named for item in request.items)
    if wrong or missing:
        found.append(
            Refusal(RefusalCode.NAMED_TWICE, f"{missing} notes are missing, {wrong} are one too many.")
        )
    touched = _touched(request, outcome, set(merged))
    if touched:
        found.append(Refusal(RefusalCode.PROTECTED, f"{touched} protected notes would be lost."))
    if unsettled := len(outcome.dropped) - len(settled(outcome.dropped)):
        found.append(Refusal(RefusalCode.REASON, f"{unsettled} notes would leave for notes that leave."))
    return tuple(found)


def _touched(request: ReflectionRequest, outcome: Reflection, merged: set[int]) -> int:
    new = newest(request.items, request.today, request.word_limit)
    standing = _standing(request, outcome)
    drops = {one.number: one for one in outcome.dropped}
    lost = 0
    for item in request.items:
        if item.number not in new and protection(item, request.today) is None:
            continue
        drop = drops.get(item.number)
        untouchable = item.number in new or item.author is Author.PERSON
        agreed = drop is not None and not untouchable and _may_leave(item, drop, standing, request)
        lost += item.number in merged or (drop is not None and not agreed)
    return lost


def _may_leave(
    item: Item, drop: Dropped, standing: dict[int, list[Item]], request: ReflectionRequest
) -> bool:
    if drop.reason is DropReason.AGED:
        return is_aged(item, request.today)
    others = standing.get(drop.by or 0, [])
    if drop.reason is DropReason.DUPLICATE:
        return any(says_the_same(other.note, item.note) for other in others)
    return any(may_give_way(item, other, drop.reason) for other in others)


def _standing(request: ReflectionRequest, outcome: Reflection) -> dict[int, list[Item]]:
    """For each number the note as it was, and the new text that stands for it."""
    found = {item.number: [item] for item in request.items}
    for one in outcome.merged:
        for number in one.stands_for:
            found.setdefault(number, []).append(Item(number, one.note))
    return found
