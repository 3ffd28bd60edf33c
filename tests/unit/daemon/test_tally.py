"""What is new is counted by unseen ids: never by events, bytes or lines of a file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.lab import SESSION, Lab
from totalrecall.daemon.tally import Tally
from totalrecall.jobs.context import AgentContext


class Counting:
    """A tally over the lab's agent, with a clock of its own."""

    def __init__(self, lab: Lab, enough: int = 40) -> None:
        self.lab = lab
        self.now_s = 100.0
        self.tally = Tally(lambda: self.now_s, enough)

    @contextmanager
    def opened(self) -> Iterator[AgentContext]:
        with self.lab.context() as ctx:
            yield ctx

    def look(self) -> int:
        self.now_s += 1.0
        with self.opened() as ctx:
            self.tally.look(ctx)
        return self.tally.new_entries

    def boundary(self) -> bool:
        self.look()
        return self.tally.boundary

    def run(self) -> None:
        with self.opened() as ctx:
            self.tally.start_over(ctx)
        self.lab.observe()


@pytest.fixture
def counting(lab: Lab) -> Counting:
    """The lab's agent, counted."""
    return Counting(lab)


def test_entries_are_counted_as_they_come(counting: Counting) -> None:
    """Answers and results of tools count as well; a look without news counts nothing."""
    lab = counting.lab
    lab.say("one", "two")
    assert counting.look() == 2
    assert counting.look() == 2
    lab.reply("three")
    lab.append(lab.entry("toolResult", [{"type": "text", "text": "ok"}], toolCallId="c", toolName="exec"))
    assert counting.look() == 4
    assert [one.entries for one in counting.tally.waiting] == [4]


@pytest.mark.report("R101")
def test_a_rewritten_file_is_not_news(counting: Counting) -> None:
    """The same entries under a new inode, or in a shorter file and back, count once."""
    lab = counting.lab
    lab.say("one", "two", "three")
    assert counting.look() == 3
    whole = lab.path().read_bytes()
    lab.path().write_bytes(b"".join(whole.splitlines(keepends=True)[:2]) * 1)
    counting.look()
    fresh = lab.path().with_suffix(".tmp")
    fresh.write_bytes(whole + b"\n")
    fresh.replace(lab.path())
    assert counting.look() == 3


def test_a_copy_of_a_session_is_not_news(counting: Counting) -> None:
    """A fork under another id brings the same entries along."""
    lab = counting.lab
    lab.say("one", "two")
    assert counting.look() == 2
    shutil.copy(lab.path(), lab.path(SESSION.replace("1111", "2222", 1)))
    assert counting.look() == 2


def test_a_run_begins_a_new_count(counting: Counting) -> None:
    """What the run read is counted no more; what came while it ran is."""
    lab = counting.lab
    lab.say("one", "two")
    counting.look()
    with counting.opened() as ctx:
        counting.tally.start_over(ctx)
    assert counting.tally.waiting == ()
    lab.observe()
    lab.say("three")
    assert counting.look() == 1


def test_a_run_from_outside_is_noticed_at_the_recount(counting: Counting) -> None:
    """Somebody ran 'totalrecall observe': what was counted is noted, and nothing is left to run for."""
    lab = counting.lab
    lab.say(*[f"number {n}" for n in range(45)])
    assert counting.look() == 45
    lab.observe()
    lab.say("one more")
    counting.look()
    with counting.opened() as ctx:
        counting.tally.recount(ctx)
    assert counting.tally.new_entries == 1


def test_sessions_that_are_not_observed_do_not_count(counting: Counting) -> None:
    """A cron session writes as much as it likes."""
    lab = counting.lab
    cron = SESSION.replace("1111", "3333", 1)
    (lab.sessions / "sessions.json").write_text(f'{{"agent:main:cron:daily": {{"sessionId": "{cron}"}}}}')
    lab.say(*["tick"] * 60, session=cron)
    assert counting.look() == 0
    assert counting.tally.waiting == ()


@pytest.mark.report("R032")
def test_a_compaction_behind_something_unread_is_a_boundary(counting: Counting) -> None:
    """With nothing unread before it there is nothing to hurry for."""
    lab = counting.lab
    cut = {"type": "compaction", "id": "c0ffee01", "summary": "s", "firstKeptEntryId": "x", "tokensBefore": 1}
    lab.say("one")
    counting.run()
    lab.append({**cut, "timestamp": "2026-03-02T12:01:00.000Z"})
    boundaries = [counting.boundary()]
    lab.say("two")
    boundaries.append(counting.boundary())
    lab.append({**cut, "id": "c0ffee02", "timestamp": "2026-03-02T12:02:00.000Z"})
    boundaries.append(counting.boundary())
    counting.run()
    assert [*boundaries, counting.boundary()] == [False, False, True, False]


@pytest.mark.report("R024")
def test_a_session_that_was_renamed_with_unread_talk_is_a_boundary(counting: Counting) -> None:
    """/new: the rest of the old file is waited for no longer. One that was read to its end is none."""
    lab = counting.lab
    lab.say("one")
    counting.run()
    lab.say("two")
    assert counting.look() == 1
    lab.path().rename(lab.sessions / f"{SESSION}.jsonl.reset.2026-03-02T12-05-00.000Z")
    assert counting.look() == 1
    assert counting.boundary()
    counting.run()
    assert not counting.boundary()
    assert counting.tally.new_entries == 0


def test_a_deleted_session_is_counted_no_more(counting: Counting) -> None:
    """The user deleted it: nobody waits for it."""
    lab = counting.lab
    lab.say("one", "two")
    assert counting.look() == 2
    lab.path().rename(lab.sessions / f"{SESSION}.jsonl.deleted.2026-03-02T12-05-00.000Z")
    assert counting.look() == 0


def test_an_unfinished_line_waits(counting: Counting) -> None:
    """It is no entry yet, and the session is not quiet without it."""
    lab = counting.lab
    lab.say("one")
    counting.run()
    with lab.path().open("ab") as file:
        file.write(b'{"type":"message","id":"0bad')
    os.utime(lab.path(), (lab.now.timestamp(), lab.now.timestamp()))
    assert counting.look() == 0
    assert [one.entries for one in counting.tally.waiting] == [0]


def test_beyond_enough_memory_stays_flat(lab: Lab) -> None:
    """Ten thousand entries in a cooldown: counted, not remembered one by one; read in bounded looks."""
    counting = Counting(lab, enough=40)
    for _ in range(4):
        lab.say(*[f"number {n}" for n in range(3000)])
    looks = 1
    while counting.look() < 12_000:
        assert counting.tally.unfinished
        looks += 1
    assert looks == 3
    assert sum(len(mark.identities) for mark in counting.tally._marks.values()) < 1_000
