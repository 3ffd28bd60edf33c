"""``user_profile.json`` as a document: read with its schema checked, rendered, made anew. Pure.

The shape is the one of the Persistent User Memory skill (README, "The profile"). Unknown keys are kept
wherever they stand; ours beside the skill's are ``field_updated``, ``sources``, ``stale``, ``conflicts``,
``rejected`` and ``damaged`` in ``meta``.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

VERSION = "1.0.0"
Data = dict[str, Any]

_FRESH: Data = {
    "identity": {"name": "", "timezone": "", "language": "en", "preferred_name": ""},
    "preferences": {
        "communication": {"email_tone": "", "response_length": "", "sign_off": ""},
        "scheduling": {
            "protected_hours": [],
            "preferred_meeting_times": [],
            "buffer_between_meetings_minutes": 15,
        },
        "work": {"tools": [], "stacks": [], "working_hours": {"start": "", "end": ""}},
    },
    "relationships": {"contacts": []},
    "patterns": {"recurring_tasks": [], "common_mistakes": [], "frequent_requests": []},
    "episodic": [],
    "meta": {"created_at": "", "last_updated": "", "version": VERSION},
}
_OWN_META: dict[str, type] = {
    "field_updated": dict,
    "sources": dict,
    "damaged": dict,
    "stale": list,
    "conflicts": list,
    "rejected": list,
}
# The values that a fresh profile has without anybody having said them.
PRESET = frozenset({"identity.language", "preferences.scheduling.buffer_between_meetings_minutes"})


@dataclass(frozen=True, slots=True)
class Damage:
    """The file is no profile: why, in words for the user, without anything that stands in it."""

    reason: str


def fresh(now: datetime) -> Data:
    """An empty profile, made now."""
    made = copy.deepcopy(_FRESH)
    made["meta"]["created_at"] = made["meta"]["last_updated"] = now.isoformat(timespec="seconds")
    return made


def read_profile(content: bytes) -> Data | Damage:
    """The profile in ``content``, with what is missing filled in, or why it is none (R081).

    An empty file and one of NULs are damage: nobody writes an empty profile, a lost write looks like that.
    """
    data = _parsed(content)
    if isinstance(data, Damage):
        return data
    wrong = _wrong_types(data, _FRESH, "")
    return Damage(f"{wrong} has the wrong type") if wrong else _with_own_meta(_filled(data, _FRESH))


def _with_own_meta(data: Data) -> Data:
    """``data`` without those of our own keys that an edit gave another type: they are begun anew."""
    meta = data["meta"]
    strange = {name for name, kind in _OWN_META.items() if name in meta and not isinstance(meta[name], kind)}
    return (
        {**data, "meta": {name: one for name, one in meta.items() if name not in strange}}
        if strange
        else data
    )


def _parsed(content: bytes) -> Data | Damage:
    if not content.strip(b"\0 \t\r\n"):
        return Damage("it is empty")
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        return Damage(_reason(error))
    return data if isinstance(data, dict) else Damage("it is not a JSON object")


def _reason(error: ValueError | RecursionError) -> str:
    """What is wrong with the text, without repeating any of it."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not valid JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, _DoubledKeyError):
        return "a key stands in it twice"
    return "it is nested too deeply, or holds a number that cannot be read"


def render_profile(data: Data) -> bytes:
    """The file's bytes."""
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def value_at(data: Data, path: str) -> Any:
    """What stands at a dotted path, None when nothing does."""
    found: Any = data
    for name in path.split("."):
        if not isinstance(found, dict) or name not in found:
            return None
        found = found[name]
    return found


def unknown(path: str) -> Any:
    """What a fresh profile holds at a dotted path."""
    return copy.deepcopy(value_at(_FRESH, path))


def with_value(data: Data, path: str, value: Any) -> Data:
    """A copy of ``data`` with ``value`` at a dotted path."""
    changed = copy.deepcopy(data)
    *folders, last = path.split(".")
    place = changed
    for name in folders:
        place = place.setdefault(name, {})
    place[last] = value
    return changed


class _DoubledKeyError(ValueError):
    """A key that stands twice in one object: one of the two values would be lost."""


def _without_doubles(pairs: list[tuple[str, Any]]) -> Data:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DoubledKeyError(next(name for name in names if names.count(name) > 1))
    return found


def _wrong_types(data: Data, shape: Data, path: str) -> str:
    """The first known key whose value is of another type than the schema's; null counts as unknown."""
    for name, model in shape.items():
        value = data.get(name)
        if value is None:
            continue
        here = f"{path}.{name}" if path else name
        if type(value) is not type(model):
            return here
        if isinstance(model, dict) and (wrong := _wrong_types(value, model, here)):
            return wrong
    return _wrong_items(data, path)


def _wrong_items(data: Data, path: str) -> str:
    """Contacts and episodes are objects, and aliases a list, whatever else stands in them."""
    name = {"": "episodic", "relationships": "contacts"}.get(path)
    items = data.get(name) or [] if name else []
    here = f"an entry of {path + '.' if path else ''}{name}"
    if any(not isinstance(one, dict) for one in items):
        return here
    return here if any(not isinstance(one.get("alias") or [], list) for one in items) else ""


def _filled(data: Data, shape: Data) -> Data:
    """``data`` with the keys that it lacks, or that are null, as in an empty profile; its own order first."""
    done = dict(data)
    for name, model in shape.items():
        value = done.get(name)
        if value is None:
            done[name] = copy.deepcopy(model)
        elif isinstance(model, dict):
            done[name] = _filled(value, model)
    return done
