"""Whether a single new note may stand for the notes that it names. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from totalrecall.domain.note import Note, Priority
from totalrecall.domain.words import count_words
from totalrecall.llm.languages import language_of
from totalrecall.llm.own_words import is_order, is_standing
from totalrecall.llm.reflection.ageing import longest_lived
from totalrecall.llm.reflection.answer import Answer
from totalrecall.llm.reflection.details import (
    invented_details,
    lost_details,
    swapped,
    unheard,
)
from totalrecall.llm.reflection.faults import Fault, fault
from totalrecall.llm.reflection.prompt import as_shown
from totalrecall.llm.reflection.protect import rank
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Item, RefusalCode
from totalrecall.llm.reply_line import ReplyLine
from totalrecall.llm.words import CJK
from totalrecall.privacy.instructions import instructs_agent

MOST_SOURCES = 12
_SPARE_WORDS = 3
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_BY_RANK = (Priority.LOW, Priority.MEDIUM, Priority.HIGH)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new note and what it would stand for.

    Attributes:
        note: day, time and type are decided by code, words and sign are the model's.
        line: as the model wrote it.
        sources: the notes it stands for, as the model saw them.
        stands_for: their numbers, ascending.
        is_new: False when it only repeats its one note word for word.
    """

    note: Note
    line: ReplyLine
    sources: tuple[Note, ...]
    stands_for: tuple[int, ...]
    is_new: bool


def proposals(answer: Answer, changeable: Sequence[Item]) -> tuple[Proposal, ...]:
    """The new notes that name at least one note which may change."""
    by_number = {item.number: item.note for item in changeable}
    found = []
    for line in answer.notes:
        numbers = tuple(sorted(number for number in line.cites if number in by_number))
        if numbers:
            sources = tuple(by_number[number] for number in numbers)
            found.append(_proposal(line, numbers, sources))
    return tuple(found)


def faults_of(one: Proposal, screen: Callable[[str], str], names: frozenset[str]) -> tuple[Fault, ...]:
    """Everything that is wrong with a new note; ``names``: what is known to be a name."""
    note, sources, numbers = one.note, one.sources, one.stands_for
    if not one.is_new:
        return ()
    found: list[Fault] = []
    if lost := lost_details(note, sources, names):
        found.append(fault(RefusalCode.LOST_DETAIL, numbers, lost))
    if invented := invented_details(note, sources):
        found.append(fault(RefusalCode.INVENTED_DETAIL, numbers, invented))
    elif (pair := swapped(note, sources)) is not None:
        found.append(fault(RefusalCode.SWAPPED, numbers, pair))
    if len(sources) > MOST_SOURCES or unheard(note, sources):
        found.append(fault(RefusalCode.VAGUE, numbers))
    words = sum(count_words(said(source)) for source in sources)
    if count_words(said(note)) > words + _SPARE_WORDS:
        found.append(fault(RefusalCode.LONGER, numbers))
    found += _signs_and_words(one, screen)
    return tuple(found)


def _signs_and_words(one: Proposal, screen: Callable[[str], str]) -> list[Fault]:
    note, sources, numbers = one.note, one.sources, one.stands_for
    found = []
    highest = max(rank(part.priority) for source in sources for part in (source, *source.children))
    signs = [rank(part.priority) for part in (note, *note.children)]
    if not highest - 1 <= max(signs) <= highest:
        found.append(fault(RefusalCode.PRIORITY, numbers))
    kinds = {part.type for source in sources for part in (source, *source.children)}
    lines = (one.line, *one.line.children)
    if any(line.type is not None and line.type not in kinds for line in lines):
        found.append(fault(RefusalCode.TYPE, numbers))
    if _speaks_another(note, sources):
        found.append(fault(RefusalCode.LANGUAGE, numbers))
    if screen(said(note)) != said(note):
        found.append(fault(RefusalCode.LEAK, numbers))
    if _orders(said(note)) and not any(_orders(said(source)) for source in sources):
        found.append(fault(RefusalCode.INSTRUCTION, numbers))
    return found


def _proposal(line: ReplyLine, numbers: tuple[int, ...], sources: tuple[Note, ...]) -> Proposal:
    """Day and time are the newest source's and the type the longest-lived: nothing leaves before its time."""
    newest = max(sources, key=lambda source: (source.day, source.time))
    highest = max(rank(source.priority) for source in sources)
    sign = line.priority or _BY_RANK[highest]
    kind = longest_lived(source.type for source in sources)
    children = tuple(
        Note(child.priority or sign, newest.day, "", _one_line(child.text), child.type)
        for child in line.children
    )
    note = Note(sign, newest.day, newest.time, _one_line(line.text), kind, children)
    shown = tuple(map(as_shown, sources))
    is_new = len(sources) > 1 or (note.text != shown[0].text) or note.priority is not sources[0].priority
    return Proposal(note, line, shown, numbers, is_new or bool(sources[0].children or children))


def _orders(text: str) -> bool:
    return instructs_agent(text) or is_order(text) or is_standing(text)


def _speaks_another(note: Note, sources: Sequence[Note]) -> bool:
    new = said(note)
    if bool(CJK.search(new)) != any(CJK.search(said(source)) for source in sources):
        return True
    spoken = language_of(new)
    known = {language_of(said(source)) for source in sources}
    return bool(spoken) and "" not in known and spoken not in known


def _one_line(text: str) -> str:
    return " ".join(_BREAKS.sub(" ", text).split())
