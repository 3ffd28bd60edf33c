"""What a row can hold: compressed, huge, broken, of any shape. One bad row is that row's problem."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from tests.fakes.openclaw_db import OpenClawDb, message
from tests.unit.transcripts_sqlite.follower import (
    Follower,
    bad_of,
    events_of,
    session_of,
    store_of,
    words_of,
)
from totalrecall.domain.event import BadRecord, Event, EventKind, Role
from totalrecall.errors import SourceError
from totalrecall.transcripts.sqlite.packed import PackedError, unpack
from totalrecall.transcripts.store import Start


def pack_row(gateway: OpenClawDb, session_id: str, packed: bytes) -> None:
    """A compressed row with ``packed`` as it is."""
    gateway.connection.execute(
        "INSERT INTO transcript_events VALUES (?, (SELECT max(seq) + 1 FROM transcript_events), NULL, 1, ?, 10, '{}')",
        (session_id, packed),
    )


def test_plain_and_compressed_rows_are_one_stream(gateway23: OpenClawDb, database: Path) -> None:
    """Short and long messages come in order, whole, whichever way they are stored."""
    texts = ["short", "long " * 2000, "short again", "尾 " * 700]
    gateway23.begin("s1")
    for text in texts:
        gateway23.say("s1", text)
    packed = gateway23.connection.execute(
        "SELECT count(*) FROM transcript_events WHERE event_zstd IS NOT NULL"
    ).fetchone()[0]
    assert packed == 2
    assert words_of(store_of(database), "s1") == texts


def test_without_a_decoder_compressed_rows_are_an_error_with_a_remedy(
    gateway23: OpenClawDb, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing zstd is said, never silence: what is plain before it is still read."""
    gateway23.begin("s1")
    gateway23.say("s1", "plain")
    gateway23.say("s1", "packed " * 1000)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    store = store_of(database)
    records = store.read(session_of(store, "s1"), 0)
    assert [next(records).start for _ in range(2)] == [0, 1]
    with pytest.raises(SourceError, match="pip install zstandard"):
        next(records)


def test_a_database_without_compressed_rows_needs_no_decoder(
    gateway23: OpenClawDb, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decoder is loaded by the first row that needs it."""
    gateway23.begin("s1")
    gateway23.say("s1", "plain")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert Follower(store_of(database)).run() == ["plain"]


@pytest.mark.report("R018")
def test_a_zstd_bomb_is_counted_and_not_unpacked(gateway23: OpenClawDb, database: Path) -> None:
    """A few kilobytes that unpack to a gigabyte cost neither memory nor the rows after them."""
    gateway23.begin("s1")
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    block = b" " * (1 << 20)
    packed = b"".join(compressor.compress(block) for _ in range(1024)) + compressor.flush()
    pack_row(gateway23, "s1", packed)
    gateway23.say("s1", "after the bomb")
    tracemalloc.start()
    found = bad_of(store_of(database), "s1")
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.reason for one in found] == ["too_large"]
    assert peak_bytes < 64 * 1024 * 1024
    assert words_of(store_of(database), "s1") == ["after the bomb"]


def test_a_bomb_that_declares_its_size_is_refused_too() -> None:
    """The size in the frame's head makes no room by itself."""
    packed = zstandard.ZstdCompressor().compress(b" " * (64 << 20))
    tracemalloc.start()
    with pytest.raises(PackedError, match="too_large"):
        unpack(packed)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 40 * 1024 * 1024


@pytest.mark.parametrize("packed", [b"no zstd at all", b"\x28\xb5\x2f\xfd", b""])
def test_what_is_no_zstd_is_a_bad_record(packed: bytes) -> None:
    """Garbage, half a frame and nothing are told as what they are."""
    with pytest.raises(PackedError, match="bad_zstd"):
        unpack(packed)


def test_half_a_compressed_row_is_a_bad_record(gateway23: OpenClawDb, database: Path) -> None:
    """A cut frame is counted with a hash of its bytes, and the rows around it are read."""
    gateway23.begin("s1")
    gateway23.say("s1", "before")
    whole = zstandard.ZstdCompressor().compress(json.dumps(message("x", "lost " * 999)).encode())
    pack_row(gateway23, "s1", whole[: len(whole) // 2])
    gateway23.say("s1", "after")
    follower = Follower(store_of(database))
    assert follower.run() == ["before", "after"]
    found = bad_of(store_of(database), "s1")
    assert len(found) == 1
    assert "lost" not in repr(found)
    assert follower.run() == []


@pytest.mark.report("R018")
def test_a_huge_row_keeps_its_head_and_end_in_bounded_memory(gateway: OpenClawDb, database: Path) -> None:
    """30 MB in one message: the deadline at the end is kept, the memory is not thirty megabytes."""
    gateway.begin("s1")
    gateway.say("s1", "before")
    gateway.say("s1", "Here is the log: " + "noise " * 5_000_000 + "The deadline is 4 March.")
    gateway.say("s1", "after")
    store = store_of(database)
    session = session_of(store, "s1")
    tracemalloc.start()
    bodies = [one.body for one in store.read(session, 0)]
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    texts = [one.text for one in bodies if isinstance(one, Event) and one.kind is EventKind.MESSAGE]
    assert texts[0] == "before"
    assert texts[1].startswith("Here is the log")
    assert texts[1].endswith("The deadline is 4 March.")
    assert texts[2] == "after"
    assert peak_bytes < 12_000_000


@pytest.mark.report("R018")
def test_a_huge_row_does_not_grow_the_process(gateway23: OpenClawDb, database: Path) -> None:
    """80 MB in one row add less than 24 MB to the whole process, SQLite's own memory included."""
    gateway23.begin("s1")
    gateway23.say("s1", "noise " * 13_500_000)
    gateway23.say("s1", "after")
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.memory_peak import peak_bytes\n"
        "from totalrecall.transcripts.sqlite.store import SqliteStore\n"
        "store = SqliteStore('main', Path(sys.argv[1]), now_ms=lambda: 0)\n"
        "(session,) = store.sessions()\n"
        "before = peak_bytes()\n"
        "count = sum(1 for _ in store.read(session, 0))\n"
        "cursor = store.cursor_at(session, 2, '')\n"
        "print(count, (peak_bytes() - before) // 2**20)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(database)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    count, grown_mb = (int(word) for word in answer.stdout.split())
    assert count == 3
    assert grown_mb < 24


@pytest.mark.report("R018")
def test_a_huge_image_keeps_its_caption(gateway: OpenClawDb, database: Path) -> None:
    """9 MB of base64 leave, the words beside it stay, and the cursor after it resumes."""
    entry = message("i" * 36, "")
    entry["message"]["content"] = [
        {"type": "text", "text": "the whiteboard"},
        {"type": "image", "data": "QUJD" * 2_300_000, "mimeType": "image/png"},
    ]
    gateway.begin("s1")
    gateway.append("s1", entry)
    follower = Follower(store_of(database))
    assert follower.run() == ["the whiteboard"]
    gateway.say("s1", "next")
    assert follower.run() == ["next"]
    assert follower.last_start() is Start.RESUME
    again = Follower(store_of(database), cursors=follower.cursors, known=follower.known)
    assert again.run() == []
    assert again.last_start() is Start.NOTHING


@pytest.mark.report("R018")
def test_many_middling_rows_come_in_small_pages(gateway23: OpenClawDb, database: Path) -> None:
    """A page is bounded by its bytes too: 120 MB of rows below the limit never stand in memory together."""
    gateway23.begin("s1")
    gateway23.connection.execute("BEGIN")
    line = json.dumps(message("x", "", role="user")).replace('""', '"%s"' % ("y" * 3_000_000), 1)
    for _ in range(40):
        gateway23.raw("s1", line)
    gateway23.connection.execute("COMMIT")
    store = store_of(database)
    session = session_of(store, "s1")
    tracemalloc.start()
    assert sum(1 for _ in store.read(session, 0)) == 41
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 50_000_000


@pytest.mark.report("R019")
@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a string", "a string"),
        ([{"type": "text", "text": "a part"}], "a part"),
        ([{"type": "input_text", "text": "an input"}], "an input"),
        ([{"type": "thinking", "thinking": "hidden"}, {"type": "text", "text": "shown"}], "shown"),
        ([], ""),
        (None, ""),
    ],
)
def test_content_of_any_shape_is_read(
    gateway: OpenClawDb, database: Path, content: object, text: str
) -> None:
    """Words are kept from every shape, thinking never, and no shape ends the reading."""
    gateway.begin("s1")
    entry = message("x" * 36, "")
    entry["message"]["content"] = content
    gateway.append("s1", entry)
    gateway.say("s1", "afterwards")
    words = [one for one in words_of(store_of(database), "s1") if one]
    assert words == [one for one in (text, "afterwards") if one]


@pytest.mark.report("R023")
def test_unknown_types_come_through_by_name(gateway: OpenClawDb, database: Path) -> None:
    """A type from the future is no error and no message; system and shell roles are no user facts."""
    gateway.begin("s1")
    gateway.append("s1", {"type": "hologram", "id": "h1", "timestamp": "2026-11-30T02:00:00.000Z"})
    for role in ("system", "bashExecution", "custom"):
        gateway.append("s1", message(role * 6, f"{role} speaks", role=role))
    gateway.say("s1", "a person")
    events = events_of(store_of(database), "s1")
    assert "hologram" in [one.type_name for one in events if one.kind is EventKind.UNKNOWN]
    assert [one.text for one in events if one.role is Role.USER] == ["a person"]


@pytest.mark.report("R023")
@pytest.mark.parametrize("text", ["{broken", "", "null", "[1]", '"words"', "\x00", "{}" * 3, "{" * 100_000])
def test_a_row_that_is_no_entry_is_counted_and_passed(gateway: OpenClawDb, database: Path, text: str) -> None:
    """Whatever stands in a row, the rows after it are read and the cursor moves on."""
    gateway.begin("s1")
    gateway.raw("s1", text)
    gateway.say("s1", "after")
    follower = Follower(store_of(database))
    assert follower.run() == ["after"]
    assert follower.run() == []
    assert follower.last_start() is Start.NOTHING


def test_broken_utf8_is_one_row_s_problem(gateway: OpenClawDb, database: Path) -> None:
    """SQLite does not check its texts; a row with torn bytes does not end the session."""
    gateway.begin("s1")
    gateway.connection.execute(
        "INSERT INTO transcript_events (session_id, seq, event_json, created_at)"
        """ VALUES ('s1', 1, CAST(x'7b2274797065223a22ff' AS TEXT), 1)"""
    )
    gateway.say("s1", "after")
    assert Follower(store_of(database)).run() == ["after"]
    assert all(isinstance(one, BadRecord) for one in bad_of(store_of(database), "s1"))
