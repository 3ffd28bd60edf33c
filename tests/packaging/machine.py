"""A machine of its own for a test: a home folder, nothing of ours in the environment, real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SESSION = "22222222-bbbb-4bbb-8bbb-000000000002"
TALK = (
    ("user", "We decided to keep PostgreSQL 16 for the shop, and the staging server is stage-3, port 8443."),
    ("assistant", "Understood, PostgreSQL 16 and stage-3."),
    (
        "user",
        "Never deploy on Fridays. Remind me to renew the certificate of shop.example before 2026-03-09.",
    ),
)


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a login shell has, and pip's own settings, so that it reaches its index."""
    pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    login = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}
    # No service manager of the machine that runs the tests answers there.
    return {**login, "XDG_RUNTIME_DIR": str(home), **pip, **more}


def totalrecall(
    home: Path, *arguments: str, env: dict[str, str] | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """One command as a process of its own, which must exit with ``code``."""
    done = subprocess.run(
        [sys.executable, "-m", "totalrecall", *arguments],
        env=environment(home, **(env or {})),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def write_agent(home: Path, *, age: timedelta) -> Path:
    """An OpenClaw agent whose only session was last written ``age`` ago; its notes' path."""
    start = datetime.now(UTC) - age
    state_dir = home / ".openclaw"
    sessions = state_dir / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (state_dir / "workspace").mkdir()
    stamp = start.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    lines: list[object] = [
        {"type": "session", "version": 3, "id": SESSION, "timestamp": stamp, "cwd": "/nowhere"}
    ]
    for number, (role, text) in enumerate(TALK):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        entry = {"type": "message", "id": f"{number:08x}", "parentId": None, "timestamp": stamp}
        lines.append({**entry, "message": {**message, "timestamp": int(start.timestamp() * 1000)}})
    path = sessions / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    os.utime(path, (start.timestamp(), start.timestamp()))
    index = {"agent:main:main": {"sessionId": SESSION, "sessionFile": str(path), "chatType": "direct"}}
    (sessions / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    return state_dir / "workspace" / "memory" / "observations.md"


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under ``folder`` with its content, but SQLite's own side files."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }
