"""The profile in sentences, for the question what is known about somebody. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from totalrecall.memory.profile.changes import conflicts
from totalrecall.memory.profile.contacts import contacts, episodes
from totalrecall.memory.profile.document import PRESET, Data, value_at
from totalrecall.memory.profile.fields import FIELDS, Field

BEGINS = "Here's what I know about you so far:"
ENDS = "Want to correct or add anything?"
NOTHING = "I know nothing about you yet."
DAMAGED = (
    "Your memory file appears corrupted. I've backed it up and started fresh. Want me to try to recover it?"
)
SHOWN_ITEMS = 8
# After so many talks one or two gaps may be asked about; never a questionnaire.
TALKS_BEFORE_ASKING = 5
QUESTIONS_AT_ONCE = 2
_QUESTIONS = (
    ("identity.preferred_name", "What should I call you?"),
    ("identity.timezone", "Which time zone are you in?"),
)


def summary(data: Data) -> list[str]:
    """Lines for a person: what is known, how many contacts and tasks, what waits to be asked."""
    lines = list(_facts(data))
    lines += _counts(data)
    if value_at(data, "meta.damaged"):
        lines = [DAMAGED, *lines]
    if not lines:
        return [NOTHING, ENDS]
    waiting = len(conflicts(data))
    if waiting:
        noun = "contradictions" if waiting > 1 else "contradiction"
        lines.append(f"- {waiting} {noun} to settle: totalrecall profile conflicts")
    return [BEGINS, *lines, ENDS]


def questions(data: Data, talks: int) -> list[str]:
    """At most two questions about obvious gaps, once the user has been met in more than four talks."""
    if talks < TALKS_BEFORE_ASKING:
        return []
    named = bool(value_at(data, "identity.name"))
    open_ones = [
        text
        for path, text in _QUESTIONS
        if not value_at(data, path) and not (named and path == "identity.preferred_name")
    ]
    return open_ones[:QUESTIONS_AT_ONCE]


def known_fields(data: Data) -> Iterator[tuple[Field, object]]:
    """The fields that hold something somebody said, with their values."""
    updated = value_at(data, "meta.field_updated") or {}
    for field in FIELDS:
        value = value_at(data, field.path)
        if value in ("", [], None) or (field.path in PRESET and field.path not in updated):
            continue
        yield field, value


def _facts(data: Data) -> Iterator[str]:
    stale = value_at(data, "meta.stale") or []
    for field, value in known_fields(data):
        said = _listed(value) if isinstance(value, list) else str(value)
        old = " (not confirmed for a while)" if field.path in stale else ""
        yield f"- Your {field.label}: {said}.{old}"


def _counts(data: Data) -> list[str]:
    people, happened = contacts(data), episodes(data)
    lines = []
    if people:
        names = _listed([one.get("name") or "?" for one in people])
        lines.append(f"- I know {len(people)} contact{'s' if len(people) > 1 else ''}: {names}.")
    if happened:
        last = happened[-1]
        tasks = f"{len(happened)} task{'s' if len(happened) > 1 else ''}"
        lines.append(f"- I remember {tasks}, most recently: {last.get('summary')} ({last.get('date')}).")
    return lines


def _listed(values: list[object]) -> str:
    shown = [str(one) for one in values[:SHOWN_ITEMS]]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
