"""Reading the eight sections of a snapshot, by us or as an agent wrote them by hand. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from totalrecall.domain.snapshot import Decision, FileInPlay, NamedValue, Phase, TaskPicture
from totalrecall.memory.snapshot_words import EMPTY_WORDS, decoded

_TITLE = re.compile(r"^###\s+\[SNAPSHOT\]\s*(.*?)\s*$")
_COMMENT = re.compile(r"^<!--.*-->\s*$")
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+(.*?)\s*$")
_FIELD = re.compile(r"^(\w+)\s*:\s*(.*)$")
_FILE = re.compile(r"^`([^`]*)`(?:\s+(?:--|[—–])\s+(.*))?$")
_NAME = re.compile(r"^([^:：`]{1,400})[:：]\s*`([^`]*)`")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_SPLIT = re.compile(r"\s+--\s+")
_QUESTION = re.compile(r"^(?:Open )?questions?:\s*", re.IGNORECASE)
_BLOCKER = re.compile(r"^Blockers?:\s*", re.IGNORECASE)


def picture_in(lines: Sequence[str]) -> TaskPicture:
    """What the lines between the marks say; a section that is missing or says ``none`` is empty."""
    sections = _sections(lines)

    def of(title: str) -> list[str]:
        return sections.get(title.casefold(), [])

    state = dict(_fields(of("Current State")))
    blocked, by = _blocked(state.get("blocked", ""))
    blockers, questions = _open_points(_items(of("Blockers & Open Questions")))
    return TaskPicture(
        goal=decoded(" ".join(line.strip() for line in _said(of("Active Goal")))),
        phase=_phase(state.get("phase", "")),
        branch=_value(state.get("branch", "")),
        blocked=blocked,
        blocked_by=by,
        progress=_value(state.get("progress", "")),
        files=tuple(file for item in _items(of("Files In Play")) if (file := _file(item)).path),
        decisions=tuple(_decision(item) for item in _items(of("Decisions Made"))),
        code=_code(of("Code Context")),
        names=tuple(_name(item) for item in _items(of("Key Names & Values"))),
        blockers=blockers,
        questions=questions,
        next_steps=tuple(decoded(item) for item in _items(of("Next Steps"))),
    )


def _sections(lines: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        if match := _TITLE.match(line):
            current = found.setdefault(match[1].casefold(), [])
        elif current is not None:
            current.append(line)
    return found


def _said(lines: Sequence[str]) -> list[str]:
    """The lines with words in them; none where the section says that it is empty."""
    said = [line for line in lines if line.strip() and not _COMMENT.match(line)]
    return [] if len(said) == 1 and EMPTY_WORDS.fullmatch(said[0].strip()) else said


def _items(lines: Sequence[str]) -> list[str]:
    """The items of a list, each on one line; what stands below one belongs to it."""
    items: list[str] = []
    for line in _said(lines):
        if match := _ITEM.match(line.strip() if items or line[:1] != " " else line.lstrip()):
            items.append(match[1])
        elif items:
            items[-1] = f"{items[-1]} {line.strip()}"
        else:
            items.append(line.strip())
    return [item for item in items if item and not EMPTY_WORDS.fullmatch(item)]


def _fields(lines: Sequence[str]) -> list[tuple[str, str]]:
    matches = [_FIELD.match(item) for item in _items(lines)]
    return [(match[1].casefold(), match[2]) for match in matches if match]


def _value(text: str) -> str:
    return "" if EMPTY_WORDS.fullmatch(text) else decoded(text)


def _phase(text: str) -> Phase | None:
    words = re.findall(r"[a-z]+", text.casefold())
    return next((Phase(word) for word in words if word in Phase.__members__.values()), None)


def _blocked(text: str) -> tuple[bool, str]:
    head, _, by = text.partition(" -- ")
    blocked = head.strip().casefold().startswith("yes")
    return blocked, _value(by.strip()) if blocked else ""


def _file(item: str) -> FileInPlay:
    if match := _FILE.match(item):
        return FileInPlay(decoded(match[1]), decoded(match[2] or ""))
    path, *what = _SPLIT.split(item, maxsplit=1)
    return FileInPlay(decoded(path.strip("` ")), decoded(what[0]) if what else "")


def _decision(item: str) -> Decision:
    text, *why = _SPLIT.split(item, maxsplit=1)
    return Decision(decoded(text), decoded(why[0]) if why else "")


def _name(item: str) -> NamedValue:
    if match := _NAME.match(item):
        return NamedValue(decoded(match[1].strip()), decoded(match[2]))
    label, colon, value = item.partition(":")
    return (
        NamedValue(decoded(label.strip()), decoded(value.strip("` "))) if colon else NamedValue("Name", item)
    )


def _code(lines: Sequence[str]) -> str:
    said = _said(lines)
    fence = _FENCE.match(said[0]) if said else None
    if fence is None:
        return decoded("\n".join(said))
    start = next(at for at, line in enumerate(lines) if line == said[0]) + 1
    ends = re.compile(rf"^\s*{re.escape(fence[1])}[`~]*\s*$")
    end = next((at for at in range(start, len(lines)) if ends.match(lines[at])), len(lines))
    return decoded("\n".join(lines[start:end]))


def _open_points(items: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    blockers, questions = [], []
    for item in items:
        if _QUESTION.match(item) or (not _BLOCKER.match(item) and item.endswith(("?", "？"))):
            questions.append(decoded(_QUESTION.sub("", item, count=1)))
        else:
            blockers.append(decoded(_BLOCKER.sub("", item, count=1)))
    return tuple(blockers), tuple(questions)
