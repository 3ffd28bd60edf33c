"""Which sessions the database shows, of which kind, and which are over, gone or put away."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import START_MS, OpenClawDb
from tests.unit.transcripts_sqlite.follower import Follower, session_of, store_of, words_of
from totalrecall.domain.session import SessionKind
from totalrecall.transcripts.sqlite.connection import query
from totalrecall.transcripts.sqlite.schema import read_schema
from totalrecall.transcripts.sqlite.sessions import Place, survey
from totalrecall.transcripts.sqlite.store import Fate, SqliteStore


def test_key_kind_parent_and_workspace_come_from_the_index(gateway: OpenClawDb, database: Path) -> None:
    """The key comes from the window, the kind from key and origin, the workspace from the header row."""
    gateway.begin("main", "agent:main:main")
    gateway.begin("dm", "agent:main:telegram:direct:555", chat_type="direct")
    gateway.begin("group", "agent:main:telegram:group:-100", chat_type="group")
    gateway.begin("cron", "agent:main:cron:job-1", created_via="cron")
    gateway.begin("child", "agent:main:subagent:u", created_via="spawn", spawned_by="agent:main:main",
                  parent_session_key="agent:main:main")  # fmt: skip
    found = {one.session_id: one for one in store_of(database).sessions()}
    assert {name: one.kind for name, one in found.items()} == {
        "main": SessionKind.MAIN,
        "dm": SessionKind.DIRECT,
        "group": SessionKind.GROUP,
        "cron": SessionKind.CRON,
        "child": SessionKind.SUBAGENT,
    }
    assert found["dm"].key == "agent:main:telegram:direct:555"
    assert found["child"].parent_key == "agent:main:main"
    assert found["main"].cwd == "/home/user/.openclaw/workspace"
    assert found["main"].size == 1
    assert found["main"].location == database


def test_a_child_of_a_group_is_a_group(gateway: OpenClawDb, database: Path) -> None:
    """A dashboard session forked from a group chat follows its parent, over several steps."""
    gateway.begin("group", "agent:main:telegram:group:-100", chat_type="group")
    gateway.fork("group", "fork", "agent:main:dashboard:a", 0)
    gateway.fork("fork", "grandchild", "agent:main:dashboard:b", 0)
    assert session_of(store_of(database), "fork").kind is SessionKind.GROUP
    assert session_of(store_of(database), "grandchild").kind is SessionKind.GROUP


def test_sessions_that_are_each_others_parent_do_not_hang(gateway23: OpenClawDb, database: Path) -> None:
    """A damaged index with a circle of parents still gives a list."""
    gateway23.begin("a", "agent:main:a", parent_session_key="agent:main:b")
    gateway23.begin("b", "agent:main:b", parent_session_key="agent:main:a")
    assert len(store_of(database).sessions()) == 2


def test_the_oldest_change_comes_first(gateway: OpenClawDb, database: Path) -> None:
    """The order is that of the last rows, not of the ids or of the beginnings."""
    for name in ("c", "a", "b"):
        gateway.begin(name, f"agent:main:{name}")
    gateway.say("c", "again")
    assert [one.session_id for one in store_of(database).sessions()] == ["a", "b", "c"]


def test_a_change_in_the_future_counts_as_now(gateway: OpenClawDb, database: Path) -> None:
    """A clock that was wrong for a while does not put a session at the end of the line for years."""
    gateway.clock_ms += 10**12
    gateway.begin("s1")
    store = SqliteStore("main", database, now_ms=lambda: START_MS)
    assert store.sessions()[0].modified_ms == START_MS


def test_ended_at_is_not_the_end_of_a_session(gateway: OpenClawDb, database: Path) -> None:
    """OpenClaw writes ended_at after each run; a session that is its key's current one goes on."""
    gateway.begin("s1")
    gateway.say("s1", "one run")
    assert not session_of(store_of(database), "s1").ended


@pytest.mark.report("R025")
def test_an_idle_rollover_ends_the_old_session_and_both_are_read(gateway: OpenClawDb, database: Path) -> None:
    """No command, no hook: the successor takes the key, and the unread rest of the old one is found."""
    follower = Follower(store_of(database))
    gateway.begin("s1")
    gateway.say("s1", "in the evening")
    assert follower.run() == ["in the evening"]
    gateway.say("s1", "last thing before sleep")
    gateway.rollover("s1", "s2")
    gateway.say("s2", "good morning")
    assert sorted(follower.run()) == ["good morning", "last thing before sleep"]
    assert session_of(follower.store, "s1").ended
    assert not session_of(follower.store, "s2").ended
    assert follower.run() == []


def test_rows_without_any_index_are_a_session(gateway23: OpenClawDb, database: Path) -> None:
    """Rows of which no window knows are read all the same, without a key."""
    gateway23.begin("s1")
    gateway23.connection.execute("PRAGMA foreign_keys=OFF")
    gateway23.append("orphan", {"type": "session", "id": "orphan"})
    gateway23.say("orphan", "who am I")
    found = session_of(store_of(database), "orphan")
    assert found.key == ""
    assert found.modified_ms > 0
    assert words_of(store_of(database), "orphan") == ["who am I"]


def test_a_window_without_rows_is_no_session(gateway: OpenClawDb, database: Path) -> None:
    """Nothing to read is not listed."""
    gateway.window("empty", "agent:main:empty")
    assert store_of(database).sessions() == ()


@pytest.mark.report("R009")
def test_a_deleted_session_is_gone_and_known_as_deleted(gateway: OpenClawDb, database: Path) -> None:
    """What the user deleted is neither listed nor readable from an archive; its fate is told."""
    gateway.begin("s1")
    gateway.say("s1", "forget this")
    gateway.begin("s2", "agent:main:other")
    store = store_of(database)
    gateway.delete("s1")
    assert [one.session_id for one in store.sessions()] == ["s2"]
    assert store.survey().deleted == {"s1"}
    assert store.fate("s1") is Fate.DELETED
    assert store.fate("never-there") is Fate.DELETED
    assert store.fate("s2") is Fate.LIVE


def test_a_session_in_cold_storage_is_not_deleted(gateway23: OpenClawDb, database: Path) -> None:
    """Its rows are gone from the table, and it is told apart from what the user deleted."""
    gateway23.begin("s1")
    gateway23.say("s1", "old talk")
    gateway23.chill("s1")
    store = store_of(database)
    assert store.sessions() == ()
    assert store.survey().cold == {"s1"}
    assert store.fate("s1") is Fate.COLD


def test_the_list_does_not_read_through_the_store(gateway23: OpenClawDb, database: Path) -> None:
    """Ten thousand rows more in a session cost the list nothing: SQLite counts its own steps."""

    def steps() -> int:
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        def work(connection: sqlite3.Connection) -> None:
            schema = read_schema(connection)
            connection.set_progress_handler(tick, 10)
            survey(connection, schema, Place("main", database, 0), {})
            connection.set_progress_handler(None, 0)

        query(database, work)
        return count

    gateway23.begin("s1")
    gateway23.begin("s2", "agent:main:other")
    few = steps()
    gateway23.connection.execute("BEGIN")
    for _ in range(10_000):
        gateway23.raw("s1", "{}")
    gateway23.connection.execute("COMMIT")
    assert steps() <= few + 2


def test_a_thousand_sessions_are_listed_quickly(gateway23: OpenClawDb, database: Path) -> None:
    """The list of a year's sessions takes well under a second."""
    gateway23.connection.execute("BEGIN")
    for number in range(1000):
        gateway23.begin(f"s{number}", f"agent:main:chat-{number}")
    gateway23.connection.execute("COMMIT")
    store = store_of(database)
    start = time.perf_counter()
    assert len(store.sessions()) == 1000
    assert time.perf_counter() - start < 1.0
