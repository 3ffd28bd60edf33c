"""Batches: oldest first, complete, bounded, screened before cutting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.transcripts_pure.lines import assistant, event, result, user
from totalrecall.domain.event import Role
from totalrecall.domain.identity import identity_of
from totalrecall.transcripts.batch import (
    BatchLimits,
    Classified,
    PlannedBatch,
    View,
    batch_marker,
    plan_batch,
    plan_batches,
    shorten,
)
from totalrecall.transcripts.carry import Carry
from totalrecall.transcripts.noise import SessionFacts, classify

FALLBACK = datetime(2026, 2, 1, 8, 0, tzinfo=UTC)


def classified(*entries: dict[str, Any], start: Callable[[int], int] = lambda at: at) -> list[Classified]:
    """The entries as the job hands them on, one record each."""
    carry, found = Carry(), []
    for at, value in enumerate(entries):
        item = event(value)
        verdict, carry = classify(item, carry, SessionFacts())
        found.append(Classified(item, verdict, identity_of(item, "s"), start(at), start(at) + 1, carry))
    return found


def plan(
    items: list[Classified], limits: BatchLimits | None = None, screen: Callable[[str], str] = str
) -> list[PlannedBatch]:
    """All batches, in Berlin's time."""
    view = View(ZoneInfo("Europe/Berlin"), screen, FALLBACK)
    return list(plan_batches(items, limits or BatchLimits(), view))


def test_messages_are_numbered_timed_and_ordered() -> None:
    """Numbers begin at 1, times are the message's in the user's zone, roles stay with the speaker."""
    (batch,) = plan(classified(user(0, "hello there"), assistant(60, "good day")))
    first, second = batch.messages
    assert (first.number, first.role, first.text, first.position) == (1, Role.USER, "hello there", 0)
    assert (second.number, second.role, second.at.isoformat()) == (
        2,
        Role.ASSISTANT,
        "2026-02-14T13:01:00+01:00",
    )
    assert (batch.end, batch.events) == (2, 2)


def test_a_message_without_time_takes_the_one_before() -> None:
    """Else it takes the fallback, never now."""
    bare = user(1, "when was this?")
    del bare["timestamp"], bare["message"]["timestamp"]
    (batch,) = plan(
        classified(
            bare,
            user(5, "timed message"),
            {**bare, "id": "other", "message": {**bare["message"], "content": "x"}},
        )
    )
    assert [message.at for message in batch.messages] == [
        FALLBACK,
        batch.messages[1].at,
        batch.messages[1].at,
    ]


@pytest.mark.report("R066")
def test_tools_are_one_line_each_under_their_message() -> None:
    """A claim stands beside what really happened: the failed call's line is on the message it belongs to."""
    (batch,) = plan(
        classified(
            user(0, "deploy it"),
            assistant(
                1,
                "",
                ("c1", "exec", {"command": "npm test"}),
                ("c2", "web_fetch", {"url": "https://a.example"}),
            ),
            result(2, "c1", "exec", "all good"),
            result(3, "c2", "web_fetch", "404 Not Found", isError=True),
            assistant(4, "I have deployed to production.", ("c3", "exec", {"command": "make deploy"})),
            result(5, "c3", "exec", "deploy failed", details={"exitCode": 1}, isError=False),
        )
    )
    assert [message.tools for message in batch.messages] == [
        ("exec npm test: ok", "web_fetch https://a.example: error: 404 Not Found"),
        ("exec make deploy: error: exit 1: deploy failed",),
    ]


def test_a_batch_that_begins_with_tools_gets_a_wordless_message() -> None:
    """A failure that arrives after the last batch was closed is still shown; tools alone are no batch."""
    late = result(2, "c0", "exec", "boom", isError=True)
    (batch,) = plan(classified(late, user(3, "what happened?")))
    assert [(message.text, message.tools) for message in batch.messages] == [
        ("", ("exec: error: boom",)),
        ("what happened?", ()),
    ]
    (alone,) = plan(classified(late))
    assert (alone.messages, alone.end, alone.events) == ((), 1, 1)


@pytest.mark.report("R030")
def test_four_hundred_tool_lines_hide_no_decision() -> None:
    """A long tool run is a dozen lines with the failures among them, and the decision before it is there."""
    calls: list[dict[str, Any]] = []
    for at in range(400):
        failed = at == 17
        calls.append(assistant(at + 2, "", (f"c{at}", "exec", {"command": f"step {at}"})))
        calls.append(result(at + 2, f"c{at}", "exec", "out", isError=failed))
    (batch,) = plan(classified(user(1, "we take Postgres 16"), *calls, assistant(900, "finished")))
    first = batch.messages[0]
    assert first.text == "we take Postgres 16"
    assert len(first.tools) == 12
    assert "exec step 17: error: out" in first.tools
    assert first.tools[-1] == "… 389 more calls"


def test_the_same_failure_again_and_again_is_one_line() -> None:
    """A loop of equal calls is counted."""
    tries = [result(at, f"c{at}", "fly", "Tool fly not found", isError=True) for at in range(2, 12)]
    (batch,) = plan(classified(user(1, "fly"), *tries))
    assert batch.messages[0].tools == ("fly: error: Tool fly not found (×10)",)


@pytest.mark.report("R018")
@pytest.mark.report("R030")
def test_the_end_of_a_long_text_survives() -> None:
    """Head and tail are kept with a mark that counts; a deadline after 2 kB, or after 1 MB, is in the tail."""
    said = "Please read this. " + "blah " * 200_000 + "The deadline is 12 March."
    (batch,) = plan(classified(user(1, said)))
    text = batch.messages[0].text
    assert len(text) <= 4_000
    assert text.startswith("Please read this.")
    assert text.endswith("The deadline is 12 March.")
    assert " characters left out …]" in text
    middling = "x " * 1_000 + "deadline Friday"
    assert plan(classified(user(1, middling)))[0].messages[0].text == middling


@settings(max_examples=100)
@given(st.text(max_size=3_000), st.integers(200, 1_000))
def test_shortening_is_bounded_and_counts_right(text: str, limit: int) -> None:
    """Never longer than asked, untouched when it fits, and the tail is the text's own."""
    short = shorten(text, limit)
    assert len(short) <= max(limit, 0)
    assert (short == text) is (len(text) <= limit)
    if short != text:
        assert text.endswith(short.rpartition("left out …]\n")[2])


def test_screening_sees_whole_texts() -> None:
    """A secret across the border of a cut is gone, in words, quotes and tool lines."""
    token = "ghp_" + "Z9" * 18
    said = "[Forwarded from Kim]\n" + token
    entries = (
        user(1, "a" * 1_570 + token + "b" * 9_000),
        user(2, said),
        assistant(3, "", ("c", "exec", {"command": f"login {token}"})),
    )
    (batch,) = plan(classified(*entries), screen=lambda text: text.replace(token, "[secret]"))
    assert "ghp_" not in str(batch)
    assert batch.messages[1].quoted == ("[secret]",)
    assert batch.messages[1].tools == ("exec login [secret]",)


@pytest.mark.report("R030")
def test_batches_are_cut_oldest_first_and_cover_everything() -> None:
    """Nothing falls out between two batches: each goes on where the one before ended."""
    items = classified(*(user(at * 200, f"message number {at}") for at in range(100)))
    batches = plan(items)
    assert [len(batch.messages) for batch in batches] == [40, 40, 20]
    assert [batch.end for batch in batches] == [40, 80, 100]
    assert batches[0].carry == items[39].carry
    texts = [message.text for batch in batches for message in batch.messages]
    assert texts == [f"message number {at}" for at in range(100)]
    view = View(ZoneInfo("UTC"), str, FALLBACK)
    assert plan_batch(iter(items), BatchLimits(), view) is not None
    assert plan_batch([], BatchLimits(), view) is None


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("uat"), st.integers(1, 900)), max_size=25),
    st.integers(1, 5),
    st.integers(50, 1_500),
)
def test_every_event_is_in_exactly_one_batch(shape: list[tuple[str, int]], most: int, chars: int) -> None:
    """Whatever the limits, kept messages come out once each and in order, and batches keep to the limits."""
    entries = [
        user(at * 300, f"u{at} " + "w" * size)
        if kind == "u"
        else assistant(
            at * 300, f"a{at} " + "w" * size if kind == "a" else "", (f"c{at}", "exec", {"command": "x"})
        )
        for at, (kind, size) in enumerate(shape)
    ]
    items = classified(*entries)
    batches = plan(items, BatchLimits(most, chars, 500))
    assert sum(batch.events for batch in batches) == len(items)
    spoken = [message for batch in batches for message in batch.messages if message.text]
    assert [message.text.split()[0] for message in spoken] == [
        f"{kind}{at}" for at, (kind, _) in enumerate(shape) if kind != "t"
    ]
    for batch in batches:
        worded = [message for message in batch.messages if message.text]
        assert len(worded) <= most
        assert len(worded) <= 1 or sum(len(message.text) for message in worded) <= chars


def test_glued_records_are_never_cut_apart() -> None:
    """Two messages of one line go into one batch, since a cursor cannot stand between them."""
    items = classified(
        user(0, "one one"), user(300, "two two"), user(600, "three"), start=lambda at: min(at, 1)
    )
    batches = plan(items, BatchLimits(messages=1))
    assert [[message.text for message in batch.messages] for batch in batches] == [
        ["one one"],
        ["two two", "three"],
    ]


def test_the_marker_is_always_the_same_for_the_same_messages() -> None:
    """Eight hex digits, different for another session, other messages or another order."""
    marker = batch_marker("s1", [b"a", b"b"])
    assert marker == batch_marker("s1", [b"a", b"b"])
    assert len(marker) == 8
    assert int(marker, 16) >= 0
    others = {batch_marker("s2", [b"a", b"b"]), batch_marker("s1", [b"b", b"a"]), batch_marker("s1", [b"ab"])}
    assert marker not in others
    assert len(others) == 3
