"""The stores of an agent are told apart by what is in them, and nothing is ever created beside them."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from totalrecall.places.stores import (
    DatabaseState,
    look_at_database,
    registered_databases,
    stores_at,
)


@contextmanager
def gateway(path: Path, statements: str) -> Iterator[sqlite3.Connection]:
    """A writer in WAL mode that stays open, as a running gateway does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(statements)
        connection.commit()
        yield connection


TRANSCRIPTS = "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT); PRAGMA user_version = 19;"


def names(folder: Path) -> list[str]:
    """The files of a folder."""
    return sorted(entry.name for entry in folder.iterdir())


def test_database_of_a_running_gateway(tmp_path: Path) -> None:
    """Tables that are still in the -wal file are seen."""
    path = tmp_path / "openclaw-agent.sqlite"
    with gateway(path, TRANSCRIPTS):
        before = names(tmp_path)
        look = look_at_database(path)
        assert (look.state, look.schema) == (DatabaseState.TRANSCRIPTS, 19)
        assert names(tmp_path) == before


def test_database_of_a_stopped_gateway_gets_no_files_beside_it(tmp_path: Path) -> None:
    """Without -wal and -shm a look leaves the folder and the file as they were."""
    path = tmp_path / "openclaw-agent.sqlite"
    with gateway(path, TRANSCRIPTS):
        pass
    assert names(tmp_path) == [path.name]
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert look_at_database(path).state is DatabaseState.TRANSCRIPTS
    assert names(tmp_path) == [path.name]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_file_without_the_table_is_no_store(tmp_path: Path) -> None:
    """Up to 2026.7 the file may stand for the memory index alone."""
    path = tmp_path / "openclaw-agent.sqlite"
    with gateway(path, "CREATE TABLE chunks (id TEXT);"):
        assert look_at_database(path).state is DatabaseState.NO_TRANSCRIPTS
    stores = stores_at(tmp_path, path)
    assert stores.database is None
    assert stores.sessions_dir == tmp_path


@pytest.mark.parametrize("content", [b"", b"not a database, but longer than a header" * 100])
def test_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    """An empty file holds nothing; garbage is said to be unreadable."""
    path = tmp_path / "openclaw-agent.sqlite"
    path.write_bytes(content)
    look = look_at_database(path)
    assert look.state is (DatabaseState.UNREADABLE if content else DatabaseState.NO_TRANSCRIPTS)
    assert bool(look.reason) == bool(content)
    assert names(tmp_path) == [path.name]


def test_copy_with_wal_but_without_shm_is_not_taken_for_empty(tmp_path: Path) -> None:
    """What only the -wal holds cannot be read without creating a file, and that is said."""
    path = tmp_path / "live" / "openclaw-agent.sqlite"
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir()
    with gateway(path, "CREATE TABLE t (a);") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.executescript(TRANSCRIPTS)
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
    look = look_at_database(copy)
    assert look.state is DatabaseState.UNREADABLE
    assert "-shm" in look.reason
    assert names(copy.parent) == [copy.name, f"{copy.name}-wal"]


def test_locked_database_is_unreadable_for_now(tmp_path: Path) -> None:
    """An exclusive lock makes the look end soon, with the reason, and the next one succeeds."""
    path = tmp_path / "openclaw-agent.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TRANSCRIPTS)
        connection.execute("BEGIN EXCLUSIVE")
        (tmp_path / f"{path.name}-wal").touch()
        (tmp_path / f"{path.name}-shm").touch()
        assert look_at_database(path).state is DatabaseState.UNREADABLE
        connection.rollback()
        assert look_at_database(path).state is DatabaseState.TRANSCRIPTS


def test_path_with_signs_of_a_url(tmp_path: Path) -> None:
    """``?``, ``#`` and ``%`` in a path are part of the path."""
    path = tmp_path / "a?b#c%20d" / "openclaw-agent.sqlite"
    with gateway(path, TRANSCRIPTS):
        pass
    assert look_at_database(path).state is DatabaseState.TRANSCRIPTS


def test_missing_stores(tmp_path: Path) -> None:
    """Nothing stands, nothing is made."""
    stores = stores_at(tmp_path / "sessions", tmp_path / "x.sqlite")
    assert (stores.sessions_dir, stores.database, stores.look.state) == (None, None, DatabaseState.MISSING)
    assert names(tmp_path) == []


@pytest.mark.report("R004")
def test_registry_names_databases_that_were_moved(tmp_path: Path) -> None:
    """Relative paths are relative to the state folder; a registry without the table is empty."""
    registry = tmp_path / "state" / "openclaw.sqlite"
    with gateway(registry, "CREATE TABLE other (a);"):
        assert registered_databases(tmp_path) == {}
    with gateway(
        registry, "CREATE TABLE agent_databases (agent_id TEXT, path TEXT, last_seen_at INTEGER);"
    ) as db:
        db.execute(
            "INSERT INTO agent_databases VALUES ('main', 'moved/a.sqlite', 1), ('ops', '/srv/b.sqlite', 2)"
        )
        db.execute("INSERT INTO agent_databases VALUES (NULL, 'c', 3)")
        db.commit()
        assert registered_databases(tmp_path) == {
            "main": tmp_path / "moved" / "a.sqlite",
            "ops": Path("/srv/b.sqlite"),
        }
    assert names(tmp_path / "state") == ["openclaw.sqlite"]
