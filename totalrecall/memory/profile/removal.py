"""Taking something out of the profile: what would go, and the profile without it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from totalrecall.memory.profile.document import PRESET, Data, unknown, value_at, with_value
from totalrecall.memory.profile.fields import FIELDS
from totalrecall.privacy.phrase import holds

_VALUES = ("episodic", *(one.path for one in FIELDS))
# What says when and where a value was said goes with the value, not by its own words.
_OURS = ("meta.field_updated", "meta.stale", "meta.created_at", "meta.last_updated", "meta.version")


@dataclass(frozen=True, slots=True)
class Found:
    """A value that holds the text: where, and how it reads."""

    path: str
    shown: str


def matches(data: Data, text: str) -> list[Found]:
    """Every value that holds ``text``; a contact or an episode counts as a whole."""
    return _walk(data, _holds(text))


def without(data: Data, text: str) -> Data:
    """The profile without every value that holds ``text``; nothing else is changed."""
    done: Data = _cut(data, "", _holds(text))
    return done


def matches_of_notes(data: Data, note_ids: Collection[str], texts: Collection[str]) -> list[Found]:
    """Every value that was learnt from these notes, or that is one of their texts; people aside."""
    found = []
    for path in _VALUES:
        value = value_at(data, path)
        items = value if isinstance(value, list) else [value]
        found += [Found(path, _shown(one)) for one in items if _is_of(data, path, one, note_ids, texts)]
    waiting = value_at(data, "meta.conflicts") or []
    return found + [Found("meta.conflicts", _shown(one)) for one in waiting if _waits_for(one, note_ids)]


def without_notes(data: Data, note_ids: Collection[str], texts: Collection[str]) -> Data:
    """The profile without what ``matches_of_notes`` finds, and without where it was said."""
    done = data
    for path in _VALUES:
        value = value_at(data, path)
        if isinstance(value, list):
            kept = [one for one in value if not _is_of(data, path, one, note_ids, texts)]
            done = with_value(done, path, kept)
        elif _is_of(data, path, value, note_ids, texts):
            done = with_value(done, path, unknown(path))
    for name in ("sources", "field_updated"):
        held = value_at(done, f"meta.{name}")
        if held:
            kept_keys = {path: one for path, one in held.items() if not _is_said_by(data, path, note_ids)}
            done = with_value(done, f"meta.{name}", kept_keys)
    waiting = value_at(done, "meta.conflicts")
    if not waiting:
        return done
    return with_value(done, "meta.conflicts", [one for one in waiting if not _waits_for(one, note_ids)])


def _is_said_by(data: Data, path: str, note_ids: Collection[str]) -> bool:
    source = (value_at(data, "meta.sources") or {}).get(path)
    return isinstance(source, dict) and source.get("note") in note_ids


def _is_of(data: Data, path: str, value: Any, note_ids: Collection[str], texts: Collection[str]) -> bool:
    """Whether a value is of these notes: of a list the items that stand in their words."""
    if isinstance(value, dict):
        return any(text in str(value.get("summary")) for text in texts)
    if value in ("", None, unknown(path)):
        return False
    if any(text in str(value) for text in texts):
        return True
    said = _is_said_by(data, path, note_ids)
    if isinstance(value_at(data, path), list):
        return said and any(holds(text, str(value)) for text in texts)
    return said


def _waits_for(conflict: Any, note_ids: Collection[str]) -> bool:
    said = [conflict.get(name) for name in ("old_said", "new_said")] if isinstance(conflict, dict) else []
    return any(isinstance(one, dict) and one.get("note") in note_ids for one in said)


def _holds(text: str) -> Callable[[str], bool]:
    return lambda value: holds(value, text)


def _walk(value: Any, holds: Callable[[str], bool], path: str = "") -> list[Found]:
    if path in _OURS or path == "meta.sources":
        return []
    if _is_whole(path) or not isinstance(value, dict | list):
        return [Found(path, _shown(value))] if _any(value, holds) else []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[Found] = []
    for name, one in items:
        here = f"{path}[{name}]" if isinstance(value, list) else f"{path}.{name}" if path else str(name)
        found += _walk(one, holds, here)
    return found


def _cut(value: Any, path: str, holds: Callable[[str], bool]) -> Any:
    if path in _OURS:
        return value
    if isinstance(value, dict) and not _is_whole(path):
        done = {}
        for name, one in value.items():
            here = f"{path}.{name}" if path else name
            # A source says where a value was said: it goes with what it is the source of.
            gone = path == "meta.sources" and _any(one, holds)
            if not gone:
                done[name] = _cut(one, here, holds)
        return done
    if isinstance(value, list):
        return [_cut(one, "", holds) for one in value if not _any(one, holds)]
    if isinstance(value, str) and holds(value):
        return "en" if path in PRESET else ""
    return value


def _is_whole(path: str) -> bool:
    """Contacts, episodes, conflicts and sources are not taken apart."""
    return path.endswith("]") and path.startswith(("relationships.contacts[", "episodic[", "meta.conflicts["))


def _any(value: Any, holds: Callable[[str], bool]) -> bool:
    if isinstance(value, dict):
        return any(_any(one, holds) for one in value.values())
    if isinstance(value, list):
        return any(_any(one, holds) for one in value)
    return holds(str(value)) if isinstance(value, str | int | float) else False


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        parts = (value.get(key) for key in ("name", "date", "field", "summary", "relationship", "new"))
        return ", ".join(str(one) for one in parts if one)
    return str(value)
