"""The words of a snapshot: bounded, on one line each, and unable to break its format. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from totalrecall.domain.snapshot import Decision, FileInPlay, NamedValue, TaskPicture

MARK = "BIG-MEMORY-SNAPSHOT"
NONE = "none"

SENTENCE_CHARS = 400
ITEM_CHARS = 300
PATH_CHARS = 200
CODE_LINES = 46
CODE_LINE_CHARS = 200
MOST_FILES = 20
MOST_ITEMS = 15

_BREAKS = re.compile("\r\n?|[\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
# Direction marks turn the order of what a person reads, and zero-width signs hide words; joiners stay.
_HIDDEN = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
# An assignment as shells and .env files write it: the name may be kept, the value never.
_ASSIGNED = re.compile(
    r"(?<![\w$.-])((?:export )?[A-Z][A-Z0-9_]{2,})=(?:\"[^\"\n]*\"?|'[^'\n]*'?|[^\s\"'`]+)+"
)
_ENV_LABEL = re.compile(r"\benv\b|environment|umgebung|环境变量", re.IGNORECASE)
_ENV_NAME = re.compile(r"[\w.-]+")

_REFERENCE = re.compile(r"&(amp|lt|gt|#\d{1,7});")
_NAMED = {"amp": "&", "lt": "<", "gt": ">"}
_STRUCTURE = re.compile(rf"<!--|-->|\[SNAPSHOT\]|{MARK}")
_SAFE = {
    "<!--": "&lt;!--",
    "-->": "--&gt;",
    "[SNAPSHOT]": "&#91;SNAPSHOT]",
    MARK: MARK.replace("-", "&#45;", 1),
}
_BEGINS = re.compile(r"^(?:[#~=<>|*+`-]|\d+[.)])")
EMPTY_WORDS = re.compile(r"(?:none|n/a)\W*", re.IGNORECASE)
_HEADING = re.compile(r"^( {0,3})#(?=#* *Task Snapshot)", re.MULTILINE)


def coded(text: str, *, starts_line: bool = False) -> str:
    """One line as it may stand in a snapshot, also as the whole of a line; ``decoded`` gives it back."""
    safe = _structure_coded(text)
    if EMPTY_WORDS.fullmatch(text) or (starts_line and _BEGINS.match(text)):
        return f"&#{ord(text[0])};{safe[1:]}" if safe[0] == text[0] else safe
    return safe


def coded_code(code: str) -> str:
    """Lines as they may stand inside a fence; ``decoded`` gives them back."""
    return _HEADING.sub(r"\1&#35;", _structure_coded(code))


def decoded(text: str) -> str:
    """The text behind its character references."""
    return _REFERENCE.sub(_sign, text)


def tidy(picture: TaskPicture) -> TaskPicture:
    """The picture as it parses back: lines without breaks and hidden signs, empty ones left out, all bounded.

    Environment variables keep their names and lose their values.
    """
    return TaskPicture(
        goal=one_line(picture.goal, SENTENCE_CHARS),
        phase=picture.phase,
        branch=one_line(picture.branch, PATH_CHARS),
        blocked=picture.blocked or bool(one_line(picture.blocked_by)),
        blocked_by=one_line(picture.blocked_by),
        progress=one_line(picture.progress),
        files=_files(picture.files),
        decisions=_decisions(picture.decisions),
        code=_code(picture.code),
        names=_names(picture.names),
        blockers=_lines(picture.blockers),
        questions=_lines(picture.questions),
        next_steps=_lines(picture.next_steps),
    )


def one_line(text: str, most_chars: int = ITEM_CHARS) -> str:
    """The text on one line, without signs that a reader cannot see, at most so long."""
    words = _clipped(" ".join(_clean(text).split()), most_chars)
    while (nameless := _ASSIGNED.sub(r"\1", words)) != words:
        words = nameless
    return words


def _files(files: Iterable[FileInPlay]) -> tuple[FileInPlay, ...]:
    tidied = [FileInPlay(one_line(one.path, PATH_CHARS), one_line(one.what)) for one in files]
    return tuple(one for one in tidied if one.path)[:MOST_FILES]


def _decisions(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    tidied = [Decision(one_line(one.text), one_line(one.why)) for one in decisions]
    return tuple(one for one in tidied if one.text)[:MOST_ITEMS]


def _names(names: Iterable[NamedValue]) -> tuple[NamedValue, ...]:
    tidied = [_name(one_line(one.label, PATH_CHARS), one_line(one.value)) for one in names]
    return tuple(one for one in tidied if one.value)[:MOST_ITEMS]


def _name(label: str, value: str) -> NamedValue:
    if _ENV_LABEL.search(label) and (name := _ENV_NAME.match(value.removeprefix("export ").lstrip("$ "))):
        value = name[0]
    return NamedValue(label or "Name", value)


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(words for text in texts if (words := one_line(text)))[:MOST_ITEMS]


def _code(code: str) -> str:
    lines = [_clipped(line, CODE_LINE_CHARS) for line in _clean(code).strip("\n").split("\n")]
    if not any(line.strip() for line in lines):
        return ""
    if len(lines) > CODE_LINES:
        lines = [*lines[: CODE_LINES - 1], f"… {len(lines) - CODE_LINES + 1} more lines"]
    text = "\n".join(lines)
    while (nameless := _ASSIGNED.sub(r"\1", text)) != text:
        text = nameless
    return text


def _clean(text: str) -> str:
    text = _BREAKS.sub("\n", text)
    return _SURROGATES.sub("\ufffd", _HIDDEN.sub("", _CONTROLS.sub(" ", text)))


def _clipped(text: str, most_chars: int) -> str:
    return text if len(text) <= most_chars else text[: most_chars - 1].rstrip() + "…"


def _structure_coded(text: str) -> str:
    safe = _REFERENCE.sub(lambda found: f"&amp;{found[0][1:]}", text)
    return _STRUCTURE.sub(lambda found: _SAFE[found[0]], safe)


def _sign(match: re.Match[str]) -> str:
    name = match[1]
    if name in _NAMED:
        return _NAMED[name]
    number = int(name[1:])
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else match[0]
