"""What ``SESSION_STATE.md`` says: the project, the task, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args


class TaskStatus(StrEnum):
    """How a task stands."""

    ACTIVE = "active"
    BLOCKED = "blocked"
    DONE = "done"


TextField = Literal["project", "task", "status", "last_action", "updated"]
TEXT_FIELDS: tuple[TextField, ...] = get_args(TextField)
FIELDS = ("project", "task", "status", "last_action", "next_steps", "updated")
"""The front matter's keys in their order."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """The fields as they are written, "" and () for missing ones; ``body`` is everything below, as it is."""

    project: str = ""
    task: str = ""
    status: str = ""
    last_action: str = ""
    next_steps: tuple[str, ...] = ()
    updated: str = ""
    body: str = ""

    @property
    def is_cleared(self) -> bool:
        """Whether nothing is said of any task."""
        return not (self.project or self.task or self.status or self.last_action or self.next_steps)
