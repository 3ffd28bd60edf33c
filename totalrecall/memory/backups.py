"""``memory/observation-backups/``: the log as it was before each rewrite."""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime
from pathlib import Path

from totalrecall.domain.words import count_words
from totalrecall.files.atomic import read_state, replace
from totalrecall.memory.thinning import BackupFacts, to_prune

FOLDER_NAME = "observation-backups"
_NAME = re.compile(r"observations-(\d{8}T\d{6})Z(?:-(\d+))?\.md")


def backup_folder(memory_dir: Path) -> Path:
    """Where the backups of a memory folder's log are."""
    return memory_dir / FOLDER_NAME


def new_backup(folder: Path, at: datetime) -> Path:
    """A name that is free, for a backup made at ``at``."""
    stem = f"observations-{at.astimezone(UTC):%Y%m%dT%H%M%S}Z"
    path, number = folder / f"{stem}.md", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.md"
    return path


def back_up(path: Path, content: bytes, *, now: datetime) -> None:
    """``content`` is on the disk at ``path`` (0600) afterwards; of the older backups ten stay.

    Raises MemoryFileError; nothing is removed then.
    """
    replace(path, content, expected=None)
    for one in to_prune(backups(path.parent), now=now):
        # One too many is no reason to stop.
        with contextlib.suppress(OSError):
            (path.parent / one.name).unlink()


def backups(folder: Path) -> list[BackupFacts]:
    """The backups in ``folder``, newest first. Files with other names are not ours and are left alone."""
    if not folder.is_dir():
        return []
    found = []
    for path in folder.iterdir():
        match = _NAME.fullmatch(path.name)
        if match and path.is_file():
            made_at = datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
            text = (read_state(path).content or b"").decode("utf-8", "replace")
            found.append(BackupFacts(path.name, made_at, count_words(text)))
    return sorted(found, key=lambda one: (one.made_at, one.name), reverse=True)
