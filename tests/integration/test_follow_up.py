"""What follows the observer's run, for cron, by hand and in the service."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes.engine import EchoEngine
from tests.lab import SESSION, Lab
from totalrecall.daemon.distill_time import distil_if_due
from totalrecall.daemon.jobs import JOBS
from totalrecall.jobs.aftermath import after_backfill, after_observe
from totalrecall.jobs.backfill import backfill
from totalrecall.jobs.distill.report import kept_report
from totalrecall.memory.profile.document import value_at


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent with the built-in engine, adopted."""
    made = Lab(tmp_path, engine=None)
    made.adopt()
    return made


def state_of(lab: Lab) -> Path:
    """Our own folder for the agent."""
    return lab.root / ".local" / "state" / "total-recall" / "main"


def followed(lab: Lab) -> tuple[str, ...]:
    """Observe, then what follows."""
    report = lab.observe()
    with lab.context() as ctx:
        return after_observe(ctx, report)


def ended(lab: Lab) -> None:
    """The session is closed by /new."""
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.{lab.now:%Y-%m-%dT%H-%M-%S.000Z}"))


def test_the_agents_view_follows_each_note_and_each_deletion(lab: Lab) -> None:
    """Also a run with nothing new takes out what a person deleted."""
    lab.say("We decided to keep PostgreSQL 16.", "From now on never deploy on Fridays.")
    assert followed(lab) == ()
    view = state_of(lab) / "context.md"
    assert "PostgreSQL" in view.read_text(encoding="utf-8")
    kept = [line for line in lab.notes.splitlines(keepends=True) if "PostgreSQL" not in line]
    lab.notes_path.write_text("".join(kept), encoding="utf-8")
    followed(lab)
    assert "PostgreSQL" not in view.read_text(encoding="utf-8")
    assert "Fridays" in view.read_text(encoding="utf-8")


def test_the_end_of_a_session_leaves_a_snapshot_a_state_and_what_was_said_about_the_user(lab: Lab) -> None:
    """Where the talk left something open."""
    lab.say("My name is Robin Hale. Please move the shop to stage-7 and fix deploy.sh.")
    lab.append(lab.entry("assistant", [
        {"type": "text", "text": "I will start."},
        {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "bash deploy.sh"}},
    ]))  # fmt: skip
    lab.append(lab.entry(
        "toolResult", [{"type": "text", "text": "error: no route to stage-7"}], toolCallId="c1", toolName="exec", isError=True,
    ))  # fmt: skip
    lab.say("What now? Next step: ask Tom for the route.")
    followed(lab)
    lab.now += timedelta(seconds=5)
    ended(lab)
    assert followed(lab) == ()
    assert "[SNAPSHOT] Active Goal" in (lab.workspace / "memory" / "2026-03-02.md").read_text(
        encoding="utf-8"
    )
    assert "stage-7" in (lab.workspace / "SESSION_STATE.md").read_text(encoding="utf-8")
    profile = json.loads((lab.state_dir / "memory" / "user_profile.json").read_text(encoding="utf-8"))
    assert value_at(profile, "identity.name") == "Robin Hale"


def test_a_step_that_fails_is_told_and_keeps_no_other_from_its_work(lab: Lab) -> None:
    """A folder where SESSION_STATE.md should be, and the view is there all the same."""
    (lab.workspace / "SESSION_STATE.md").mkdir(parents=True)
    lab.say("Please move the shop to stage-7.")
    followed(lab)
    ended(lab)
    failed = followed(lab)
    assert len(failed) == 1
    assert "SESSION_STATE.md" in failed[0]
    assert (state_of(lab) / "context.md").exists()


def test_a_long_log_is_consolidated_after_the_run_unless_somebody_waits(lab: Lab) -> None:
    """Hurried runs leave it to the next one."""
    lab.env["REFLECTOR_WORD_THRESHOLD"] = "200"
    lab.engine = EchoEngine()
    for number in range(40):
        lab.say(
            f"The build number {number} of the shop passed all its {number + 40} tests on stage-{number}."
        )
        lab.now += timedelta(hours=13)
    report = lab.observe()
    lab.now += timedelta(days=200)
    with lab.context() as ctx:
        before = lab.notes
        after_observe(ctx, report, hurried=True)
        assert lab.notes == before
        after_observe(ctx, report)
    assert len(lab.notes) < len(before)


def test_distillation_goes_by_the_users_own_schedule(lab: Lab) -> None:
    """Once after each of its times, however late; a first look only begins to count."""
    (lab.workspace / "distill-config.json").write_text('{"schedule": "0 13 * * *"}', encoding="utf-8")
    lab.say("We decided to keep PostgreSQL 16.")
    lab.observe()
    with lab.context() as ctx:
        assert not distil_if_due(ctx)
    lab.now += timedelta(hours=30)
    with lab.context() as ctx:
        assert distil_if_due(ctx)
        assert not distil_if_due(ctx)
        assert kept_report(ctx) is not None


def test_the_services_jobs_do_it_all(lab: Lab) -> None:
    """The observer's job notes and prepares the view, the daily one learns and backs up; a wrong schedule is told."""
    lab.say("My name is Robin Hale.")
    with lab.context() as ctx:
        assert JOBS["observe"].work(ctx, lambda: False).ok
        assert (state_of(lab) / "context.md").exists()
        assert JOBS["daily"].work(ctx, lambda: False).ok
        assert JOBS["reflect"].work(ctx, lambda: False).ok
        assert list((state_of(lab) / "backups").glob("ledger-*.sqlite"))
        profile = ctx.profile.read()
        assert isinstance(profile, dict)
        assert value_at(profile, "identity.name") == "Robin Hale"
    (lab.workspace / "distill-config.json").write_text('{"schedule": "99 99 * * *"}', encoding="utf-8")
    with lab.context() as ctx:
        outcome = JOBS["observe"].work(ctx, lambda: False)
    assert not outcome.ok
    assert "schedule" in outcome.reason


def test_a_backfill_teaches_the_profile_and_fills_the_view(lab: Lab) -> None:
    """Talk of before the adoption is no task any more: no snapshot, no state."""
    lab.now -= timedelta(days=3)
    lab.say("My name is Robin Hale.", "Please move the shop to stage-7.", "We decided to keep PostgreSQL 16.")
    lab.now += timedelta(days=3)
    with lab.context() as ctx:
        report = backfill(ctx, 0)
        assert after_backfill(ctx, report) == ()
        profile = ctx.profile.read()
    assert isinstance(profile, dict)
    assert value_at(profile, "identity.name") == "Robin Hale"
    assert "PostgreSQL" in (state_of(lab) / "context.md").read_text(encoding="utf-8")
    assert not (lab.workspace / "SESSION_STATE.md").exists()
