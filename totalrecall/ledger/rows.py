"""What the ledger knows, as frozen rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.note import NoteType, Priority, Usage
from totalrecall.domain.session import SessionKind, StoreKind
from totalrecall.domain.state import MessageState, SkipReason


@dataclass(frozen=True, slots=True)
class Adoption:
    """When the agent was adopted, and from when on its messages count (both milliseconds since 1970 UTC)."""

    adopted_at_ms: int
    begins_at_ms: int


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session and how far it is observed.

    Attributes:
        session_id: the host's id.
        store: the kind of store it was last read from.
        key: the session key, "" when unknown.
        kind: what the session is for.
        location: the transcript file or database it was last read from.
        cursor: how far it is observed.
        existed_at_adoption: the look-back window applies to it.
        started_ms: its first message, None when unknown.
        last_at_ms: its newest message, None when unknown.
        ended: nothing will be added, and that was told; see jobs.passed.
        bad_records: records that could not be read, so far.
        unknown_types: names of record types nobody knows, with how often each came.
        last_entries: hash of the last 50 entries before the cursor, as it was at the last commit, "".
        rebuilt: the cursor comes from the mirror; messages before it are yet to be registered.
    """

    session_id: str
    store: StoreKind
    key: str
    kind: SessionKind
    location: str
    cursor: Cursor
    existed_at_adoption: bool
    started_ms: int | None
    last_at_ms: int | None
    ended: bool = False
    bad_records: int = 0
    unknown_types: tuple[tuple[str, int], ...] = ()
    last_entries: str = ""
    rebuilt: bool = False

    @property
    def end(self) -> SessionEnd:
        """How far it is observed, in short."""
        return SessionEnd(
            self.cursor.store, self.cursor.position, self.last_entries, self.ended, self.rebuilt
        )


class SessionEnd(NamedTuple):
    """How far a session is observed, in short: where there are ten thousand, all of them are looked at.

    ``last_entries``, ``ended``, ``rebuilt`` as in SessionRow; ``position`` of its cursor in ``store``.
    """

    store: StoreKind
    position: int
    last_entries: str
    ended: bool
    rebuilt: bool


@dataclass(frozen=True, slots=True)
class SeenRow:
    """One entry of a transcript and the one state it is in.

    Attributes:
        identity: see ``domain.identity``.
        session_id: the session it was first seen in.
        position: where it stood then.
        is_message: coverage counts it; other entries are only kept to know them again.
        state: in a planned batch ``PENDING`` for what the engine is to judge; never PENDING once stored.
        reason: why it was skipped, for ``SKIPPED`` only.
        at_ms: its own time, None when it has none.
        marker: the batch that settled it, "" when none did.
    """

    identity: bytes
    session_id: str
    position: int
    is_message: bool
    state: MessageState
    reason: SkipReason | None
    at_ms: int | None
    marker: str = ""


class BatchStatus(StrEnum):
    """How far a batch has come: planned → answer stored → its block being written → committed.

    ``REFLECTING`` is the row of a reflection that is not committed yet: it holds notes and no messages.
    """

    PLANNED = "planned"
    GENERATED = "generated"
    WRITING = "writing"
    COMMITTED = "committed"
    SET_ASIDE = "set_aside"
    REFLECTING = "reflecting"


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One batch.

    Attributes:
        marker: 8 hex digits, unique, also between a provisional batch and the one that replaces it.
        session: the session as it shall be after the commit.
        seen: what the range holds, skipped entries included; empty once the batch is settled.
        status: see BatchStatus.
        provisional: written without a model; its messages stay pending.
        planned_ms: when it was planned.
        engine: what compressed it, ``llm`` or ``extractive``.
        model: the model's name, "".
        prompt_hash: hash of the prompt used, "".
        usage: what its calls took.
        file_digest: digest of the notes' file before the block was written, "" before that.
        attempts: how often an engine was asked.
        error: why the last attempt failed, or why it was set aside.
        nothing_notable: the engine plainly said so.
        settled_ms: when it was committed or set aside.
    """

    marker: str
    session: SessionRow
    seen: tuple[SeenRow, ...]
    status: BatchStatus = BatchStatus.PLANNED
    provisional: bool = False
    planned_ms: int = 0
    engine: str = ""
    model: str = ""
    prompt_hash: str = ""
    usage: Usage = field(default_factory=Usage)
    file_digest: str = ""
    attempts: int = 0
    error: str = ""
    nothing_notable: bool = False
    settled_ms: int | None = None


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One note of a batch, with where it came from.

    Attributes:
        note_id: ``<marker>-<ordinal>``.
        marker: its batch.
        ordinal: its place in the batch, children right after their parent.
        day: the day it stands under.
        time: ``HH:MM`` or "".
        priority: see Priority.
        type: None when it has none.
        text: its words; "" once purged.
        parent_id: the note it is a child of.
        verified: its details occur in what it cites.
        cites: identities of the messages it stands for.
        removed_ms: when it left the file, None while it is there.
    """

    note_id: str
    marker: str
    ordinal: int
    day: date
    time: str
    priority: Priority
    type: NoteType | None
    text: str
    parent_id: str | None
    verified: bool
    cites: tuple[bytes, ...]
    removed_ms: int | None


@dataclass(frozen=True, slots=True)
class DroppedRow:
    """A line of an engine's answer that was left out, with the reason."""

    dropped_id: int
    marker: str
    text: str
    reason: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """How one run of a job ended: numbers, no message text."""

    job: str
    started_ms: int
    ended_ms: int
    ok: bool
    numbers: Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Counts:
    """Messages per state, and skipped ones per reason. PENDING and BEFORE_ADOPTION are never among them."""

    by_state: Mapping[MessageState, int]
    by_reason: Mapping[SkipReason, int]

    @property
    def total(self) -> int:
        """Every message the ledger has a state for."""
        return sum(self.by_state.values())
