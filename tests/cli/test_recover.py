"""`totalrecall recover`: one line for the agent that starts up, and never a long wait."""

from __future__ import annotations

import json
import time

import pytest

from tests.cli.shell import Run
from tests.fakes.model_server import Hang, model_server
from tests.lab import SESSION, Lab
from totalrecall.domain.outcome import ExitCode
from totalrecall.files.lock import hold


@pytest.mark.report("R032", "R036")
def test_a_model_that_hangs_is_not_waited_for(lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins within the deadline, one line on stdout, the reason on stderr, exit 69."""
    monkeypatch.setattr("totalrecall.jobs.recover.MODEL_S", 0.5)
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    with model_server() as server:
        server.will(Hang())
        began_s = time.monotonic()
        code, out, err = shell("recover", LLM_BASE_URL=f"{server.url}/v1", OBSERVER_MODEL="maker/one")
        took_s = time.monotonic() - began_s
    assert took_s < 4
    assert (code, out) == (
        ExitCode.UNREACHABLE,
        "main: 1 provisional note stands in until the model answers.\n",
    )
    assert "The model did not answer within 0.5 s." in err
    assert "tr:" in lab.notes
    assert "provisional" in lab.notes


def test_an_observer_at_work_is_no_reason_to_wait(lab: Lab, shell: Run) -> None:
    """Somebody is doing it just now: a line, exit 75, within two seconds or so."""
    shell("recover")
    state = lab.root / ".local" / "state" / "total-recall" / "main"
    with hold(state / "job.lock", wait_s=1.0):
        began_s = time.monotonic()
        code, out, _ = shell("recover")
        took_s = time.monotonic() - began_s
    assert (code, out) == (ExitCode.BUSY, "main: the observer is at work just now; nothing to recover.\n")
    assert took_s < 3


def test_the_result_as_json(lab: Lab, shell: Run) -> None:
    """One document with what was done for each agent."""
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    (found,) = json.loads(shell("recover", "--json")[1])
    assert (found["agent"], found["messages"], found["out_of_time"]) == ("main", 1, False)
