"""What every store of transcripts is held to: JSONL, SQLite and the in-memory fake inherit this suite.

A store's test module needs one fixture and one class::

    @pytest.fixture
    def harness(tmp_path: Path) -> Harness:
        return JsonlHarness(tmp_path)

    class TestJsonlStore(StoreContract):
        '''JsonlStore keeps the contract.'''
"""

from __future__ import annotations

import dataclasses
import json
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Event, EventKind, Record, Role
from totalrecall.domain.session import Session, StoreKind
from totalrecall.transcripts.store import Start, TranscriptStore

Entry = dict[str, object]
BOUNDED_BYTES = 12_000_000


class Harness(Protocol):
    """What a store's test module provides: an agent that writes, and the store that reads it.

    The harness owns the header: ``create_session`` and ``rewrite`` put a ``{"type":"session",...}`` entry
    before the entries given (``header_entry``). Entries are OpenClaw entries as dicts (``message_entry``).
    """

    def create_session(self, session_id: str, entries: Sequence[Entry] = ()) -> None:
        """Begin a session that holds the header and ``entries``."""

    def append_entries(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Add ``entries`` at the end, whole and visible when this returns."""

    def begin_append(self, session_id: str, entry: Entry) -> Callable[[], None]:
        """Begin to add one entry (half a line written, a transaction not committed); the result finishes it."""

    def rewrite(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Replace the whole session by the header and ``entries``, as compaction and repairs do."""

    def delete(self, session_id: str) -> None:
        """Remove the session as the user's delete does."""

    def settle(self) -> None:
        """Let enough time pass that nothing counts as being written just now."""

    def store(self) -> TranscriptStore:
        """A new store object over the same data, as after a restart. Called several times."""


def header_entry(session_id: str) -> Entry:
    """The first entry of a session, as OpenClaw writes it."""
    return {
        "type": "session",
        "version": 3,
        "id": session_id,
        "timestamp": "2026-02-14T09:00:00.000Z",
        "cwd": "/home/user/workspace",
    }


def message_entry(entry_id: str, text: str, role: str = "user") -> Entry:
    """A message as OpenClaw writes it."""
    return {
        "type": "message",
        "id": entry_id,
        "parentId": None,
        "timestamp": "2026-02-14T09:01:00.000Z",
        "message": {
            "role": role,
            "content": [{"type": "text", "text": text}],
            "timestamp": 1_771_059_660_000,
        },
    }


def messages(first: int, last: int) -> list[Entry]:
    """Messages ``m00001`` … with distinct words, from number ``first`` up to and with ``last``."""
    return [
        message_entry(f"m{number:05}", f"message number {number}", "assistant" if number % 2 == 0 else "user")
        for number in range(first, last + 1)
    ]


def entry_ids(records: Sequence[Record]) -> list[str]:
    """The ids of the messages in ``records``, in their order."""
    return [
        record.body.entry_id
        for record in records
        if isinstance(record.body, Event) and record.body.kind is EventKind.MESSAGE
    ]


def names(first: int, last: int) -> list[str]:
    """The ids that ``messages(first, last)`` has."""
    return [f"m{number:05}" for number in range(first, last + 1)]


def only_session(store: TranscriptStore, session_id: str) -> Session:
    """The one session with this id."""
    found = [session for session in store.sessions() if session.session_id == session_id]
    assert len(found) == 1, found
    return found[0]


def read_all(store: TranscriptStore, session_id: str, position: int = 0) -> list[Record]:
    """Every record of the session from ``position`` on."""
    return list(store.read(only_session(store, session_id), position))


def cursor_at_end(store: TranscriptStore, session_id: str, carry: str = "") -> Cursor:
    """The cursor of somebody who has read everything."""
    records = read_all(store, session_id)
    return store.cursor_at(only_session(store, session_id), records[-1].end, carry)


class StoreContract:
    """Inherit it in a class named ``Test…`` and provide the fixture ``harness``."""

    def test_agent_without_sessions_has_none(self, harness: Harness) -> None:
        """An agent that never spoke shows no session and no error."""
        assert list(harness.store().sessions()) == []

    def test_session_shows_id_kind_of_store_and_size(self, harness: Harness) -> None:
        """A session is listed with its id, its store, a size that covers what can be read, and its cwd."""
        harness.create_session("s1", messages(1, 3))
        store = harness.store()
        session = only_session(store, "s1")
        assert session.store in StoreKind
        assert session.agent == "main"
        assert not session.ended
        assert session.modified_ms > 0
        assert session.cwd in {"", "/home/user/workspace"}
        assert session.size >= read_all(store, "s1")[-1].end

    def test_records_come_in_order_with_words_and_roles(self, harness: Harness) -> None:
        """The header comes first, then each message as written, in the order written."""
        harness.create_session("s1", messages(1, 5))
        records = read_all(harness.store(), "s1")
        bodies = [record.body for record in records if isinstance(record.body, Event)]
        assert bodies[0].kind is EventKind.HEADER
        assert bodies[0].session_id == "s1"
        assert entry_ids(records) == names(1, 5)
        assert bodies[1].text == "message number 1"
        assert [body.role for body in bodies[1:3]] == [Role.USER, Role.ASSISTANT]

    def test_places_follow_each_other(self, harness: Harness) -> None:
        """Each record begins where the one before ended, and places only grow."""
        harness.create_session("s1", messages(1, 20))
        records = read_all(harness.store(), "s1")
        assert records[0].start == 0
        assert all(record.start < record.end for record in records)
        assert [record.end for record in records[:-1]] == [record.start for record in records[1:]]

    def test_reading_from_any_place_gives_exactly_the_rest(self, harness: Harness) -> None:
        """Going on after record n gives record n+1 and all that follow: nothing twice, nothing left out."""
        harness.create_session("s1", messages(1, 8))
        store = harness.store()
        records = read_all(store, "s1")
        for number, record in enumerate(records, start=1):
            assert read_all(store, "s1", record.end) == records[number:]

    def test_first_look_is_fresh(self, harness: Harness) -> None:
        """Without a cursor a session is read from its start."""
        harness.create_session("s1", messages(1, 2))
        store = harness.store()
        opening = store.open(only_session(store, "s1"), None)
        assert (opening.start, opening.position) == (Start.FRESH, 0)

    def test_nothing_new_is_nothing(self, harness: Harness) -> None:
        """After everything was read there is nothing to do."""
        harness.create_session("s1", messages(1, 4))
        store = harness.store()
        cursor = cursor_at_end(store, "s1")
        assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING

    def test_resume_reads_only_what_is_new(self, harness: Harness) -> None:
        """Appended entries are read once, from the cursor on."""
        harness.create_session("s1", messages(1, 4))
        store = harness.store()
        cursor = cursor_at_end(store, "s1")
        harness.append_entries("s1", messages(5, 7))
        opening = store.open(only_session(store, "s1"), cursor)
        assert (opening.start, opening.position) == (Start.RESUME, cursor.position)
        assert entry_ids(read_all(store, "s1", opening.position)) == names(5, 7)

    def test_cursor_in_the_middle_resumes_there(self, harness: Harness) -> None:
        """A batch may end anywhere: the next one begins right after it."""
        harness.create_session("s1", messages(1, 9))
        store = harness.store()
        session = only_session(store, "s1")
        middle = read_all(store, "s1")[4]
        cursor = store.cursor_at(session, middle.end, "")
        opening = store.open(session, cursor)
        assert opening.start is Start.RESUME
        assert entry_ids(read_all(store, "s1", opening.position)) == names(5, 9)

    def test_cursor_survives_a_restart(self, harness: Harness) -> None:
        """A cursor that was stored as text and loaded again works with a new store object, carry included."""
        harness.create_session("s1", messages(1, 3))
        stored = json.dumps(dataclasses.asdict(cursor_at_end(harness.store(), "s1", carry="kept as it is")))
        loaded = json.loads(stored)
        cursor = Cursor(**{**loaded, "store": StoreKind(loaded["store"])})
        assert cursor.carry == "kept as it is"
        harness.append_entries("s1", messages(4, 4))
        store = harness.store()
        opening = store.open(only_session(store, "s1"), cursor)
        assert opening.start is Start.RESUME
        assert entry_ids(read_all(store, "s1", opening.position)) == names(4, 4)

    def test_half_an_entry_waits_until_it_is_whole(self, harness: Harness) -> None:
        """An entry that is being written is not read, not lost, and read once when it is finished."""
        harness.create_session("s1", messages(1, 2))
        store = harness.store()
        cursor = cursor_at_end(store, "s1")
        finish = harness.begin_append("s1", message_entry("m00003", "whole words with an emoji 🦊"))
        assert store.open(only_session(store, "s1"), cursor).start in {
            Start.WAIT,
            Start.NOTHING,
            Start.RESUME,
        }
        assert read_all(store, "s1", cursor.position) == []
        finish()
        again = harness.store()
        opening = again.open(only_session(again, "s1"), cursor)
        assert opening.start is Start.RESUME
        records = read_all(again, "s1", opening.position)
        assert entry_ids(records) == ["m00003"]
        assert isinstance(records[0].body, Event)
        assert records[0].body.text == "whole words with an emoji 🦊"

    def test_rewrite_is_noticed_and_read_from_the_start(self, harness: Harness) -> None:
        """A session that was compacted to something shorter is read again, so that its new message arrives."""
        harness.create_session("s1", messages(1, 12))
        store = harness.store()
        cursor = cursor_at_end(store, "s1")
        harness.rewrite("s1", [*messages(11, 12), *messages(50, 50)])
        harness.settle()
        opening = store.open(only_session(store, "s1"), cursor)
        assert (opening.start, opening.position) == (Start.RESCAN, 0)
        assert entry_ids(read_all(store, "s1")) == ["m00011", "m00012", "m00050"]

    def test_longer_rewrite_is_noticed(self, harness: Harness) -> None:
        """A session that was replaced by a longer one is read again from the start."""
        harness.create_session("s1", messages(1, 4))
        store = harness.store()
        cursor = cursor_at_end(store, "s1")
        harness.rewrite("s1", messages(100, 130))
        harness.settle()
        assert store.open(only_session(store, "s1"), cursor).start is Start.RESCAN
        assert entry_ids(read_all(store, "s1")) == names(100, 130)

    def test_after_a_rescan_the_new_cursor_resumes(self, harness: Harness) -> None:
        """One rewrite costs one rescan: the cursor after it belongs to the new content."""
        harness.create_session("s1", messages(1, 6))
        store = harness.store()
        old = cursor_at_end(store, "s1")
        harness.rewrite("s1", messages(5, 8))
        harness.settle()
        assert store.open(only_session(store, "s1"), old).start is Start.RESCAN
        new = cursor_at_end(store, "s1")
        assert store.open(only_session(store, "s1"), new).start is Start.NOTHING
        harness.append_entries("s1", messages(9, 9))
        assert store.open(only_session(store, "s1"), new).start is Start.RESUME

    def test_deleted_session_is_not_listed(self, harness: Harness) -> None:
        """What the user deleted is gone for us too; other sessions stay."""
        harness.create_session("s1", messages(1, 2))
        harness.create_session("s2", messages(3, 4))
        harness.delete("s1")
        assert [session.session_id for session in harness.store().sessions()] == ["s2"]

    def test_session_that_vanishes_before_the_reading_is_quiet(self, harness: Harness) -> None:
        """Between listing and opening a session may go: no error, nothing to do, nothing read."""
        harness.create_session("s1", messages(1, 2))
        store = harness.store()
        session = only_session(store, "s1")
        cursor = cursor_at_end(store, "s1")
        harness.delete("s1")
        assert store.open(session, cursor).start in {Start.NOTHING, Start.WAIT}
        assert store.open(session, None).start in {Start.NOTHING, Start.WAIT}
        assert list(store.read(session, 0)) == []
        assert store.cursor_at(session, cursor.position, "").position == cursor.position

    def test_session_that_vanishes_while_read_ends_quietly(self, harness: Harness) -> None:
        """A session that goes in the middle of the reading ends it without an error."""
        harness.create_session("s1", messages(1, 400))
        store = harness.store()
        records = store.read(only_session(store, "s1"), 0)
        first = [next(records) for _ in range(3)]
        harness.delete("s1")
        rest = list(records)
        assert entry_ids(first) == names(1, 2)
        assert entry_ids(rest) == names(3, 2 + len(rest))

    def test_sessions_are_independent(self, harness: Harness) -> None:
        """Two sessions have places and cursors of their own."""
        harness.create_session("s1", messages(1, 3))
        harness.create_session("s2", messages(11, 14))
        store = harness.store()
        cursors = {name: cursor_at_end(store, name) for name in ("s1", "s2")}
        harness.append_entries("s2", messages(15, 15))
        assert store.open(only_session(store, "s1"), cursors["s1"]).start is Start.NOTHING
        opening = store.open(only_session(store, "s2"), cursors["s2"])
        assert opening.start is Start.RESUME
        assert entry_ids(read_all(store, "s2", opening.position)) == names(15, 15)

    def test_cursor_of_another_session_does_not_fit(self, harness: Harness) -> None:
        """A cursor is tied to what it was made from: a stranger's transcript is never resumed with it."""
        harness.create_session("s1", messages(1, 3))
        harness.create_session("s2", messages(11, 19))
        harness.settle()
        store = harness.store()
        foreign = cursor_at_end(store, "s1")
        opening = store.open(only_session(store, "s2"), foreign)
        assert opening.start is Start.RESCAN

    def test_order_of_sessions_is_oldest_change_first(self, harness: Harness) -> None:
        """Whoever spoke longest ago comes first, so that no session starves."""
        for name in ("s1", "s2", "s3"):
            harness.create_session(name, messages(1, 2))
        listed = list(harness.store().sessions())
        assert {session.session_id for session in listed} == {"s1", "s2", "s3"}
        times = [session.modified_ms for session in listed]
        assert times == sorted(times)

    def test_closing_the_reading_early_frees_what_it_held(self, harness: Harness) -> None:
        """Breaking off leaves no open file behind."""
        harness.create_session("s1", messages(1, 50))
        store = harness.store()
        session = only_session(store, "s1")
        before = len(list(Path("/dev/fd").iterdir()))
        for _ in range(5):
            records = store.read(session, 0)
            next(records)
            records.close()  # type: ignore[attr-defined]  # stores read with generators
        assert len(list(Path("/dev/fd").iterdir())) == before

    def test_reading_is_bounded(self, harness: Harness) -> None:
        """Reading 24 MB holds a small part of it at a time."""
        words = "a sentence with some words in it. " * 350
        harness.create_session("s1")
        for block in range(20):
            numbers = range(block * 100, block * 100 + 100)
            harness.append_entries("s1", [message_entry(f"b{number:05}", words) for number in numbers])
        store = harness.store()
        session = only_session(store, "s1")
        tracemalloc.start()
        try:
            count = sum(1 for _ in store.read(session, 0))
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert count == 2001
        assert peak_bytes < BOUNDED_BYTES

    def test_last_entries_tell_whether_something_came(self, harness: Harness) -> None:
        """The hash before a cursor is the hash of the whole as long as nothing follows, and then no more."""
        harness.create_session("s1", messages(1, 120))
        harness.settle()
        store = harness.store()
        session, cursor = only_session(store, "s1"), cursor_at_end(store, "s1")
        stored = store.last_entries(session, cursor)
        assert stored
        assert harness.store().last_entries(session) == stored
        harness.append_entries("s1", messages(121, 121))
        assert harness.store().last_entries(session) != stored
        assert harness.store().last_entries(session, cursor) == stored

    def test_last_entries_do_not_hang_on_what_stands_before_them(self, harness: Harness) -> None:
        """A transcript whose beginning was cut away ends with the same 50 entries; with fewer it does not."""
        harness.create_session("s1", messages(1, 120))
        harness.settle()
        store = harness.store()
        session, cursor = only_session(store, "s1"), cursor_at_end(store, "s1")
        stored = store.last_entries(session, cursor)
        harness.rewrite("s1", messages(71, 120))
        harness.settle()
        assert harness.store().last_entries(session) == stored
        assert harness.store().last_entries(session, cursor) == ""
        harness.rewrite("s1", messages(72, 120))
        harness.settle()
        assert harness.store().last_entries(session) != stored

    def test_last_entries_of_what_is_gone_are_none(self, harness: Harness) -> None:
        """A deleted session has none, and that is no error."""
        harness.create_session("s1", messages(1, 3))
        store = harness.store()
        session = only_session(store, "s1")
        harness.delete("s1")
        assert store.last_entries(session) == ""
