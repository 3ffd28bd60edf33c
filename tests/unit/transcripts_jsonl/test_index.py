"""``sessions.json`` adds facts and is never needed (R006)."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from tests.contracts.store_contract import Entry, entry_ids, messages, names, only_session, read_all
from tests.unit.transcripts_jsonl.agent import Agent
from totalrecall.domain.session import SessionKind

STAMP = "2026-02-14T09-00-00.000Z"
GROUP_KEY = "agent:main:telegram:group:-100777"


def write_index(agent: Agent, index: Entry, indent: int | None = 2) -> bytes:
    """Replace the index; the bytes written."""
    content = json.dumps(index, indent=indent).encode()
    agent.write("sessions.json", content)
    return content


@pytest.mark.report("R006")
def test_sessions_need_no_index(agent: Agent) -> None:
    """Without an index every file is still a session, with an empty key."""
    agent.create_session("s1", messages(1, 2))
    session = only_session(agent.store(), "s1")
    assert (session.key, session.parent_key) == ("", "")
    assert entry_ids(read_all(agent.store(), "s1")) == names(1, 2)


@pytest.mark.report("R006")
def test_index_gives_key_kind_and_parent(agent: Agent) -> None:
    """Keys, groups, cron runs and sub-agents come from the index; a child follows its parent."""
    for name in ("s1", "s2", "s3", "s4", "s5"):
        agent.create_session(name, messages(1, 1))
    cron = "agent:main:cron:job1"
    write_index(
        agent,
        {
            "agent:main:telegram:direct:555": {"sessionId": "s1", "chatType": "direct"},
            GROUP_KEY: {"sessionId": "s2", "origin": {"chatType": "group"}},
            f"{cron}:run:s3": {"sessionId": "s3"},
            cron: {"sessionId": "s3"},
            "agent:main:subagent:u1": {"sessionId": "s4", "spawnedBy": "agent:main:main"},
            "agent:main:subagent:u2": {"sessionId": "s5", "spawnedBy": cron},
        },
    )
    found = {session.session_id: session for session in agent.store().sessions()}
    assert found["s1"].kind is SessionKind.DIRECT
    assert (found["s2"].key, found["s2"].kind) == (GROUP_KEY, SessionKind.GROUP)
    assert (found["s3"].key, found["s3"].kind) == (cron, SessionKind.CRON)
    assert (found["s4"].kind, found["s4"].parent_key) == (SessionKind.SUBAGENT, "agent:main:main")
    assert found["s5"].kind is SessionKind.CRON


@pytest.mark.report("R006")
def test_ended_sessions_are_found_through_their_family(agent: Agent) -> None:
    """An index that names only the successor still tells the key of those before it, moved paths included."""
    for name in ("old1", "old2", "old3"):
        agent.create_session(name, messages(1, 1))
        (agent.folder / f"{name}.jsonl").rename(agent.folder / f"{name}.jsonl.reset.{STAMP}")
    agent.create_session("now", messages(2, 2))
    write_index(
        agent,
        {
            GROUP_KEY: {
                "sessionId": "now",
                "chatType": "group",
                "sessionFile": "/another/machine/old3.jsonl",
                "usageFamilySessionIds": ["old1", "now", 7, None],
                "compactionCheckpoints": [{"sessionId": "old2"}, "nonsense"],
            }
        },
    )
    found = {session.session_id: session for session in agent.store().sessions()}
    assert set(found) == {"old1", "old2", "old3", "now"}
    assert {session.key for session in found.values()} == {GROUP_KEY}
    assert {session.kind for session in found.values()} == {SessionKind.GROUP}


@pytest.mark.report("R006")
@pytest.mark.parametrize("damage", ["gone", "empty", "half", "nonsense", "list"])
def test_damaged_index_keeps_the_view_of_before(agent: Agent, damage: str) -> None:
    """While the index is torn or gone, what it said before holds; the sessions are all there."""
    agent.create_session("s1", messages(1, 1))
    content = write_index(agent, {"agent:main:x": {"sessionId": "zz"}, GROUP_KEY: {"sessionId": "s1"}})
    store = agent.store()
    assert only_session(store, "s1").kind is SessionKind.GROUP
    path = agent.folder / "sessions.json"
    broken = {"empty": b"", "half": content[: len(content) // 3], "nonsense": b"\0\xff{{", "list": b"[1, 2]"}
    if damage == "gone":
        path.unlink()
    else:
        agent.write("sessions.json", broken[damage])
    assert only_session(store, "s1").key == GROUP_KEY
    agent.write("sessions.json", content.replace(b"-100777", b"-100888"))
    assert only_session(store, "s1").key == GROUP_KEY.replace("777", "888")


@pytest.mark.report("R006")
@pytest.mark.parametrize("indent", [2, None])
def test_torn_index_at_the_first_look_gives_what_is_whole(agent: Agent, indent: int | None) -> None:
    """Of a half-written index the entries before the tear count: a group must not pass for a private talk."""
    agent.create_session("s1", messages(1, 1))
    noise = {"note": 'braces } { and a quote " in words', "deep": {"a": {"b": {}}}}
    content = write_index(
        agent, {GROUP_KEY: {"sessionId": "s1", **noise}, "agent:main:b": {"sessionId": "zz", **noise}}, indent
    )
    agent.write("sessions.json", content[:-40])
    assert only_session(agent.store(), "s1").kind is SessionKind.GROUP


@pytest.mark.report("R006")
def test_fifty_megabyte_index_is_read_in_bounded_memory(agent: Agent) -> None:
    """A huge index gives its facts and never becomes objects as a whole."""
    agent.create_session("s1", messages(1, 1))
    filler = {"skillsSnapshot": {"prompt": "word " * 1200, "skills": [{"name": "n"}] * 20}}
    index: Entry = {f"agent:main:x{number}": {"sessionId": f"x{number}", **filler} for number in range(7600)}
    index[GROUP_KEY] = {"sessionId": "s1", **filler}
    size = len(write_index(agent, index, None))
    del index
    assert size > 48_000_000
    store = agent.store()
    tracemalloc.start()
    try:
        session = only_session(store, "s1")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert session.kind is SessionKind.GROUP
    assert peak_bytes < size + 20_000_000


def test_session_that_left_the_index_keeps_its_key(agent: Agent) -> None:
    """After ``/new`` the index forgets the old id; the unread rest still belongs to its group."""
    agent.create_session("s1", messages(1, 1))
    write_index(agent, {GROUP_KEY: {"sessionId": "s1"}})
    store = agent.store()
    assert only_session(store, "s1").key == GROUP_KEY
    (agent.folder / "s1.jsonl").rename(agent.folder / f"s1.jsonl.reset.{STAMP}")
    write_index(agent, {GROUP_KEY: {"sessionId": "s2"}})
    assert only_session(store, "s1").kind is SessionKind.GROUP


def test_parents_in_a_circle_end(agent: Agent) -> None:
    """Sessions that name each other as parents get a kind all the same."""
    agent.create_session("s1", messages(1, 1))
    first, second = "agent:main:subagent:a", "agent:main:subagent:b"
    write_index(
        agent,
        {first: {"sessionId": "s1", "spawnedBy": second}, second: {"sessionId": "zz", "spawnedBy": first}},
    )
    assert only_session(agent.store(), "s1").kind is SessionKind.SUBAGENT
