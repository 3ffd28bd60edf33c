"""The state of a task, to resume from after the talk was cut: what a snapshot holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum


class Phase(StrEnum):
    """What is being done with the task."""

    PLANNING = "planning"
    IMPLEMENTING = "implementing"
    DEBUGGING = "debugging"
    TESTING = "testing"
    REVIEWING = "reviewing"
    DEPLOYING = "deploying"


@dataclass(frozen=True, slots=True)
class FileInPlay:
    """A file of the task: its path, and what happens there ("" when nothing is known)."""

    path: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, and why ("" when nobody said)."""

    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name worth keeping, as ``API endpoint``: ``POST /users``; of environment variables the name only."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class TaskPicture:
    """The eight sections of a snapshot. Everything may be empty.

    Attributes:
        goal: one sentence, with the why.
        phase: None when it is none of the six.
        branch: of the version control, "" for none.
        blocked: whether something keeps the task from going on.
        blocked_by: what; not empty only when blocked.
        progress: a percentage or a milestone.
        files: what is worked on, most important first.
        decisions: in the order in which they were made.
        code: lines that cannot be read back from a file.
        names: names and values.
        blockers: what stands in the way.
        questions: what is open.
        next_steps: specific, in order.
    """

    goal: str = ""
    phase: Phase | None = None
    branch: str = ""
    blocked: bool = False
    blocked_by: str = ""
    progress: str = ""
    files: tuple[FileInPlay, ...] = ()
    decisions: tuple[Decision, ...] = ()
    code: str = ""
    names: tuple[NamedValue, ...] = ()
    blockers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def worth_keeping(self) -> bool:
        """Whether there is state in it: talk without a file, a decision or an open step has none."""
        return bool(self.files or self.decisions or self.next_steps or self.blockers)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A picture with its moment.

    Attributes:
        snapshot_id: ``YYYY-MM-DD-NN``; "" when whoever wrote it gave none.
        taken: local time of the user, without a zone, as it stands in the file.
        picture: what it says.
    """

    snapshot_id: str
    taken: datetime
    picture: TaskPicture


def each_text(picture: TaskPicture, change: Callable[[str], str]) -> TaskPicture:
    """The picture with every text put through ``change``: screening, for example."""
    return replace(
        picture,
        goal=change(picture.goal),
        branch=change(picture.branch),
        blocked_by=change(picture.blocked_by),
        progress=change(picture.progress),
        files=tuple(FileInPlay(change(one.path), change(one.what)) for one in picture.files),
        decisions=tuple(Decision(change(one.text), change(one.why)) for one in picture.decisions),
        code=change(picture.code),
        names=tuple(NamedValue(change(one.label), change(one.value)) for one in picture.names),
        blockers=tuple(map(change, picture.blockers)),
        questions=tuple(map(change, picture.questions)),
        next_steps=tuple(map(change, picture.next_steps)),
    )
