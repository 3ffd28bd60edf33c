"""Half lines, NUL bytes, separators, BOM: every byte that a crash or another system leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.store_contract import (
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
from totalrecall.domain.event import BadRecord, Event, EventKind, Record
from totalrecall.transcripts.store import Start

HEAD = lines([header_entry("s1")])


def one(number: int) -> bytes:
    """One message as a line."""
    return lines(messages(number, number))


def texts(records: list[Record]) -> list[str]:
    """The words of the messages."""
    bodies = [record.body for record in records if isinstance(record.body, Event)]
    return [body.text for body in bodies if body.kind is EventKind.MESSAGE]


def bad_records(records: list[Record]) -> list[BadRecord]:
    """What could not be read."""
    return [record.body for record in records if isinstance(record.body, BadRecord)]


@pytest.mark.report("R011")
@pytest.mark.parametrize("cut", range(1, 12))
def test_record_in_two_writes_arrives_once_over_a_restart(agent: Agent, cut: int) -> None:
    """Wherever the first write ends, even inside an emoji and even for hours, the record comes once and whole."""
    line = lines([message_entry("torn", "keep 🦊 me")])
    place = line.index("🦊".encode()) - 4 + cut
    agent.write("s1.jsonl", HEAD + one(1))
    cursor = cursor_at_end(agent.store(), "s1")
    agent.append("s1.jsonl", line[:place])
    agent.settle()
    waiting = agent.store()
    assert waiting.open(only_session(waiting, "s1"), cursor).start is Start.NOTHING
    assert read_all(waiting, "s1", cursor.position) == []
    agent.append("s1.jsonl", line[place:])
    again = agent.store()
    assert again.open(only_session(again, "s1"), cursor).start is Start.RESUME
    assert texts(read_all(again, "s1", cursor.position)) == ["keep 🦊 me"]


@pytest.mark.report("R011")
def test_unfinished_line_is_looked_at_again(agent: Agent) -> None:
    """While a line grows the answer is WAIT: its end may come without any further event."""
    agent.write("s1.jsonl", HEAD + one(1))
    cursor = cursor_at_end(agent.store(), "s1")
    agent.append("s1.jsonl", one(2)[:-1])
    store = agent.store()
    assert store.open(only_session(store, "s1"), cursor).start is Start.WAIT
    assert read_all(store, "s1", cursor.position) == []


@pytest.mark.report("R011")
def test_finished_last_line_without_newline_is_taken_when_quiet(agent: Agent) -> None:
    """A last record without its newline counts once nobody writes any more, and what follows is read on."""
    agent.write("s1.jsonl", HEAD + one(1) + one(2)[:-1])
    agent.settle()
    store = agent.store()
    assert entry_ids(read_all(store, "s1")) == names(1, 2)
    cursor = cursor_at_end(store, "s1")
    assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING
    agent.append("s1.jsonl", b"\n" + one(3))
    assert store.open(only_session(store, "s1"), cursor).start is Start.RESUME
    assert entry_ids(read_all(store, "s1", cursor.position)) == names(3, 3)


@pytest.mark.report("R011")
def test_record_glued_behind_a_quiet_one_is_read(agent: Agent) -> None:
    """The newline may never come: the next record directly behind the one already taken is read alone."""
    agent.write("s1.jsonl", HEAD[:-1])
    agent.settle()
    store = agent.store()
    cursor = cursor_at_end(store, "s1")
    agent.append("s1.jsonl", one(1))
    opening = store.open(only_session(store, "s1"), cursor)
    assert opening.start is Start.RESUME
    assert entry_ids(read_all(store, "s1", opening.position)) == names(1, 1)


@pytest.mark.report("R011")
def test_finished_record_before_a_torn_one_is_not_held_up(agent: Agent) -> None:
    """Of a last line with one and a half records the whole one is delivered, the half one keeps waiting."""
    agent.write("s1.jsonl", HEAD + one(1)[:-1] + one(2)[:40])
    agent.settle()
    store = agent.store()
    assert entry_ids(read_all(store, "s1")) == names(1, 1)
    cursor = cursor_at_end(store, "s1")
    agent.append("s1.jsonl", one(2)[40:])
    assert entry_ids(read_all(store, "s1", cursor.position)) == names(2, 2)


@pytest.mark.report("R013")
def test_line_cut_for_ever_does_not_take_the_next_one_along(agent: Agent) -> None:
    """A record that was cut in a crash has the next one glued to it: the next one is somebody's message."""
    agent.write("s1.jsonl", HEAD + one(1) + one(2)[:70])
    agent.settle()
    agent.append("s1.jsonl", one(3) + one(4))
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == ["m00001", "m00003", "m00004"]
    assert len(bad_records(records)) == 1


@pytest.mark.report("R013")
def test_bad_lines_cost_only_themselves(agent: Agent) -> None:
    """Whatever stands between good lines, every good line arrives, and what was bad is counted with its place."""
    nonsense = [b"undefined", b"42", b"[]", b'{"type":"mess', b"\xff\xfe\x00", b"[" * 5000, b"}{", b'"text"']
    content = HEAD + b"".join(piece + b"\n" + one(number) for number, piece in enumerate(nonsense, 1))
    agent.write("s1.jsonl", content + b"\n   \n\t\n" + one(99))
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == [*names(1, len(nonsense)), "m00099"]
    bad = [record for record in records if isinstance(record.body, BadRecord)]
    assert len(bad) >= len(nonsense)
    assert all(content[record.start : record.end].endswith(b"\n") for record in bad)


@pytest.mark.report("R014")
@pytest.mark.parametrize("hole", [1, 284, 4096, 5_000_000])
def test_zeros_after_a_record_leave_it_readable(agent: Agent, hole: int) -> None:
    """A record followed by any number of NUL bytes counts, and so does the one behind them."""
    agent.write("s1.jsonl", HEAD + one(1)[:-1] + b"\0" * hole + b"\n" + one(2))
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == names(1, 2)
    assert bad_records(records) == []


@pytest.mark.report("R014")
def test_zeros_in_place_of_the_newline(agent: Agent) -> None:
    """Two records with nothing but NUL bytes between them are two records."""
    agent.write("s1.jsonl", HEAD + one(1)[:-1] + b"\0" * 100 + one(2))
    assert entry_ids(read_all(agent.store(), "s1")) == names(1, 2)


@pytest.mark.report("R014")
@pytest.mark.parametrize("newline", [b"\n", b""])
def test_zeros_at_the_end_are_not_waited_for(agent: Agent, newline: bytes) -> None:
    """After a power loss the file ends in NUL bytes: nothing waits, and later appends arrive."""
    agent.write("s1.jsonl", HEAD + one(1)[: -1 if not newline else None] + b"\0" * 284)
    agent.settle()
    store = agent.store()
    assert entry_ids(read_all(store, "s1")) == names(1, 1)
    cursor = cursor_at_end(store, "s1")
    assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING
    agent.append("s1.jsonl", one(2) + one(3))
    assert store.open(only_session(store, "s1"), cursor).start is Start.RESUME
    assert entry_ids(read_all(store, "s1", cursor.position)) == names(2, 3)


@pytest.mark.report("R014")
def test_hole_inside_a_record_costs_that_record_only(agent: Agent) -> None:
    """Zeros that swallowed the end of a record and its newline do not swallow the next record."""
    agent.write("s1.jsonl", HEAD + one(1)[:60] + b"\0" * 4096 + one(2) + one(3))
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == names(2, 3)
    assert len(bad_records(records)) == 1


@pytest.mark.report("R015")
@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", b"\x0b".decode(), "\x1c", "\x1e"])
def test_only_the_byte_0a_ends_a_line(agent: Agent, sign: str) -> None:
    """Separators that text functions split at are part of the words (raw ones in JSON, or escaped)."""
    raw = sign if sign > "\x7f" else sign.encode("unicode_escape").decode().replace("\\x", "\\u00")
    line = one(1).replace(b"message number 1", f"before{raw}after".encode())
    agent.write("s1.jsonl", HEAD + line + one(2))
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == names(1, 2)
    assert bad_records(records) == []
    assert texts(records)[0].startswith("before")
    assert texts(records)[0].endswith("after")


@pytest.mark.report("R022")
def test_bom_and_crlf_change_nothing(agent: Agent) -> None:
    """A file that came over Windows reads like the original: first record included, no carriage return kept."""
    content = HEAD + one(1) + one(2)
    agent.write("s1.jsonl", b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    store = agent.store()
    records = read_all(store, "s1")
    assert isinstance(records[0].body, Event)
    assert records[0].body.kind is EventKind.HEADER
    assert entry_ids(records) == names(1, 2)
    assert not any("\r" in text for text in texts(records))
    assert only_session(store, "s1").cwd == "/home/user/workspace"
    cursor = cursor_at_end(store, "s1")
    assert store.open(only_session(store, "s1"), cursor).start is Start.NOTHING


def test_reading_spans_chunks(agent: Agent) -> None:
    """Lines that lie across the border of two reads come whole, wherever the border falls."""
    entries = [message_entry(f"c{number:05}", "x" * (number % 977) + " end") for number in range(6000)]
    agent.create_session("s1", entries)
    records = read_all(agent.store(), "s1")
    assert entry_ids(records) == [entry["id"] for entry in entries]
    assert records[-1].end == (agent.folder / "s1.jsonl").stat().st_size


def test_no_byte_of_the_folder_changes(agent: Agent) -> None:
    """Listing, opening, reading and cursors leave names, contents and times of the folder as they were."""
    agent.create_session("s1", messages(1, 3))
    agent.write("s1.jsonl.lock", b'{"pid":1}')
    agent.write("sessions.json", b"{}")

    def state() -> list[tuple[str, int, bytes]]:
        paths = sorted(Path(agent.folder).iterdir())
        return [(path.name, path.stat().st_mtime_ns, path.read_bytes()) for path in paths]

    before = state()
    cursor = cursor_at_end(agent.store(), "s1")
    store = agent.store()
    store.open(only_session(store, "s1"), cursor)
    assert state() == before
