"""`totalrecall logs`: all log files as one, newest last, bounded, and without anybody's words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.cli.shell import Run
from tests.lab import Lab
from totalrecall.domain.outcome import ExitCode
from totalrecall.files.log_tail import LogFollower, last_lines
from totalrecall.log import LogOptions, append_line, configure


def log(lab: Lab, name: str, event: str, at_s: int, level: str = "info", **values: str | int) -> None:
    """One event of a log, ``at_s`` seconds after noon."""
    at = datetime(2026, 3, 2, 12, tzinfo=UTC) + timedelta(seconds=at_s)
    options = LogOptions(folder=lab.workspace / "logs", stream=None, now=lambda: at, level="debug")
    getattr(configure(options).event_log(name), level)(event, **values)


def test_the_logs_are_shown_as_one_with_the_newest_last(lab: Lab, shell: Run) -> None:
    """By time over all four files, the last N, for people and as JSON lines."""
    log(lab, "observer", "batch_committed", 3, messages=12)
    log(lab, "reflector", "reflected", 1, words_after=400)
    log(lab, "observer-watcher", "service_started", 2)
    log(lab, "session-recovery", "recovered", 4, level="warning", notes=2)
    code, out, _ = shell("logs", "--lines", "3")
    assert code == ExitCode.OK
    assert out.splitlines() == [
        "2026-03-02 12:00:02  info     observer-watcher  service_started",
        "2026-03-02 12:00:03  info     observer          batch_committed  messages=12",
        "2026-03-02 12:00:04  warning  session-recovery  recovered  notes=2",
    ]
    newest = json.loads(shell("logs", "--json")[1].splitlines()[-1])
    assert (newest["event"], newest["notes"], newest["log"]) == ("recovered", 2, "session-recovery")


def test_level_job_and_agent_choose(lab: Lab, shell: Run) -> None:
    """Only warnings; only one log, by its name or its job's; only one agent's."""
    log(lab, "observer", "batch_committed", 1, agent="main")
    log(lab, "observer", "run_blocked", 2, level="error", agent="other")
    log(lab, "reflector", "reflected", 3, agent="main")

    def shown(*args: str) -> list[str]:
        return [json.loads(line)["event"] for line in shell("logs", "--json", *args)[1].splitlines()]

    assert shown("--level", "warning") == ["run_blocked"]
    assert shown("--job", "observe") == shown("--job", "observer") == ["batch_committed", "run_blocked"]
    assert shown("--job", "reflect", "--job", "recover") == ["reflected"]
    assert shown("--agent", "main") == ["batch_committed", "reflected"]
    assert shown("--lines", "0") == []
    code, _, err = shell("logs", "--job", "nonsense")
    assert (code, "Known: flush, observe" in err) == (ExitCode.USAGE, True)


def test_older_files_are_read_and_other_lines_passed_over(lab: Lab, shell: Run) -> None:
    """What was turned over still counts; what is no event of ours does not, and no terminal obeys it."""
    log(lab, "observer", "old", 1)
    path = lab.workspace / "logs" / "observer.log"
    path.rename(path.with_name("observer.log.1"))
    log(lab, "observer", "new", 2)
    line = {"timestamp": "2026-03-02T12:00:05+00:00", "level": "info", "log": "observer", "event": "e\x1b[2J"}
    with path.open("a") as file:
        file.write('not json\n{"timestamp": 5}\n[1]\n' + json.dumps(line) + "\n")
    _, out, _ = shell("logs")
    assert [line.split()[4].replace("\\x1b", "") for line in out.splitlines()] == ["old", "new", "e[2J"]
    assert "\x1b" not in out


def test_without_logs_it_says_where_they_would_be(lab: Lab, shell: Run) -> None:
    """Nothing on stdout, the folder on stderr, exit 0."""
    code, out, err = shell("logs")
    assert (code, out) == (ExitCode.OK, "")
    assert str(lab.workspace / "logs") in err


def test_a_real_run_logs_numbers_and_no_words(lab: Lab, shell: Run) -> None:
    """What the observer and recovery did can be read there; what was said cannot."""
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    shell("observe")
    lab.say("We decided to call the staging server stage-2.")
    shell("recover")
    _, out, _ = shell("logs")
    assert "batch_committed" in out
    assert "session-recovery  recovered" in out
    assert "PostgreSQL" not in out
    assert "stage-2" not in out


def test_following_shows_what_comes_and_ends_quietly(lab: Lab, shell: Run) -> None:
    """New lines appear, over a turned file too; Ctrl-C ends it with 0."""
    assert shell("logs")[0] == ExitCode.OK
    log(lab, "observer", "first", 1)
    command = [sys.executable, "-m", "totalrecall", "logs", "--follow"]
    following = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert following.stdout is not None
    assert following.stderr is not None
    assert "first" in following.stdout.readline()
    log(lab, "observer", "second", 2)
    path = lab.workspace / "logs" / "observer.log"
    path.rename(path.with_name("observer.log.1"))
    log(lab, "observer", "third", 3)
    assert "second" in following.stdout.readline()
    assert "third" in following.stdout.readline()
    following.send_signal(signal.SIGINT)
    assert following.wait(timeout=10) == ExitCode.OK
    assert following.stderr.read() == ""
    following.stdout.close()
    following.stderr.close()


WRITER = """
import sys
from pathlib import Path
from totalrecall.log import append_line
for number in range(400):
    append_line(Path(sys.argv[1]), f"{sys.argv[2]}-{number:04d} {'x' * 60}\\n".encode(), 20_000, 3)
"""


def test_several_writers_keep_the_logs_whole_and_bounded(tmp_path: Path) -> None:
    """Four processes at once: every line that is left is whole, and the files together stay bounded."""
    path = tmp_path / "logs" / "observer.log"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, f"w{number}"]) for number in range(4)]
    assert [one.wait(timeout=30) for one in writers] == [0, 0, 0, 0]
    files = sorted(path.parent.iterdir())
    assert len(files) <= 3
    # Whoever does not get the lock appends without turning over: a line of each of the others at most.
    assert sum(one.stat().st_size for one in files) <= 3 * (20_000 + 4 * 100)
    lines = last_lines(path, 10_000, lambda _line: True)
    assert len(lines) > 500
    assert all(len(line) == 68 and line.endswith(b"x" * 60) for line in lines)
    for writer in range(4):
        mine = [line for line in lines if line.startswith(b"w%d-" % writer)]
        assert mine == sorted(set(mine))


def test_a_follower_misses_nothing_when_files_are_turned(tmp_path: Path) -> None:
    """Lines before and after the turn, each once; a log that appears later is followed from its start."""
    path = tmp_path / "logs" / "observer.log"
    follower = LogFollower([path])
    assert follower.new_lines() == []
    written = []
    seen: list[bytes] = []
    for number in range(300):
        line = b"line %04d" % number
        append_line(path, line + b"\n", 1_000, 3)
        written.append(line)
        if number % 7 == 0:
            seen += follower.new_lines()
    assert seen + follower.new_lines() == written
    with path.open("ab") as file:
        file.write(b"half a li")
    assert follower.new_lines() == []
    os.truncate(path, 0)
    append_line(path, b"after\n", 1_000, 3)
    assert follower.new_lines() == [b"after"]
