"""The session state by rules."""

from __future__ import annotations

import re
from dataclasses import replace

from totalrecall.domain.event import Role
from totalrecall.domain.session_state import SessionState, TaskStatus
from totalrecall.domain.snapshot import TaskPicture
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.llm.extractive.task_goal import is_small, same_task
from totalrecall.llm.extractive.task_state import calls_of
from totalrecall.llm.extractive.task_steps import blocker_named, claims_of, is_done
from totalrecall.llm.extractive.task_work import last_done

_PARTS = frozenset(
    {
        "src",
        "lib",
        "app",
        "test",
        "tests",
        "docs",
        "doc",
        "bin",
        "scripts",
        "config",
        "public",
        "pkg",
        "tmp",
        "var",
    }
)
_ROOTS = re.compile(r"(?:^|/)(?:code|projects?|repos?|git|work|dev)/(?P<name>[\w.-]+)/")


def state_by_rules(talk: TaskTalk, picture: TaskPicture, before: SessionState) -> SessionState:
    """The state that the talk leaves, with the words of ``before`` where they still hold."""
    task = picture.goal or before.task
    if before.task and same_task(task, before.task):
        task = before.task
    same_project = not before.task or task == before.task
    project = before.project if before.project and same_project else project_of(picture) or before.project
    steps = picture.next_steps
    if not steps and before.next_steps and task == before.task:
        # The talk names none: those that were written down hold until somebody has done them.
        steps = tuple(one for one in before.next_steps if not is_done(one, claims_of(talk.messages)))
    return replace(
        before,
        project=project,
        task=task,
        status=str(_status(talk, replace(picture, next_steps=steps))),
        last_action=last_done(talk, calls_of(talk)) or before.last_action,
        next_steps=steps,
    )


def project_of(picture: TaskPicture) -> str:
    """The folder that the files of the task have in common, when it looks like a project's; "" else."""
    for one in picture.files:
        if match := _ROOTS.search(one.path):
            return match["name"]
    heads = {one.path.split("/")[0] for one in picture.files if "/" in one.path.strip("/")}
    if len(heads) == 1 and (head := heads.pop()) and head.casefold() not in _PARTS and head[0] not in ".~":
        return head
    return ""


def _status(talk: TaskTalk, picture: TaskPicture) -> TaskStatus:
    if blocker_named(talk.messages):
        return TaskStatus.BLOCKED
    said = [one.text for one in talk.messages if one.role is Role.USER and one.text]
    closed = bool(said) and is_small(said[-1]) and not picture.blocked
    return (
        TaskStatus.DONE if closed and not picture.next_steps and not picture.questions else TaskStatus.ACTIVE
    )
