"""Calling the tools of the service managers: the only subprocess here, and what tests put in its place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Starting waits for the service's READY; the unit gives up before this does.
DEADLINE_S = 150.0
MISSING = 127


@dataclass(frozen=True, slots=True)
class Ran:
    """How a tool ended: its exit code (127: there is no such tool, or it hung), and what it printed."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked."""
        return self.code == 0

    @property
    def said(self) -> str:
        """Its complaint, in one line."""
        return " ".join((self.err.strip() or self.out.strip()).split())


Runner = Callable[[Sequence[str]], Ran]


def runner(env: Mapping[str, str], uid: int) -> Runner:
    """Runs tools in ``env``, with the way to the user's service manager added where it is missing.

    Under cron, ``su`` or an agent the variables that name it are not set although it runs.
    """
    surroundings = {**env, "LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"}
    runtime = Path(f"/run/user/{uid}")
    if not env.get("XDG_RUNTIME_DIR") and os.access(runtime, os.R_OK | os.X_OK):
        surroundings["XDG_RUNTIME_DIR"] = str(runtime)

    def run(command: Sequence[str]) -> Ran:
        try:
            done = subprocess.run(  # noqa: S603 - fixed words and our own paths, no shell
                list(command), env=surroundings, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, errors="replace", timeout=DEADLINE_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Ran(MISSING, err=f"{command[0]} did not answer within {DEADLINE_S:.0f} s.")
        except OSError as error:
            return Ran(MISSING, err=f"{command[0]}: {error.strerror or error}")
        return Ran(done.returncode, done.stdout, done.stderr)

    return run
