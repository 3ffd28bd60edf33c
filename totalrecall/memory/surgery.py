"""Taking passages out of memory files, and nothing else. Pure; every other byte stays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from totalrecall.memory.long_term.block import read_long_term, render_long_term
from totalrecall.memory.observations import LineKind, parse

Holds = Callable[[str], bool]
SHOWN_CHARS = 160


class Build(StrEnum):
    """How a file is built, and so what can be taken out of it."""

    LOG = "log"
    MARKDOWN = "markdown"
    STATE = "state"
    OUR_BLOCK = "our_block"
    LINES = "lines"
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
    for at, line in enumerate(lines):
        if line.kind is LineKind.HEADING:
            parent_gone = False
            continue
        if line.kind is LineKind.CHILD and parent_gone:
            gone.add(at)
            continue
        parent_gone = line.kind is not LineKind.CHILD and holds(line.raw)
        if parent_gone or holds(line.raw):
            gone.add(at)
            pieces.append(Piece(at + 1, _shown(line.raw)))
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
        alone = bool(_HEADING.match(bare) or _COMMENT.match(bare))
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
    front, body = raw[: fences[1] + 1], raw[fences[1] + 1 :]
    pieces: list[Piece] = []
    kept: list[str] = []
    for at, line in enumerate(front):
        field = _FIELD.match(line.rstrip("\r"))
        if not holds(line):
            kept.append(line)
            continue
        pieces.append(Piece(at + 1, _shown(line)))
        if field:
            empty = "[]" if field[1] == "next_steps" else '""'
            kept.append(f"{field[1]}: {empty}" + ("\r" if line.endswith("\r") else ""))
    rest = _markdown("\n".join(body), holds)
    pieces += [replace(one, line=one.line + len(front)) for one in rest.pieces]
    if not pieces:
        return Scrubbed(text, ())
    return Scrubbed("\n".join([*_with_empty_steps(kept), rest.text]), tuple(pieces))


def _with_empty_steps(front: list[str]) -> Iterator[str]:
    for at, line in enumerate(front):
        if line.rstrip("\r") == "next_steps:" and not front[at + 1].lstrip().startswith("- "):
            yield line.replace("next_steps:", "next_steps: []")
        else:
            yield line


def _our_block(text: str, holds: Holds) -> Scrubbed:
    """Entries and lines of our block; raises ``TornBlockError`` when nobody can tell what is ours."""
    memory = read_long_term(text)
    entries = [one for one in memory.entries if holds(one.text)]
    others = [one for one in memory.others if holds(one[1])]
    if not entries and not others:
        return Scrubbed(text, ())
    lines = text.split("\n")
    words = [*(one.text for one in entries), *(line for _, line in others)]
    pieces = [Piece(_line_of(lines, one), _shown(one)) for one in words]
    left = replace(
        memory,
        entries=tuple(one for one in memory.entries if one not in entries),
        others=tuple(one for one in memory.others if one not in others),
    )
    return Scrubbed(render_long_term(left, _language(text)), tuple(pieces))


def _language(text: str) -> str:
    return "zh" if re.search(r"^## (?:核心|协议|项目状态|环境备忘|关键时间线)", text, re.MULTILINE) else "en"


def _line_of(lines: list[str], words: str) -> int:
    return next((at for at, line in enumerate(lines, 1) if words in line), 1)


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
        for one in value.values():
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
    Build.LINES: _lines,
    Build.JSON_LINES: _json_lines,
}
