"""Batches: each step is durable, and only the last moves the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity, ids, seen, session, with_skips
from totalrecall.domain.note import Compression, Dropped
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import LedgerError
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.rows import Adoption, BatchStatus


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An adopted ledger that knows session s1 from its start."""
    with Ledger.open(tmp_path / "state", now_ms=NOW) as opened:
        opened.adopt(Adoption(NOW, NOW - 1000), [session(0)])
        yield opened


def position(ledger: Ledger, session_id: str = "s1") -> int:
    """Where the cursor stands."""
    row = ledger.session(session_id)
    assert row is not None
    return row.cursor.position


@pytest.mark.report("R031")
def test_only_the_commit_moves_the_cursor(ledger: Ledger) -> None:
    """Planning, answering and writing leave the cursor; the commit moves it with the states."""
    row = batch("aa000001", 1, 3)
    ledger.plan(row)
    assert position(ledger) == 0
    ledger.store_answer("aa000001", answer("Deploys go through staging"), ids(row))
    assert position(ledger) == 0
    ledger.mark_writing("aa000001", "d1")
    assert position(ledger) == 0
    assert ledger.known(ids(row)) == {}
    ledger.commit("aa000001", now_ms=NOW + 5)
    assert position(ledger) == 40
    assert {one.state for one in ledger.known(ids(row)).values()} == {MessageState.NOTED}
    assert ledger.open_batches() == []


@pytest.mark.report("R031")
def test_without_an_answer_nothing_is_committed(ledger: Ledger) -> None:
    """A batch that no engine has answered cannot be booked as done."""
    ledger.plan(batch("aa000001", 1, 3))
    with pytest.raises(LedgerError, match="it is planned"):
        ledger.commit("aa000001", now_ms=NOW)
    assert position(ledger) == 0


@pytest.mark.report("R031")
def test_an_empty_answer_is_not_nothing_notable(ledger: Ledger) -> None:
    """No note and no plain "nothing notable": the commit is refused, the batch can be set aside."""
    row = batch("aa000001", 1, 3)
    ledger.plan(row)
    ledger.store_answer("aa000001", Compression((), dropped=(Dropped("x", "prose"),)), ids(row))
    with pytest.raises(LedgerError, match="set aside"):
        ledger.commit("aa000001", now_ms=NOW)
    assert position(ledger) == 0
    ledger.set_aside("aa000001", "no usable answer", NOW)
    assert {one.state for one in ledger.known(ids(row)).values()} == {MessageState.SET_ASIDE}
    assert position(ledger) == 40


def test_nothing_notable_is_a_state_of_its_own(ledger: Ledger) -> None:
    """A plain "nothing notable" moves the cursor and says so for each message; skips keep their reason."""
    row = with_skips(batch("aa000001", 1, 4), 2)
    ledger.plan(row)
    ledger.store_answer("aa000001", answer(), ids(row))
    ledger.commit("aa000001", now_ms=NOW)
    states = {one.identity: one.state for one in ledger.known([identity(n) for n in range(1, 5)]).values()}
    assert states[identity(2)] is MessageState.SKIPPED
    assert states[identity(1)] is MessageState.NOTHING_NOTABLE
    counts = ledger.counts()
    assert counts.by_state == {MessageState.SKIPPED: 1, MessageState.NOTHING_NOTABLE: 3}
    assert counts.by_reason == {SkipReason.COMMAND: 1}
    assert counts.total == 4


def test_an_answer_of_known_notes_only_is_noted(ledger: Ledger) -> None:
    """Lines left out because they are already noted settle their messages as noted."""
    row = batch("aa000001", 1, 1)
    ledger.plan(row)
    ledger.store_answer("aa000001", Compression((), dropped=(Dropped("x", "known"),)), ids(row))
    ledger.commit("aa000001", now_ms=NOW)
    assert ledger.counts().by_state == {MessageState.NOTED: 1}


def test_open_batches_come_back_whole(ledger: Ledger) -> None:
    """What was planned is read back as it was, with the step it is at."""
    row = with_skips(batch("aa000001", 1, 4), 3)
    ledger.plan(row)
    assert ledger.open_batches()[0].seen[0] == seen(1).__class__(
        identity(1), "s1", 10, True, MessageState.PENDING, None, NOW + 1, "aa000001"
    )
    assert ledger.open_batches()[0].session == row.session
    ledger.store_answer("aa000001", answer("One"), ids(row))
    ledger.mark_writing("aa000001", "d1")
    found = ledger.open_batches()[0]
    assert (found.status, found.file_digest, found.model) == (BatchStatus.WRITING, "d1", "some/model")
    assert [one.reason for one in found.seen] == [None, None, SkipReason.COMMAND, None]


def test_a_second_commit_changes_nothing(ledger: Ledger) -> None:
    """A rerun after the commit finds it done."""
    row = batch("aa000001", 1, 3)
    ledger.plan(row)
    ledger.store_answer("aa000001", answer("One"), ids(row))
    ledger.commit("aa000001", now_ms=NOW)
    before = (ledger.sessions(), ledger.notes(), ledger.counts())
    assert ledger.commit("aa000001", now_ms=NOW + 99) == ()
    assert (ledger.sessions(), ledger.notes(), ledger.counts()) == before


def test_a_plan_is_replaced_only_while_it_is_a_plan(ledger: Ledger) -> None:
    """The same marker again replaces a plan, never a batch with an answer."""
    ledger.plan(batch("aa000001", 1, 3))
    ledger.plan(batch("aa000001", 1, 2))
    assert len(ledger.open_batches()[0].seen) == 2
    ledger.store_answer("aa000001", answer("One"), [identity(1)])
    with pytest.raises(LedgerError, match="planned again"):
        ledger.plan(batch("aa000001", 1, 3))


def test_discard_is_for_plans(ledger: Ledger) -> None:
    """A plan can be dropped, twice too; an answered batch cannot."""
    ledger.plan(batch("aa000001", 1, 3))
    ledger.discard("aa000001")
    ledger.discard("aa000001")
    assert ledger.open_batches() == []
    ledger.plan(batch("aa000002", 1, 3))
    ledger.store_answer("aa000002", answer("One"), [identity(1)])
    with pytest.raises(LedgerError, match="discarded"):
        ledger.discard("aa000002")


def test_release_makes_messages_pending_and_reads_again(ledger: Ledger) -> None:
    """Released messages have no state, and the session is read again, in one step."""
    ledger.plan(batch("aa000001", 1, 2))
    ledger.set_aside("aa000001", "refused", NOW)
    row = batch("aa000002", 3, 4)
    ledger.plan(row)
    ledger.store_answer("aa000002", answer("One"), ids(row))
    ledger.commit("aa000002", now_ms=NOW)
    assert ledger.batches(5)[1].error == "refused"
    released = ledger.release_set_aside(["aa000001"])
    assert [one.position for one in released] == [10, 20]
    assert position(ledger) == 0
    assert set(ledger.known([identity(n) for n in range(1, 5)])) == {identity(3), identity(4)}


def test_a_provisional_block_settles_nothing(ledger: Ledger) -> None:
    """It moves no cursor and gives no state; the model's batches that cover it are told to replace it."""
    first = batch("bb000001", 1, 3, provisional=True)
    ledger.plan(first)
    ledger.store_answer("bb000001", answer("Raw"), ids(first))
    ledger.mark_writing("bb000001", "d1")
    ledger.commit_provisional("bb000001")
    ledger.commit_provisional("bb000001")
    assert position(ledger) == 0
    assert ledger.known(ids(first)) == {}
    assert [one.marker for one in ledger.provisional("s1")] == ["bb000001"]

    half = batch("aa000001", 1, 2)
    ledger.plan(half)
    ledger.store_answer("aa000001", answer("One"), ids(half))
    assert ledger.would_replace("aa000001") == ()
    assert ledger.commit("aa000001", now_ms=NOW) == ()
    rest = batch("aa000002", 3, 4)
    ledger.plan(rest)
    ledger.store_answer("aa000002", answer("Two"), ids(rest))
    assert ledger.would_replace("aa000002") == ("bb000001",)
    assert ledger.commit("aa000002", now_ms=NOW) == ("bb000001",)
    assert len(ledger.provisional("s1")) == 1
    ledger.drop_provisional(["bb000001", "aa000001"])
    assert ledger.provisional("s1") == []
    assert {one.marker for one in ledger.notes()} == {"aa000001", "aa000002"}


def test_a_set_aside_message_keeps_its_provisional_note(ledger: Ledger) -> None:
    """When the model failed on a message, the provisional note is what there is, and it stays."""
    first = batch("bb000001", 1, 1, provisional=True)
    ledger.plan(first)
    ledger.store_answer("bb000001", answer("Raw"), ids(first))
    ledger.commit_provisional("bb000001")
    ledger.plan(batch("aa000001", 1, 1))
    ledger.set_aside("aa000001", "refused", NOW)
    later = batch("aa000002", 2, 2)
    ledger.plan(later)
    ledger.store_answer("aa000002", answer("Two"), ids(later))
    assert ledger.commit("aa000002", now_ms=NOW) == ()


def test_provisional_and_real_batches_are_not_confused(ledger: Ledger) -> None:
    """Each kind has its own commit, and a provisional one is not set aside."""
    for marker, provisional in (("aa000001", False), ("bb000001", True)):
        row = batch(marker, 1, 1, provisional=provisional)
        ledger.plan(row)
        ledger.store_answer(marker, answer("One"), ids(row))
    with pytest.raises(LedgerError, match="not provisional"):
        ledger.commit_provisional("aa000001")
    with pytest.raises(LedgerError, match="moves no cursor"):
        ledger.commit("bb000001", now_ms=NOW)
    with pytest.raises(LedgerError, match="discard it"):
        ledger.set_aside("bb000001", "x", NOW)
    assert position(ledger) == 0


def test_a_stale_commit_does_not_turn_the_cursor_back(ledger: Ledger) -> None:
    """A batch that was planned before another went further gives its states and leaves the cursor."""
    row = batch("aa000001", 1, 1)
    ledger.plan(row)
    ledger.store_answer("aa000001", answer("One"), ids(row))
    ledger.pass_over(session(90), [seen(8, MessageState.SKIPPED)])
    ledger.commit("aa000001", now_ms=NOW)
    assert position(ledger) == 90
    assert ledger.known([identity(1)])[identity(1)].state is MessageState.NOTED


def test_an_unknown_marker_is_refused(ledger: Ledger) -> None:
    """Steps for a batch that was never planned change nothing."""
    with pytest.raises(LedgerError, match="it is unknown"):
        ledger.store_answer("cc000001", answer("One"), [identity(1)])
    with pytest.raises(LedgerError, match="it is unknown"):
        ledger.mark_writing("cc000001", "d")
