"""Writing fields of ``SESSION_STATE.md`` that the agent or the user names."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from totalrecall.domain.session_state import SessionState, TaskStatus
from totalrecall.errors import ConfigError
from totalrecall.jobs.context import AgentContext
from totalrecall.memory.session_state import StateFile, StateRead, StateWritten, state_path
from totalrecall.memory.session_state_check import refusal
from totalrecall.memory.session_state_format import Changes, Unreadable, parse_document, state_of
from totalrecall.memory.snapshot_words import one_line

FIELD_CHARS = 2_000
MOST_STEPS = 50
_CLEARED: Changes = {"project": "", "task": "", "status": "", "last_action": "", "next_steps": []}


def state_file(ctx: AgentContext, project: str = "") -> StateFile:
    """The agent's state file, or a project's. Raises ConfigError for a name that is none."""
    return StateFile(state_path(ctx.workspace, project), ctx.notes.lock_path)


def set_fields(
    ctx: AgentContext, changes: Changes, *, project: str = "", dry_run: bool = False
) -> StateWritten | StateRead:
    """The file with these fields, screened, and ``updated`` set to now unless it is among them.

    What is given back is the file as it was read, when it cannot be understood.

    Raises:
        ConfigError: a value that the field does not take, or a project's name that is none.
        MemoryFileError: the file cannot be written; it is as it was.
    """
    wanted: dict[str, Any] = screened(ctx, changes)
    why = refusal(
        SessionState(**{name: value for name, value in wanted.items() if name in {"status", "updated"}})
    )
    if why:
        raise ConfigError(why, "Nothing was written.")
    wanted.setdefault("updated", f"{ctx.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")

    def for_file(read: StateRead) -> Changes:
        # A task without a status would not be valid; whoever names one is at work on it.
        is_new = not read.state.status and "status" not in wanted
        names_task = any(wanted.get(name) for name in ("project", "task", "last_action", "next_steps"))
        return {**wanted, "status": str(TaskStatus.ACTIVE)} if is_new and names_task else wanted

    return state_file(ctx, project).write(for_file, dry_run=dry_run)


def clear(ctx: AgentContext, *, project: str = "", dry_run: bool = False) -> StateWritten | StateRead:
    """The file with all fields empty; its text, and fields that we do not know, stay. It is never deleted."""
    return set_fields(ctx, _CLEARED, project=project, dry_run=dry_run)


def screened(ctx: AgentContext, changes: Mapping[str, str | Sequence[str]]) -> dict[str, Any]:
    """The values without secrets and breaks, each within its bounds; the body keeps its lines."""
    clean: dict[str, Any] = {}
    for name, value in changes.items():
        if name == "body" and isinstance(value, str):
            clean[name] = ctx.screen(value)
        elif isinstance(value, str):
            clean[name] = one_line(ctx.screen(value), FIELD_CHARS)
        else:
            steps = [one_line(ctx.screen(one), FIELD_CHARS) for one in value]
            clean[name] = tuple(one for one in steps if one)[:MOST_STEPS]
    return clean


def state_in(content: bytes) -> SessionState:
    """What a file's bytes say; nothing when they cannot be understood."""
    parts = parse_document(content)
    return SessionState() if isinstance(parts, Unreadable) else state_of(parts)


def diff_of(done: StateWritten) -> tuple[str, ...]:
    """What changed or would change, as a unified diff, line by line."""
    before = (done.before.content.content or b"").decode("utf-8", "replace").splitlines()
    after = done.after.decode("utf-8", "replace").splitlines()
    name = done.before.path.name
    return tuple(difflib.unified_diff(before, after, name, name, lineterm="", n=1))
