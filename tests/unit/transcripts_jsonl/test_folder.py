"""Which files are sessions, and which id each has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.contracts.store_contract import (
    cursor_at_end,
    entry_ids,
    header_entry,
    messages,
    names,
    only_session,
    read_all,
)
from tests.unit.transcripts_jsonl.agent import Agent, lines
from totalrecall.errors import SourceError
from totalrecall.transcripts.filenames import FileKind, classify, family_id
from totalrecall.transcripts.store import Start

UUID = "5f0c2f0e-6d57-4f9e-9a2b-0c9d4a7be001"
STAMP = "2026-02-14T09-00-00.000Z"


@pytest.mark.report("R009")
@pytest.mark.report("R124")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (f"{UUID}.jsonl", FileKind.LIVE),
        ("5f0c2f0e.jsonl", FileKind.LIVE),
        ("my-own_session.v2.jsonl", FileKind.LIVE),
        ("merge-conflict.jsonl", FileKind.LIVE),
        (f"2026-02-14T09-00-00-000Z_{UUID}.jsonl", FileKind.LIVE),
        (f"{UUID}-topic-42.jsonl", FileKind.LIVE),
        (f"{UUID}.jsonl.reset.{STAMP}", FileKind.ENDED),
        (f"{UUID}-topic-42.jsonl.reset.{STAMP}", FileKind.ENDED),
        (f"2026-02-14T09-00-00-000Z_{UUID}.jsonl.reset.{STAMP}", FileKind.ENDED),
        (f"{UUID}.jsonl.deleted.{STAMP}", FileKind.DELETED),
        (f"{UUID}.jsonl.deleted.{STAMP}.3.zst", FileKind.DELETED),
        (f"{UUID}.jsonl.reset.{STAMP}.deleted.x", FileKind.OTHER),
        ("sessions.json", FileKind.INDEX),
        ("sessions.json.12.9f.tmp", FileKind.OTHER),
        (f"{UUID}.checkpoint.77.jsonl", FileKind.OTHER),
        (f"{UUID}.checkpoint.{UUID}.jsonl", FileKind.OTHER),
        (f"{UUID}.jsonl.bak", FileKind.OTHER),
        (f"{UUID}.jsonl.bak-4711-1771059600000", FileKind.OTHER),
        (f"{UUID}.bak.jsonl", FileKind.OTHER),
        (f"{UUID}.jsonl.lock", FileKind.OTHER),
        (f"{UUID}.trajectory.jsonl", FileKind.OTHER),
        (f"{UUID}.trajectory-path.json", FileKind.OTHER),
        (f"{UUID}.jsonl.stage", FileKind.OTHER),
        (f"{UUID}.jsonl.reset.{STAMP}.gz", FileKind.OTHER),
        (f"{UUID}.jsonl.reset.", FileKind.OTHER),
        (f"._{UUID}.jsonl", FileKind.OTHER),
        (f".{UUID}.jsonl.swp", FileKind.OTHER),
        (f"{UUID}.jsonl~", FileKind.OTHER),
        (f"#{UUID}.jsonl#", FileKind.OTHER),
        (f"~syncthing~{UUID}.jsonl.tmp", FileKind.OTHER),
        (f"{UUID}.sync-conflict-20260214-090000-ABCDEF1.jsonl", FileKind.OTHER),
        (f"{UUID} (conflicted copy).jsonl", FileKind.OTHER),
        (f"{UUID} (1).jsonl", FileKind.OTHER),
        (f"{UUID} copy.jsonl", FileKind.OTHER),
        ("cold", FileKind.OTHER),
        ("skills-prompts", FileKind.OTHER),
        ("", FileKind.OTHER),
        (".jsonl", FileKind.OTHER),
        ("bad\udcffname.jsonl", FileKind.OTHER),
        (f"{UUID}.jsonl\n", FileKind.OTHER),
    ],
)
def test_name_tells_what_a_file_is(name: str, kind: FileKind) -> None:
    """Sessions are read, the rest of ended ones too; deleted ones, copies, locks and traces never."""
    assert classify(name).kind is kind


@pytest.mark.parametrize(
    "name",
    [
        f"{UUID}.jsonl",
        f"2026-02-14T09-00-00-000Z_{UUID}.jsonl",
        f"{UUID}-topic-42.jsonl",
        f"{UUID}.jsonl.reset.{STAMP}",
    ],
)
def test_name_gives_the_session_id(name: str) -> None:
    """Prefix, topic and time of the reset are not part of the id."""
    assert classify(name).session_id == UUID


@pytest.mark.report("R009")
def test_each_message_of_a_cluttered_folder_comes_once(agent: Agent) -> None:
    """Beside copies, backups, traces, locks and deleted talks only the session itself is read."""
    agent.create_session(UUID, messages(1, 3))
    content = (agent.folder / f"{UUID}.jsonl").read_bytes()
    for suffix in (".checkpoint.7.jsonl", ".jsonl.bak", ".jsonl.bak-1-2", ".trajectory.jsonl", " (1).jsonl"):
        agent.write(UUID + suffix, content)
    agent.write(f"{UUID}.jsonl.deleted.{STAMP}", lines([header_entry(UUID), *messages(90, 95)]))
    agent.write(f"{UUID}.jsonl.lock", b"{}")
    (agent.folder / "cold").mkdir()
    (agent.folder / "folder.jsonl").mkdir()
    os.mkfifo(agent.folder / "pipe.jsonl")
    (agent.folder / "nowhere.jsonl").symlink_to("gone.jsonl")
    (agent.folder / "circle.jsonl").symlink_to("circle.jsonl")
    Path(os.fsdecode(os.fsencode(agent.folder) + b"/\xff\xfe.jsonl")).write_bytes(content)
    store = agent.store()
    assert [session.session_id for session in store.sessions()] == [UUID]
    assert entry_ids(read_all(store, UUID)) == names(1, 3)


@pytest.mark.report("R124")
def test_old_lock_file_stops_nothing_and_stays(agent: Agent) -> None:
    """A lock that was left for days is neither waited for nor touched."""
    agent.create_session("s1", messages(1, 2))
    lock = agent.write("s1.jsonl.lock", b'{"pid":1,"createdAt":"2026-01-01T00:00:00Z"}')
    agent.settle()
    store = agent.store()
    assert store.open(only_session(store, "s1"), None).start is Start.FRESH
    assert entry_ids(read_all(store, "s1")) == names(1, 2)
    assert lock.read_bytes().startswith(b'{"pid":1')


def test_symlinked_transcript_is_read(agent: Agent, tmp_path: Path) -> None:
    """A session file that lives elsewhere is a session."""
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_bytes(lines([header_entry("s1"), *messages(1, 1)]))
    (agent.folder / "s1.jsonl").symlink_to(elsewhere)
    assert entry_ids(read_all(agent.store(), "s1")) == names(1, 1)


def test_header_gives_id_and_workspace(agent: Agent) -> None:
    """The header's id counts before the name's; without a readable header the name is enough."""
    agent.write("renamed-by-hand.jsonl", lines([header_entry("s1"), *messages(1, 1)]))
    agent.write("no-header.jsonl", lines(messages(2, 2)))
    agent.write("evil.jsonl", lines([{**header_entry("x"), "id": "../../etc/passwd"}]))
    found = {session.session_id: session for session in agent.store().sessions()}
    assert set(found) == {"s1", "no-header", "evil"}
    assert found["s1"].cwd == "/home/user/workspace"
    assert found["no-header"].cwd == ""


@pytest.mark.report("R024")
def test_rename_by_new_keeps_the_cursor(agent: Agent) -> None:
    """The unread rest of a session that ended is read from its new name, from where the reading was."""
    agent.create_session("s1", messages(1, 3))
    store = agent.store()
    session = only_session(store, "s1")
    cursor = store.cursor_at(session, read_all(store, "s1")[2].end, "")
    (agent.folder / "s1.jsonl").rename(agent.folder / f"s1.jsonl.reset.{STAMP}")
    agent.create_session("s2", messages(4, 4))
    again = agent.store()
    ended = only_session(again, "s1")
    assert ended.ended
    opening = again.open(ended, cursor)
    assert (opening.start, opening.position) == (Start.RESUME, cursor.position)
    assert entry_ids(list(again.read(ended, opening.position))) == names(3, 3)
    assert entry_ids(read_all(again, "s2")) == names(4, 4)
    assert again.open(ended, cursor_at_end(again, "s1")).start is Start.NOTHING


@pytest.mark.report("R024")
def test_new_file_under_the_old_name_does_not_hide_the_ended_one(agent: Agent) -> None:
    """Two files of one session have two ids; the old cursor still resumes the file that it was made for."""
    agent.create_session("s1", messages(1, 3))
    store = agent.store()
    cursor = store.cursor_at(only_session(store, "s1"), read_all(store, "s1")[1].end, "")
    (agent.folder / "s1.jsonl").rename(agent.folder / f"s1.jsonl.reset.{STAMP}")
    agent.create_session("s1", messages(10, 12))
    store = agent.store()
    live, ended = only_session(store, "s1"), only_session(store, f"s1.reset.{STAMP}")
    assert not live.ended
    assert ended.ended
    assert {family_id(live.session_id), family_id(ended.session_id)} == {"s1"}
    assert store.open(ended, cursor).start is Start.RESUME
    assert entry_ids(list(store.read(ended, cursor.position))) == names(2, 3)
    assert store.open(live, cursor).start is Start.RESCAN
    assert entry_ids(list(store.read(live, 0))) == names(10, 12)


def test_ids_are_unique_however_many_files_claim_one(agent: Agent) -> None:
    """Copies under other names, topics and several ended files of one session never share an id."""
    content = lines([header_entry("s1"), *messages(1, 1)])
    for name in ("s1.jsonl", "s1-topic-4.jsonl", "other.jsonl", f"s1.jsonl.reset.{STAMP}"):
        agent.write(name, content)
    agent.write("s1.jsonl.reset.2026-02-13T09-00-00.000Z", content)
    found = agent.store().sessions()
    assert len({session.session_id for session in found}) == len(found) == 5
    assert {family_id(session.session_id) for session in found} == {"s1"}
    keeper = next(session for session in found if session.session_id == "s1")
    assert keeper.location.name == "s1.jsonl"


def test_folder_that_does_not_exist_yet_is_seen_when_it_comes(tmp_path: Path) -> None:
    """A store made before the agent's first session needs no restart."""
    agent = Agent(tmp_path / "later")
    store = agent.store()
    assert list(store.sessions()) == []
    agent.create_session("s1", messages(1, 1))
    assert entry_ids(read_all(store, "s1")) == names(1, 1)


def test_file_in_place_of_the_folder_is_no_session(tmp_path: Path) -> None:
    """A file where the folder belongs gives no sessions and no error."""
    (tmp_path / "file").write_bytes(b"")
    assert list(Agent(tmp_path / "file").store().sessions()) == []


def test_transcript_that_may_not_be_read_is_an_error_with_its_path(agent: Agent) -> None:
    """What the system refuses is named, with what to do; the other sessions stay readable."""
    agent.create_session("s1", messages(1, 1))
    agent.create_session("s2", messages(2, 2))
    store = agent.store()
    session = only_session(store, "s1")
    path = agent.folder / "s1.jsonl"
    # A path component of 300 characters stands in for missing rights, which the superuser never lacks.
    broken = path.with_name("x" * 300)
    path.rename(agent.folder / "moved")
    path.symlink_to(broken)
    with pytest.raises(SourceError) as caught:
        store.open(session, None)
    assert str(path) in caught.value.title
    with pytest.raises(SourceError):
        list(store.read(session, 0))
    assert entry_ids(read_all(store, "s2")) == names(2, 2)


def test_folder_that_may_not_be_read_says_so(agent: Agent) -> None:
    """Missing rights are an error with a hint, never an empty list."""
    agent.create_session("s1", messages(1, 1))
    user = os.geteuid()
    agent.folder.chmod(0)
    try:
        if user == 0:
            os.seteuid(65_534)  # the superuser may read everything
        with pytest.raises(SourceError) as caught:
            agent.store().sessions()
    finally:
        os.seteuid(user)
        agent.folder.chmod(0o700)
    assert str(agent.folder) in caught.value.title
    assert "right" in caught.value.hint
