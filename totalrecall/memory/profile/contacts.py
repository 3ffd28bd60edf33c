"""People the user knows, and what happened: contacts and episodes of the profile. Pure."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import Any

from totalrecall.memory.profile.changes import Change, Changed, Said, settled, waiting
from totalrecall.memory.profile.document import Data, value_at, with_value

RELATIONSHIPS = ("boss", "colleague", "client", "friend", "family")
IMPORTANT = "important"
EPISODES = 500
SUMMARY_CHARS = 300
SENTENCES = 2
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zäöü])|(?<=[。！？])\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Contact:
    """What was said about a person.

    Attributes:
        name: as the user calls them.
        relationship: one of ``RELATIONSHIPS``, "" when nothing tells.
        alias: another name for them, "".
        notes: how to talk with them, one sentence, "".
        day: when they were last dealt with, ``YYYY-MM-DD``, "".
    """

    name: str
    relationship: str = ""
    alias: str = ""
    notes: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """A notable piece of work in one or two sentences, and how it ended."""

    day: str
    summary: str
    outcome: str = ""
    tags: tuple[str, ...] = ()


def contacts(data: Data) -> list[Data]:
    """The people in the profile."""
    return list(value_at(data, "relationships.contacts") or [])


def episodes(data: Data) -> list[Data]:
    """What happened, oldest first as it was added."""
    return list(data.get("episodic") or [])


def people_named(data: Data, name: str) -> list[int]:
    """The places of the contacts that ``name`` can mean, by name or alias."""
    wanted = _folded(name)
    return [
        place
        for place, one in enumerate(contacts(data))
        if wanted in {_folded(said) for said in (one.get("name"), *(one.get("alias") or []))}
    ]


def learn_contact(data: Data, contact: Contact, said: Said) -> Changed:
    """The person with what is new about them; what contradicts, or could mean two people, waits."""
    found = people_named(data, contact.name)
    if len(found) > 1:
        new = _described(contact)
        return waiting(data, _path_of(contact.name), "which one is meant?", new, said)
    if not found:
        return Changed(_with_contacts(data, [*contacts(data), _entry(contact)]), Change.ADDED)
    old = contacts(data)[found[0]]
    stated = str(old.get("relationship") or "")
    if contact.relationship and stated and stated != contact.relationship:
        path = f"relationships.contacts[{contact.name}].relationship"
        return waiting(data, path, stated, contact.relationship, said)
    return _merged_into(data, found[0], contact)


def settle_contact(data: Data, path: str, value: str, said: Said) -> Data:
    """The profile after the user accepted what waited at ``path`` of a contact."""
    name, _, rest = path.removeprefix("relationships.contacts[").partition("]")
    found = people_named(data, name)
    if rest != ".relationship" or len(found) != 1:
        # Who is meant is said by giving one of them an alias; there is nothing to write here.
        return data
    people = contacts(data)
    people[found[0]] = {**people[found[0]], "relationship": value, "last_interaction": said.at[:10]}
    return _with_contacts(data, people)


def put_contact(data: Data, contact: Contact, place: int | None) -> Data:
    """The person as the user says: at ``place`` in the list, or a new one."""
    if place is None:
        return _with_contacts(data, [*contacts(data), _entry(contact)])
    people = contacts(data)
    people[place] = _updated(people[place], contact, replace=True)
    # Who was meant is said now.
    return settled(_with_contacts(data, people), _path_of(contact.name))


def is_about_whom(conflict: Data) -> bool:
    """Whether a conflict waits for which of several people is meant."""
    path = str(conflict.get("field", ""))
    return path.startswith("relationships.contacts[") and path.endswith("]")


def _path_of(name: str) -> str:
    return f"relationships.contacts[{name}]"


def with_episode(data: Data, episode: Episode) -> Changed:
    """The episode added; one of the same day with the same words is the same one."""
    entry = {
        "date": episode.day,
        "summary": _in_short(episode.summary),
        "outcome": _in_short(episode.outcome),
        "tags": list(episode.tags),
    }
    held = episodes(data)
    if any(
        one.get("date") == entry["date"] and _folded(one.get("summary")) == _folded(entry["summary"])
        for one in held
    ):
        return Changed(data, Change.KNOWN)
    return Changed(with_value(data, "episodic", _bounded([*held, entry])), Change.ADDED)


def is_important(episode: Data) -> bool:
    """Whether it stays however old it is."""
    tags = episode.get("tags")
    return isinstance(tags, list) and any(_folded(one) == IMPORTANT for one in tags)


def merged_people(people: list[Data]) -> list[Data]:
    """Contacts with the same name as one: the first with what only the later ones say."""
    done: list[Data] = []
    for one in people:
        name = _folded(one.get("name"))
        twin = next((place for place, other in enumerate(done) if _folded(other.get("name")) == name), None)
        if twin is None or not name:
            done.append(one)
        elif not _differ(done[twin], one):
            done[twin] = _joined(done[twin], one)
        else:
            done.append(one)
    return done


def _differ(first: Data, second: Data) -> bool:
    """Whether two of one name are two people: their relationships are both known and not the same."""
    stated = {str(one.get("relationship") or "") for one in (first, second)} - {""}
    return len(stated) > 1


def _joined(first: Data, second: Data) -> Data:
    done = {**second, **{key: value for key, value in first.items() if value not in ("", None, [])}}
    alias = [*(first.get("alias") or []), *(second.get("alias") or [])]
    done["alias"] = list(dict.fromkeys(str(one) for one in alias))
    notes = [str(one.get("communication_notes") or "") for one in (first, second)]
    done["communication_notes"] = "; ".join(dict.fromkeys(one for one in notes if one))
    done["last_interaction"] = max(str(one.get("last_interaction") or "") for one in (first, second))
    return done


def _merged_into(data: Data, place: int, contact: Contact) -> Changed:
    people = contacts(data)
    changed = _updated(people[place], contact, replace=False)
    if changed == people[place]:
        return Changed(data, Change.KNOWN)
    people[place] = changed
    return Changed(_with_contacts(data, people), Change.ADDED)


def _updated(old: Data, contact: Contact, *, replace: bool) -> Data:
    done: dict[str, Any] = copy.deepcopy(old)
    if contact.relationship and (replace or not done.get("relationship")):
        done["relationship"] = contact.relationship
    known = [str(one) for one in done.get("alias") or []]
    if contact.alias and _folded(contact.alias) not in {_folded(one) for one in [*known, old.get("name")]}:
        done["alias"] = [*known, contact.alias]
    notes = str(done.get("communication_notes") or "")
    if contact.notes and _folded(contact.notes) not in _folded(notes):
        done["communication_notes"] = f"{notes}; {contact.notes}" if notes else contact.notes
    done["last_interaction"] = max(str(done.get("last_interaction") or ""), contact.day)
    return done


def _entry(contact: Contact) -> Data:
    return {
        "name": contact.name,
        "alias": [contact.alias] if contact.alias else [],
        "relationship": contact.relationship,
        "communication_notes": contact.notes,
        "last_interaction": contact.day,
    }


def _described(contact: Contact) -> str:
    parts = [contact.name, contact.relationship, contact.notes]
    return ", ".join(part for part in parts if part)


def _in_short(text: str) -> str:
    """The first two sentences, and not more than ``SUMMARY_CHARS`` of them."""
    return " ".join(_SENTENCE_END.split(text.strip())[:SENTENCES])[:SUMMARY_CHARS]


def _bounded(held: list[Data]) -> list[Data]:
    """At most ``EPISODES``: the oldest that are not important give way."""
    surplus = len(held) - EPISODES
    kept: list[Data] = []
    for one in held:
        if surplus > 0 and not is_important(one):
            surplus -= 1
        else:
            kept.append(one)
    return kept


def _with_contacts(data: Data, people: list[Data]) -> Data:
    return with_value(data, "relationships.contacts", people)


def _folded(value: object) -> str:
    return " ".join(str(value or "").casefold().split())
