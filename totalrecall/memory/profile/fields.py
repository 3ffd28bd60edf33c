"""The fields of the profile that hold one value or a list: what they may hold, how it is written. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from zoneinfo import available_timezones

TEXT_CHARS = 200
BUFFER_MINUTES = 24 * 60


class FieldKind(StrEnum):
    """How a field's value is written."""

    TEXT = "text"
    CHOICE = "choice"
    ZONE = "zone"
    LANGUAGE = "language"
    TIME = "time"
    MINUTES = "minutes"
    LIST = "list"
    SPANS = "spans"


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Attributes:
        path: its dotted path in the file.
        label: what it is called in a sentence.
        kind: how its value is written.
        choices: the words allowed, for a choice.
    """

    path: str
    label: str
    kind: FieldKind
    choices: tuple[str, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether it holds several values, so that a new one contradicts none."""
        return self.kind in {FieldKind.LIST, FieldKind.SPANS}


FIELDS: tuple[Field, ...] = (
    Field("identity.name", "name", FieldKind.TEXT),
    Field("identity.preferred_name", "preferred name", FieldKind.TEXT),
    Field("identity.timezone", "time zone", FieldKind.ZONE),
    Field("identity.language", "language", FieldKind.LANGUAGE),
    Field(
        "preferences.communication.email_tone",
        "email tone",
        FieldKind.CHOICE,
        ("formal", "casual", "neutral"),
    ),
    Field(
        "preferences.communication.response_length",
        "response length",
        FieldKind.CHOICE,
        ("concise", "detailed"),
    ),
    Field("preferences.communication.sign_off", "sign-off", FieldKind.TEXT),
    Field("preferences.scheduling.protected_hours", "protected hours", FieldKind.SPANS),
    Field("preferences.scheduling.preferred_meeting_times", "preferred meeting times", FieldKind.LIST),
    Field(
        "preferences.scheduling.buffer_between_meetings_minutes",
        "minutes between meetings",
        FieldKind.MINUTES,
    ),
    Field("preferences.work.tools", "tools", FieldKind.LIST),
    Field("preferences.work.stacks", "stacks", FieldKind.LIST),
    Field("preferences.work.working_hours.start", "start of work", FieldKind.TIME),
    Field("preferences.work.working_hours.end", "end of work", FieldKind.TIME),
    Field("patterns.recurring_tasks", "recurring tasks", FieldKind.LIST),
    Field("patterns.common_mistakes", "common mistakes", FieldKind.LIST),
    Field("patterns.frequent_requests", "frequent requests", FieldKind.LIST),
)

_BY_PATH = {one.path: one for one in FIELDS}
_TIME = re.compile(r"^([01]?\d|2[0-4])(?::?([0-5]\d))?$")
_SPAN = re.compile(r"^(\S+?)\s*(?:[\u2013\u2014-]|to)\s*(\S+)$")
_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$")


def find_field(name: str) -> Field | None:
    """The field of that path, or of that last part where only one field ends in it."""
    if name in _BY_PATH:
        return _BY_PATH[name]
    ending = [one for one in FIELDS if one.path.endswith(f".{name}")]
    return ending[0] if len(ending) == 1 else None


def checked(field: Field, raw: str) -> Any:
    """``raw`` as it is stored.

    Raises:
        ValueError: with what the field may hold.
    """
    text = " ".join(raw.split())
    if not text:
        raise ValueError("it is empty")
    if len(text) > TEXT_CHARS:
        raise ValueError(f"at most {TEXT_CHARS} characters; it is a summary, not a transcript")
    if field.kind is FieldKind.CHOICE:
        return _choice(field, text)
    if field.kind is FieldKind.TIME:
        return _time(text)
    if field.kind is FieldKind.SPANS:
        return _span(text)
    if field.kind is FieldKind.MINUTES:
        return _minutes(text)
    if field.kind is FieldKind.ZONE and text not in available_timezones():
        raise ValueError("a zone name such as Europe/Berlin")
    if field.kind is FieldKind.LANGUAGE and not _LANGUAGE.match(text):
        raise ValueError("a language tag such as en or zh-CN")
    return text


def _choice(field: Field, text: str) -> str:
    if text.casefold() not in field.choices:
        raise ValueError(f"one of {', '.join(field.choices)}")
    return text.casefold()


def _time(text: str) -> str:
    match = _TIME.match(text)
    if match is None or (match[1] == "24" and match[2] not in {None, "00"}):
        raise ValueError("a time such as 09:30")
    return f"{int(match[1]):02d}:{match[2] or '00'}"


def _span(text: str) -> str:
    match = _SPAN.match(text)
    if match is None:
        raise ValueError("two times such as 00:00\u201309:30")
    return f"{_time(match[1])}\u2013{_time(match[2])}"


def _minutes(text: str) -> int:
    if not text.isdecimal() or int(text) > BUFFER_MINUTES:
        raise ValueError(f"a whole number of minutes from 0 to {BUFFER_MINUTES}")
    return int(text)
