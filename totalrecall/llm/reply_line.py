"""One line of an answer, in the many shapes that models give it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from totalrecall.domain.note import NoteType, Priority

_SIGNS = {
    "🔴": Priority.HIGH, "❗": Priority.HIGH, "🟠": Priority.MEDIUM, "🟡": Priority.MEDIUM,
    "🟢": Priority.LOW, "🔵": Priority.LOW, "⚪": Priority.LOW,
}  # fmt: skip
_WORDS = {
    "high": Priority.HIGH, "critical": Priority.HIGH, "important": Priority.HIGH, "p1": Priority.HIGH,
    "red": Priority.HIGH, "medium": Priority.MEDIUM, "med": Priority.MEDIUM, "moderate": Priority.MEDIUM,
    "p2": Priority.MEDIUM, "yellow": Priority.MEDIUM, "low": Priority.LOW, "minor": Priority.LOW,
    "p3": Priority.LOW, "green": Priority.LOW,
}  # fmt: skip
_TYPES = {str(kind): kind for kind in NoteType} | {
    "todo": NoteType.TASK, "open": NoteType.TASK, "action": NoteType.TASK, "pref": NoteType.PREFERENCE,
    "info": NoteType.FACT, "note": NoteType.CONTEXT, "error": NoteType.EVENT, "problem": NoteType.EVENT,
}  # fmt: skip
_BULLET = re.compile(r"^(?:[-*•–—‣◦▪●·+]|\d{1,3}[.)])(?:\s+|(?=🔴|🟠|🟡|🟢|🔵|⚪|❗))(?:\[[ xX]\]\s+)?")
_SIGN = re.compile(f"^({'|'.join(_SIGNS)})\ufe0f?\\s*")
_TIME = re.compile(
    r"^[\[(]?(?:\d{4}-\d{2}-\d{2}[ T])?(\d{1,2})[:：](\d{2})(?::\d{2})?(?:\s*([AaPp])\.?[Mm]\.?)?"
    r"[\])]?(?:\s*[-–—:|]\s+|\s+|$)",
)
_DAY = re.compile(r"^[\[(]?(\d{4}-\d{2}-\d{2})[\])]?[\s:,–-]+")
_TAG = re.compile(r"^[\[(【]([A-Za-z][\w-]{1,11})[\])】]\s*[:：-]?\s*")
_LABEL = re.compile(
    r"^(?:priority\s*[:=]\s*)?(high|medium|low|critical)\b\s*(?:priority)?\s*[:：–—|-]\s*", re.IGNORECASE
)
_HEADING = re.compile(
    r"^[\s#*_-]*(?:(?:date|datum|日期)\s*[:：]\s*)?[*_]*(\d{4}-\d{2}-\d{2})\b[^🔴🟡🟢]{0,40}$", re.IGNORECASE
)
_NUMBERS = r"#?m?\d{1,3}(?:\s*(?:[,;、&]|and|und|-|–|\.\.)\s*#?m?\d{1,3})*"
_NAMED = r"(?:messages?|msgs?|m|nos?\.?|nr\.?|cites?|citations?|sources?|refs?|nachrichten?|消息)"
_CITES = (
    re.compile(
        rf"\s*[\^]?[\[【]\s*(?:{_NAMED}\s*[:#.]?\s*)?({_NUMBERS})\s*[\]】]\s*[.。;,]?$", re.IGNORECASE
    ),
    re.compile(rf"\s*[(（]\s*{_NAMED}\s*[:#.]?\s*({_NUMBERS})\s*[)）]\s*[.。;,]?$", re.IGNORECASE),
    re.compile(r"\s*[(（]\s*(#\d{1,3}(?:\s*,\s*#\d{1,3})*)\s*[)）]\s*[.。;,]?$"),
    re.compile(
        rf"\s*(?:[-–—|]\s*)?(?:cites?|sources?|citations?)\s*[:：]\s*\[?({_NUMBERS})\]?\s*[.。]?$",
        re.IGNORECASE,
    ),
)
_INLINE = re.compile(r"(?<=[\w.,;:!?)])\s+\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?=[\s.,;:]|$)")
_RANGE = re.compile(r"(\d{1,3})\s*(?:-|–|\.\.)\s*#?m?(\d{1,3})")
_MAX_RANGE = 40


@dataclass(frozen=True, slots=True)
class ReplyLine:
    """A note as the model wrote it.

    Attributes:
        text: the words, without bullet, sign, time, type and citations.
        priority: None when the line had no sign.
        time: ``HH:MM`` or "".
        type: None when missing or unknown.
        cites: the numbers it names, in order, unchecked.
        day: from a date heading above it or a date in front of it.
        indented: it stands under the line before.
        children: the lines under it.
    """

    text: str
    priority: Priority | None = None
    time: str = ""
    type: NoteType | None = None
    cites: tuple[int, ...] = ()
    day: date | None = None
    indented: bool = False
    children: tuple[ReplyLine, ...] = ()


def day_in(raw: str) -> date | None:
    """The day of a line that is a date heading; None for any other line."""
    match = _HEADING.match(raw)
    if not match or _SIGN.match(raw.lstrip(" -*")):
        return None
    rest = raw.split(match[1], 1)[1].strip(" :*_#-")
    return _date(match[1]) if len(rest.split()) <= 2 and "[" not in rest else None


def line_from_text(raw: str) -> ReplyLine | None:
    """The note on a line; None when the line is prose."""
    indent = len(raw.expandtabs(2)) - len(raw.expandtabs(2).lstrip())
    rest = raw.strip()
    body = _BULLET.sub("", rest, count=1)
    bulleted = body != rest
    text, marks = _heads(body.replace("**", "", 2) if body.startswith("**") else body)
    text, cites = _citations(text)
    text = _unbold(text)
    stands = marks.priority is not None or bulleted or (bool(marks.time) and bool(marks.type or cites))
    if not stands or not any(sign.isalnum() for sign in text):
        return None
    return ReplyLine(text, marks.priority, marks.time, marks.type, cites, marks.day, indented=indent >= 2)


def line_from_json(item: Any) -> ReplyLine | None:
    """The note in one element of a JSON answer; None when it holds none."""
    if isinstance(item, str):
        return line_from_text(item) or line_from_text(f"- {item}")
    if not isinstance(item, Mapping):
        return None
    words = _first(item, "text", "note", "content", "observation", "fact", "memory", "description")
    if not isinstance(words, str) or not words.strip():
        return None
    inner = line_from_text(f"- {' '.join(words.split())}")
    if inner is None:
        return None
    marked = str(_first(item, "priority", "sign", "importance", "emoji", "level") or "").strip().lower()
    sign = _SIGN.match(marked)
    children = _first(item, "children", "details", "sub") or ()
    return ReplyLine(
        text=inner.text,
        priority=(_SIGNS[sign[1]] if sign else _WORDS.get(marked)) or inner.priority,
        time=_clock(_TIME.match(str(_first(item, "time", "at", "timestamp") or ""))) or inner.time,
        type=_TYPES.get(str(_first(item, "type", "category", "kind") or "").lower()) or inner.type,
        cites=_json_cites(_first(item, "cites", "messages", "citations", "sources", "refs", "message"))
        or inner.cites,
        day=_date(str(_first(item, "date", "day") or "")[:10]) or inner.day,
        children=tuple(line for child in children if (line := line_from_json(child)))
        if isinstance(children, list)
        else (),
    )


@dataclass(slots=True)
class _Marks:
    priority: Priority | None = None
    time: str = ""
    type: NoteType | None = None
    day: date | None = None


def _heads(text: str) -> tuple[str, _Marks]:
    """What stands before the words, in any order."""
    marks = _Marks()
    for _ in range(6):
        text = text.lstrip()
        bare = text.lstrip("*_ ") if text.startswith(("**", "__")) else text
        if (match := _SIGN.match(bare)) and marks.priority is None:
            marks.priority = _SIGNS[match[1]]
        elif (match := _TIME.match(bare)) and not marks.time and _clock(match):
            marks.time = _clock(match)
            marks.day = marks.day or _date(bare.lstrip("[(")[:10])
        elif (match := _DAY.match(bare)) and marks.day is None and (day := _date(match[1])):
            marks.day = day
        elif (match := _TAG.match(bare)) and _take_tag(match[1].lower(), marks):
            pass
        elif (match := _LABEL.match(bare)) and marks.priority is None:
            marks.priority = _WORDS[match[1].lower()]
        else:
            break
        text = bare[match.end() :]
        text = text.removeprefix("**").lstrip(" :") if text.startswith("**") else text
    return text.strip(), marks


def _take_tag(word: str, marks: _Marks) -> bool:
    if word in _TYPES and marks.type is None:
        marks.type = _TYPES[word]
        return True
    if word in _WORDS and marks.priority is None:
        marks.priority = _WORDS[word]
        return True
    return False


def _citations(text: str) -> tuple[str, tuple[int, ...]]:
    """The text without the citations at its end, and their numbers; ``[3][5]`` and ``[3,5]`` alike."""
    numbers: list[int] = []
    for _ in range(8):
        match = next((found for shape in _CITES if (found := shape.search(text)) and found.start() > 0), None)
        if match is None:
            break
        numbers = _numbers(match[1]) + numbers
        text = text[: match.start()].rstrip()
    if not numbers:
        for match in _INLINE.finditer(text):
            numbers += _numbers(match[1])
        text = _INLINE.sub("", text) if numbers else text
    return text.rstrip(), tuple(dict.fromkeys(numbers))


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for match in _RANGE.finditer(text):
        low, high = int(match[1]), int(match[2])
        if low < high <= low + _MAX_RANGE:
            numbers += range(low, high + 1)
    return [*numbers, *(int(found) for found in re.findall(r"\d{1,3}", text) if int(found) not in numbers)]


def _json_cites(value: Any) -> tuple[int, ...]:
    if isinstance(value, list):
        text = ",".join(str(part) for part in value if isinstance(part, int | str))
    else:
        text = str(value) if isinstance(value, int | str) else ""
    return tuple(dict.fromkeys(_numbers(text)))


def _clock(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    hour, minute, half = int(match[1]), int(match[2]), (match[3] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""


def _unbold(text: str) -> str:
    if text.startswith("**") and text.count("**") == 2:
        text = text.replace("**", "")
    return text.strip().strip("\u200b")


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _first(item: Mapping[Any, Any], *names: str) -> Any:
    """The first of these fields that holds something; 0 holds something."""
    found = (item.get(name) for name in names)
    return next((value for value in found if value is not None and value != ""), None)
