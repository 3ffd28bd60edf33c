"""What was learnt about the user, before it is checked and compared with what is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """Which part of the profile it belongs to."""

    FIELD = "field"
    CONTACT = "contact"


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """One thing that the user said about themselves or somebody they know.

    Attributes:
        kind: a field's value, or a person.
        number: the note that it stands on, as numbered in the request.
        field: the field's path or the last part of it, for ``FIELD``.
        value: its value as it was said.
        name: the person's name, for ``CONTACT``.
        relationship: boss, colleague, client, friend, family or "".
        alias: another name for the person, "".
        notes: how to talk with them, "".
    """

    kind: FactKind
    number: int
    field: str = ""
    value: str = ""
    name: str = ""
    relationship: str = ""
    alias: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class OwnNote:
    """A note that stands on the user's own words.

    Attributes:
        number: from 1, unique within a request.
        text: the note.
        said: the user's own words that it cites, screened, without quotes and pasted text.
    """

    number: int
    text: str
    said: tuple[str, ...]
