"""Changing the profile: what is new is added, what contradicts waits to be asked about. Pure.

No function changes what it is given. A value that somebody said is never overwritten by one that was only
learnt; the two wait as a conflict until the user accepts or rejects the new one.
"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from totalrecall.memory.profile.document import PRESET, Data, value_at, with_value
from totalrecall.memory.profile.fields import Field, find_field

LIST_ITEMS = 50
CONFLICTS = 50


@dataclass(frozen=True, slots=True)
class Said:
    """Where something was said.

    Attributes:
        at: when, ISO 8601 with zone.
        agent: to which agent; "" for a change by hand.
        note: the note that it was learnt from, for ``totalrecall why``; "" for a change by hand.
    """

    at: str
    agent: str = ""
    note: str = ""


class Change(StrEnum):
    """What became of a value."""

    ADDED = "added"
    KNOWN = "known"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Changed:
    """The profile afterwards, and what became of the value."""

    data: Data
    change: Change


def learn(data: Data, field: Field, value: Any, said: Said) -> Changed:
    """``value`` in ``field`` if nothing contradicts it, else waiting beside the old one."""
    old = value_at(data, field.path)
    if field.is_list:
        return _listed(data, field, value, said)
    if _same(old, value):
        return Changed(_stamped(data, field.path, said), Change.KNOWN)
    known = value_at(data, "meta.field_updated") or {}
    if old in ("", None) or (field.path in PRESET and field.path not in known):
        return Changed(_stamped(with_value(data, field.path, value), field.path, said), Change.ADDED)
    return waiting(data, field.path, old, value, said)


def put(data: Data, field: Field, value: Any, said: Said) -> Data:
    """``value`` in ``field`` because the user says so: it replaces, and settles a conflict about it."""
    old = value_at(data, field.path)
    if field.is_list:
        done = _listed(data, field, value, said).data
    else:
        done = _stamped(with_value(data, field.path, value), field.path, said)
    return settled(done, field.path) if not _same(old, value) or conflicts(data) else done


def waiting(data: Data, path: str, old: Any, new: Any, said: Said) -> Changed:
    """The two values beside each other until the user decides; the same contradiction waits once."""
    number = hashlib.blake2b(f"{path}\0{old}\0{new}".encode(), digest_size=4).hexdigest()
    held = conflicts(data)
    rejected = value_at(data, "meta.rejected") or []
    if number in rejected or any(one.get("id") == number for one in held):
        return Changed(data, Change.KNOWN)
    source = (value_at(data, "meta.sources") or {}).get(path) or {}
    entry = {
        "id": number,
        "field": path,
        "old": old,
        "new": new,
        "old_said": source,
        "new_said": asdict(said),
    }
    return Changed(with_value(data, "meta.conflicts", [*held, entry][-CONFLICTS:]), Change.CONFLICT)


def conflicts(data: Data) -> list[Data]:
    """What waits for the user: ``id``, ``field``, ``old``, ``new``, ``old_said``, ``new_said``."""
    held = value_at(data, "meta.conflicts")
    return [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []


def accept(data: Data, number: str) -> Data | None:
    """The profile with the new value of a conflict in place; None when no such conflict waits."""
    found = next((one for one in conflicts(data) if one.get("id") == number), None)
    if found is None:
        return None
    path, said = str(found.get("field", "")), Said(**_said(found.get("new_said")))
    done = _without_conflict(data, number)
    field = find_field(path)
    if field is not None:
        return _stamped(with_value(done, path, found.get("new")), path, said)
    from totalrecall.memory.profile.contacts import settle_contact

    return settle_contact(done, path, str(found.get("new", "")), said)


def reject(data: Data, number: str) -> Data | None:
    """The profile with the old value kept; the new one is not asked about again. None: no such conflict."""
    if all(one.get("id") != number for one in conflicts(data)):
        return None
    rejected = [*(value_at(data, "meta.rejected") or []), number][-CONFLICTS:]
    return with_value(_without_conflict(data, number), "meta.rejected", rejected)


def stamped_now(data: Data, now: datetime) -> Data:
    """``data`` with ``meta.last_updated`` set."""
    return with_value(data, "meta.last_updated", now.isoformat(timespec="seconds"))


def _listed(data: Data, field: Field, value: Any, said: Said) -> Changed:
    items = list(value_at(data, field.path) or [])
    if any(_same(one, value) for one in items):
        return Changed(_stamped(data, field.path, said), Change.KNOWN)
    done = with_value(data, field.path, [*items, value][-LIST_ITEMS:])
    return Changed(_stamped(done, field.path, said), Change.ADDED)


def _stamped(data: Data, path: str, said: Said) -> Data:
    """``data`` with when and where the field was last said, and no longer stale."""
    done = copy.deepcopy(data)
    meta = done.setdefault("meta", {})
    meta["field_updated"] = {**(meta.get("field_updated") or {}), path: said.at}
    meta["sources"] = {**(meta.get("sources") or {}), path: asdict(said)}
    if path in (meta.get("stale") or []):
        meta["stale"] = [one for one in meta["stale"] if one != path]
    return done


def settled(data: Data, path: str) -> Data:
    """The profile without what waits about the field: the user has said it."""
    held = [one for one in conflicts(data) if one.get("field") != path]
    return with_value(data, "meta.conflicts", held) if len(held) < len(conflicts(data)) else data


def _without_conflict(data: Data, number: str) -> Data:
    return with_value(data, "meta.conflicts", [one for one in conflicts(data) if one.get("id") != number])


def _said(raw: object) -> dict[str, str]:
    found = raw if isinstance(raw, dict) else {}
    return {name: str(found.get(name, "")) for name in ("at", "agent", "note")}


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, str) and isinstance(new, str):
        return " ".join(old.casefold().split()) == " ".join(new.casefold().split())
    return bool(old == new)
