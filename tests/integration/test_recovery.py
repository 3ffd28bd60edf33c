"""Recovery: what ended with unread messages is finished, what did not costs nothing, and nobody waits long."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.fakes.model_server import Behaviour, Drip, Hang, ModelServer, chat, model_server
from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.counting import assert_whole, echo, recount, token
from tests.lab import SESSION, Lab
from totalrecall.bootstrap.model import extractive_engine
from totalrecall.domain.state import MessageState
from totalrecall.errors import ModelUnreachableError
from totalrecall.jobs.observe import ObserveReport
from totalrecall.jobs.recover import recover
from totalrecall.jobs.unread import looked_at_all_ms
from totalrecall.transcripts.choice import AgentTranscripts

OTHER = "22222222-bbbb-4bbb-8bbb-000000000002"
PATIENCE_S = 0.4


def recovered(lab: Lab, all_s: float = 45.0) -> ObserveReport:
    """One recovery."""
    with lab.context() as ctx:
        return recover(ctx, all_s=all_s, time_is_up=lab.should_stop)


def stored_hash(lab: Lab, stream: str = SESSION) -> str:
    """The hash that the ledger holds of a session's last entries."""
    with lab.context() as ctx:
        row = ctx.ledger.session(stream)
    assert row is not None
    return row.last_entries


def test_each_commit_stores_what_the_session_ends_with(lab: Lab) -> None:
    """With an engine's call and without one: the hash follows the cursor."""
    lab.say(f"it is {token(1)}")
    lab.observe()
    first = stored_hash(lab)
    assert first
    asked = len(echo(lab).requests)
    lab.append(lab.entry("user", [{"type": "text", "text": "/status"}]))
    lab.now += timedelta(hours=1)
    lab.observe()
    assert len(echo(lab).requests) == asked
    assert stored_hash(lab) not in {"", first}


@pytest.mark.report("R026")
def test_equal_last_entries_mean_no_call_whatever_the_file_looks_like(lab: Lab) -> None:
    """Touched, copied, or its beginning cut away: recovery passes it by, and the observer reads it anew."""
    lab.say(*[f"it is {token(number)}" for number in range(60)])
    lab.observe()
    asked = len(echo(lab).requests)
    lines = lab.path().read_bytes().splitlines(keepends=True)
    lab.path().write_bytes(b"".join([lines[0], *lines[6:]]))
    lab.now += timedelta(hours=3)
    assert recovered(lab).idle
    before = stored_hash(lab)
    lab.observe()
    assert len(echo(lab).requests) == asked
    assert stored_hash(lab) == before
    found = recount(lab)
    assert (found.states[MessageState.NOTED], found.gone) == (55, 5)


def test_a_message_before_equal_last_entries_is_left_to_the_observer(lab: Lab) -> None:
    """A rewrite that brings a new message in front of the last 50: the cursor decides, and it is noted."""
    lab.say(*[f"it is {token(number)}" for number in range(60)])
    lab.observe()
    lines = lab.path().read_bytes().splitlines(keepends=True)
    fresh = json.dumps(lab.entry("user", [{"type": "text", "text": f"it is {token(99)}"}])).encode()
    lab.path().write_bytes(b"".join([lines[0], fresh + b"\n", *lines[1:]]))
    lab.now += timedelta(hours=3)
    assert recovered(lab).idle
    lab.observe()
    assert_whole(lab, [token(number) for number in (*range(60), 99)])


def test_old_sessions_are_not_even_opened(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where size and time say that nothing happened since the last run, neither cursor nor hash is looked at."""
    for number in range(5):
        name = f"{number:08d}-aaaa-4aaa-8aaa-000000000000"
        lab.say(f"it is {token(number)}", session=name)
        os.utime(lab.path(name), (lab.now.timestamp(), lab.now.timestamp()))
    lab.now += timedelta(hours=1)
    lab.observe()
    looked = []
    for method in ("open", "last_entries"):
        monkeypatch.setattr(AgentTranscripts, method, lambda _self, session, *_: looked.append(session))
    lab.now += timedelta(days=30)
    report = recovered(lab)
    assert (report.idle, report.sessions, looked) == (True, 5, [])


@pytest.mark.report("R024", "R025")
def test_ends_of_every_kind_are_finished_whatever_their_age(lab: Lab) -> None:
    """Closed by ``/new``, closed again under the same id, gone quiet: each rest is noted, once, under its day."""
    lab.say(f"it is {token(1)}")
    lab.observe()
    lab.say(f"it is {token(2)}")
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    lab.say(f"it is {token(3)}")
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-10-09.000Z"))
    lab.say(f"it is {token(4)}", session=OTHER)
    day = f"{lab.now:%Y-%m-%d}"
    lab.now += timedelta(days=200)
    assert recovered(lab).messages == 3
    assert_whole(lab, [token(number) for number in range(1, 5)])
    assert {line for line in lab.notes.splitlines() if line.startswith("Date: ")} != set()
    assert all(day in line for line in lab.notes.splitlines() if line.startswith("Date: "))
    assert recovered(lab).idle


def test_the_database_is_recovered_like_the_files(lab: Lab) -> None:
    """Rows after a commit are read on; equal last entries are passed by, also after OpenClaw packed its rows."""
    db = OpenClawDb(lab.state_dir / "agents" / "main" / "agent" / "openclaw-agent.sqlite", 19)
    db.clock_ms = int(lab.now.timestamp() * 1000)
    db.begin(SESSION)
    for number in range(60):
        db.say(SESSION, f"it is {token(number)} " + "and so on " * 150)
    lab.now += timedelta(hours=1)
    lab.observe()
    assert stored_hash(lab)
    asked = len(echo(lab).requests)
    db.upgrade()
    db.rewrite(SESSION, [json.loads(text) for text in db.texts(SESSION)][4:])
    lab.now += timedelta(days=30)
    assert recovered(lab).idle
    assert len(echo(lab).requests) == asked
    db.say(SESSION, f"it is {token(99)}")
    db.close()
    assert recovered(lab).messages == 1
    assert token(99) in lab.notes


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A running endpoint."""
    with model_server() as running:
        yield running


def hurried(lab: Lab, server: ModelServer, patience_s: float = PATIENCE_S) -> Lab:
    """The agent with that endpoint, whose calls end after ``patience_s`` from now on."""
    ends_s = time.monotonic() + patience_s
    lab.engine, lab.emergency = None, extractive_engine()
    lab.should_stop = lambda: time.monotonic() >= ends_s
    lab.env = {"LLM_BASE_URL": f"{server.url}/v1", "OBSERVER_MODEL": "maker/one"}
    return lab


REFUSAL = chat("I am sorry, but I cannot help with that.")
DECISION = "We decided that Ada moves the pump hall to Building 4 by 2026-05-01."


@pytest.mark.report("R032", "R036")
@pytest.mark.parametrize("behaviour", [Hang(), Drip()], ids=["hangs", "drips"])
def test_a_silent_model_holds_nobody_up_and_is_replaced_later(
    lab: Lab, server: ModelServer, behaviour: Behaviour
) -> None:
    """Within the deadline a marked block stands in, for every session; the model's notes take its place."""
    server.will(behaviour)
    lab.say(DECISION)
    lab.say("We decided to paint the fence green, with Kim.", session=OTHER)
    began_s = time.monotonic()
    report = recovered(hurried(lab, server))
    took_s = time.monotonic() - began_s
    assert took_s < PATIENCE_S + 3
    assert isinstance(report.blocked, ModelUnreachableError)
    assert "did not answer within" in report.blocked.title
    assert report.provisional >= 2
    assert "Building 4" in lab.notes
    assert lab.notes.count("provisional -->") == 2
    assert len(server.requests) == 1
    server.will(chat("- 🔴 12:00 [decision] Ada moves the pump hall to Building 4 by 2026-05-01 [1]"))
    lab.should_stop = lambda: False
    lab.observe()
    assert "provisional" not in lab.notes
    assert lab.notes.count("Building 4") == 1  # the second session's same answer is known already
    assert recount(lab).states[MessageState.NOTED] == 2


def test_a_silent_model_keeps_only_one_start_up_waiting(lab: Lab, server: ModelServer) -> None:
    """The next one within minutes does not ask it again; the observer does, and after it recovery too."""
    server.will(Hang())
    lab.say(DECISION)
    recovered(hurried(lab, server))
    asked = len(server.requests)
    lab.say("We decided to paint the fence green, with Kim.")
    report = recovered(hurried(lab, server, 30.0))
    assert len(server.requests) == asked
    assert (report.provisional, "not waited for again" in str(report.blocked)) == (1, True)
    server.will(chat("- 🔴 12:00 [decision] The fence is painted green, with Kim [2]"))
    lab.now += timedelta(minutes=16)
    assert recovered(hurried(lab, server, 30.0)).messages == 2
    assert "provisional" not in lab.notes
    lab.say("We decided to paint the gate blue, with Kim.")
    server.will(chat("- 🔴 12:00 [decision] The gate is painted blue, with Kim [1]"))
    assert recovered(hurried(lab, server, 30.0)).messages == 1


def test_a_model_that_the_observer_has_reached_is_asked_again_at_once(lab: Lab, server: ModelServer) -> None:
    """Silence at a start-up is forgotten as soon as anybody's batch was noted."""
    server.will(Hang())
    lab.say(DECISION)
    recovered(hurried(lab, server))
    server.will(chat("- 🔴 12:00 [decision] Ada moves the pump hall to Building 4 by 2026-05-01 [1]"))
    lab.should_stop = lambda: False
    lab.observe()
    lab.say("We decided to paint the gate blue, with Kim.")
    server.will(chat("- 🔴 12:00 [decision] The gate is painted blue, with Kim [1]"))
    assert recovered(hurried(lab, server, 30.0)).messages == 1


def test_a_model_that_refuses_gets_nothing_noted_by_anybody_else(lab: Lab, server: ModelServer) -> None:
    """A refusal is an answer: the message is set aside, and told; it is not away, so nothing stands in."""
    server.will(REFUSAL)
    lab.say(DECISION)
    report = recovered(hurried(lab, server, 10.0))
    assert (report.set_aside, report.provisional, report.blocked) == (1, 0, None)
    assert recovered(lab).idle


def test_a_long_backlog_is_left_to_later_runs(lab: Lab) -> None:
    """After the time for all of it no batch is begun; the rest is noted by the next run, nothing twice."""
    words = [token(number) for number in range(30)]
    for number, word in enumerate(words):
        lab.say(f"it is {word}", session=f"{number:08d}-aaaa-4aaa-8aaa-000000000000")
    assert recovered(lab, all_s=0.0).out_of_time
    assert lab.notes == "" or words[-1] not in lab.notes
    lab.observe()
    assert_whole(lab, words)


def test_a_run_that_saw_only_a_part_vouches_for_nothing(lab: Lab) -> None:
    """A run that was out of time says so, and the next recovery does not take it for a look at everything."""
    lab.say(f"it is {token(1)}")
    lab.observe()
    lab.now += timedelta(hours=1)
    with lab.context() as ctx:
        recover(ctx, all_s=-1.0)
        runs = ctx.ledger.last_runs(ok=True)
    assert runs["recover"].numbers["partly"] == 1
    assert looked_at_all_ms(runs) == runs["observe"].started_ms
    assert looked_at_all_ms({"recover": runs["recover"]}) == 0
