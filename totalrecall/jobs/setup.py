"""First steps: the first observation of an agent, the sample agent, and what the agent is told."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.jobs.backfill import backfill, plan_backfill
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.context_view import prepare
from totalrecall.jobs.observe import ObserveReport, observe
from totalrecall.service.plan import LOCATING

SHOWN_LINES = 15
SAMPLE_HOME = "home"


@dataclass(frozen=True, slots=True)
class SetupReport:
    """Where an agent stands after ``setup``.

    Attributes:
        agent: its name.
        notes_path: its observation log, which may not stand yet.
        last_lines: the end of it.
        engine: ``model`` or ``extractive``; ``engine_reason`` why.
        first: what the first observation did; None when the agent was observed before.
        older: messages that were said before adoption, counted when there is no note yet.
    """

    agent: str
    notes_path: Path
    last_lines: tuple[str, ...]
    engine: str
    engine_reason: str
    first: ObserveReport | None
    older: int = 0


def set_up(ctx: AgentContext, *, everything: bool = False) -> SetupReport:
    """Observe the agent for the first time, unless that has been done; then nothing is changed.

    ``everything`` takes in all that was ever said, as for the sample agent; else the look-back window counts.

    Raises:
        BusyError: another run of this agent is at work.
    """
    first = None
    if "observe" not in ctx.ledger.last_runs(ok=True):
        first = backfill(ctx, begins_at_ms=0) if everything else observe(ctx)
    # The hook is offered next, and hands over what is prepared: the first chats are to have it.
    prepare(ctx)
    notes = ctx.notes.read().split("\n---\n", 1)[-1]
    lines = tuple(line for line in notes.splitlines() if line.strip())
    return SetupReport(
        agent=ctx.agent,
        notes_path=ctx.notes.path,
        last_lines=lines[-SHOWN_LINES:],
        engine="model" if ctx.settings.uses_model else "extractive",
        engine_reason=ctx.settings.engine_reason,
        first=first,
        older=0 if lines else plan_backfill(ctx, 0).messages,
    )


def data_folder(env: Mapping[str, str], home_dir: Path) -> Path:
    """``$XDG_DATA_HOME/total-recall`` (``~/.local/share/total-recall``): the program and the sample."""
    given = Path(env.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else home_dir / ".local" / "share") / "total-recall"


def place_sample(folder: Path) -> Path:
    """A copy of the sample agent's home in ``folder``, made when it is not there yet; the copy's path.

    Raises:
        MemoryFileError: the folder cannot be written.
    """
    from importlib.resources import files

    home, half = folder / SAMPLE_HOME, folder / f".{SAMPLE_HOME}.{os.getpid()}"
    if home.is_dir():
        return home
    shipped = Path(str(files("totalrecall"))) / "sample_home"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copytree(shipped, half, dirs_exist_ok=True)
        for session in half.glob("agents/*/sessions/*.jsonl*"):
            _date(session)
        half.rename(home)
    except OSError as error:
        shutil.rmtree(half, ignore_errors=True)
        if home.is_dir():
            # Another setup was faster.
            return home
        why = error.strerror or str(error)
        raise MemoryFileError(
            f"The sample cannot be copied to {folder}: {why}.",
            "Make the folder writable, or set XDG_DATA_HOME.",
        ) from error
    return home


def _date(session: Path) -> None:
    """Let the file be as old as its last entry: sessions are read in the order in which they ended."""
    last = json.loads(session.read_text(encoding="utf-8").splitlines()[-1])
    at_s = datetime.fromisoformat(last["timestamp"]).timestamp()
    os.utime(session, (at_s, at_s))


def sample_env(env: Mapping[str, str], folder: Path, home: Path) -> dict[str, str]:
    """The environment under which every command means the sample agent and keeps its state apart."""
    kept = {name: value for name, value in env.items() if name not in LOCATING or name == "XDG_CONFIG_HOME"}
    return {**kept, "OPENCLAW_STATE_DIR": str(home), "XDG_STATE_HOME": str(folder / "state")}


def sample_flags(home: Path) -> dict[str, str]:
    """Settings of the sample agent that win over all others: its notes never land in a real workspace."""
    workspace = home / "workspace"
    return {
        "OPENCLAW_WORKSPACE": str(workspace),
        "MEMORY_DIR": str(workspace / "memory"),
        "SESSIONS_DIR": str(home / "agents" / "main" / "sessions"),
    }


def startup_lines(command: str, ctx_memory_dir: Path, workspace: Path) -> tuple[str, ...]:
    """What to write into the agent's ``AGENTS.md``, so that it reads the notes."""
    notes = ctx_memory_dir / "observations.md"
    shown = notes.relative_to(workspace) if notes.is_relative_to(workspace) else notes
    return (
        f"At session startup, run `{command} recover`.",
        f"At session startup, read `{shown}` for cross-session context.",
    )
