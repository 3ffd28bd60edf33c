"""A home of its own for one run: every folder, every process and every port of it ends with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
STOP_LIMIT_S = 20.0
POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command that has ended left behind."""

    code: int
    out: str
    err: str


@dataclass
class Sandbox:
    """Everything of one run under ``root``.

    Attributes:
        root: the folder.
        path: folders that go before the system's in ``PATH``.
        extra: further environment of every process.
    """

    root: Path
    path: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.root / "home"

    @property
    def state_dir(self) -> Path:
        """OpenClaw's folder."""
        return self.home / ".openclaw"

    @property
    def workspace(self) -> Path:
        """The workspace of the agent ``main``."""
        return self.home / "workspace"

    @property
    def notes_path(self) -> Path:
        """The notes of the agent ``main``."""
        return self.workspace / "memory" / "observations.md"

    @property
    def logs(self) -> Path:
        """What long-running processes print."""
        return self.root / "logs"

    def environment(self) -> dict[str, str]:
        """What every process sees; nothing of the caller's but the language and the system's ``PATH``."""
        return {
            "PATH": os.pathsep.join([*self.path, "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "OPENCLAW_STATE_DIR": str(self.state_dir),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "OPENCLAW_NO_AUTO_UPDATE": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            **self.extra,
        }

    def run(self, command: list[str], limit_s: float, cwd: Path | None = None) -> Ran:
        """The command's end; code 124 when it took longer than ``limit_s``; its group is gone then."""
        child = subprocess.Popen(
            command,
            env=self.environment(),
            cwd=cwd or self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = child.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            end_group(child, signal.SIGKILL)
            out, err = child.communicate()
            return Ran(124, _text(out), _text(err) + f"\n(ended after {limit_s:g} s)")
        return Ran(child.returncode, _text(out), _text(err))

    def start(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        """A process that goes on, in a group of its own; what it prints is added to ``logs/<name>.log``."""
        self.logs.mkdir(parents=True, exist_ok=True)
        with (self.logs / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(
                command,
                env=self.environment(),
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._children.append(child)
        return child

    def stop(self, child: subprocess.Popen[bytes]) -> tuple[int, float]:
        """Ask it to end, wait, and end it and its group if it does not; its exit code and the seconds."""
        began = time.monotonic()
        if child.poll() is None:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(STOP_LIMIT_S)
        took_s = time.monotonic() - began
        end_group(child, signal.SIGKILL)
        code = child.wait()
        if child in self._children:
            self._children.remove(child)
        return code, took_s

    def leftovers(self) -> list[str]:
        """Command lines of processes that still run and were started with this home; Linux only."""
        mark = f"HOME={self.home}".encode()
        return [line for _, line in _living(mark)]

    def close(self, *, keep: bool) -> None:
        """End every process, then remove the folder unless it is to be kept."""
        for child in list(self._children):
            self.stop(child)
        for pid, _ in _living(f"HOME={self.home}".encode()):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not keep:
            shutil.rmtree(self.root, ignore_errors=True)


def new_sandbox(name: str, path: tuple[str, ...]) -> Sandbox:
    """An empty home; its folders stand."""
    root = Path(tempfile.mkdtemp(prefix=f"openclaw-e2e-{name}-")).resolve()
    box = Sandbox(root, path)
    for folder in (box.home, box.state_dir, box.workspace, box.logs, root / "run", root / "tmp"):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    return box


def end_group(child: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """Signal everything that the child started in its own group; the group's id is the child's."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, how)


def free_port() -> int:
    """A port of the loopback that nobody listens on just now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _living(mark: bytes) -> list[tuple[int, str]]:
    """Processes whose environment holds ``mark``: id and command line."""
    found: list[tuple[int, str]] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark not in (folder / "environ").read_bytes().split(b"\0"):
                continue
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            if line:
                found.append((int(folder.name), line))
        except OSError:
            continue
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
