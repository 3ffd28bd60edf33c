"""Resets, rewinds, forks, steered messages and repairs: each message is noted once, none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.openclaw_db import OpenClawDb, message
from tests.unit.transcripts_sqlite.follower import Follower, events_of, session_of, store_of
from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import EventKind
from totalrecall.domain.session import StoreKind
from totalrecall.transcripts.store import Start


@pytest.fixture
def follower(database: Path) -> Follower:
    """Somebody who follows the store with cursors and identities."""
    return Follower(store_of(database))


@pytest.mark.report("R024")
def test_new_and_reset_are_entries_of_the_same_session(
    gateway: OpenClawDb, database: Path, follower: Follower
) -> None:
    """/new appends an entry: what stood before it and was not read yet is read, and the session goes on."""
    gateway.begin("s1")
    gateway.say("s1", "before, unread")
    gateway.reset("s1", "new")
    gateway.say("s1", "after")
    gateway.reset("s1", "reset")
    assert follower.run() == ["before, unread", "after"]
    kinds = [one.kind for one in events_of(store_of(database), "s1")]
    assert kinds.count(EventKind.RESET) == 2
    assert not session_of(follower.store, "s1").ended


@pytest.mark.report("R024")
def test_a_reset_with_nothing_unread_brings_nothing(gateway: OpenClawDb, follower: Follower) -> None:
    """The reset entry is read, and nobody is told of a message."""
    gateway.begin("s1")
    gateway.say("s1", "all read")
    follower.run()
    gateway.reset("s1")
    assert follower.run() == []
    assert follower.last_start() is Start.RESUME


@pytest.mark.report("R027")
def test_a_compaction_entry_is_not_speech(gateway: OpenClawDb, database: Path, follower: Follower) -> None:
    """The summary comes through as what it is; the messages before it stay read, the one after it is new."""
    gateway.begin("s1")
    gateway.say("s1", "we chose PostgreSQL")
    follower.run()
    gateway.append("s1", {"type": "compaction", "id": "c1", "parentId": None, "summary": "The user said: use MySQL",
                          "timestamp": "2026-11-30T02:00:00.000Z", "firstKeptEntryId": "x"})  # fmt: skip
    gateway.say("s1", "and Redis")
    assert follower.run() == ["and Redis"]
    assert EventKind.COMPACTION in [one.kind for one in events_of(store_of(database), "s1")]


@pytest.mark.report("R027")
def test_a_shorter_rewrite_shows_its_new_message_once(gateway: OpenClawDb, follower: Follower) -> None:
    """History replaced by summary, tail and a new message: known ids are no news, the new one is."""
    gateway.begin("s1")
    gateway.burst("s1", 20, "old")
    last = gateway.say("s1", "the tail")
    assert len(follower.run()) == 21
    gateway.rewrite(
        "s1", [{"type": "session", "id": "s1"}, message(last, "the tail"), message("n" * 36, "news")]
    )
    assert follower.run() == ["news"]
    assert follower.last_start() is Start.RESCAN
    assert follower.run() == []
    assert follower.last_start() is Start.NOTHING


@pytest.mark.report("R027")
def test_a_rewrite_without_a_watermark_is_noticed_by_the_last_event(
    gateway: OpenClawDb, follower: Follower
) -> None:
    """Where no generation tells of it, the event before the cursor does."""
    gateway.begin("s1")
    gateway.burst("s1", 5, "old")
    follower.run()
    fresh = [message(f"{number}" * 36, f"other {number}") for number in range(1, 9)]
    gateway.rewrite("s1", [{"type": "session", "id": "s1"}, *fresh], mark=False)
    assert follower.run() == [f"other {number}" for number in range(1, 9)]


def test_a_steered_message_is_read_again_and_noted_once(gateway: OpenClawDb, follower: Follower) -> None:
    """The update in place changes the generation and not the words."""
    gateway.begin("s1")
    gateway.say("s1", "first")
    gateway.say("s1", "second")
    follower.run()
    gateway.steer("s1", 1)
    gateway.say("s1", "third")
    assert follower.run() == ["third"]
    assert follower.last_start() is Start.RESCAN
    gateway.say("s1", "fourth")
    assert follower.run() == ["fourth"]
    assert follower.last_start() is Start.RESUME


def test_a_rewind_keeps_ids_and_brings_only_what_is_new(
    gateway: OpenClawDb, database: Path, follower: Follower
) -> None:
    """The successor's copied rows are known; its leaf entry tells what was abandoned."""
    gateway.begin("s1")
    gateway.burst("s1", 4, "said")
    follower.run()
    gateway.rewind("s1", "s2", 2)
    gateway.say("s2", "another way")
    assert follower.run() == ["another way"]
    leaf = next(one for one in events_of(store_of(database), "s2") if one.kind is EventKind.LEAF)
    assert leaf.target_id
    assert session_of(follower.store, "s1").ended


def test_a_fork_keeps_ids_and_both_go_on(gateway: OpenClawDb, follower: Follower) -> None:
    """The copied prefix is known, parent and child are read on."""
    gateway.begin("s1")
    gateway.burst("s1", 3, "shared")
    gateway.fork("s1", "s2", "agent:main:dashboard:x", 3)
    gateway.say("s2", "in the child")
    gateway.say("s1", "in the parent")
    assert sorted(follower.run()) == ["in the child", "in the parent", "shared 0", "shared 1", "shared 2"]
    assert not session_of(follower.store, "s1").ended


def test_a_gap_in_the_numbers_is_no_end(gateway: OpenClawDb, follower: Follower) -> None:
    """Sequence numbers may jump; the rows after the gap are read, and appended ones resumed."""
    gateway.begin("s1")
    gateway.append("s1", message("a" * 36, "before the gap"), seq=3)
    gateway.append("s1", message("b" * 36, "after the gap"), seq=700)
    assert follower.run() == ["before the gap", "after the gap"]
    gateway.say("s1", "and on")
    assert follower.run() == ["and on"]
    assert follower.last_start() is Start.RESUME


def test_rows_in_another_physical_order_are_read_by_number(gateway: OpenClawDb, database: Path) -> None:
    """The order is the sequence number's, not that of the insertions."""
    gateway.begin("s1")
    for seq in (5, 2, 9, 1):
        gateway.append("s1", message(f"{seq}" * 36, f"number {seq}"), seq=seq)
    store = store_of(database)
    records = list(store.read(session_of(store, "s1"), 1))
    assert [one.start for one in records] == [1, 2, 5, 9]
    assert [one.end for one in records] == [2, 3, 6, 10]


@pytest.mark.report("R027")
@pytest.mark.parametrize("mark", [True, False])
def test_a_rewrite_while_a_batch_is_at_the_model_is_not_hidden_by_its_cursor(
    gateway: OpenClawDb, database: Path, *, mark: bool
) -> None:
    """A cursor made after the rewrite tells what was read, not what stands there, so the next look reads again."""
    gateway.begin("s1")
    gateway.burst("s1", 6, "old")
    store = store_of(database)
    session = session_of(store, "s1")
    store.open(session, None)
    end = list(store.read(session, 0))[-1].end
    kept = [message(f"{number}" * 36, f"inserted {number}") for number in range(1, 7)]
    gateway.rewrite("s1", [{"type": "session", "id": "s1"}, *kept], mark=mark)
    cursor = store.cursor_at(session, end, "")
    assert store.open(session, cursor).start is Start.RESCAN


def test_a_rewrite_between_two_pages_ends_the_reading(gateway: OpenClawDb, database: Path) -> None:
    """Pages of two histories are never mixed: the reading stops, and the next one begins at the start."""
    gateway.begin("s1")
    gateway.burst("s1", 450, "old")
    store = store_of(database)
    session = session_of(store, "s1")
    records = store.read(session, 0)
    first = next(records)
    gateway.steer("s1", 300)
    rest = list(records)
    assert len(rest) == 199
    cursor = store.cursor_at(session, rest[-1].end, "")
    assert first.start == 0
    assert store.open(session, cursor).start is Start.RESCAN


def test_a_rewrite_between_opening_and_reading_reads_nothing_from_the_middle(
    gateway: OpenClawDb, database: Path
) -> None:
    """RESUME was decided for another history: nothing is read, and the next look decides anew."""
    gateway.begin("s1")
    gateway.burst("s1", 6, "old")
    store = store_of(database)
    session = session_of(store, "s1")
    list(store.read(session, 0))
    cursor = store.cursor_at(session, 4, "")
    opening = store.open(session, cursor)
    assert opening.start is Start.RESUME
    gateway.steer("s1", 2)
    assert list(store.read(session, opening.position)) == []
    assert store.open(session, store.cursor_at(session, 4, "")).start is Start.RESCAN


def test_a_cursor_of_a_session_file_is_read_from_the_start(gateway: OpenClawDb, database: Path) -> None:
    """A byte offset means nothing here, even where a row of that number stands."""
    gateway.begin("s1")
    gateway.burst("s1", 3, "x")
    store = store_of(database)
    opening = store.open(session_of(store, "s1"), Cursor(StoreKind.JSONL, position=2, head="h", tail="t"))
    assert (opening.start, opening.position) == (Start.RESCAN, 0)


def test_the_move_to_a_newer_schema_is_no_rewrite(database: Path) -> None:
    """Rows that are compressed by an upgrade keep their text, so the cursor goes on."""
    gateway = OpenClawDb(database, 19)
    gateway.begin("s1")
    gateway.say("s1", "long " * 1000)
    follower = Follower(store_of(database))
    follower.run()
    gateway.upgrade()
    gateway.say("s1", "after the upgrade")
    assert follower.run() == ["after the upgrade"]
    assert follower.last_start() is Start.RESUME
    gateway.close()
