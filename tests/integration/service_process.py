"""The real service over a lab's home: ``totalrecall run`` in a process of its own, told as systemd tells it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.lab import Lab

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "totalrecall", "run")
# It runs when something is new, never by the clock: tests are not to depend on the time of day.
QUIET_SETTINGS = {"TOTALRECALL_SCHEDULE_OBSERVER": "0 0 1 1 *", "TOTALRECALL_SCHEDULE_REFLECTOR": "0 0 1 1 *"}


def until(true: Callable[[], object], timeout_s: float = 15.0, every_s: float = 0.02) -> bool:
    """Wait until ``true`` is; False when it does not become so in time."""
    ends = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > ends:
            return False
        time.sleep(every_s)
    return True


def present(root: Path) -> Lab:
    """A lab whose clock is the real one, as the service's is."""
    lab = Lab(root, engine=None, now=datetime.now(UTC))
    lab.sessions.mkdir(parents=True)
    lab.workspace.mkdir(parents=True)
    return lab


class ServiceProcess:
    """One run of the service. ``told`` collects what it tells systemd; ``err`` what it says on stderr."""

    def __init__(self, lab: Lab, command: tuple[str, ...] = COMMAND, **env: str) -> None:
        self._lab = lab
        self.told: list[str] = []
        self._log = lab.root / f"service-{time.monotonic_ns()}.err"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"total-recall-test-{os.getpid()}-{time.monotonic_ns()}"
        self._socket.bind("\0" + name)
        self._socket.setblocking(False)
        every = {
            "HOME": str(lab.root),
            "PATH": os.environ["PATH"],
            "NOTIFY_SOCKET": f"@{name}",
            **QUIET_SETTINGS,
            **lab.environment(),
            **env,
        }
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=every, stderr=log, stdout=log)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def err(self) -> str:
        return self._log.read_text()

    def hear(self) -> list[str]:
        """Everything it has told systemd so far."""
        while True:
            try:
                self.told += self._socket.recv(4096).decode().splitlines()
            except BlockingIOError:
                return self.told

    def ready(self, times: int = 1) -> None:
        """Wait until it says that it is ready (again, after a reload)."""
        assert until(lambda: self.hear().count("READY=1") >= times), self.err

    def events(self, name: str) -> list[dict[str, Any]]:
        """What it logged under that name."""
        lines = [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]
        return [one for one in lines if one["event"] == name]

    def reload(self) -> None:
        """SIGHUP, which also has it look around at once, as it does each minute."""
        before = self.hear().count("READY=1")
        self.process.send_signal(signal.SIGHUP)
        self.ready(before + 1)

    def stop(self, number: int = signal.SIGTERM, timeout_s: float = 15.0) -> tuple[int, float]:
        """Send the signal; exit code and how long it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(timeout_s)
        return code, time.monotonic() - began

    def state(self) -> dict[str, Any]:
        """``service.json``."""
        path = self._lab.root / ".local" / "state" / "total-recall" / "service.json"
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found

    def rss_mb(self) -> float:
        """Its memory now."""
        return _status(self.pid, "VmRSS") / 1024

    def threads(self) -> int:
        """How many threads it has now."""
        return _status(self.pid, "Threads")

    def descriptors(self) -> int:
        """How many files it has open now."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def close(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._socket.close()


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


@contextmanager
def service(lab: Lab, command: tuple[str, ...] = COMMAND, **env: str) -> Iterator[ServiceProcess]:
    """The service, ready, and ended at the end."""
    running = ServiceProcess(lab, command, **env)
    try:
        running.ready()
        yield running
    finally:
        running.close()
