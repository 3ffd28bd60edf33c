"""Adding entries to what is known: repeated ones once, of contradicting ones the newest. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from totalrecall.domain.distilled import Theme
from totalrecall.memory.long_term.block import Entry, LongTerm, render_long_term

# What leaves first when the file is over the host's limit; what was agreed and who somebody is stays.
_LEAVE_ORDER = (Theme.TIMELINE, Theme.STATUS, Theme.ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How entries are compared.

    Attributes:
        same: whether the second text says what the first one says.
        replaced: the old value that the first text replaces in the second, "" when it contradicts nothing.
    """

    same: Callable[[str, str], bool]
    replaced: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the new entries.

    Attributes:
        entries: all entries afterwards.
        added: those that are new.
        repeated: new ones that were known.
        superseded: known ones that a newer one contradicts, with the one that took the place.
    """

    entries: tuple[Entry, ...]
    added: tuple[Entry, ...] = ()
    repeated: tuple[Entry, ...] = ()
    superseded: tuple[tuple[Entry, Entry], ...] = ()


def merge(known: Sequence[Entry], new: Sequence[Entry], likeness: Likeness) -> Merged:
    """``known`` with ``new`` in it, oldest said first within a theme, each fact once."""
    entries = list(known)
    added: list[Entry] = []
    repeated: list[Entry] = []
    superseded: list[tuple[Entry, Entry]] = []
    for one in sorted(new, key=lambda entry: entry.since or date.min):
        place = _contradicted(one, entries, likeness)
        if place is None and any(likeness.same(one.text, old.text) for old in entries):
            repeated.append(one)
            continue
        if place is None:
            entries.append(one)
            added.append(one)
            continue
        old = entries[place]
        if old.since and one.since and old.since > one.since:
            repeated.append(one)  # an older value that has been replaced since
            continue
        now = _replacing(one, old, likeness)
        entries[place] = now
        added = [now if each is old else each for each in added] if old in added else [*added, now]
        superseded.append((old, now))
    return Merged(tuple(entries), tuple(added), tuple(repeated), tuple(superseded))


def fitted(
    memory: LongTerm, language: str, limit: int, size: Callable[[str], int]
) -> tuple[LongTerm, list[Entry]]:
    """The file so that it is no longer than ``limit``, and the entries that had to leave, oldest first.

    Only dated entries of the timeline, the status and the environment leave. Where that is not enough the
    file stays longer: what others wrote is theirs.
    """
    gone: list[Entry] = []
    leaving = [
        one
        for theme in _LEAVE_ORDER
        for one in sorted((each for each in memory.entries if each.theme is theme), key=_age)
        if one.since is not None
    ]
    for one in leaving:
        if size(render_long_term(memory, language)) <= limit:
            break
        gone.append(one)
        memory = replace(memory, entries=tuple(each for each in memory.entries if each is not one))
    return memory, gone


def _age(entry: Entry) -> date:
    return entry.since or date.max


def _contradicted(new: Entry, entries: Sequence[Entry], likeness: Likeness) -> int | None:
    for place, old in enumerate(entries):
        if likeness.replaced(new.text, old.text):
            return place
    return None


def _replacing(new: Entry, old: Entry, likeness: Likeness) -> Entry:
    """The new entry, saying what it replaces."""
    if "(replaces:" in new.text or "（取代" in new.text:
        return replace(new, theme=old.theme)
    value = likeness.replaced(new.text, old.text)
    return replace(new, theme=old.theme, text=f"{new.text} (replaces: {value})")
