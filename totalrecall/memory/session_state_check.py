"""What is wrong with a session state, and how old it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from totalrecall.domain.session_state import FIELDS, SessionState, TaskStatus
from totalrecall.memory.session_state_format import Document, state_of
from totalrecall.memory.session_state_yaml import entry_named

STALE = timedelta(hours=24)
_AHEAD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be.

    Attributes:
        line: of the file, from 1; 0 where no line is to blame.
        what: in one sentence.
        serious: False for what only helps less.
    """

    line: int
    what: str
    serious: bool = True


def moment_of(updated: str) -> datetime | None:
    """The time that ``updated`` says, aware; None when it says none. A time without a zone is UTC."""
    try:
        at = datetime.fromisoformat(updated.strip())
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def believable(at: datetime | None, now: datetime) -> bool:
    """Whether it can be when the file was written: not in the future."""
    return at is not None and at <= now + _AHEAD


def findings_of(document: Document, now: datetime) -> list[Finding]:
    """Everything that is wrong with a file that can be read, in the order of its lines."""
    if not document.head:
        return [Finding(1, "It has no front matter: no field is set.", serious=False)]
    state = state_of(document)
    found = [*_of_shape(document), *_of_values(document, state, now)]
    missing = [name for name in FIELDS if entry_named(document.entries, name) is None]
    if missing and not state.is_cleared:
        found.append(Finding(0, f"Not set: {', '.join(missing)}.", serious=False))
    return sorted(found, key=lambda one: (one.line == 0, one.line))


def refusal(state: SessionState) -> str:
    """Why this must not be written, "" when it may."""
    if state.status and state.status not in set(TaskStatus):
        return f"status is one of {', '.join(TaskStatus)}, not {state.status!r}."
    if state.updated and moment_of(state.updated) is None:
        return f"updated is a time such as 2026-02-14T23:20:00Z, not {state.updated!r}."
    return ""


def _of_shape(document: Document) -> list[Finding]:
    found = []
    for name in FIELDS:
        entry = entry_named(document.entries, name)
        if entry is None:
            continue
        line = document.lines_before + entry.line
        if name == "next_steps" and not entry.is_list and entry.text:
            found.append(Finding(line, "next_steps should be a list.", serious=entry.style == "block"))
        elif name != "next_steps" and not entry.plain_text:
            found.append(Finding(line, f"{name} should be a text, not a list or a mapping."))
    return found


def _of_values(document: Document, state: SessionState, now: datetime) -> list[Finding]:
    def line(name: str) -> int:
        entry = entry_named(document.entries, name)
        return document.lines_before + entry.line if entry else 0

    found = []
    if state.status and state.status not in set(TaskStatus):
        found.append(
            Finding(line("status"), f"status is {state.status!r}; it is one of {', '.join(TaskStatus)}.")
        )
    if not state.status and not state.is_cleared:
        found.append(Finding(line("status"), "status is empty although a task is set."))
    at = moment_of(state.updated)
    if state.updated and at is None:
        found.append(Finding(line("updated"), f"updated is {state.updated!r}, which is no time."))
    elif at is not None and not believable(at, now):
        found.append(Finding(line("updated"), f"updated lies in the future: {state.updated}.", serious=False))
    return found
