"""What is put in order at each start: old episodes, people who stand twice, fields nobody confirmed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from totalrecall.memory.profile.changes import stamped_now
from totalrecall.memory.profile.contacts import contacts, episodes, is_important, merged_people
from totalrecall.memory.profile.document import Data, value_at, with_value
from totalrecall.memory.profile.fields import FIELDS

EPISODE_DAYS = 180
STALE_DAYS = 90


@dataclass(frozen=True, slots=True)
class Tidied:
    """The profile in order, and what was done.

    Attributes:
        data: the profile.
        episodes: how many left because of their age.
        people: how many contacts became part of another one.
        stale: the fields that nobody confirmed for ``STALE_DAYS`` days.
    """

    data: Data
    episodes: int
    people: int
    stale: tuple[str, ...]


def tidied(data: Data, now: datetime) -> Tidied:
    """Without old episodes that are not important, contacts of one name merged, old fields marked."""
    held, people = episodes(data), contacts(data)
    kept = [one for one in held if is_important(one) or not _older(one.get("date"), now, EPISODE_DAYS)]
    merged = merged_people(people)
    stale = _stale(data, now)
    done = data
    if len(kept) < len(held):
        done = with_value(done, "episodic", kept)
    if len(merged) < len(people):
        done = with_value(done, "relationships.contacts", merged)
    if list(stale) != (value_at(data, "meta.stale") or []):
        done = with_value(done, "meta.stale", list(stale))
    if done is not data:
        done = stamped_now(done, now)
    return Tidied(done, len(held) - len(kept), len(people) - len(merged), stale)


def _stale(data: Data, now: datetime) -> tuple[str, ...]:
    updated = value_at(data, "meta.field_updated") or {}
    known = [one.path for one in FIELDS if one.path in updated and value_at(data, one.path) not in ("", [])]
    return tuple(path for path in known if _older(updated[path], now, STALE_DAYS))


def _older(written: object, now: datetime, days: int) -> bool:
    """Whether a date or time lies more than ``days`` back; one that cannot be read never does."""
    try:
        day = date.fromisoformat(str(written)[:10])
    except ValueError:
        return False
    return now.date() - day > timedelta(days=days)
