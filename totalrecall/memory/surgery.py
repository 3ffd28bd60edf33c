"""Taking passages out of memory files, and nothing else. Pure; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from totalrecall.memory.long_term.block import BEGIN, END, read_long_term
from totalrecall.memory.observations import LineKind, parse

Holds = Callable[[str], bool]
SHOWN_CHARS = 160
_EMPTY = '""'


class Build(StrEnum):
    """How a file is built, and so what can be taken out of it."""

    LOG = "log"
    MARKDOWN = "markdown"
    STATE = "state"
    OUR_BLOCK = "our_block"
    WHOLE = "whole"
    JSON_LINES = "json_lines"


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that holds what is to be forgotten: its first line, from 1, and how it begins."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A file's text without the pieces, and the pieces."""

    text: str
    pieces: tuple[Piece, ...]


_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_HEADING = re.compile(r"^#{1,6}\s+\S")
_COMMENT = re.compile(r"^\s*<!--.*-->\s*$")
# Fences of code, and rows of tables: what stands beside them does not go with them.
_ALONE = re.compile(r"^\s*(?:```|~~~|\|)")
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+|\\[nrt]")
_SECTION = re.compile(r"^### \[SNAPSHOT\] ")
_END = re.compile(r"^<!-- /BIG-MEMORY-SNAPSHOT -->\s*$")
_FIELD = re.compile(r"^([A-Za-z_][\w-]*):(\s+\S.*)?$")
_FENCE = re.compile(r"^---\s*$")


def scrubbed(build: Build, text: str, holds: Holds) -> Scrubbed:
    """``text`` without everything that ``holds`` what is to be forgotten."""
    return _HOW[build](text, holds)


def _log(text: str, holds: Holds) -> Scrubbed:
    """Notes that hold it, with their children; a block that has no line left goes with its heading."""
    lines = list(parse(text))
    pieces: list[Piece] = []
    gone: set[int] = set()
    parent_gone = False
    for begin, end in _notes(lines):
        kind = lines[begin].kind
        if kind is LineKind.HEADING:
            parent_gone = False
            continue
        held = holds(" ".join(one.raw.strip() for one in lines[begin:end]))
        follows = kind is LineKind.CHILD and parent_gone
        if held and not follows:
            pieces.append(Piece(begin + 1, _shown(lines[begin].raw)))
        if held or follows:
            gone.update(range(begin, end))
        parent_gone = parent_gone if kind is LineKind.CHILD else held
    kept = [line for at, line in enumerate(lines) if at not in gone]
    done: list[str] = []
    for at, line in enumerate(kept):
        if (
            gone
            and line.kind is LineKind.HEADING
            and _is_empty_block(kept, at)
            and not _was_empty(lines, line)
        ):
            continue
        done.append(line.raw)
    return Scrubbed("\n".join(done) if gone else text, tuple(pieces))


def _notes(lines: list[Any]) -> Iterator[tuple[int, int]]:
    """Each line with the lines that a person broke it over: its first, and where it ends."""
    begin = 0
    for at in range(1, len(lines) + 1):
        goes_on = (
            at < len(lines)
            and lines[at].kind is LineKind.OTHER
            and lines[begin].kind is not LineKind.HEADING
            and bool(lines[at].raw.strip() and lines[at - 1].raw.strip())
        )
        if not goes_on and begin < at:
            yield begin, at
            begin = at


def _is_empty_block(lines: list[Any], at: int) -> bool:
    for line in lines[at + 1 :]:
        if line.kind is LineKind.HEADING:
            return True
        if line.raw.strip():
            return False
    return True


def _was_empty(lines: list[Any], heading: Any) -> bool:
    return _is_empty_block(lines, next(at for at, line in enumerate(lines) if line is heading))


def _markdown(text: str, holds: Holds) -> Scrubbed:
    """List items, paragraphs and headings that hold it; a snapshot's section that empties says ``none``."""
    raw = text.split("\n")
    gone: set[int] = set()
    pieces: list[Piece] = []
    for begin, end in _spans(raw):
        words = " ".join(line.strip() for line in raw[begin:end])
        if holds(words):
            gone.update(range(begin, end))
            pieces.append(Piece(begin + 1, _shown(words)))
    if not gone:
        return Scrubbed(text, ())
    kept = [line for at, line in enumerate(raw) if at not in gone]
    return Scrubbed("\n".join(_filled_sections(kept)), tuple(pieces))


def _spans(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Each heading, list item with its continuation, and paragraph: first line, and where it ends."""
    begin = -1
    for at, line in enumerate(lines):
        bare = line.rstrip("\r")
        alone = bool(_HEADING.match(bare) or _COMMENT.match(bare) or _ALONE.match(bare))
        ends = not bare.strip() or alone or _ITEM.match(bare)
        if begin >= 0 and ends:
            yield begin, at
            begin = -1
        if alone:
            yield at, at + 1
        elif bare.strip() and begin < 0:
            begin = at
    if begin >= 0:
        yield begin, len(lines)


def _filled_sections(lines: list[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        yield line
        if _SECTION.match(line) and _is_empty_section(lines[at + 1 :]):
            yield "none" + ("\r" if line.endswith("\r") else "")


def _is_empty_section(rest: list[str]) -> bool:
    for line in rest:
        if _SECTION.match(line) or _END.match(line):
            return True
        if line.strip():
            return False
    return False


def _state(text: str, holds: Holds) -> Scrubbed:
    """Fields of the front matter are emptied, steps taken out; the body is Markdown."""
    raw = text.split("\n")
    fences = [at for at, line in enumerate(raw) if _FENCE.match(line.rstrip("\r"))]
    if len(fences) < 2 or raw[0].lstrip("\ufeff").strip() != "---":
        return _markdown(text, holds)
    front, body = raw[1 : fences[1]], raw[fences[1] :]
    pieces: list[Piece] = []
    kept: list[str] = []
    for begin, end in _fields(front):
        lines = front[begin:end]
        if _is_in(lines, holds):
            pieces.append(Piece(begin + 2, _shown(" ".join(lines))))
            kept += _without_it(lines, holds)
        else:
            kept += lines
    rest = _markdown("\n".join(body), holds)
    pieces += [replace(one, line=one.line + len(front) + 1) for one in rest.pieces]
    if not pieces:
        return Scrubbed(text, ())
    return Scrubbed("\n".join([raw[0], *kept, rest.text]), tuple(pieces))


def _fields(front: list[str]) -> Iterator[tuple[int, int]]:
    """Each field of the front matter with the lines its value is written on, and each comment."""
    begin = 0
    for at in range(1, len(front) + 1):
        if at == len(front) or _FIELD.match(front[at].rstrip("\r")) or front[at].startswith("#"):
            if begin < at:
                yield begin, at
            begin = at


def _without_it(lines: list[str], holds: Holds) -> list[str]:
    """A field without the items of its list that hold it, or emptied; a comment is left out."""
    field = _FIELD.match(lines[0].rstrip("\r"))
    if field is None:
        return []
    value, end = (field[2] or "").strip(), "\r" if lines[0].endswith("\r") else ""
    items = [at for at, line in enumerate(lines) if at and _ITEM.match(line)]
    if not value and items and items[0] == 1:
        spans = zip(items, [*items[1:], len(lines)], strict=True)
        kept = [
            line
            for begin, stop in spans
            for line in lines[begin:stop]
            if not _is_in(lines[begin:stop], holds)
        ]
        return [lines[0], *kept] if kept else [f"{field[1]}: []{end}"]
    if value.startswith("["):
        return [f"{field[1]}: {_list_without(' '.join(lines).partition(':')[2], holds)}{end}"]
    return [f"{field[1]}: {'[]' if field[1] == 'next_steps' else _EMPTY}{end}"]


def _is_in(lines: list[str], holds: Holds) -> bool:
    return holds(unescaped(" ".join(one.strip() for one in lines)))


def _list_without(written: str, holds: Holds) -> str:
    """A list in brackets without what holds it; empty where it cannot be read."""
    try:
        found = json.loads(written)
    except ValueError:
        return "[]"
    return json.dumps([one for one in found if not holds(str(one))], ensure_ascii=False)


def unescaped(text: str) -> str:
    """``text`` with the escapes of JSON and YAML undone, for looking into what may be damaged."""
    return _ESCAPES.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    if match[0][1] != "u":
        return " "
    return bytes.fromhex(match[0].replace("\\u", "")).decode("utf-16-be", "replace")


def _our_block(text: str, holds: Holds) -> Scrubbed:
    """Entries and lines of our block; raises ``TornBlockError`` when nobody can tell what is ours."""
    if not read_long_term(text).present:
        return Scrubbed(text, ())
    before, _, rest = text.partition(BEGIN)
    inside, _, after = rest.partition(END)
    done = _markdown(inside, holds)
    above = before.count("\n")
    pieces = tuple(replace(one, line=one.line + above) for one in done.pieces)
    return Scrubbed(f"{before}{BEGIN}{done.text}{END}{after}", pieces)


def _whole(text: str, holds: Holds) -> Scrubbed:
    """A file that goes as a whole, wherever in it the words stand and however they are written."""
    pieces = _lines(text, lambda line: holds(unescaped(line))).pieces
    if not pieces and holds(unescaped(text)):
        pieces = (Piece(1, _shown(text)),)
    return Scrubbed("" if pieces else text, pieces)


def _lines(text: str, holds: Holds) -> Scrubbed:
    raw = text.split("\n")
    pieces = tuple(Piece(at, _shown(line)) for at, line in enumerate(raw, 1) if holds(line))
    return Scrubbed("\n".join(line for line in raw if not holds(line)) if pieces else text, pieces)


def _json_lines(text: str, holds: Holds) -> Scrubbed:
    """Lines with a value that holds it: escapes are undone before they are compared."""
    return _lines(text, lambda line: any(holds(one) for one in _strings(line)))


def _strings(line: str) -> Iterator[str]:
    try:
        found = json.loads(line)
    except ValueError:
        yield line
        return
    yield from _strings_in(found)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _strings_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings_in(one)


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SHOWN_CHARS else words[: SHOWN_CHARS - 1] + "…"


_HOW: dict[Build, Callable[[str, Holds], Scrubbed]] = {
    Build.LOG: _log,
    Build.MARKDOWN: _markdown,
    Build.STATE: _state,
    Build.OUR_BLOCK: _our_block,
    Build.WHOLE: _whole,
    Build.JSON_LINES: _json_lines,
}
