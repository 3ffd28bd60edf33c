"""Secrets that stand in memory files already: found, and taken out when the user says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from totalrecall.files.atomic import Conflict, read_state, replace
from totalrecall.jobs.context import AgentContext

# What the agent and we keep in a workspace to remember; nothing else in it is ours to look at.
ROOT_FILES = ("MEMORY.md", "SESSION_STATE.md", "USER.md")
SUFFIXES = (".md", ".json", ".jsonl", ".txt", ".log")
FILE_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class FileSecrets:
    """One file with secrets in it: how many lines hold one, never which."""

    path: Path
    lines: int


def find_secrets(ctx: AgentContext) -> list[FileSecrets]:
    """Every memory and log file of the workspace in which screening would remove something."""
    found = []
    for path in _files(ctx):
        text = _text(path)
        screened = ctx.screen(text)
        if screened != text:
            before, after = text.splitlines(), screened.splitlines()
            changed = sum(1 for one in set(before) - set(after) if one) or 1
            found.append(FileSecrets(path, changed))
    return found


def remove_secrets(ctx: AgentContext, path: Path) -> bool:
    """Put placeholders where secrets stood. False when somebody changed the file meanwhile: look again.

    No backup is made: it would hold what was to go. Everything else in the file stays as it is.

    Raises:
        MemoryFileError: the file cannot be written; it is as it was.
    """
    before = read_state(path)
    text = (before.content or b"").decode("utf-8", "surrogateescape")
    after = ctx.screen(text).encode("utf-8", "surrogateescape")
    return not isinstance(replace(path, after, expected=before), Conflict)


def _files(ctx: AgentContext) -> Iterator[Path]:
    for name in ROOT_FILES:
        if (path := ctx.workspace / name).is_file():
            yield path
    for folder in (ctx.memory_dir, ctx.workspace / "logs"):
        for path in sorted(folder.rglob("*")):
            ours = path.suffix in SUFFIXES and path.is_file() and not path.name.startswith(".")
            if ours and path.stat().st_size <= FILE_MOST_BYTES:
                yield path


def _text(path: Path) -> str:
    return (read_state(path).content or b"").decode("utf-8", "surrogateescape")
