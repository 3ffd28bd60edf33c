"""Something wrong with a file, a folder or a setting that reading goes on without."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Level(StrEnum):
    """``ERROR``: what it concerns is not in use. ``WARNING``: it is in use, and should be looked at."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do; plain sentences for ``doctor``, ``config show`` and the log.

    Never holds a secret: a value of a setting is quoted only when the setting is not one.

    Attributes:
        level: whether the thing is left out.
        what: one sentence.
        remedy: one sentence, "" when nothing can be done.
        name: the setting, "".
        path: the file or folder, None for the environment.
        line: the line in the file, counted from 1, 0 when it has none.
    """

    level: Level
    what: str
    remedy: str = ""
    name: str = ""
    path: Path | None = None
    line: int = 0

    def __str__(self) -> str:
        """Name, place, what and remedy in one line."""
        place = "" if self.path is None else f"{self.path}{f':{self.line}' if self.line else ''}: "
        name = f"{self.name}: " if self.name and self.name not in self.what else ""
        return f"{place}{name}{self.what}{f' {self.remedy}' if self.remedy else ''}"
