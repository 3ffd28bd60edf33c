"""`totalrecall status` as its users see it."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.shell import Run, shell_in
from tests.fakes.model_server import error, model_server
from tests.lab import Lab
from totalrecall import __version__
from totalrecall.cli.status_screen import Shown, lines_of
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.service_state import AgentState, ServiceState, encode
from totalrecall.jobs.observe import ObserveOptions
from totalrecall.jobs.status import Around, status


@pytest.fixture
def shell(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in the lab's home, whose clock is the real one."""
    lab.now = datetime.now(UTC)
    return shell_in(lab, monkeypatch, capsys)


def state_root(lab: Lab) -> Path:
    """Our own folder."""
    return lab.root / ".local" / "state" / "total-recall"


@contextmanager
def service(lab: Lab, **change: object) -> Iterator[None]:
    """A service that runs, as far as its lock and its state tell."""
    now_ms = time.time_ns() // 1_000_000
    agent = AgentState(watch="events", last_event_ms=now_ms, last_scan_ms=now_ms)
    facts = {
        "pid": os.getpid(),
        "version": __version__,
        "started_ms": now_ms - 7_300_000,
        "written_ms": now_ms,
        "next_runs": {"observe": now_ms + 430_000, "reflect": now_ms + 2_000_000},
        "agents": {"main": agent},
        **change,
    }
    root = state_root(lab)
    root.mkdir(parents=True, exist_ok=True)
    (root / "service.json").write_bytes(encode(ServiceState(**facts)))  # type: ignore[arg-type]
    with (root / "service.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_one_screen_says_how_it_stands(lab: Lab, shell: Run) -> None:
    """Last message, what waits, last success of each layer, service and next runs; green exits with 0."""
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    shell("observe")
    shell("recover")
    with service(lab):
        code, out, _ = shell("status")
    assert code == ExitCode.OK
    assert len(out.splitlines()) < 24
    assert "main  green" in out
    assert "observed      to a message " in out
    assert "0 pending" in out
    assert "last success  recover" in out
    assert "observe 0 s ago" in out or "observe 1 s ago" in out
    assert "running for 2 h (pid" in out
    assert "events, last look 0 s ago" in out or "events, last look 1 s ago" in out
    assert "observe in 7 min · reflect in 33 min" in out


def test_without_a_service_cron_is_enough(lab: Lab, shell: Run) -> None:
    """It says that none runs and how to start one; that alone is no trouble."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    code, out, _ = shell("status")
    assert (code, "service       not running" in out) == (ExitCode.OK, True)
    (found,) = json.loads(shell("status", "--json")[1])
    assert (found["health"], found["service"]["running"], found["behind_ms"]) == ("green", False, 0)


@pytest.mark.report("R104")
def test_a_service_that_hangs_turns_it_red(lab: Lab, shell: Run) -> None:
    """One sentence says why, and what to do; the exit code is 3."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    with service(lab, written_ms=time.time_ns() // 1_000_000 - 1_200_000):
        code, out, _ = shell("status")
    assert (code, "main  red" in out) == (ExitCode.PARTIAL, True)
    assert "! The service runs, and has said nothing for 20 minutes." in out


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("part", "harm", "said"),
    [
        ("observations.md", Path.unlink, "observations.md is gone or empty, although notes"),
        ("ledger.sqlite", _empty, "is gone, but its mirror or a backup is there"),
        ("ledger.sqlite", Path.unlink, "is gone, but its mirror or a backup is there"),
    ],
)  # fmt: skip
def test_what_a_run_would_stop_at_is_red_before_it(
    lab: Lab, shell: Run, part: str, harm: Callable[[Path], None], said: str
) -> None:
    """Notes or ledger are gone: red with one sentence, on the screen and for programs, before any run fails at it."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    harm(lab.notes_path if part == "observations.md" else state_root(lab) / "main" / part)
    code, out, _ = shell("status")
    assert (code, "main  red" in out, said in out) == (ExitCode.PARTIAL, True, True)
    code, out, _ = shell("status", "--json")
    (found,) = json.loads(out)
    assert (code, found["agent"], found["health"]) == (ExitCode.PARTIAL, "main", "red")
    assert said in found["troubles"][0]["what"]
    assert found["troubles"][0]["remedy"]
    assert shell("observe")[0] == ExitCode.PARTIAL


def test_a_config_of_openclaw_s_that_is_not_in_use_is_told(lab: Lab, shell: Run) -> None:
    """A workspace that it names is not known while it is broken: yellow, and which file it is."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    (lab.state_dir / "openclaw.json").write_text("{broken", encoding="utf-8")
    code, out, _ = shell("status")
    assert (code, "main  yellow" in out) == (ExitCode.PARTIAL, True)
    assert "openclaw.json:1: Not valid JSON5." in out


@pytest.mark.report("R001")
def test_talk_that_cannot_be_read_turns_it_red(lab: Lab, shell: Run) -> None:
    """The agent writes its transcripts under another name now: active, and nothing arrives."""
    shell("observe")
    (lab.sessions / "a1.jsonl.v9").write_text("talk of a kind that nobody knows\n")
    code, out, _ = shell("status")
    assert code == ExitCode.PARTIAL
    assert "main  red" in out
    assert "no talk in it can be read." in out
    assert "a1.jsonl.v9" in out


def test_stand_ins_and_what_keeps_the_model_away_are_shown(lab: Lab) -> None:
    """What is provisional, what waits and how far behind; the reason once, with the trouble that it makes."""
    with model_server() as server:
        lab.engine = None
        lab.env = {"LLM_BASE_URL": f"{server.url}/v1", "OBSERVER_MODEL": "maker/one"}
        server.will(error(503, "overloaded"))
        lab.say("We decided to use PostgreSQL 16, the port is 5432.")
        lab.observe(ObserveOptions(stand_in=True))
    lab.append(lab.entry("assistant", [{"type": "text", "text": "Done."}]))
    with lab.context() as ctx:
        screen = "\n".join(lines_of(Shown(status(ctx), "", ctx.now_ms())))
    assert "1 provisional, until the model answers" in screen
    assert "2 pending" in screen
    assert "! The last run could not note everything: " in screen
    assert "last error" not in screen  # the trouble says it already


def test_a_reflectors_week_is_told(lab: Lab) -> None:
    """Words before and after, and why answers were refused."""
    lab.say("We decided to use PostgreSQL 16.")
    lab.observe()
    now_ms = int(lab.now.timestamp() * 1000)
    with lab.context() as ctx:
        for well, numbers in (
            (True, {"result": "rewritten", "words_before": 9000, "words_after": 4000}),
            (
                False,
                {"result": "refused", "words_before": 9000, "words_after": 9000, "reason": "Loses rules."},
            ),
        ):
            ctx.ledger.record_run("reflect", now_ms, well, numbers, ended_ms=now_ms)  # type: ignore[arg-type]
        found = status(ctx, Around())
    screen = "\n".join(lines_of(Shown(found, "", now_ms)))
    assert "9,000 → 4,000 words this week; 1 refused, the last: Loses rules." in screen
    assert "last error    reflect 0 s ago: Loses rules." in screen


@pytest.mark.parametrize("ending", ["interrupt", "reader"])
def test_watching_ends_quietly(lab: Lab, shell: Run, ending: str) -> None:
    """Ctrl-C and a reader that has seen enough end it without a traceback."""
    shell("observe")
    command = [sys.executable, "-m", "totalrecall", "status", "--watch", "--every", "0.5"]
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert watching.stdout is not None
    assert watching.stderr is not None
    while "every 0.5 s" not in watching.stdout.readline():
        pass
    if ending == "interrupt":
        watching.send_signal(signal.SIGINT)
    watching.stdout.close()
    assert watching.wait(timeout=10) == ExitCode.OK
    assert watching.stderr.read() == ""
    watching.stderr.close()


def test_watch_and_json_do_not_go_together(shell: Run) -> None:
    """A stream of documents is no document."""
    assert shell("status", "--watch", "--json")[0] == ExitCode.USAGE
