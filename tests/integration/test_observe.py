"""From a line in a transcript to a note, each message once."""

from __future__ import annotations

import pytest

from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.jobs.verify import verify


def test_new_messages_become_notes_once(lab: Lab) -> None:
    """A second run with nothing new writes nothing and asks no engine."""
    lab.say("the port is 8443", "never deploy on Fridays")
    first = lab.observe()
    assert (first.messages, first.notes) == (2, 2)
    before = lab.notes_path.read_bytes()
    second = lab.observe()
    assert second.idle
    assert lab.notes_path.read_bytes() == before
    lab.say("and the region is eu-west")
    assert lab.observe().notes == 1
    assert lab.notes.count("8443") == 1
    assert lab.notes.startswith("# Observations Log")


def test_every_message_is_accounted_for(lab: Lab) -> None:
    """The recount of the sources adds up after each kind of run."""
    lab.say("one", "two")
    with lab.context() as ctx:
        assert verify(ctx).states == {MessageState.PENDING: 2}
    lab.observe()
    lab.say("three")
    with lab.context() as ctx:
        found = verify(ctx)
    assert found.adds_up
    assert found.states == {MessageState.NOTED: 2, MessageState.PENDING: 1}


@pytest.mark.report("R024")
def test_a_file_renamed_by_new_is_finished_once(lab: Lab) -> None:
    """The unread rest of a closed file is noted, what was read of it is not noted again."""
    lab.say("first", "second")
    lab.observe()
    lab.say("third before the reset")
    lab.path().rename(lab.path().with_name(lab.path().name + ".reset.2026-03-02T12-00-09.000Z"))
    lab.say("hello again")
    report = lab.observe()
    assert report.messages == 2
    for text in ("first", "second", "third before the reset", "hello again"):
        assert lab.notes.count(text) == 1
    assert lab.observe().idle
