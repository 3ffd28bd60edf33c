"""The only files that distillation writes: ``MEMORY.md``, ``memory/*.md``, the archive, its settings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.memory.long_term.settings_file import FILE_NAME as SETTINGS_NAME

MEMORY_NAME = "MEMORY.md"
ARCHIVE_NAME = "archive"


@dataclass(frozen=True, slots=True)
class Territory:
    """What belongs to distillation in one workspace.

    Attributes:
        workspace: the folder of ``MEMORY.md`` and ``distill-config.json``.
        memory_dir: the folder of the daily logs.
    """

    workspace: Path
    memory_dir: Path

    @property
    def long_term(self) -> Path:
        """``MEMORY.md``."""
        return self.workspace / MEMORY_NAME

    @property
    def settings(self) -> Path:
        """``distill-config.json``."""
        return self.workspace / SETTINGS_NAME

    @property
    def archive(self) -> Path:
        """``memory/archive``."""
        return self.memory_dir / ARCHIVE_NAME

    def allowed(self, path: Path) -> Path:
        """``path``, if distillation may write it.

        Raises:
            MemoryFileError: it may not. Nothing is written.
        """
        if path in {self.long_term, self.settings}:
            return path
        plain = Path(os.path.normpath(path))
        if plain == path and path.suffix == ".md" and path.parent == self.memory_dir:
            return path
        if plain == path and self.archive in path.parents:
            return path
        raise MemoryFileError(
            f"Distillation does not write {path}.",
            "It writes MEMORY.md, memory/*.md, memory/archive/, distill-config.json. This is our fault.",
        )
