"""What the ledger knows of reflections, as frozen rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from totalrecall.domain.note import Note, Usage


class ReflectionStatus(StrEnum):
    """PLANNED and UNDOING: under way, or cut short by a crash. REFUSED: the log was left as it is."""

    PLANNED = "planned"
    COMMITTED = "committed"
    REFUSED = "refused"
    UNDOING = "undoing"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Departure:
    """A note that leaves the log.

    Attributes:
        number: its number within the reflection.
        note_id: the ledger's name for it.
        day: the day it stood under.
        line: its line with those of its children, as they stood; "" once purged.
        block: the marker of the block it stood in.
        reason: why it left; ``merged`` when another note says it now.
        into_id: the note it was merged into, "".
        by_hash: hash of the note by which it was superseded, resolved or doubled, b"" when there is none.
        returned_ms: when an undo brought it back.
    """

    number: int
    note_id: str
    day: date
    line: str
    block: str
    reason: str
    into_id: str = ""
    by_hash: bytes = b""
    returned_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Merger:
    """A new note, with the numbers of the departures it stands for and all messages behind those."""

    note: Note
    stands_for: tuple[int, ...]
    cites: tuple[bytes, ...] = ()
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Swap:
    """One replacement of the log: digests of the file before and after, and the length after."""

    before: str
    after: str
    after_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ReflectionPlan:
    """What is about to happen to the log, made durable before it happens.

    ``departures`` of a merger carry no ``into_id`` yet; ``numbers`` are for the history.
    """

    marker: str
    started_ms: int
    engine: str
    swap: Swap
    departures: tuple[Departure, ...]
    mergers: tuple[Merger, ...] = ()
    backup: str = ""
    usage: Usage = field(default_factory=Usage)
    numbers: Mapping[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Undo:
    """An undo under way: the marker of the blocks it writes, its swap, and which numbers return."""

    marker: str
    swap: Swap
    returning: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReflectionRow:
    """One reflection: ``numbers`` hold counts and the reasons of refusals, no words of notes."""

    marker: str
    status: ReflectionStatus
    started_ms: int
    ended_ms: int | None
    engine: str
    numbers: Mapping[str, int | float | str]
    backup: str
    swap: Swap
    undo: Undo | None
    undone_ms: int | None
