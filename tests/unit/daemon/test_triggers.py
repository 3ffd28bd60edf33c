"""When a run is due: put off by a cooldown, never away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from totalrecall.daemon.triggers import Ignore, Reason, Rules, RunNow, Situation, Waiting, WaitUntil, decide

RULES = Rules(line_threshold=40, cooldown_s=300.0, quiet_s=600.0)
times = st.floats(1.0, 10_000.0, allow_nan=False)
waitings = st.lists(st.builds(Waiting, st.integers(0, 100), times), max_size=5)
situations = st.builds(Situation, waitings, st.booleans(), st.none() | times)


def test_the_threshold_starts_a_run_at_once() -> None:
    """Forty entries over several sessions, and no run before."""
    found = decide(RULES, Situation([Waiting(25, 90.0), Waiting(15, 99.0)]), 100.0)
    assert found == RunNow(Reason.THRESHOLD)


def test_a_cooldown_puts_a_run_off_to_its_end() -> None:
    """Not a second longer, however many entries come, and then it runs."""
    situation = Situation([Waiting(40, 90.0)], threshold_run_s=50.0)
    assert decide(RULES, situation, 100.0) == WaitUntil(350.0, Reason.THRESHOLD)
    assert decide(RULES, situation, 350.0) == RunNow(Reason.THRESHOLD)


def test_a_session_that_falls_quiet_is_finished() -> None:
    """One entry is enough, and talk in another session does not keep it from being noted."""
    assert decide(RULES, Situation([Waiting(1, 100.0)]), 200.0) == WaitUntil(700.0, Reason.QUIET)
    assert decide(RULES, Situation([Waiting(1, 100.0), Waiting(5, 699.0)]), 700.0) == RunNow(Reason.QUIET)


def test_a_boundary_does_not_wait_for_anything() -> None:
    """Also in the cooldown: the agent is about to forget."""
    situation = Situation([Waiting(1, 99.0)], boundary=True, threshold_run_s=99.0)
    assert decide(RULES, situation, 100.0) == RunNow(Reason.BOUNDARY)


@given(situations, times)
def test_nothing_unread_is_left_without_a_time(situation: Situation, now_s: float) -> None:
    """Whatever waits has a run now or a time for one, not later than quiet; what does not wait has none."""
    found = decide(RULES, situation, now_s)
    if not situation.waiting:
        assert found == Ignore()
    elif isinstance(found, WaitUntil):
        assert now_s < found.at_s <= min(one.noticed_s for one in situation.waiting) + RULES.quiet_s
        assert isinstance(decide(RULES, situation, found.at_s), RunNow)
    else:
        assert isinstance(found, RunNow)


@given(situations, times)
def test_the_threshold_keeps_its_cooldown(situation: Situation, now_s: float) -> None:
    """Two runs by the threshold are never closer together than that."""
    found = decide(RULES, situation, now_s)
    if found == RunNow(Reason.THRESHOLD):
        assert situation.new_entries >= RULES.line_threshold
        last_s = situation.threshold_run_s
        assert last_s is None or now_s - last_s >= RULES.cooldown_s or now_s < last_s
