"""The jobs by name, as the service runs them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.engine import EchoEngine
from tests.integration.counting import tokens_noted
from tests.lab import Lab
from totalrecall.daemon.jobs import DAILY, JOBS
from totalrecall.daemon.schedule import Timetable
from totalrecall.errors import LedgerError, ModelUnreachableError


def _never() -> bool:
    return False


def test_every_schedule_has_its_job(lab: Lab) -> None:
    """All but the scan, which the service does itself."""
    with lab.context() as ctx:
        scheduled = set(Timetable.of(ctx.settings, ctx.zone).expressions)
    assert scheduled - {"scan"} <= set(JOBS)


@pytest.mark.report("R031")
def test_an_outage_is_a_failure_and_not_nothing_to_do(lab: Lab) -> None:
    """The observer says why; when the model answers again it goes well."""
    away = EchoEngine(failures=[ModelUnreachableError("No model answers.")])
    lab.say("it is tok00001")
    with lab.context() as ctx:
        found = JOBS["observe"].work(replace(ctx, engine_for=lambda: away), _never)
        assert (found.ok, found.reason) == (False, "No model answers.")
        assert JOBS["observe"].work(ctx, _never).ok
    assert tokens_noted(lab.notes) == {"tok00001": 1}


def test_an_order_to_stop_ends_the_observer_between_two_batches(lab: Lab) -> None:
    """Nothing is begun any more; the next run goes on from there."""
    lab.say("it is tok00001")
    with lab.context() as ctx:
        assert JOBS["observe"].work(ctx, lambda: True).ok
        assert lab.notes == ""
        assert JOBS["observe"].work(ctx, _never).ok
    assert tokens_noted(lab.notes) == {"tok00001": 1}


def test_recovery_is_followed_by_the_observer(lab: Lab) -> None:
    """It works to a short deadline: whatever it left is gone through again. With nothing new nothing follows."""
    with lab.context() as ctx:
        assert not JOBS["recover"].work(ctx, _never).more
        lab.say("it is tok00001")
        assert JOBS["recover"].work(ctx, _never).more
    assert tokens_noted(lab.notes) == {"tok00001": 1}


def test_one_step_of_the_day_that_fails_does_not_keep_the_others(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is backed up all the same, and the reason is told."""

    def broken(_ctx: object) -> None:
        raise LedgerError("It is broken.")

    monkeypatch.setattr("totalrecall.daemon.jobs.DAILY", (broken, *DAILY))
    lab.say("hello")
    lab.observe()
    with lab.context() as ctx:
        for old in ctx.state_dir.glob("backups/*"):
            old.unlink()
        found = JOBS["daily"].work(ctx, _never)
        assert (found.ok, found.reason) == (False, "It is broken.")
        assert list(ctx.state_dir.glob("backups/ledger-*.sqlite"))


def test_the_reflector_has_nothing_to_do_with_a_short_log(lab: Lab) -> None:
    """An hourly look costs nothing."""
    lab.say("hello")
    lab.observe()
    before = lab.notes
    with lab.context() as ctx:
        assert JOBS["reflect"].work(ctx, _never).ok
    assert lab.notes == before
