"""Running a command line in a lab's home."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.lab import Lab
from totalrecall.cli.main import run

Run = Callable[..., tuple[int, str, str]]
_OTHERS = (
    "OPENROUTER_API_KEY", "LLM_API_KEY", "LLM_BASE_URL", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_WORKSPACE", "SESSIONS_DIR", "MEMORY_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
)  # fmt: skip


def shell_in(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs a command line; it gives the exit code with what was printed on stdout and stderr."""
    for name in _OTHERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(lab.root))
    monkeypatch.setenv("TOTALRECALL_TIMEZONE", "UTC")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*args: str, **env: str) -> tuple[int, str, str]:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        code = run(args)
        out = capsys.readouterr()
        return code, out.out, out.err

    return call
