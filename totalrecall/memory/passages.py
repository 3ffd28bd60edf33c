"""Memory files cut into what a search can find: one passage a note, list item, paragraph or field. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from totalrecall.domain.note import NoteType
from totalrecall.memory.observations import HEADER


class PassageKind(StrEnum):
    """What a passage is a part of."""

    NOTE = "note"
    DAILY = "daily"
    SNAPSHOT = "snapshot"
    LONG_TERM = "memory"
    STATE = "state"
    ARCHIVE = "archive"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of memory with its place.

    Attributes:
        kind: what it is a part of.
        text: the words as they stand, lines of a paragraph joined by a space.
        line: its first line in the file, from 1; for a message its position in the transcript.
        day: the day it is about, None when nothing tells it.
        time: ``HH:MM``, "" when nothing tells it.
    """

    kind: PassageKind
    text: str
    line: int
    day: date | None = None
    time: str = ""


_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_HEADING = re.compile(r"^#{1,6}\s+\S")
_NOTE_HEAD = re.compile(
    rf"^\s*[-*] (?:[🔴🟡🟢]\ufe0f? ?)?(?:(\d{{2}}:\d{{2}}) )?(?:\[(?:{'|'.join(NoteType)})\] ?)?"
)
_SNAPSHOT_BEGINS = re.compile(r"^<!-- BIG-MEMORY-SNAPSHOT v\d+ -->\s*$")
_SNAPSHOT_ENDS = re.compile(r"^<!-- /BIG-MEMORY-SNAPSHOT -->\s*$")
_SNAPSHOT_TIME = re.compile(r"^<!-- timestamp: (\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})")
_SILENT = re.compile(
    r"^\s*(?:<!--.*-->\s*|-{3,}\s*|`{3}.*|### \[SNAPSHOT\] .*|Date: \d{4}-\d{2}-\d{2}\b.*)?$"
)


def note_passages(text: str) -> Iterator[Passage]:
    """The notes of an observation log; what a person wrote between them as well."""
    day: date | None = None
    for line, words in _pieces(text):
        if words.startswith("Date: "):
            day = day_in(words)
        elif words.startswith("- ") or not (_SILENT.match(words) or (day is None and words in HEADER)):
            head = _NOTE_HEAD.match(words)
            yield Passage(PassageKind.NOTE, words, line, day, (head and head[1]) or "")


def daily_passages(text: str, day: date | None) -> Iterator[Passage]:
    """What a daily log holds; task snapshots in it as such, with the time they were taken."""
    inside = False
    taken: tuple[date | None, str] = (None, "")
    for line, words in _pieces(text):
        if _SNAPSHOT_BEGINS.match(words):
            inside, taken = True, (day, "")
        elif _SNAPSHOT_ENDS.match(words):
            inside = False
        elif inside and (stamp := _SNAPSHOT_TIME.match(words)):
            taken = (day_in(stamp[1]), stamp[2])
        elif not _SILENT.match(words):
            if inside:
                yield Passage(PassageKind.SNAPSHOT, words, line, *taken)
            else:
                yield Passage(PassageKind.DAILY, words, line, day)


def plain_passages(text: str, kind: PassageKind) -> Iterator[Passage]:
    """What any other Markdown file holds."""
    for line, words in _pieces(text):
        if not _SILENT.match(words):
            yield Passage(kind, words, line)


def day_in(text: str) -> date | None:
    """The first date written as ``YYYY-MM-DD`` in ``text``."""
    for found in _DAY.findall(text):
        try:
            return date.fromisoformat(found)
        except ValueError:
            continue
    return None


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """With its line: each list item, heading, comment and field; the lines of a paragraph together."""
    held: list[str] = []
    first = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        item = line.lstrip(" ").startswith("- ") or bool(_ITEM.match(line))
        alone = not item and bool(_SILENT.match(line) or _HEADING.match(line) or _is_field(line))
        if held and (alone or item):
            yield first, " ".join(held)
            held = []
        if alone:
            if line.strip():
                yield number, line.strip()
            continue
        first = first if held else number
        held.append(line.strip())
    if held:
        yield first, " ".join(held)


def _is_field(line: str) -> bool:
    """A line of front matter such as ``task: "what"``."""
    name, colon, rest = line.partition(": ")
    return bool(colon and rest.strip()) and name.isidentifier() and name.islower()
