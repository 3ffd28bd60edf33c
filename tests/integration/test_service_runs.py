"""The service as it is used: it notes what is said by itself, once, and ends when it is told to."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fakes.model_server import Behaviour, Hang, ModelServer, chat, error, model_server
from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.counting import assert_whole, token, tokens_noted
from tests.integration.service_process import COMMAND, ROOT, present, service, until
from tests.lab import SESSION, Lab
from totalrecall.daemon import runtime

OTHER = SESSION.replace("1111", "2222", 1)


def echo(raw: bytes) -> Behaviour:
    """One note a message, with its token."""
    talk = json.loads(raw)["messages"][-1]["content"]
    found = re.findall(r"(?m)^(\d+) \S .*?\b(tok\d{5})\b", talk)
    lines = [f"- 🟢 12:00 [fact] It is {word} [{number}]" for number, word in found]
    return chat("\n".join(lines) or "NO_OBSERVATIONS")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A running endpoint that notes every token."""
    with model_server() as running:
        running.answer = echo
        yield running


@pytest.fixture
def home(tmp_path: Path, server: ModelServer) -> Lab:
    """An agent that is there before the service is, with a model of its own."""
    lab = present(tmp_path)
    lab.env = {
        "LLM_BASE_URL": f"{server.url}/v1",
        "OBSERVER_MODEL": "maker/one",
        "TOTALRECALL_CALLS_PER_HOUR": "3600",
        "OBSERVER_LINE_THRESHOLD": "5",
        "OBSERVER_COOLDOWN_SECS": "1",
    }
    return lab


def said(lab: Lab, numbers: range, session: str = SESSION) -> list[str]:
    """Messages with a token each."""
    words = [token(number) for number in numbers]
    lab.say(*[f"it is {word}" for word in words], session=session)
    return words


def noted(lab: Lab, words: list[str]) -> bool:
    """Whether each of them stands in the notes once."""
    return tokens_noted(lab.notes) == dict.fromkeys(words, 1)


def test_the_threshold_starts_a_run(home: Lab) -> None:
    """Fewer lines wait; with the fifth the observer runs, and again after the cooldown, nothing lost or twice."""
    with service(home) as running:
        words = said(home, range(4))
        time.sleep(0.4)
        assert home.notes == ""
        words += said(home, range(4, 6))
        assert until(lambda: noted(home, words)), running.err
        time.sleep(0.4)
        words += said(home, range(6, 12))
        assert until(lambda: noted(home, words)), running.err
        assert [one["reason"] for one in running.events("run_due")] == ["threshold"] * 2
        assert running.stop()[0] == 0
    assert_whole(home, words)


@pytest.mark.report("R024", "R025", "R032")
def test_ends_and_compactions_do_not_wait(home: Lab) -> None:
    """One line before a compaction, one before /new, one in a folder that was renamed meanwhile: noted at once."""
    home.env["OBSERVER_COOLDOWN_SECS"] = "300"
    with service(home) as running:
        words = said(home, range(1))
        home.append(
            {
                "type": "compaction",
                "id": "c0ffee01",
                "timestamp": "2026-12-01T00:00:00.000Z",
                "summary": "s",
                "firstKeptEntryId": "x",
                "tokensBefore": 1,
            }
        )
        assert until(lambda: noted(home, words)), running.err
        words += said(home, range(1, 2))
        home.path().rename(home.sessions / f"{SESSION}.jsonl.reset.2026-12-01T00-00-00.000Z")
        words += said(home, range(2, 3), OTHER)
        assert until(lambda: noted(home, words)), running.err
        assert {one["reason"] for one in running.events("run_due")} == {"boundary"}
        assert running.stop()[0] == 0
    assert_whole(home, words)


def test_an_end_gets_a_stand_in_while_the_model_is_away(home: Lab, server: ModelServer) -> None:
    """The next session begins now, not when the model is back: the built-in engine's notes hold the place."""
    server.answer = lambda _raw: error(503, "away")
    with service(home) as running:
        home.say("We decided: the port is 8443.")
        home.path().rename(home.sessions / f"{SESSION}.jsonl.reset.2026-12-01T00-00-00.000Z")
        assert until(lambda: " provisional -->" in home.notes), running.err
        assert home.notes.count("8443") == 1
        assert running.stop()[0] == 0


@pytest.mark.report("R004", "R098")
def test_what_comes_goes_and_returns_while_it_runs(tmp_path: Path, server: ModelServer) -> None:
    """Started before there is a home; the home, a second agent, a folder deleted and made again (f07, f08, f09)."""
    lab = Lab(tmp_path, engine=None)
    lab.env = {"LLM_BASE_URL": f"{server.url}/v1", "OBSERVER_MODEL": "m", "OBSERVER_LINE_THRESHOLD": "1"}
    lab.env |= {"OBSERVER_COOLDOWN_SECS": "1"}
    with service(lab) as running:
        lab.now = datetime.now(UTC)
        lab.sessions.mkdir(parents=True)
        lab.workspace.mkdir(parents=True)
        running.reload()
        words = said(lab, range(2))
        assert until(lambda: noted(lab, words)), running.err
        shutil.rmtree(lab.sessions)
        lab.sessions.mkdir()
        time.sleep(0.2)
        words += said(lab, range(2, 4), OTHER)
        running.reload()
        assert until(lambda: noted(lab, words)), running.err
        second = Lab(tmp_path, agent="second", now=lab.now, env=lab.env)
        words += said(second, range(4, 6), SESSION.replace("1111", "3333", 1))
        (lab.state_dir / "workspace-second").mkdir()
        running.reload()
        notes = lab.state_dir / "workspace-second" / "memory" / "observations.md"
        assert until(
            lambda: notes.exists() and tokens_noted(notes.read_text()) == dict.fromkeys(words[4:], 1)
        )
        assert {one["agent"] for one in running.events("agent_found")} == {"main", "second"}
        assert running.stop()[0] == 0


def test_sessions_in_a_database(home: Lab) -> None:
    """Rows in the write-ahead log wake it as lines do, and the gateway's files keep their place."""
    db = OpenClawDb(home.state_dir / "agents" / "main" / "agent" / "openclaw-agent.sqlite")
    try:
        db.clock_ms = int(home.now.timestamp() * 1000)
        with service(home) as running:
            db.begin(SESSION)
            words = [token(number) for number in range(6)]
            for word in words:
                db.say(SESSION, f"it is {word}")
            assert until(lambda: noted(home, words)), running.err
            assert db.wal_bytes() > 0
            assert running.stop()[0] == 0
    finally:
        db.close()


def test_a_run_from_outside_begins_a_new_count(home: Lab) -> None:
    """Somebody runs 'totalrecall observe' at three of five lines: two more do not make five."""
    with service(home) as running:
        words = said(home, range(3))
        time.sleep(0.4)
        command = [sys.executable, "-m", "totalrecall", "observe"]
        env = {"HOME": str(home.root), "PATH": os.environ["PATH"], **home.environment()}
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, timeout=30)
        assert noted(home, words)
        words += said(home, range(3, 5))
        time.sleep(0.6)
        assert running.events("run_due") == []
        words += said(home, range(5, 8))
        assert until(lambda: noted(home, words)), running.err
        assert [one["entries"] for one in running.events("run_due")] == [5]
        assert running.stop()[0] == 0


def test_a_schedule_that_makes_no_sense_is_refused(home: Lab) -> None:
    """Exit 78, which keeps systemd from trying again, with the name and what is allowed."""
    env = {"HOME": str(home.root), "PATH": os.environ["PATH"], "TOTALRECALL_SCHEDULE_SCAN": "often"}
    done = subprocess.run(COMMAND, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 78
    assert "TOTALRECALL_SCHEDULE_SCAN" in done.stderr
    assert "five fields" in done.stderr


@pytest.mark.report("R121")
def test_a_second_service_says_who_runs(home: Lab) -> None:
    """And ends with 75. A lock that its holder left by SIGKILL does not keep anybody from starting."""
    env = {"HOME": str(home.root), "PATH": os.environ["PATH"], **home.environment()}
    with service(home) as running:
        done = subprocess.run(
            COMMAND, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=30
        )
        assert done.returncode == 75
        assert f"process {running.pid}" in done.stderr
        running.process.kill()
        running.process.wait(10)
        with service(home) as next_one:
            assert next_one.stop()[0] == 0


def test_a_reload_reads_the_settings_again(home: Lab) -> None:
    """A threshold from the config folder counts after SIGHUP; nothing is lost by it, and systemd is told."""
    del home.env["OBSERVER_LINE_THRESHOLD"]
    config = home.root / ".config" / "total-recall"
    config.mkdir(parents=True)
    with service(home) as running:
        words = said(home, range(3))
        time.sleep(0.3)
        (config / ".env").write_text("OBSERVER_LINE_THRESHOLD=2\n")
        running.reload()
        assert until(lambda: noted(home, words)), running.err
        assert any(one.startswith("MONOTONIC_USEC=") for one in running.hear())
        (config / ".env").write_text("TOTALRECALL_SCHEDULE_SCAN=often\n")
        running.reload()
        assert running.events("settings_refused")
        assert running.process.poll() is None
        assert running.stop()[0] == 0


@pytest.mark.report("R106")
def test_what_was_said_while_it_was_down_is_noted_at_its_start(home: Lab) -> None:
    """One line is enough, also in a file that was renamed meanwhile (f02); SIGKILL in between loses nothing."""
    home.env["OBSERVER_LINE_THRESHOLD"] = "1000"
    with service(home) as running:
        running.process.kill()
        running.process.wait(10)
    words = said(home, range(5))
    home.path().rename(home.sessions / f"{SESSION}.jsonl.reset.2026-12-01T00-00-00.000Z")
    words += said(home, range(5, 6), OTHER)
    with service(home) as running:
        assert until(lambda: noted(home, words)), running.err
        assert running.stop()[0] == 0
    assert_whole(home, words)


@pytest.mark.report("R108")
@pytest.mark.parametrize(("slow", "number"), [("call", signal.SIGTERM), ("retry", signal.SIGINT)])
def test_it_is_out_quickly_whatever_it_waits_for(
    home: Lab, server: ModelServer, slow: str, number: signal.Signals
) -> None:
    """During a call that never ends and between two attempts: within seconds, exit 0, nothing lost or twice."""
    server.answer = (lambda _raw: Hang()) if slow == "call" else (lambda _raw: error(503, "later"))
    with service(home) as running:
        words = said(home, range(6))
        assert until(lambda: server.requests), running.err
        time.sleep(0.1)
        code, took_s = running.stop(number)
        assert code == 0
        assert took_s < 4.0
        assert running.events("stopped")
        assert running.state()["stopped"] is True
    assert home.notes == ""
    server.answer = echo
    home.env["TOTALRECALL_QUIET_MIN"] = "1"
    home.now = datetime.now(UTC)
    with service(home) as running:
        assert until(lambda: noted(home, words), 40), running.err
        assert running.stop()[0] == 0
    assert_whole(home, words)


HANGS = """
import sys, time
from totalrecall.daemon import jobs, runtime
stuck = jobs.Job(lambda _ctx, _stop: time.sleep(60) or jobs.Outcome(), 1800.0)
runtime.Service.__init__.__defaults__ = ({"recover": stuck},)
runtime.STOP_S = 1.0
from totalrecall.cli.main import run
raise SystemExit(run(["run"]))
"""


@pytest.mark.report("R108")
def test_a_second_signal_ends_it_at_once(home: Lab) -> None:
    """A job that hears nothing is waited for some seconds; the second signal does not even wait for those."""
    command = (sys.executable, "-c", HANGS)
    with service(home, command) as running:
        time.sleep(0.2)
        code, took_s = running.stop()
        assert (code, running.events("stopped")[0]["cut_short"]) == (0, 1)
        assert 1.0 <= took_s < 4.0
    assert runtime.STOP_S < 4.0
    with service(home, command) as running:
        time.sleep(0.2)
        running.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        code, took_s = running.stop()
        assert code == 0
        assert took_s < 0.5


def test_it_ends_with_the_terminal_it_was_started_in(home: Lab) -> None:
    """Whoever tries it and closes the window leaves nothing running."""
    env = {"HOME": str(home.root), "PATH": os.environ["PATH"], **home.environment()}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execve(COMMAND[0], COMMAND, env)
    state = home.root / ".local" / "state" / "total-recall" / "service.json"
    try:
        assert until(state.exists)
        time.sleep(0.3)
    finally:
        os.close(terminal)
    assert until(lambda: json.loads(state.read_bytes())["stopped"], 8)
    _, status = os.waitpid(pid, 0)
    # In order, and not by the signal; there is nowhere left to print to.
    assert os.WIFEXITED(status)
