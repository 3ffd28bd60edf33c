"""A long log made of the project's own talk, a model that consolidates it, and one that only loses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from random import Random
from typing import cast

from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Note, NoteType, Priority, Usage
from totalrecall.domain.words import count_words
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Answer, Ask
from totalrecall.llm.chain import ChainSettings, ModelChain
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.extractive import ExtractiveEngine
from totalrecall.llm.failure import Completion
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import (
    Author,
    Dropped,
    DropReason,
    Item,
    Merged,
    Reflection,
    ReflectionRequest,
)

TODAY = date(2026, 6, 30)
_CORPUS = Path(__file__).parents[1] / "data" / "extractive_corpus"
_NOTE_LINE = re.compile(r"^(\d+)(!?) (🔴|🟡|🟢) (?:\[(\w+)\] )?(.*)$")
_WORK = (
    ("Started on the {thing} of {project}: {count} files to go through", NoteType.EVENT, Priority.LOW),
    ("{project} {thing}: {person} reported that step {count} fails in src/{project}/{thing}.py", NoteType.EVENT, Priority.MEDIUM),
    ("{project} {thing} rebuilt by the nightly job, {count} checks passed", NoteType.EVENT, Priority.LOW),
    ("The {thing} of {project} answers on port {port}", NoteType.FACT, Priority.MEDIUM),
    ("Talked about the {thing} of {project} with {person}, nothing settled", NoteType.CONTEXT, Priority.LOW),
    ("{person} looks after the {thing} of {project}", NoteType.FACT, Priority.MEDIUM),
    ("Assistant suggested to split the {thing} of {project} in {count} parts; user undecided", NoteType.CONTEXT, Priority.LOW),
    ("Cron job of {project} rotated the {thing} logs", NoteType.EVENT, Priority.LOW),
)  # fmt: skip
_THINGS = (
    "parser",
    "importer",
    "report",
    "login page",
    "cache",
    "mailer",
    "export",
    "dashboard",
    "scheduler",
    "invoice run",
)
_PROJECTS = ("atlas", "ledgerline", "marigold", "kestrel", "tidepool", "quarry")
_PEOPLE = ("Priya", "Jonas", "Odile", "Farid", "Mei", "Tomasz")


@dataclass(frozen=True)
class LabelledLog:
    """A log and what is known of it.

    Attributes:
        items: the notes, a person's among them.
        must_stay: numbers of what has to be there word for word afterwards.
    """

    items: tuple[Item, ...]
    must_stay: frozenset[int]

    @property
    def words(self) -> int:
        """All words of the notes."""
        return sum(count_words(said(item.note)) for item in self.items)


def long_log(words: int = 12_000, days: int = 120, today: date = TODAY, start: int = 0) -> LabelledLog:
    """A log of about that many words: the corpus as the extractive engine notes it, and half a year's routine.

    The talks are spread over ``days``; each comes once more in other clothes (names and numbers changed), and
    every fifth note is said again some days later, as observers do. ``start``: which talk comes first.
    """
    notes: list[Note] = []
    total = 0
    talks = _talks()
    for at in count(start):
        day = today - timedelta(days=(at * 37) % days)
        found = _dressed(talks[at % len(talks)], at // len(talks)) if at < 2 * len(talks) else ()
        fresh = [replace(note, day=day) for note in found] + _routine(at, day)
        if at % 5 == 0 and notes:
            fresh.append(replace(notes[-1], day=min(today, notes[-1].day + timedelta(days=2))))
        notes += fresh
        total += sum(count_words(said(note)) for note in fresh)
        if total >= words:
            break
    notes.sort(key=lambda note: (note.day, note.time))
    items = tuple(
        Item(number, note, Author.PERSON if number % 29 == 0 else Author.OURS)
        for number, note in enumerate(notes, 1)
    )
    lasting = {NoteType.RULE, NoteType.DECISION, NoteType.TASK}
    stays = {item.number for item in items if item.author is Author.PERSON or item.note.type in lasting}
    stays |= {
        item.number
        for item in items
        if item.note.priority is Priority.HIGH and (today - item.note.day).days < 30
    }
    return LabelledLog(items, frozenset(stays))


@cache
def _talks() -> tuple[tuple[Note, ...], ...]:
    """The notes of each talk of the corpus."""
    engine = ExtractiveEngine()
    found = []
    for path in sorted(_CORPUS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            at = datetime.fromisoformat(f"{row['at']}+00:00")
            messages = tuple(
                Message(
                    number,
                    str(number).encode(),
                    Role(one["role"]),
                    at + timedelta(seconds=20 * number),
                    one["text"],
                    tuple(one.get("tools", ())),
                )
                for number, one in enumerate(row["messages"], 1)
            )
            batch = Batch("0badcafe", "main", "s1", "agent:main:main", messages)
            answer = engine.compress(CompressionRequest(batch, (), at))
            found.append(tuple(draft.note for draft in answer.notes))
    return tuple(found)


def _dressed(notes: tuple[Note, ...], again: int) -> tuple[Note, ...]:
    """The same talk about other numbers."""
    if not again:
        return notes

    def other(match: re.Match[str]) -> str:
        return str(int(match[0]) + 3 * again) if len(match[0]) < 6 else match[0]

    return tuple(
        replace(note, text=re.sub(r"(?<![\d-])\d{2,5}(?![\d-])", other, note.text)) for note in notes
    )


def _routine(at: int, day: date) -> list[Note]:
    """Some notes of a working day, on one project."""
    chance = Random(at)
    project = chance.choice(_PROJECTS)
    found = []
    for text, kind, priority in chance.sample(_WORK, 4):
        words = text.format(
            thing=chance.choice(_THINGS),
            project=project,
            person=chance.choice(_PEOPLE),
            count=chance.randrange(2, 60),
            port=chance.randrange(8000, 9000),
        )
        clock = f"{chance.randrange(8, 19):02d}:{chance.randrange(60):02d}"
        found.append(Note(priority, day, clock, words, kind))
    return found


def honest_answer(user: str) -> str:
    """What a careful model answers to a sheet: two neighbours of one type and day become one, the rest stays.

    Words are taken over as they are, so that nothing is lost but repeated ones.
    """
    shown = [match for line in user.split("\n") if (match := _NOTE_LINE.match(line))]
    lines: list[str] = []
    used: set[str] = set()
    for one, two in pairwise(shown):
        if {one[1], two[1]} & used or one[2] or two[2] or one[4] != two[4] or one[4] == "habit":
            continue
        used |= {one[1], two[1]}
        sign = next(sign for sign in "🔴🟡🟢" if sign in {one[3], two[3]})
        kind = f"[{one[4]}] " if one[4] else ""
        lines.append(f"- {sign} {kind}{one[5]}; {two[5]} [{one[1]},{two[1]}]")
    rest = [match for match in shown if match[1] not in used and not match[2]]
    lines += [f"drop {one[1]} noise" for one in rest if one[3] == "🟢" and one[4] in {"event", "context"}]
    return "\n".join(lines) or "KEEP ALL"


@dataclass
class ScriptedChain:
    """Stands where a model chain stands, without a network: for many rounds."""

    answer: Callable[[str], str]
    settings: ChainSettings = field(
        default_factory=lambda: ChainSettings(endpoint_from("http://127.0.0.1:9/v1", "k"), ("maker/one",))
    )
    asked: list[Ask] = field(default_factory=list)

    def narrowed_to(self, models: tuple[str, ...]) -> ScriptedChain:
        """Itself: there is one model."""
        return self

    def ask(self, ask: Ask) -> Answer:
        """What the script says to the user text."""
        self.asked.append(ask)
        return Answer(Completion(self.answer(ask.user), model="maker/one"), Usage(1, 100, 50, 0.0001))

    def access(self) -> ModelAccess:
        """This chain as a job gets it."""
        return ModelAccess("reflect", cast("ModelChain", self), b"salt", ())


@dataclass
class LosingReflector:
    """Drops every fiftieth of the notes, whatever they are, and calls it noise: a model with licence to delete."""

    name: str = "llm"
    share: float = 0.02
    requests: list[ReflectionRequest] = field(default_factory=list)
    choose: Callable[[tuple[Item, ...], int], list[Item]] | None = None

    def reflect(self, request: ReflectionRequest) -> Reflection:
        """An outcome that nobody has checked."""
        self.requests.append(request)
        many = max(1, int(len(request.items) * self.share))
        start = len(self.requests) * 7 % max(1, len(request.items))
        gone = {item.number for item in (request.items * 2)[start : start + many]}
        kept = tuple(item.number for item in request.items if item.number not in gone)
        dropped = tuple(Dropped(number, DropReason.NOISE) for number in sorted(gone))
        return Reflection(kept, (), dropped, engine="llm")


def merged(note: Note, *numbers: int) -> Merged:
    """A new text for these numbers."""
    return Merged(note, numbers)
