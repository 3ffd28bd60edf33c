"""The files in which something can be remembered, and how each is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from totalrecall.jobs.context import AgentContext
from totalrecall.ledger.backup import FOLDER_NAME as BACKUPS
from totalrecall.memory.backups import backup_folder
from totalrecall.memory.surgery import Build

# Prepared for the hook or kept for show: made anew when they are needed.
PREPARED = ("context.md", "snapshot.md", "distill-report.json")
_LOGS = "*.log*"


class Way(StrEnum):
    """How something is taken out of a file."""

    SCRUB = "scrub"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Place:
    """A file of ours, or one that we write into."""

    path: Path
    build: Build
    way: Way = Way.SCRUB


def places(ctx: AgentContext) -> Iterator[Place]:
    """Every file of an agent that can hold words, each once; the ledger, the profile and the log aside."""
    seen: set[Path] = {ctx.notes.path}
    for place in _all(ctx):
        if place.path not in seen and place.path.is_file():
            seen.add(place.path)
            yield place


def folders(ctx: AgentContext) -> set[Path]:
    """Every folder that we write into; a process that died may have left a temporary file there."""
    memory, workspace = ctx.memory_dir, ctx.workspace
    below = {path for path in memory.rglob("*") if path.is_dir()}
    ours = {memory, workspace, workspace / "state", workspace / "logs", ctx.profile.path.parent}
    return ours | below | {ctx.state_dir, ctx.state_dir.parent, ctx.ledger.path.parent / BACKUPS}


def _all(ctx: AgentContext) -> Iterator[Place]:
    memory, workspace = ctx.memory_dir, ctx.workspace
    for path in sorted(backup_folder(memory).glob("*.md")):
        yield Place(path, Build.LOG)
    for path in sorted((memory / "archive").rglob("*.jsonl")):
        yield Place(path, Build.JSON_LINES)
    for path in sorted(memory.rglob("*.md")):
        yield Place(path, Build.MARKDOWN)
    yield Place(workspace / "MEMORY.md", Build.OUR_BLOCK)
    yield Place(workspace / "SESSION_STATE.md", Build.STATE)
    for path in sorted((workspace / "state").glob("*.md")):
        yield Place(path, Build.STATE)
    for folder in (workspace, workspace / "state"):
        for path in sorted(folder.glob("*.unreadable-*")):
            yield Place(path, Build.WHOLE, Way.REMOVE)
    for path in sorted((workspace / "logs").glob(_LOGS)):
        yield Place(path, Build.JSON_LINES)
    for name in PREPARED:
        yield Place(ctx.state_dir / name, Build.WHOLE, Way.REMOVE)
