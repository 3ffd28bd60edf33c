"""Taking something out of the profile: what would go, and the profile without it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from totalrecall.memory.profile.document import PRESET, Data
from totalrecall.privacy.phrase import holds

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
