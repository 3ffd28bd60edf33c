"""What an agent writes, looked at from outside: times of files, never their content."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

ENTRIES_MOST = 5000
_PARTS = (".jsonl", ".sqlite")
# Of what stands beside transcripts: written without anybody speaking, or never read.
_BESIDE = (".deleted.", "trajectory", "reindex", "-shm", ".lock", ".tmp", ".bak", "generation")


def newest_written(agent_dir: Path, ignored: frozenset[Path] = frozenset()) -> tuple[int, Path | None]:
    """When a file that looks like a transcript was last written in the agent's folder, and which one.

    Milliseconds since 1970 UTC; 0 and None without one. The folder and those in it are looked at, no deeper.
    """
    newest, found = 0, None
    for entry in islice(_files(agent_dir, depth=1), ENTRIES_MOST):
        if not _like_a_transcript(entry.name) or Path(entry.path) in ignored:
            continue
        try:
            at_ms = entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
        except OSError:
            continue  # gone meanwhile
        if at_ms > newest:
            newest, found = at_ms, Path(entry.path)
    return newest, found


def _files(folder: Path, depth: int) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            listed = list(islice(entries, ENTRIES_MOST))
    except OSError:
        return  # not there, or closed to us: whoever reads the transcripts says so
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if depth:
                yield from _files(Path(entry.path), depth - 1)
        else:
            yield entry


def _like_a_transcript(name: str) -> bool:
    return any(part in name for part in _PARTS) and not any(part in name for part in _BESIDE)
