"""A task picture from what somebody typed: options, or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from totalrecall.domain.snapshot import Decision, FileInPlay, NamedValue, Phase, TaskPicture

# The option, the field, and what it takes, for help and for errors.
TEXTS = ("goal", "branch", "blocked_by", "progress", "code")
KNOWN = frozenset(
    {*TEXTS, "phase", "blocked", "files", "decisions", "names", "blockers", "questions", "next_steps"}
)


def picture_from_options(given: Mapping[str, Any]) -> TaskPicture | None:
    """The picture of ``--goal``, ``--file PATH=what`` and the others; None when none of them was given."""
    if not any(given.values()):
        return None
    return TaskPicture(
        goal=given["goal"] or "",
        phase=Phase(given["phase"]) if given["phase"] else None,
        branch=given["branch"] or "",
        blocked=bool(given["blocked"]),
        blocked_by=given["blocked"] or "",
        progress=given["progress"] or "",
        files=tuple(FileInPlay(*_pair(one, "=")) for one in given["files"]),
        decisions=tuple(Decision(*_pair(one, " -- ")) for one in given["decisions"]),
        code=given["code"] or "",
        names=tuple(NamedValue(*_named(one)) for one in given["names"]),
        blockers=tuple(given["blockers"]),
        questions=tuple(given["questions"]),
        next_steps=tuple(given["next_steps"]),
    )


def picture_from_json(text: str) -> TaskPicture:
    """The picture of a JSON object as ``snapshot recall --json`` prints one; fields may be missing.

    Raises:
        click.UsageError: it is no such object, and what is wrong with it.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise click.UsageError(f"This is not JSON: {error}.") from error
    except RecursionError as error:
        raise click.UsageError("This JSON is nested too deeply.") from error
    if not isinstance(data, dict):
        raise click.UsageError('A JSON object is wanted, such as {"goal": "…", "next_steps": ["…"]}.')
    known = {name: value for name, value in data.items() if name in KNOWN and value is not None}
    if not known:
        raise click.UsageError(f"None of these fields is in it: {', '.join(sorted(KNOWN))}.")
    return TaskPicture(
        **{name: _text(name, known.get(name, "")) for name in TEXTS},
        phase=_phase(known.get("phase")),
        blocked=known.get("blocked") is True or bool(known.get("blocked_by")),
        files=tuple(FileInPlay(*_two(one, "path", "what")) for one in _items("files", known)),
        decisions=tuple(Decision(*_two(one, "text", "why")) for one in _items("decisions", known)),
        names=tuple(NamedValue(*_two(one, "label", "value")) for one in _items("names", known)),
        blockers=tuple(_text("blockers", one) for one in _items("blockers", known)),
        questions=tuple(_text("questions", one) for one in _items("questions", known)),
        next_steps=tuple(_text("next_steps", one) for one in _items("next_steps", known)),
    )


def _pair(text: str, sign: str) -> tuple[str, str]:
    first, _, second = text.partition(sign)
    return first.strip(), second.strip()


def _named(text: str) -> tuple[str, str]:
    label, colon, value = text.partition(":")
    return (label.strip(), value.strip(" `")) if colon else ("Name", text)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise click.UsageError(f"{name} takes text, not {json.dumps(value)[:60]}.")
    return value


def _phase(value: object) -> Phase | None:
    if not value:
        return None
    try:
        return Phase(str(value).casefold())
    except ValueError as error:
        raise click.UsageError(f"phase is one of {', '.join(Phase)}, not {value!r}.") from error


def _items(name: str, known: Mapping[str, Any]) -> Sequence[Any]:
    value = known.get(name, [])
    if not isinstance(value, list):
        raise click.UsageError(f"{name} takes a list, not {json.dumps(value)[:60]}.")
    return value


def _two(item: object, first: str, second: str) -> tuple[str, str]:
    if isinstance(item, str):
        return (item, "") if first != "label" else ("Name", item)
    if not isinstance(item, dict):
        raise click.UsageError(f"An object with {first} and {second} is wanted, not {json.dumps(item)[:60]}.")
    return _text(first, item.get(first) or ""), _text(second, item.get(second) or "")
