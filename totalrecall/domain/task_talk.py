"""The recent talk about a task, with what the tools did: what a picture of the task is made from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from totalrecall.domain.batch import Message


@dataclass(frozen=True, slots=True)
class Touch:
    """A file that a tool was used on.

    Attributes:
        path: of the file.
        changes: whether the tool changes files.
        failed: whether the call failed.
        at: when, aware; None when the record has no time.
    """

    path: str
    changes: bool
    failed: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TaskTalk:
    """The newest messages of one private session, screened, oldest first.

    Attributes:
        session_id: the host's session, "" when nothing was found.
        key: its session key, "" when no index names it.
        source: the transcript they stand in.
        messages: numbered from 1; tool calls stand beside them as lines.
        touches: files that were used, in order.
        calls: how many tool calls there were.
        user_at: when the user spoke last, thanks and greetings aside, aware; None when they did not.
        last_at: when anything was said or done last, aware.
        answered: the assistant had the last word.
    """

    session_id: str = ""
    key: str = ""
    source: str = ""
    messages: tuple[Message, ...] = ()
    touches: tuple[Touch, ...] = ()
    calls: int = 0
    user_at: datetime | None = None
    last_at: datetime | None = None
    answered: bool = True
