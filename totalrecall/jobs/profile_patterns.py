"""What repeats in the notes: tasks done the third time, reasons of errors, pieces of work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from totalrecall.domain.note import NoteType, Priority
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.new_notes import NewNote, as_new_note
from totalrecall.ledger.provenance import NoteFilter
from totalrecall.ledger.rows import NoteRow
from totalrecall.memory.profile.contacts import Episode

RECURRING_DAYS = 3
# A notable piece of work leaves at least this many notes in one talk, with a result among them.
EPISODE_NOTES = 4
NOTES_COMPARED = 2000
REPEATS_COMPARED = 200
KNOWN = "known"
_DEEDS = frozenset({NoteType.TASK, NoteType.EVENT, NoteType.CONTEXT})
_RESULTS = frozenset({NoteType.EVENT, NoteType.DECISION})
# A list of decisions, or of facts, is no piece of work.
EPISODE_TYPES = 3
_HEADS = frozenset({NoteType.GOAL, NoteType.TASK, NoteType.DECISION})
_MISTAKE = re.compile(
    r"(?:fail\w*|broke\w*|error|wrong|mistake|fehler|fehlgeschlagen|kaputt)[^.\n]{0,80}?"
    r"\b(?:because|since|due to|caused by|weil|wegen|lag an)\b"
    r"|因为[^。\n]{1,40}(?:失败|出错)|(?:失败|出错)[^。\n]{0,20}因为",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that repeats, or a reason to remember: the profile's list, the words, and the note."""

    path: str
    text: str
    note: NewNote


def patterns_of(ctx: AgentContext, own: Sequence[NewNote]) -> list[Pattern]:
    """Tasks done on three different days, and the reasons of errors that the user gave."""
    found = [Pattern("patterns.recurring_tasks", text, note) for text, note in _recurring(ctx, own)]
    found += [Pattern("patterns.common_mistakes", one.note.text, one) for one in own if _explains(one)]
    return found


def episodes_of(own: Sequence[NewNote]) -> list[Episode]:
    """One episode for each talk with enough notes and a result: what it was about, how it ended."""
    per_talk = Counter((one.session_id, one.note.day) for one in own)
    episodes = []
    for (session_id, day), many in per_talk.items():
        notes = [one.note for one in own if (one.session_id, one.note.day) == (session_id, day)]
        episode = _episode(day, notes) if many >= EPISODE_NOTES else None
        if episode is not None:
            episodes.append(episode)
    return episodes


def _episode(day: date, notes: Sequence[NoteRow]) -> Episode | None:
    results = [one for one in notes if one.type in _RESULTS]
    if not results or len({one.type for one in notes}) < EPISODE_TYPES:
        return None
    heads = [one for one in notes if one.type in _HEADS] or results
    head = max(heads, key=lambda one: one.priority is Priority.HIGH)
    return Episode(day.isoformat(), head.text, results[-1].text if results[-1] is not head else "")


def _explains(note: NewNote) -> bool:
    return any(_MISTAKE.search(words) for words in note.said)


def _recurring(ctx: AgentContext, own: Sequence[NewNote]) -> list[tuple[str, NewNote]]:
    """What was asked for or done in like words on three different days, said by the user each first time.

    A note that says again what is known is left out of the log; those lines count as well.
    """
    from totalrecall.llm.extractive.similar import same

    repeats = [one for one in ctx.ledger.dropped(REPEATS_COMPARED) if one.reason == KNOWN]
    told = [one for one in own if one.note.type in _DEEDS]
    if not repeats and not told:
        return []
    notes = [one for one in ctx.ledger.notes(NoteFilter(removed=None), limit=NOTES_COMPARED) if one.text]
    again = [(_day(ctx, one.at_ms), one.text) for one in repeats]
    found: dict[str, NewNote] = {}
    for text, new in [*((one.note.text, one) for one in told), *((text, None) for _, text in again)]:
        alike = [one for one in notes if one.type in _DEEDS and same(one.text, text)]
        days = {one.day for one in alike} | {day for day, said in again if same(said, text)}
        if len(days) < RECURRING_DAYS or not alike:
            continue
        note = new or _first_said(ctx, alike)
        if note is not None:
            found.setdefault(note.note.text, note)
    return list(found.items())


def _first_said(ctx: AgentContext, notes: Iterable[NoteRow]) -> NewNote | None:
    """The first of the notes that stands on the user's own words."""
    for one in notes:
        note = as_new_note(ctx, one)
        if note is not None and note.said:
            return note
    return None


def _day(ctx: AgentContext, at_ms: int) -> date:
    return datetime.fromtimestamp(at_ms / 1000, ctx.zone).date()
