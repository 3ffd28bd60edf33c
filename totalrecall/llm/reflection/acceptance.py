"""Whether an answer is accepted. Code decides: a single fault refuses the whole answer. Pure.

What the model does not mention stays as it is, which loses nothing. A drop that code cannot verify is not
followed; when more than a quarter of them are like that, the answer is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Note, Priority
from totalrecall.domain.words import count_words
from totalrecall.llm.languages import language_of
from totalrecall.llm.reflection.answer import Answer
from totalrecall.llm.reflection.case import Case
from totalrecall.llm.reflection.details import names_in
from totalrecall.llm.reflection.drops import verified_drops
from totalrecall.llm.reflection.faults import Fault, fault
from totalrecall.llm.reflection.protect import rank
from totalrecall.llm.reflection.rewriting import Proposal, faults_of, proposals
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Dropped, DropReason, Merged, RefusalCode

_FLOOR = 0.3
_UNVERIFIED_SHARE = 0.25
_FREE = frozenset({DropReason.AGED, DropReason.DUPLICATE})


@dataclass(frozen=True, slots=True)
class Accepted:
    """What an answer does: new notes and drops; every other note stays."""

    merged: tuple[Merged, ...]
    dropped: tuple[Dropped, ...]


def accept(answer: Answer, case: Case, *, cut: bool) -> Accepted | tuple[Fault, ...]:
    """What the answer does, or everything that is wrong with it."""
    if found := _as_a_whole(answer, cut=cut):
        return found
    found = _numbers(answer, case)
    names = names_in(item.note for item in (*case.changeable, *case.fixed))
    proposed = proposals(answer, case.changeable)
    for one in proposed:
        found += faults_of(one, case.screen, names)
    found += _language(proposed, case)
    drops, unverified = verified_drops(answer, case)
    asked = sum(len(drop.numbers) for drop in answer.drops)
    if len(unverified) > asked * _UNVERIFIED_SHARE:
        found += (fault(RefusalCode.REASON, unverified),)
    if found:
        return found
    return _balance(proposed, drops, case)


def _as_a_whole(answer: Answer, *, cut: bool) -> tuple[Fault, ...]:
    found: list[Fault] = []
    if cut:
        found.append(fault(RefusalCode.INCOMPLETE))
    if answer.repeated_lines:
        found.append(fault(RefusalCode.LOOPED, count=answer.repeated_lines))
    if answer.prose_lines:
        found.append(fault(RefusalCode.PROSE, count=answer.prose_lines))
    if not (answer.notes or answer.drops or answer.keep_all or found):
        found.append(fault(RefusalCode.EMPTY))
    return tuple(found)


def _numbers(answer: Answer, case: Case) -> tuple[Fault, ...]:
    """Numbers that are missing, unknown, protected or named twice."""
    free = {item.number for item in case.changeable}
    fixed = {item.number for item in case.fixed}
    bare = sum(not note.cites for note in answer.notes)
    cited = [number for note in answer.notes for number in note.cites]
    gone = [number for drop in answer.drops for number in drop.numbers]
    named = [*cited, *gone]
    twice = {number for number in named if named.count(number) > 1}
    pointed = {drop.by for drop in answer.drops if drop.by is not None}
    found = []
    if bare:
        found.append(fault(RefusalCode.NO_NUMBERS, count=bare))
    if unknown := (set(named) | pointed) - free - fixed:
        found.append(fault(RefusalCode.UNKNOWN_NUMBER, unknown))
    if twice:
        found.append(fault(RefusalCode.NAMED_TWICE, twice))
    if restated := set(cited) & fixed:
        found.append(fault(RefusalCode.PROTECTED, restated))
    return tuple(found)


def _language(proposed: Sequence[Proposal], case: Case) -> tuple[Fault, ...]:
    wanted = language_of("\n".join(said(item.note) for item in case.changeable))
    spoken = language_of("\n".join(said(one.note) for one in proposed))
    if wanted and spoken and spoken != wanted and not _mixed(proposed):
        return (fault(RefusalCode.LANGUAGE),)
    return ()


def _mixed(proposed: Sequence[Proposal]) -> bool:
    """True when the new notes are in the languages of their own notes, whatever most of the range is in."""
    sources = language_of("\n".join(said(source) for one in proposed for source in one.sources))
    return sources == language_of("\n".join(said(one.note) for one in proposed))


def _balance(
    proposed: Sequence[Proposal], drops: tuple[Dropped, ...], case: Case
) -> Accepted | tuple[Fault, ...]:
    """The answer weighed as a whole: words and 🔴."""
    gone = {drop.number: drop.reason for drop in drops}
    named = {number for one in proposed for number in one.stands_for} | set(gone)
    kept = [item.note for item in case.changeable if item.number not in named]
    left = [*kept, *(one.note for one in proposed)]
    weighed = [item.note for item in case.changeable if gone.get(item.number) not in _FREE]
    found: list[Fault] = []
    if _words(left) < _words(weighed) * _FLOOR:
        found.append(fault(RefusalCode.TOO_LITTLE_LEFT))
    if _words(left) > _words([item.note for item in case.changeable]):
        found.append(fault(RefusalCode.LONGER))
    found += _reds(left, drops, case)
    merged = tuple(Merged(one.note, one.stands_for) for one in proposed if one.is_new)
    return tuple(found) or Accepted(merged, drops)


def _reds(left: Sequence[Note], drops: Sequence[Dropped], case: Case) -> list[Fault]:
    """All 🔴 of the range gone, other than into newer ones, is never what was asked for."""
    covered = {drop.number for drop in drops if drop.by is not None}
    high = [item for item in case.changeable if _is_high(item.note) and item.number not in covered]
    if high and not any(map(_is_high, left)):
        return [fault(RefusalCode.NO_HIGH_LEFT, {item.number for item in high})]
    return []


def _is_high(note: Note) -> bool:
    return any(rank(one.priority) == rank(Priority.HIGH) for one in (note, *note.children))


def _words(notes: Sequence[Note]) -> int:
    return sum(count_words(said(note)) for note in notes)


def renumbered(accepted: Accepted, back: dict[int, int]) -> Accepted:
    """The same with the numbers of the request instead of those of the sheet."""
    merged = tuple(
        replace(one, stands_for=tuple(sorted(back[number] for number in one.stands_for)))
        for one in accepted.merged
    )
    dropped = tuple(
        replace(one, number=back[one.number], by=None if one.by is None else back[one.by])
        for one in accepted.dropped
    )
    return Accepted(merged, dropped)
