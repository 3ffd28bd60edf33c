"""What lasts, what is of the day, and what is nothing: the words of distillation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from totalrecall.domain.note import NoteType, Priority


class Level(StrEnum):
    """Where an entry belongs, by the three questions: asked about later, for weeks, or only for days."""

    CORE = "core"
    DAILY = "daily"
    TEMPORARY = "temporary"


class Theme(StrEnum):
    """The parts of ``MEMORY.md``, in their order."""

    CORE = "core"
    AGREEMENTS = "agreements"
    STATUS = "status"
    ENVIRONMENT = "environment"
    TIMELINE = "timeline"


class Sort(StrEnum):
    """How an entry is counted in the report."""

    DECISION = "decision"
    TASK = "task"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note, or a line of a daily log, that distillation looks at.

    Attributes:
        number: from 1, unique within a run; the user answers by it.
        text: one line.
        day: what day it is about.
        time: ``HH:MM``, "".
        type: None when it has none.
        priority: None for a line of a daily log.
        source: the talk it was made from, "".
    """

    number: int
    text: str
    day: date
    time: str = ""
    type: NoteType | None = None
    priority: Priority | None = None
    source: str = ""

    @property
    def sort(self) -> Sort:
        """Decision, task or fact."""
        if self.type in {NoteType.DECISION, NoteType.RULE}:
            return Sort.DECISION
        return Sort.TASK if self.type in {NoteType.TASK, NoteType.GOAL} else Sort.FACT


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate with the level it was given.

    Attributes:
        candidate: what was looked at.
        level: where it belongs.
        theme: its part of ``MEMORY.md``; also given where the level is not core, should the user promote it.
        sure: False where the three questions do not settle it; it is shown, and goes where the level says.
    """

    candidate: Candidate
    level: Level
    theme: Theme
    sure: bool = True
