"""How long the installed ``observe`` takes, and how much memory: nothing new, 20 lines, a large backlog."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path

from scripts.bench_parts._part import Row

TRIES = 7
LIMIT_MB = 150
RESUME_LIMIT_MB = 60
NAMES = ("Ada", "Bo", "Chandra", "Dmitri", "Eun", "Farid")
SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"


class Home:
    """A home folder with one OpenClaw agent, observed by the installed command."""

    def __init__(self, root: Path) -> None:
        self.sessions = root / ".openclaw" / "agents" / "main" / "sessions"
        self.sessions.mkdir(parents=True)
        (root / ".openclaw" / "workspace").mkdir()
        # As on a user's machine: with compiled modules, without anybody's key.
        self.env = {"HOME": str(root), "PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8"}
        self.path = self.sessions / f"{SESSION}.jsonl"

    def observe(self) -> tuple[float, float]:
        """One run: seconds and peak memory in MB."""
        return _run([str(Path(sys.executable).parent / "totalrecall"), "observe"], self.env)

    def fill(self, megabytes: float, lines: Iterator[bytes]) -> None:
        """A transcript of that size, untouched for years."""
        header = {"type": "session", "version": 3, "id": SESSION, "timestamp": "2020-01-01T00:00:00.000Z"}
        left = megabytes * 1_000_000
        with self.path.open("wb") as file:
            left -= file.write(json.dumps(header).encode() + b"\n")
            while left > 0:
                left -= file.write(next(lines))


def rows() -> list[Row]:
    """Every measurement of observing. Takes a few minutes and 600 MB of temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return [
            _idle(root / "idle"),
            *_resumes(root),
            _peak(root / "backlog", "observe an 80 MB backlog, peak memory (MB)", _backlog),
            _peak(root / "giant", "observe one 80 MB line, peak memory (MB)", _giant),
        ]


def _idle(root: Path) -> Row:
    home = Home(root)
    home.observe()
    home.fill(0.1, _talk(datetime.now(UTC)))
    home.observe()
    python = [sys.executable, "-c", "pass"]
    nothing = min(_run(python, home.env)[0] for _ in range(TRIES * 2))
    ours = min(home.observe()[0] for _ in range(TRIES * 2))
    return Row("observe with nothing new (s, python -c pass)", ours, nothing, ours / nothing, "<= 10")


def _resumes(root: Path) -> list[Row]:
    times, peaks = [], []
    for megabytes in (400, 1):
        home = Home(root / str(megabytes))
        home.fill(megabytes, _talk(datetime(2020, 1, 1, tzinfo=UTC)))
        os.utime(home.path, (1_600_000_000, 1_600_000_000))
        home.observe()
        new = _talk(datetime.now(UTC), 1_000_000)
        runs = []
        for _ in range(TRIES + 1):
            with home.path.open("ab") as file:
                file.writelines(islice(new, 20))
            runs.append(home.observe())
        times.append(min(seconds for seconds, _ in runs[1:]))
        peaks.append(max(peak_mb for _, peak_mb in runs[1:]))
        home.path.unlink()
    share = peaks[0] / RESUME_LIMIT_MB
    return [
        Row(
            "observe 20 new lines behind 400 MB (s, 1 MB)", times[0], times[1], times[0] / times[1], "<= 1.2"
        ),
        Row("the same, peak memory (MB)", peaks[0], RESUME_LIMIT_MB, share, "<= 1"),
    ]


def _peak(root: Path, name: str, fill: Callable[[Home], None]) -> Row:
    home = Home(root)
    home.observe()
    fill(home)
    _, peak_mb = home.observe()
    return Row(name, peak_mb, LIMIT_MB, peak_mb / LIMIT_MB, "< 1")


def _backlog(home: Home, megabytes: float = 80) -> None:
    home.fill(megabytes, _talk(datetime.now(UTC)))


def _giant(home: Home) -> None:
    home.fill(0.01, _talk(datetime.now(UTC)))
    before, _, after = _line(datetime.now(UTC), 9_000_000, "user", "MARK").partition(b"MARK")
    with home.path.open("ab") as file:
        file.write(before)
        for _ in range(80):
            file.write(b"a line of a pasted log " * 43_479)
        file.write(after)


def _talk(begin: datetime, first: int = 0) -> Iterator[bytes]:
    """Talk without repeats, a message every three seconds."""
    for number in count(first):
        at = begin + timedelta(seconds=3 * (number - first))
        name = NAMES[number % len(NAMES)]
        if number % 2:
            text = (
                f"I moved review {number} to room {number % 97} and told {name}. The agenda is unchanged: "
                + (
                    "first the fee fix, then the staging host, then who writes the report of the migration. "
                    * 4
                )
            )
        else:
            text = (
                f"Please move review {number} with {name} to day {number % 28 + 1}; port {number % 60_000}."
            )
        yield _line(at, number, "assistant" if number % 2 else "user", text)


def _line(at: datetime, number: int, role: str, text: str) -> bytes:
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    message = {
        "role": role,
        "content": [{"type": "text", "text": text}],
        "timestamp": int(at.timestamp() * 1000),
    }
    entry = {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": None,
        "timestamp": stamp,
        "message": message,
    }
    return json.dumps(entry).encode() + b"\n"


def _run(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Seconds and peak memory in MB of a command that must end well."""
    start = time.perf_counter()
    with Path(os.devnull).open("w") as nowhere:
        actions = [(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1)]
        pid = os.posix_spawn(command[0], command, env, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    assert os.waitstatus_to_exitcode(status) == 0, command
    return seconds, usage.ru_maxrss * (1024 if sys.platform != "darwin" else 1) / 1e6
