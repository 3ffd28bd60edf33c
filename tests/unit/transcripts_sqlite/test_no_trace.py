"""Reading leaves nothing behind: no file, no byte, no lock that a writer could feel (R002)."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import OpenClawDb, WriterProcess
from tests.unit.transcripts_sqlite.follower import Follower, session_of, store_of, words_of
from totalrecall.domain.session import Session
from totalrecall.errors import SourceError
from totalrecall.transcripts.sqlite.connection import LockedSourceError, query
from totalrecall.transcripts.sqlite.rows import fetch_page, tail_before
from totalrecall.transcripts.sqlite.schema import TABLES, read_schema
from totalrecall.transcripts.sqlite.sessions import Place, survey
from totalrecall.transcripts.sqlite.store import SqliteStore
from totalrecall.transcripts.store import Start

pytestmark = pytest.mark.report("R002")

MAX_COMMIT_MS = 100.0


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Bytes and modification time of every file in ``folder``."""
    return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}


def read_all(database: Path) -> list[str]:
    """Everything a run does with the store."""
    return Follower(store_of(database)).run()


def test_reading_beside_a_live_gateway_changes_no_byte(writer: WriterProcess, database: Path) -> None:
    """Database, WAL and index are byte for byte what they were, and no file was added."""
    writer.ask("begin", session_id="s1")
    writer.ask("burst", session_id="s1", count=300, text="x")
    before = contents(database.parent)
    assert len(before) == 3
    assert len(read_all(database)) == 300
    assert contents(database.parent) == before


def test_reading_after_a_clean_stop_leaves_no_companion_file(database: Path) -> None:
    """Where the gateway removed -wal and -shm, we do not bring them back."""
    gateway = OpenClawDb(database)
    gateway.begin("s1")
    gateway.say("s1", "we ship on Friday")
    gateway.close()
    before = contents(database.parent)
    assert list(before) == [database.name]
    assert read_all(database) == ["we ship on Friday"]
    assert contents(database.parent) == before


def test_reading_after_a_killed_gateway_repairs_nothing(writer: WriterProcess, database: Path) -> None:
    """The WAL of a dead writer is read as it is; the repair is the gateway's at its next start."""
    writer.ask("begin", session_id="s1")
    writer.ask("say", session_id="s1", text="last words")
    writer.kill()
    before = contents(database.parent)
    assert len(before) == 3
    assert read_all(database) == ["last words"]
    assert contents(database.parent) == before


def test_reading_works_in_a_read_only_folder(database: Path) -> None:
    """A folder and a file that nobody may write to are no hindrance while the gateway is down."""
    gateway = OpenClawDb(database)
    gateway.begin("s1")
    gateway.say("s1", "kept")
    gateway.close()
    database.chmod(stat.S_IRUSR)
    database.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert read_all(database) == ["kept"]
        assert list(database.parent.iterdir()) == [database]
    finally:
        database.parent.chmod(0o700)


def test_the_wal_alone_without_its_index_is_left_for_the_gateway(
    writer: WriterProcess, database: Path
) -> None:
    """Reading it would need a file of ours beside it: try later, and say so."""
    writer.ask("begin", session_id="s1")
    writer.kill()
    database.with_name(database.name + "-shm").unlink()
    with pytest.raises(LockedSourceError, match="index is missing"):
        store_of(database).sessions()
    assert len(contents(database.parent)) == 2


def test_an_empty_wal_without_index_is_a_gateway_that_is_down(database: Path) -> None:
    """A left-over empty -wal hides nothing, so the rows are read, and no -shm appears."""
    gateway = OpenClawDb(database)
    gateway.begin("s1")
    gateway.say("s1", "still here")
    gateway.close()
    database.with_name(database.name + "-wal").touch()
    assert read_all(database) == ["still here"]
    assert len(contents(database.parent)) == 2


def test_a_change_under_an_immutable_reader_discards_the_result(database: Path) -> None:
    """What was read while the gateway started is thrown away and read again."""
    gateway = OpenClawDb(database)
    gateway.begin("s1")
    gateway.close()
    starts: list[OpenClawDb] = []

    def work(connection: sqlite3.Connection) -> int:
        count = int(connection.execute("SELECT count(*) FROM transcript_events").fetchone()[0])
        if not starts:
            starts.append(OpenClawDb(database))
            starts[0].say("s1", "said while we looked")
        return count

    assert query(database, work) == 2
    starts[0].close()


def test_a_database_that_never_stands_still_is_tried_later(database: Path) -> None:
    """A writer without WAL that writes at every look ends in "try later", not in half a result."""
    OpenClawDb(database).close()
    count = 0

    def work(_: sqlite3.Connection) -> None:
        nonlocal count
        count += 1
        os.utime(database, ns=(count, count))

    with pytest.raises(LockedSourceError):
        query(database, work)


def test_a_hot_journal_is_tried_later(database: Path) -> None:
    """A rollback journal needs a writer's repair; we neither repair nor read past it."""
    OpenClawDb(database).close()
    database.with_name(database.name + "-journal").write_bytes(b"x" * 512)
    with pytest.raises(LockedSourceError):
        store_of(database).sessions()


def test_an_exclusive_lock_of_three_seconds_is_survived(writer: WriterProcess, database: Path) -> None:
    """A patient reader gets its rows after the lock, an impatient one gets WAIT and nothing is lost."""
    writer.ask("begin", session_id="s1")
    writer.ask("say", session_id="s1", text="before the lock")
    store = store_of(database, busy_timeout_s=0.1)
    session = session_of(store, "s1")
    writer.send("lock", seconds=3)
    writer.wait_for_lock()
    start = time.monotonic()
    assert store.open(session, None).start is Start.WAIT
    with pytest.raises(LockedSourceError) as caught:
        list(store.read(session, 0))
    assert caught.value.exit_code == 75
    assert isinstance(caught.value, SourceError)
    assert time.monotonic() - start < 2
    assert words_of(store_of(database), "s1") == ["before the lock"]
    assert time.monotonic() - start >= 2.5
    writer.result()
    writer.ask("say", session_id="s1", text="after the lock")
    assert words_of(store, "s1") == ["before the lock", "after the lock"]


def test_the_writer_never_waits_for_a_slow_reader(writer: WriterProcess, database: Path) -> None:
    """While a reader dawdles over every page, no commit takes 100 ms.

    A slow disk can do that by itself now and then; a reader that is waited for does it every time.
    """
    writer.ask("begin", session_id="s1")
    writer.ask("burst", session_id="s1", count=1000, text="old")
    store = store_of(database)
    session = session_of(store, "s1")
    longest = [longest_commit_ms(writer, store, session) for _ in range(3)]
    assert min(longest) < MAX_COMMIT_MS


def longest_commit_ms(writer: WriterProcess, store: SqliteStore, session: Session) -> float:
    """The slowest of 1,000 commits while ``store`` reads the session again and again, with pauses."""
    answers: list[float] = []
    answered = threading.Event()

    def wait() -> None:
        answers.append(writer.result())
        answered.set()

    writer.send("burst", session_id=session.session_id, count=1000, text="new")
    waiting = threading.Thread(target=wait)
    waiting.start()
    seen = 0
    while not answered.is_set():
        for _ in store.read(session, 0):
            seen += 1
            if seen % 50 == 0:
                answered.wait(0.01)
            if answered.is_set():
                break
    waiting.join()
    assert seen > 200
    return answers[0]


def test_the_wal_does_not_grow_because_of_a_slow_reader(writer: WriterProcess, database: Path) -> None:
    """With an iterator of ours held open, a checkpoint leaves no frame and the WAL starts over."""
    writer.ask("begin", session_id="s1")
    writer.ask("burst", session_id="s1", count=600, text="x")
    sizes = []
    for held_open in (False, True):
        records = store_of(database).read(session_of(store_of(database), "s1"), 0)
        if held_open:
            next(records)
        for _ in range(3):
            writer.ask("burst", session_id="s1", count=200, text="y" * 500)
            assert writer.ask("checkpoint") == 0
        sizes.append(writer.ask("wal_bytes"))
        records.close()  # type: ignore[attr-defined]  # a generator
    assert sizes[1] <= sizes[0]


def test_only_the_named_tables_are_ever_read(gateway: OpenClawDb, database: Path) -> None:
    """SQLite itself reports which tables the statements touch: transcripts and their index, no credentials."""
    gateway.begin("s1")
    gateway.say("s1", "hello")
    touched: set[str] = set()

    def watch(action: int, table: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table:
            touched.add(table)
        return sqlite3.SQLITE_OK

    def work(connection: sqlite3.Connection) -> None:
        connection.set_authorizer(watch)
        schema = read_schema(connection)
        survey(connection, schema, Place("main", database, 0), {})
        fetch_page(connection, schema, "s1", 0)
        tail_before(connection, schema, "s1", 2)

    query(database, work)
    assert "transcript_events" in touched
    assert touched - {"pragma_table_info", "ids", "sqlite_master"} <= set(TABLES)


def test_the_reading_connection_cannot_write(gateway: OpenClawDb, database: Path) -> None:
    """Even a mistake of ours could not change a row."""
    gateway.begin("s1")

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM transcript_events")

    with pytest.raises(SourceError):
        query(database, work)
    assert len(gateway.texts("s1")) == 1


def test_a_symbolic_link_to_the_database_is_followed(
    gateway: OpenClawDb, database: Path, tmp_path: Path
) -> None:
    """The companions are looked for beside the real file, so rows in its WAL are seen."""
    gateway.begin("s1")
    gateway.say("s1", "in the wal")
    link = tmp_path / "link.sqlite"
    link.symlink_to(database)
    assert read_all(link) == ["in the wal"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["agents", "link.sqlite"]


def test_a_path_with_signs_of_a_url_is_opened(tmp_path: Path) -> None:
    """Spaces, question marks, hashes and percent signs in a folder's name are only a name."""
    database = tmp_path / "my agent? #1 100%" / "openclaw-agent.sqlite"
    gateway = OpenClawDb(database)
    gateway.begin("s1")
    gateway.say("s1", "found")
    assert read_all(database) == ["found"]
    gateway.close()
    assert read_all(database) == ["found"]


def test_a_store_without_a_database_is_empty(tmp_path: Path) -> None:
    """No file is no session, and none is made by looking."""
    store = store_of(tmp_path / "openclaw-agent.sqlite")
    assert store.sessions() == ()
    assert not store.holds_transcripts()
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_vanishes_ends_the_reading(gateway23: OpenClawDb, database: Path) -> None:
    """A reader in the middle of a session stops without an error when the file goes away."""
    gateway23.begin("s1")
    gateway23.burst("s1", 250, "x")
    store = store_of(database)
    session: Session = session_of(store, "s1")
    records = store.read(session, 0)
    next(records)
    for one in database.parent.iterdir():
        one.unlink()
    assert len(list(records)) == 199
    assert store.open(session, None).start is Start.NOTHING
