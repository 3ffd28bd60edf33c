"""Reading what a model answered to a reflection: new notes with their numbers, and dropped numbers. Pure.

Fences, thinking, headings, other line ends and one line of introduction are passed over; everything else that
is neither a note nor a drop is counted as prose, and acceptance refuses it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from totalrecall.llm.reflection.types import DropReason
from totalrecall.llm.reply import without_reasoning
from totalrecall.llm.reply_line import ReplyLine, day_in, line_from_text

_MAX_LINES = 2_000
_MAX_LINE_CHARS = 4_000
_MAX_NUMBERS = 200
_SAME_TEXT = 2
_SAME_SHAPE = 12
_PASSED_OVER = re.compile(r"^\s*(?:(?:```|~~~)[\w+-]*|[-*_=]{3,}|#.*|</?[\w-]+>|= ?\d{4}-\d\d-\d\d.*)\s*$")
_KEEP_ALL = re.compile(r"[\s`*_.!\"'#-]*keep[\s_-]*all[\s`*_.!\"']*", re.IGNORECASE)
_DROP = re.compile(
    r"^[\s>*•–—-]*(?:drop(?:ped|s)?|removed?|deleted?|discard(?:ed)?)\b[\s:*]*(?:notes?\s*)?"
    r"[\[({]?\s*((?:#?\d{1,9}\s*(?:[,;&]|and|-|–|\.\.|to)?\s*)+)[\])}]?(.*)$",
    re.IGNORECASE,
)
_BY = re.compile(
    r"(?:\bby\b|\bwith\b|\bof\b|\bin\b|\bsee\b|->|→|=>)\W*(?:notes?\s*)?#?(\d{1,9})\b", re.IGNORECASE
)
_RANGE = re.compile(r"#?(\d{1,9})\s*(?:-|–|\.\.|to)\s*#?(\d{1,9})")
_BRACES = re.compile(r"\{([^{}]{1,400})\}(\s*[.。]?)$")
_REASONS = (
    (re.compile(r"supersed|replac|outdat|obsolete|overr?id", re.IGNORECASE), DropReason.SUPERSEDED),
    (re.compile(r"resolv|done|finish|complete|solved|fixed", re.IGNORECASE), DropReason.RESOLVED),
    (re.compile(r"\baged?\b|\bold\b|expire|stale", re.IGNORECASE), DropReason.AGED),
    (re.compile(r"duplicat|\bdup\b|repeat|redundan|same as", re.IGNORECASE), DropReason.DUPLICATE),
    (re.compile(r"nois|trivial|routine|minor|unimportant", re.IGNORECASE), DropReason.NOISE),
)


@dataclass(frozen=True, slots=True)
class DropLine:
    """A proposal that notes leave; ``reason`` None when the model gave none of the list."""

    numbers: tuple[int, ...]
    reason: DropReason | None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as read.

    Attributes:
        notes: the proposed notes; ``cites`` are the numbers they stand for, each once.
        drops: the proposed drops.
        keep_all: the model plainly said that nothing is to be done.
        prose_lines: how many lines are neither.
        repeated_lines: how many lines say what another line said.
    """

    notes: tuple[ReplyLine, ...] = ()
    drops: tuple[DropLine, ...] = ()
    keep_all: bool = False
    prose_lines: int = 0
    repeated_lines: int = 0


def read_answer(text: str) -> Answer:
    """What an answer proposes, whatever it is wrapped in."""
    clean = without_reasoning(text).replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
    if len(clean) < 100 and _KEEP_ALL.fullmatch(clean.replace("```", "")):
        return Answer(keep_all=True)
    lines = [line[:_MAX_LINE_CHARS] for line in clean.split("\n") if line.strip()]
    notes: list[ReplyLine] = []
    drops: list[DropLine] = []
    prose = max(0, len(lines) - _MAX_LINES)
    for raw in lines[:_MAX_LINES]:
        if _PASSED_OVER.match(raw) or day_in(raw) is not None:
            continue
        if (drop := _drop_in(raw)) is not None:
            drops.append(drop)
        elif (note := line_from_text(_with_brackets(raw))) is not None:
            _take(note, notes)
        elif notes or drops or prose or not raw.rstrip().endswith((":", "：")):
            prose += 1
    return Answer(tuple(notes), tuple(drops), prose_lines=prose, repeated_lines=_repeated(lines))


def _take(note: ReplyLine, notes: list[ReplyLine]) -> None:
    """A line under another one is a detail of it, unless it stands for numbers of its own."""
    if note.indented and notes and not note.cites:
        notes[-1] = replace(notes[-1], children=(*notes[-1].children, note))
    else:
        notes.append(replace(note, indented=False))


def _drop_in(raw: str) -> DropLine | None:
    match = _DROP.match(raw)
    if match is None:
        return None
    rest = match[2]
    reason = next((reason for shape, reason in _REASONS if shape.search(rest)), None)
    by = _BY.search(rest)
    return DropLine(_numbers(match[1]), reason, int(by[1]) if by else None)


def _with_brackets(raw: str) -> str:
    """Numbers in braces at the end, as some models write them, in the brackets that the reader knows."""
    return _BRACES.sub(r"[\1]\2", raw.rstrip())


def _numbers(text: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for match in _RANGE.finditer(text):
        low, high = int(match[1]), int(match[2])
        if low < high <= low + _MAX_NUMBERS:
            numbers += range(low, high + 1)
    numbers += [int(found) for found in re.findall(r"\d{1,9}", text)]
    return tuple(dict.fromkeys(numbers))[: 2 * _MAX_NUMBERS]


def _repeated(lines: list[str]) -> int:
    """Lines beyond those that an honest answer has twice, or a dozen times but for their numbers."""
    texts = Counter(" ".join(line.split()).casefold() for line in lines if len(line.strip()) > 3)
    shapes: Counter[str] = Counter()
    for line, count in texts.items():
        if not _DROP.match(line):
            shapes[re.sub(r"\d+", "0", line)] += count
    same = sum(count - _SAME_TEXT for count in texts.values() if count > _SAME_TEXT)
    return max(same, sum(count - _SAME_SHAPE for count in shapes.values() if count > _SAME_SHAPE))
