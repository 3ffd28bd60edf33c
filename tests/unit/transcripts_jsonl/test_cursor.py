"""Where to begin: total over every cursor and probe, and right for every rewrite that OpenClaw does."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.store_contract import (
    Entry,
    cursor_at_end,
    entry_ids,
    header_entry,
    message_entry,
    messages,
    names,
    only_session,
    read_all,
)
from tests.unit.transcripts_jsonl.agent import Agent, lines
from totalrecall.domain.cursor import Cursor
from totalrecall.domain.session import StoreKind
from totalrecall.transcripts.cursor import Probe, Rest, reconcile
from totalrecall.transcripts.store import Start

HASHES = st.sampled_from(["", "aa", "bb"])
CURSORS = st.none() | st.builds(
    Cursor, st.sampled_from(StoreKind), st.integers(-5, 50), HASHES, HASHES, st.text(max_size=3)
)
PROBES = st.builds(
    Probe, st.integers(0, 50), HASHES, HASHES, st.sampled_from(Rest), st.booleans(), st.booleans()
)


@given(cursor=CURSORS, probe=PROBES)
def test_reconcile_is_total_and_never_goes_back_by_itself(cursor: Cursor | None, probe: Probe) -> None:
    """Every pair has an answer; only RESCAN and FRESH begin at 0, every other answer keeps the position."""
    opening = reconcile(cursor, probe)
    known = max(cursor.position, 0) if cursor else 0
    assert opening.reason
    if opening.start in {Start.RESCAN, Start.FRESH}:
        assert opening.position == 0
    else:
        assert opening.position == known
    assert (opening.start is Start.FRESH) <= (known == 0)
    assert (opening.start is Start.RESCAN) <= (known > 0)
    if opening.start is Start.RESUME:
        assert cursor is not None
        assert (cursor.head, cursor.tail) == (probe.head, probe.tail)
        assert probe.size >= known
        assert cursor.store is StoreKind.JSONL


@given(cursor=CURSORS, probe=PROBES)
def test_waiting_ends_when_the_file_is_quiet(cursor: Cursor | None, probe: Probe) -> None:
    """Nothing is waited for for ever: a transcript that nobody writes to gets a final answer."""
    quiet = Probe(probe.size, probe.head, probe.tail, probe.rest)
    assert reconcile(cursor, quiet).start is not Start.WAIT


@pytest.mark.report("R027")
def test_rewrite_with_the_same_content_is_no_change(agent: Agent) -> None:
    """2026.7 empties the file and writes the same again after a turn: wait while empty, then nothing is new."""
    agent.create_session("s1", messages(1, 6))
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    content = (agent.folder / "s1.jsonl").read_bytes()
    agent.write("s1.jsonl", b"")
    assert store.open(only_session(store, "s1"), cursor).start is Start.WAIT
    agent.write("s1.jsonl", content[: len(content) // 2])
    assert store.open(only_session(store, "s1"), cursor).start is Start.WAIT
    agent.write("s1.jsonl", content)
    assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING
    agent.append_entries("s1", messages(7, 7))
    opening = store.open(only_session(store, "s1"), cursor)
    assert (opening.start, opening.position) == (Start.RESUME, cursor.position)


def test_replacement_with_the_same_content_is_no_change(agent: Agent) -> None:
    """A new inode with the same bytes (backup restored, folder synced) is read on."""
    agent.create_session("s1", messages(1, 6))
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    path = agent.folder / "s1.jsonl"
    spare = agent.write("spare", path.read_bytes() + lines(messages(7, 7)))
    spare.replace(path)
    opening = store.open(only_session(store, "s1"), cursor)
    assert opening.start is Start.RESUME
    assert entry_ids(read_all(store, "s1", opening.position)) == names(7, 7)


def test_rewrite_of_the_same_size_is_noticed(agent: Agent) -> None:
    """Size and time tell nothing: other content of the same length means a rescan."""
    agent.create_session("s1", [message_entry("a", "tea at five")])
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    agent.rewrite("s1", [message_entry("b", "tea at nine")])
    assert store.open(only_session(store, "s1"), cursor).start is Start.RESCAN


@pytest.mark.report("R024")
def test_header_only_file_that_is_rewritten_at_the_first_message(agent: Agent) -> None:
    """After a reset the file holds a header; the first message comes with a rewrite, and is read once."""
    agent.create_session("s1")
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    agent.write("s1.jsonl", b"")
    assert store.open(only_session(store, "s1"), cursor).start is Start.WAIT
    agent.rewrite("s1", messages(1, 1))
    opening = store.open(only_session(store, "s1"), cursor)
    assert opening.start is Start.RESUME
    assert entry_ids(read_all(store, "s1", opening.position)) == names(1, 1)


@pytest.mark.report("R027")
def test_compaction_to_summary_and_tail_is_rescanned(agent: Agent) -> None:
    """The file shrinks to a summary and copies; the new message is found and the summary is nobody's words."""
    agent.create_session("s1", messages(1, 30))
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    summary: Entry = {
        "type": "compaction",
        "id": "c1",
        "timestamp": "2026-02-14T10:00:00Z",
        "summary": "## Decisions",
    }
    agent.rewrite("s1", [summary, *messages(29, 30), *messages(31, 31)])
    assert store.open(only_session(store, "s1"), cursor).start is Start.WAIT
    agent.settle()
    assert store.open(only_session(store, "s1"), cursor).start is Start.RESCAN
    records = read_all(store, "s1")
    assert entry_ids(records) == names(29, 31)


def test_file_that_stays_empty_ends_the_waiting(agent: Agent) -> None:
    """Emptied for good: nothing to do, the cursor stays, and what is written later is read from the start."""
    agent.create_session("s1", messages(1, 3))
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    agent.write("s1.jsonl", b"")
    agent.settle()
    assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING
    agent.rewrite("s1", messages(50, 60))
    assert store.open(only_session(store, "s1"), cursor).start is Start.RESCAN


def test_cursor_belongs_to_what_was_read_not_to_what_stands_there(agent: Agent) -> None:
    """A file replaced between reading and committing is rescanned: its other messages were never delivered."""
    agent.create_session("s1", messages(1, 40))
    store = agent.store()
    session = only_session(store, "s1")
    records = read_all(store, "s1")
    agent.rewrite("s1", messages(100, 180))
    agent.settle()
    cursor = store.cursor_at(session, records[20].end, "")
    assert store.open(session, cursor).start is Start.RESCAN


def test_cursor_made_while_reading_equals_the_one_made_later(agent: Agent) -> None:
    """Every place gives the same cursor from memory as from the file, by resumed readings too."""
    agent.create_session("s1", messages(1, 60))
    reading, fresh = agent.store(), agent.store()
    session = only_session(reading, "s1")
    records = read_all(reading, "s1")
    for record in records:
        assert reading.cursor_at(session, record.end, "") == fresh.cursor_at(session, record.end, "")
    for record in read_all(reading, "s1", records[30].end):
        assert reading.cursor_at(session, record.end, "") == fresh.cursor_at(session, record.end, "")


def test_rewrite_between_the_look_and_the_reading_reads_nothing(agent: Agent) -> None:
    """A position that was promised for one content is not used for another: the next look sorts it out."""
    agent.create_session("s1", messages(1, 5))
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    agent.append_entries("s1", messages(6, 6))
    session = only_session(store, "s1")
    assert store.open(session, cursor).start is Start.RESUME
    agent.rewrite("s1", messages(200, 230))
    assert list(store.read(session, cursor.position)) == []
    agent.settle()
    assert store.open(session, cursor).start is Start.RESCAN


def test_rewrite_under_the_reading_ends_it(agent: Agent) -> None:
    """Content that changes while it is read ends the reading; no half of one and half of the other is delivered."""
    old = [message_entry(f"o{number:05}", "old words " * 300) for number in range(1500)]
    agent.create_session("s1", old)
    store = agent.store()
    session = only_session(store, "s1")
    records = store.read(session, 0)
    delivered = [next(records) for _ in range(5)]
    agent.rewrite("s1", [message_entry(f"n{number:05}", "new words " * 333) for number in range(1500)])
    delivered += list(records)
    assert all(name.startswith("o") for name in entry_ids(delivered))
    assert 4 < len(delivered) < 1500
    agent.settle()
    assert store.open(session, store.cursor_at(session, delivered[-1].end, "")).start is Start.RESCAN


def test_clock_in_the_past_holds_nothing_up(agent: Agent) -> None:
    """Times of change in the future (a clock set back, a file from another machine) do not make a file busy."""
    agent.write("s1.jsonl", lines([header_entry("s1"), *messages(1, 1)])[:-1])
    future_ns = (agent.clock.ms + 7_200_000) * 1_000_000
    os.utime(agent.folder / "s1.jsonl", ns=(future_ns, future_ns))
    assert entry_ids(read_all(agent.store(), "s1")) == names(1, 1)
