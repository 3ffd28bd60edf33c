"""Files and database of one agent side by side, and the move from one to the other under a running service."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import START_MS, OpenClawDb, message
from tests.unit.transcripts_sqlite.follower import FUTURE_MS, Follower, session_of, store_of
from totalrecall.domain.session import StoreKind
from totalrecall.errors import SourceError
from totalrecall.transcripts.choice import AgentTranscripts
from totalrecall.transcripts.jsonl import JsonlStore
from totalrecall.transcripts.sqlite.store import Fate
from totalrecall.transcripts.store import Start

SID = "11111111-2222-4333-8444-555555555555"
OLD = "99999999-2222-4333-8444-555555555555"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The agent's folder of session files."""
    path = tmp_path / "agents" / "main" / "sessions"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def both(folder: Path, database: Path) -> AgentTranscripts:
    """Both stores behind one protocol; the database does not exist yet."""
    files = JsonlStore("main", folder, now_ms=lambda: FUTURE_MS)
    return AgentTranscripts(files, store_of(database, busy_timeout_s=0.1), folder)


@pytest.fixture
def gateway(folder: Path, database: Path) -> Iterator[OpenClawDb]:
    """The gateway after its upgrade."""
    db = OpenClawDb(database)
    yield db
    db.close()


def write(path: Path, session_id: str, *texts: str) -> list[str]:
    """A session file with one message per text; the lines."""
    header = {"type": "session", "version": 3, "id": session_id, "timestamp": "2026-11-30T00:00:00.000Z"}
    entries = [header, *(message(f"{text:.<36}", text) for text in texts)]
    lines = [json.dumps(entry) for entry in entries]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(path, ns=(START_MS * 10**6, START_MS * 10**6))
    return lines


def move_into(gateway: OpenClawDb, session_id: str, lines: list[str]) -> None:
    """The import at a gateway's start: same session id, same entry ids."""
    gateway.window(session_id, "agent:main:main")
    for line in lines:
        gateway.append(session_id, json.loads(line))


@pytest.mark.report("R001")
def test_an_empty_folder_beside_a_database_is_no_silence(both: AgentTranscripts, gateway: OpenClawDb) -> None:
    """sessions/ is empty, the talk is in the database, and it is found."""
    gateway.begin(SID)
    gateway.say(SID, "we moved")
    assert Follower(both).run() == ["we moved"]


@pytest.mark.report("R001")
def test_a_marker_instead_of_a_path_is_never_opened(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """A leftover index whose sessionFile is an identifier of the new store does no harm."""
    marker = {"agent:main:main": {"sessionId": SID, "sessionFile": f"sqlite:main:{SID}:/x/sessions.json"}}
    (folder / "sessions.json").write_text(json.dumps(marker))
    gateway.begin(SID)
    gateway.say(SID, "found all the same")
    assert Follower(both).run() == ["found all the same"]


@pytest.mark.report("R001")
def test_no_folder_and_no_database_is_an_agent_without_sessions(tmp_path: Path) -> None:
    """Nothing exists: no session, no error, and nothing is made."""
    files = JsonlStore("main", tmp_path / "sessions", now_ms=lambda: 0)
    both = AgentTranscripts(files, store_of(tmp_path / "agent" / "x.sqlite"), tmp_path / "sessions")
    assert list(both.sessions()) == []
    assert [one.sessions for one in both.activity()] == [0, 0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.report("R001")
@pytest.mark.parametrize("leftover", ["gone", "stale", "archived"])
def test_the_move_under_a_running_service(
    both: AgentTranscripts, folder: Path, database: Path, leftover: str
) -> None:
    """What was noted stays noted, what was not is found once, whatever became of the file."""
    path = folder / f"{SID}.jsonl"
    lines = write(path, SID, "noted one", "noted two")
    follower = Follower(both)
    assert follower.run() == ["noted one", "noted two"]
    lines = write(path, SID, "noted one", "noted two", "unread before the move")
    gateway = OpenClawDb(database)
    move_into(gateway, SID, lines)
    if leftover == "gone":
        path.unlink()
    elif leftover == "archived":
        archive = folder.parent / "session-sqlite-import-archive"
        archive.mkdir()
        path.rename(archive / f"key.{SID}.jsonl.imported-1796000000000")
    gateway.say(SID, "said after the move")
    assert follower.run() == ["unread before the move", "said after the move"]
    assert follower.last_start() is Start.RESCAN
    assert follower.run() == []
    assert follower.last_start() is Start.NOTHING
    assert {one.store for one in both.sessions()} == {StoreKind.SQLITE}
    gateway.close()


@pytest.mark.report("R001")
def test_a_move_half_done_loses_nothing(both: AgentTranscripts, folder: Path, database: Path) -> None:
    """Files still served while the import is under way, each session from one store at a time."""
    lines = write(folder / f"{SID}.jsonl", SID, "first session")
    write(folder / f"{OLD}.jsonl", OLD, "second session")
    follower = Follower(both)
    gateway = OpenClawDb(database)
    assert sorted(one.store for one in both.sessions()) == [StoreKind.JSONL, StoreKind.JSONL]
    move_into(gateway, SID, lines)
    found = {one.session_id: one.store for one in both.sessions()}
    assert found == {SID: StoreKind.SQLITE, OLD: StoreKind.JSONL}
    assert sorted(follower.run()) == ["first session", "second session"]
    gateway.close()


@pytest.mark.report("R001")
def test_a_session_listed_as_a_file_that_moves_before_it_is_read_is_quiet(
    both: AgentTranscripts, folder: Path, database: Path
) -> None:
    """The move may come between listing and reading: nothing now, everything at the next look."""
    path = folder / f"{SID}.jsonl"
    lines = write(path, SID, "words")
    session = session_of(both, SID)
    gateway = OpenClawDb(database)
    move_into(gateway, SID, lines)
    path.unlink()
    assert both.open(session, None).start is Start.NOTHING
    assert list(both.read(session, 0)) == []
    assert Follower(both).run() == ["words"]
    gateway.close()


@pytest.mark.report("R024")
def test_a_reset_file_of_before_the_move_is_finished(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """The unread rest of a file that /new renamed is in no row, so it is read from the file."""
    write(folder / f"{OLD}.jsonl.reset.2026-11-30T02-15-49.071Z", OLD, "unread rest")
    gateway.begin(SID)
    gateway.say(SID, "today")
    follower = Follower(both)
    assert sorted(follower.run()) == ["today", "unread rest"]
    assert follower.run() == []


@pytest.mark.report("R009")
def test_what_the_user_deleted_in_the_database_is_not_read_from_a_leftover(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """Deleted there means deleted here, whether the stale file is live or a renamed one."""
    lines = write(folder / f"{SID}.jsonl", SID, "forget me")
    write(folder / f"{SID}.jsonl.reset.2026-11-30T02-15-49.071Z", SID, "me too")
    move_into(gateway, SID, lines)
    gateway.delete(SID)
    assert Follower(both).run() == []


@pytest.mark.report("R009")
def test_the_archive_of_a_deletion_beside_a_stale_file_is_enough(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """Where the database no longer knows of the deletion, the archive's name still tells."""
    write(folder / f"{SID}.jsonl", SID, "forget me")
    (folder / f"{SID}.jsonl.deleted.2026-11-30T02-01-09.457Z.09439f.zst").write_bytes(b"x")
    gateway.begin(OLD, "agent:main:other")
    assert Follower(both).run() == []


def test_cold_storage_does_not_bring_a_stale_file_back(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """A session in cold storage belongs to the database, so its leftover file stays unread."""
    lines = write(folder / f"{SID}.jsonl", SID, "long ago")
    move_into(gateway, SID, lines)
    gateway.chill(SID)
    assert list(both.sessions()) == []
    assert both.fate(SID) is Fate.COLD


def test_the_fate_of_a_session_is_told_over_both_stores(
    both: AgentTranscripts, folder: Path, database: Path
) -> None:
    """Live in a file, live in a row, deleted in either."""
    write(folder / f"{OLD}.jsonl", OLD, "in a file")
    assert [both.fate(OLD), both.fate(SID)] == [Fate.LIVE, Fate.DELETED]
    gateway = OpenClawDb(database)
    gateway.begin(SID)
    assert [both.fate(OLD), both.fate(SID)] == [Fate.LIVE, Fate.LIVE]
    gateway.delete(SID)
    assert both.fate(SID) is Fate.DELETED
    gateway.close()


@pytest.mark.report("R001")
def test_a_database_without_transcripts_leaves_the_files_in_charge(
    both: AgentTranscripts, folder: Path, database: Path
) -> None:
    """Up to 2026.7 the agent's database holds a memory index only."""
    import sqlite3
    from contextlib import closing

    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE memory_index (path TEXT)")
    write(folder / f"{SID}.jsonl", SID, "in the file")
    assert Follower(both).run() == ["in the file"]


@pytest.mark.report("R001")
def test_activity_tells_an_active_agent_of_which_nothing_arrives(
    both: AgentTranscripts, gateway: OpenClawDb, folder: Path
) -> None:
    """The files' own change times stand beside the newest change of a session, for each store."""
    write(folder / f"{OLD}.jsonl", OLD, "old")
    gateway.begin(SID)
    files, rows = both.activity()
    assert (files.store, files.sessions, files.newest_ms) == (StoreKind.JSONL, 1, START_MS)
    assert files.changed_ms >= START_MS
    assert (rows.store, rows.sessions, rows.newest_ms) == (StoreKind.SQLITE, 1, gateway.clock_ms)
    assert rows.changed_ms > 0
    assert rows.trouble == ""
    gateway.connection.execute("ALTER TABLE transcript_events RENAME COLUMN seq TO number")
    files, rows = both.activity()
    assert files.sessions == 1
    assert rows.sessions == 0
    assert "transcript_events" in rows.trouble
    assert rows.changed_ms > 0
    with pytest.raises(SourceError):
        both.sessions()
