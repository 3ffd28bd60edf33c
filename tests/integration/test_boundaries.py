"""Compactions and ends of sessions are told once, by the run that passes them."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.engine import EchoEngine
from tests.fakes.openclaw_db import OpenClawDb
from tests.lab import SESSION, START, Lab, iso
from totalrecall.domain.boundary import Boundary, BoundaryKind
from totalrecall.domain.session import SessionKind
from totalrecall.errors import ModelUnreachableError
from totalrecall.jobs.context import Step

OTHER = "22222222-bbbb-4bbb-8bbb-000000000002"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An adopted agent."""
    lab = Lab(tmp_path, now=START - timedelta(hours=1))
    lab.adopt()
    lab.now = START
    return lab


def mark(lab: Lab, kind: str, **fields: Any) -> dict[str, Any]:
    """A record that cuts the talk, at the lab's time."""
    lab.now += timedelta(seconds=1)
    stamp = iso(lab.now)
    return {"type": kind, "id": f"{kind}-{stamp}", "parentId": None, "timestamp": stamp, **fields}


def compaction(lab: Lab) -> dict[str, Any]:
    """What OpenClaw appends when it has compacted the context."""
    return mark(lab, "compaction", summary="What was said so far.", firstKeptEntryId="0", tokensBefore=9)


def kinds(told: list[Boundary]) -> list[tuple[str, str]]:
    """What was told, of which session."""
    return [(one.kind.value, one.session_id) for one in told]


@pytest.mark.report("R032")
def test_a_compaction_is_told_once(lab: Lab) -> None:
    """By the run that reads past it, with its own time; later runs and rewrites do not tell it again."""
    lab.say("The pump hall is in Building 4.")
    lab.append(compaction(lab))
    at_ms = int(lab.now.timestamp() * 1000)
    told = lab.observe().boundaries
    assert told == [Boundary(BoundaryKind.COMPACTION, SESSION, "", SessionKind.MAIN, at_ms)]
    assert lab.observe().boundaries == []
    lines = lab.path().read_bytes().splitlines(keepends=True)
    lab.path().write_bytes(b"".join([lines[0], *lines[2:]]))
    lab.now += timedelta(minutes=1)
    lab.say("The pumps run at night.")
    assert lab.observe().boundaries == []


def test_a_renamed_file_and_a_reset_record_are_ends(lab: Lab) -> None:
    """The file era closes by renaming, read to its end or not; each end is told once."""
    lab.say("The pump hall is in Building 4.")
    lab.observe()
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    lab.say("A new talk.", session=OTHER)
    told = lab.observe().boundaries
    assert kinds(told) == [("ended", SESSION)]
    assert told[0].at_ms == int((START + timedelta(seconds=9)).timestamp() * 1000)
    lab.append(mark(lab, "reset", reason="new"), session=OTHER)
    lab.say("After the reset.", session=OTHER)
    assert kinds(lab.observe().boundaries) == [("ended", OTHER)]
    assert lab.observe().boundaries == []


def test_an_end_is_told_when_everything_before_it_is_read(lab: Lab) -> None:
    """While the model is away the end waits with the messages, and comes with them."""
    lab.say("The pump hall is in Building 4.")
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    lab.engine = EchoEngine(failures=[ModelUnreachableError("The model is away.")])
    assert lab.observe().boundaries == []
    lab.engine = EchoEngine()
    assert kinds(lab.observe().boundaries) == [("ended", SESSION)]


def test_what_was_cut_before_adoption_is_not_told(tmp_path: Path) -> None:
    """Old compactions and closed files of an agent that is adopted now are history."""
    lab = Lab(tmp_path)
    lab.append(compaction(lab))
    closed = lab.path("old").with_name("old.jsonl.reset.2026-03-01T08-00-00.000Z")
    lab.say("Long ago.", session="old")
    lab.path("old").rename(closed)
    lab.now += timedelta(minutes=5)
    lab.workspace.mkdir(parents=True)
    assert lab.observe().boundaries == []
    assert lab.observe().boundaries == []


def test_machine_sessions_and_groups_have_no_boundaries(lab: Lab) -> None:
    """Nobody resumes the task of a cron job."""
    lab.say("Check the backups.")
    lab.append(compaction(lab))
    index = {"agent:main:cron:backups": {"sessionId": SESSION}}
    (lab.sessions / "sessions.json").write_text(json.dumps(index))
    assert lab.observe().boundaries == []


@pytest.mark.parametrize("step", [Step.PLANNED, Step.ANSWER_STORED, Step.MIRRORED, Step.COMMITTED])
def test_a_crash_loses_no_boundary(lab: Lab, step: Step) -> None:
    """The run after a crash tells what the crashed one had passed."""

    class CrashError(BaseException):
        """The process is gone."""

    def crash(passed: Step) -> None:
        if passed is step:
            raise CrashError

    lab.say("The pump hall is in Building 4.")
    lab.append(compaction(lab))
    lab.say("The pumps run at night.")
    with pytest.raises(CrashError):
        lab.observe(passed=crash)
    assert kinds(lab.observe().boundaries) == [("compaction", SESSION)]
    assert lab.observe().boundaries == []


@pytest.mark.report("R025")
def test_another_session_on_the_same_key_is_an_end(lab: Lab) -> None:
    """Idle and daily resets of the file era rename nothing: the key simply belongs to another session."""
    index = lab.sessions / "sessions.json"
    index.write_text(json.dumps({"agent:main:main": {"sessionId": SESSION}}))
    lab.say("The pump hall is in Building 4.")
    os.utime(lab.path(), (lab.now.timestamp(), lab.now.timestamp()))
    assert lab.observe().boundaries == []
    lab.now += timedelta(hours=9)
    index.write_text(json.dumps({"agent:main:main": {"sessionId": OTHER}}))
    lab.say("Good morning.", session=OTHER)
    os.utime(lab.path(OTHER), (lab.now.timestamp(), lab.now.timestamp()))
    told = lab.observe().boundaries
    assert [(one.session_id, one.key) for one in told] == [(SESSION, "agent:main:main")]
    assert lab.observe().boundaries == []


def test_the_database_tells_resets_compactions_and_idle_ends(lab: Lab) -> None:
    """A reset is a record there, an idle reset another session on the key; each is told once."""
    db = OpenClawDb(lab.state_dir / "agents" / "main" / "agent" / "openclaw-agent.sqlite")
    db.clock_ms = int(lab.now.timestamp() * 1000)
    db.begin(SESSION)
    db.say(SESSION, "The pump hall is in Building 4.")
    db.reset(SESSION)
    lab.now += timedelta(minutes=1)
    assert kinds(lab.observe().boundaries) == [("ended", SESSION)]
    db.append(SESSION, compaction(lab))
    db.say(SESSION, "The pumps run at night.")
    assert kinds(lab.observe().boundaries) == [("compaction", SESSION)]
    db.rollover(SESSION, OTHER)
    db.say(OTHER, "Good morning.")
    assert kinds(lab.observe().boundaries) == [("ended", SESSION)]
    assert lab.observe().boundaries == []
    db.close()
