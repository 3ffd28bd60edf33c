"""Adoption, sessions, known entries, counts, runs and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.ledger.rows_for_tests import NOW, identity, seen, session
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import LedgerError
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.rows import Adoption

ODD = "caf\udce9 \ud800.jsonl"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A new ledger."""
    with Ledger.open(tmp_path / "state", now_ms=NOW) as opened:
        yield opened


def test_an_agent_is_adopted_once(ledger: Ledger) -> None:
    """The first adoption stays, with its sessions."""
    assert ledger.adoption() is None
    first = Adoption(NOW, NOW - 1000)
    assert ledger.adopt(first, [session(10)]) == first
    assert ledger.adopt(Adoption(NOW + 5, NOW), [session(999)]) == first
    assert ledger.adoption() == first
    assert ledger.sessions() == [session(10)]


def test_adoption_moves_back_only(ledger: Ledger) -> None:
    """Backfill lets older messages count; nothing that counts ever stops counting."""
    with pytest.raises(LedgerError, match="not been adopted"):
        ledger.move_adoption(5)
    ledger.adopt(Adoption(NOW, NOW - 1000), [])
    ledger.move_adoption(NOW - 5000)
    ledger.move_adoption(NOW)
    assert ledger.adoption() == Adoption(NOW, NOW - 5000)


def test_a_session_comes_back_as_it_was(ledger: Ledger) -> None:
    """All fields survive, also names that are no valid text."""
    row = replace(
        session(50, session_id=ODD, carry='{"recent": ["\ud83d"]}'),
        location="/sessions/" + ODD,
        key=ODD,
        ended=True,
        bad_records=3,
        last_entries="abc",
        rebuilt=True,
        existed_at_adoption=False,
        started_ms=None,
    )
    assert ledger.put_session(row)
    assert ledger.session(ODD) == row
    assert ledger.session("nobody") is None


@pytest.mark.report("R031")
def test_a_stale_writer_does_not_turn_a_cursor_back(ledger: Ledger) -> None:
    """A lower position in the same transcript is refused unless a rescan is meant; another head is another one."""
    ledger.put_session(session(100))
    assert not ledger.put_session(session(50))
    assert ledger.sessions() == [session(100)]
    assert ledger.put_session(session(50, head="rewritten"))
    assert ledger.put_session(session(20, head="rewritten"), rescan=True)
    assert ledger.sessions() == [session(20, head="rewritten")]


def test_passing_over_keeps_the_first_state(ledger: Ledger) -> None:
    """A known identity keeps its state; new ones and the cursor are stored."""
    ledger.pass_over(session(20), [seen(1, MessageState.SKIPPED)])
    ledger.pass_over(session(30), [seen(1, MessageState.NOTED), seen(2, MessageState.NOTED)])
    states = {one: row.state for one, row in ledger.known([identity(1), identity(2), identity(3)]).items()}
    assert states == {identity(1): MessageState.SKIPPED, identity(2): MessageState.NOTED}
    assert ledger.known([identity(1)])[identity(1)] == seen(1, MessageState.SKIPPED)
    assert ledger.sessions() == [session(30)]


@pytest.mark.parametrize("state", [MessageState.PENDING, MessageState.BEFORE_ADOPTION])
def test_states_that_follow_from_the_cursor_are_not_stored(ledger: Ledger, state: MessageState) -> None:
    """Pending and before adoption are refused, and the cursor stays."""
    with pytest.raises(LedgerError, match="cannot be stored"):
        ledger.pass_over(session(20), [seen(1, state)])
    assert ledger.sessions() == []


def test_counts_are_of_messages_only(ledger: Ledger) -> None:
    """Entries that are no messages are known and not counted; one session can be asked for."""
    tool = replace(seen(3, MessageState.NOTHING_NOTABLE), is_message=False)
    other = replace(seen(4, MessageState.SKIPPED, session_id="s2"), reason=SkipReason.CRON)
    ledger.pass_over(session(20), [seen(1, MessageState.NOTED), seen(2, MessageState.SKIPPED), tool, other])
    assert ledger.counts().by_state == {MessageState.NOTED: 1, MessageState.SKIPPED: 2}
    assert ledger.counts().by_reason == {SkipReason.COMMAND: 1, SkipReason.CRON: 1}
    assert ledger.counts("s2").by_state == {MessageState.SKIPPED: 1}
    assert ledger.counts("nobody").total == 0
    assert identity(3) in ledger.known([identity(3)])


def test_forgotten_messages_stay_known(ledger: Ledger) -> None:
    """They count as skipped, so that reading them again notes nothing."""
    ledger.pass_over(session(20), [seen(1, MessageState.NOTED)])
    ledger.mark_forgotten([identity(1), identity(99)])
    assert ledger.counts().by_reason == {SkipReason.FORGOTTEN: 1}
    assert ledger.counts().total == 1


def test_many_identities_are_looked_up_at_once(ledger: Ledger) -> None:
    """More than one query's worth is found, every one of them and no other."""
    ledger.pass_over(session(20), [seen(n, MessageState.NOTED) for n in range(0, 5001, 2)])
    found = ledger.known([identity(n) for n in range(5001)])
    assert set(found) == {identity(n) for n in range(0, 5001, 2)}
    assert ledger.known([]) == {}


def test_runs_are_told_per_job_and_do_not_grow(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last run of each job, the last good one too; the oldest give way."""
    monkeypatch.setattr("totalrecall.ledger.runs.RUNS_KEPT", 3)
    ledger.record_run("observe", 1, True, {"notes": 2}, ended_ms=5)
    ledger.record_run("observe", 10, False, {"error": "unreachable"})
    ledger.record_run("reflect", 20, True, {})
    last = ledger.last_runs()
    assert (last["observe"].ok, last["observe"].numbers) == (False, {"error": "unreachable"})
    assert last["reflect"].started_ms == 20
    good = ledger.last_runs(ok=True)["observe"]
    assert (good.started_ms, good.ended_ms, good.numbers) == (1, 5, {"notes": 2})
    ledger.record_run("reflect", 30, True, {})
    assert "observe" not in ledger.last_runs(ok=True)


def test_facts_are_kept_apart_from_our_own(ledger: Ledger) -> None:
    """A job's fact has its own name space, is replaced, and is removed by None."""
    ledger.adopt(Adoption(1, 2), [])
    assert ledger.get("adoption") is None
    ledger.set("adoption", "x")
    ledger.set("adoption", ODD)
    assert ledger.get("adoption") == ODD
    ledger.set("adoption", None)
    assert ledger.get("adoption") is None
    assert ledger.adoption() == Adoption(1, 2)
