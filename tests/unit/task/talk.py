"""A talk of a task in a few lines, for the tests beside this file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.task_talk import TaskTalk, Touch

START = datetime(2026, 2, 14, 12, 0, tzinfo=UTC)


def talk(*lines: str) -> TaskTalk:
    r"""A talk of lines: ``U words`` and ``A words`` speak, ``+ exec npm test: ok`` is a call beside the last one.

    ``+ write PATH…`` and ``+ read PATH…`` touch the path. ``\\n`` in words is a line break.
    """
    messages: list[Message] = []
    touches: list[Touch] = []
    for line in lines:
        sign, words = line[0], line[2:]
        if sign == "+":
            last = messages.pop()
            messages.append(
                Message(last.number, last.identity, last.role, last.at, last.text, (*last.tools, words))
            )
            tool, _, target = words.partition(" ")
            if tool in {"write", "edit", "read"}:
                path, _, ended = target.partition(":")
                touches.append(Touch(path, tool != "read", ended.startswith(" error"), last.at))
            continue
        number = len(messages) + 1
        role = Role.USER if sign == "U" else Role.ASSISTANT
        messages.append(Message(number, bytes([number]), role, START + timedelta(seconds=number), words))
    said = [one.at for one in messages if one.role is Role.USER]
    return TaskTalk(
        session_id="s",
        source="s.jsonl",
        messages=tuple(messages),
        touches=tuple(touches),
        calls=sum(len(one.tools) for one in messages),
        user_at=said[-1] if said else None,
        last_at=messages[-1].at if messages else None,
        answered=not messages or messages[-1].role is Role.ASSISTANT,
    )
