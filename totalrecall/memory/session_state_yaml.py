"""Where the fields of a front matter stand, told by a YAML parser that builds no objects. Pure.

Only the places and the written texts of values are looked at: a tag is never obeyed, and an alias never
unfolded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST_CHARS = 64 * 1024
_MOST_STEPS = 200
_VALUE_CHARS = 4_000
_MOST_DEEP = 64
_BRACKET = re.compile(r"[\[\]{}]")
_CORE = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map", "merge", "value")
)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class FrontMatterError(Exception):
    """The front matter cannot be understood: why, with its own line and column from 1."""

    def __init__(self, why: str, line: int = 1, column: int = 1) -> None:
        super().__init__(why)
        self.why = why
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a list: its text, and where the whole item stands, from its dash to the end of its line."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of the front matter.

    Attributes:
        key: the name.
        line: its line from 1.
        colon: the place behind its colon.
        end: the place behind its value.
        style: how a text is quoted ("" for not at all), or ``flow`` or ``block`` of a list or mapping.
        text: the value as written without quotes; of a list or mapping its source on one line.
        steps: the items, when it is a list.
        is_list: it is one.
        plain_text: it is a single text or nothing.
    """

    key: str
    line: int
    colon: int
    end: int
    style: str
    text: str
    steps: tuple[Step, ...] = ()
    is_list: bool = False
    plain_text: bool = True


def entries_in(front: str) -> list[Entry]:
    """Every key with its value, in their order. ``front`` has plain newlines.

    Raises:
        FrontMatterError: it is no YAML, no mapping, holds a tag or says a thing twice.
    """
    root = _composed(front)
    if root is None:
        return []
    if type(root).__name__ != "MappingNode":
        raise FrontMatterError("fields such as 'task: \"what\"' are wanted here", *_at(root))
    if root.flow_style:
        raise FrontMatterError("the fields stand in braces; one on a line is wanted", *_at(root))
    _refuse_tags(root)
    found = [_entry(front, *pair) for pair in root.value if type(pair[0]).__name__ == "ScalarNode"]
    seen: set[str] = set()
    for one in found:
        if one.key in seen:
            raise FrontMatterError(f"'{one.key}' stands there twice", one.line, 1)
        seen.add(one.key)
    return found


def _composed(front: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    if len(front) > MOST_CHARS:
        raise FrontMatterError("it is far too long")
    if _depth(front) > _MOST_DEEP:
        raise FrontMatterError("it is nested too deeply")
    try:
        return YAML(typ="safe", pure=True).compose(front)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise FrontMatterError(_in_plain_words(str(error.problem or error.context)), *where) from error
    except ReaderError as error:
        before = front[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise FrontMatterError("a sign that no text file may hold", line, column) from error
    except RecursionError as error:
        raise FrontMatterError("it is nested too deeply") from error
    # A hostile file must not end the program, whatever the parser trips over.
    except (YAMLError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise FrontMatterError("it is no YAML") from error


def _depth(front: str) -> int:
    """How many brackets are open at once: the parser takes seconds to give up on thousands."""
    opened = deepest = 0
    for sign in _BRACKET.findall(front):
        opened = opened + 1 if sign in "[{" else max(0, opened - 1)
        deepest = max(deepest, opened)
    return deepest


def _in_plain_words(problem: str) -> str:
    if "mapping values are not allowed" in problem:
        return "a colon inside a text; put the text in quotes"
    if "\\t" in problem:
        return "a tab; YAML takes spaces only"
    return problem


def _refuse_tags(root: Any) -> None:
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.tag is not None and str(node.tag) not in _CORE:
            raise FrontMatterError(f"the tag {str(node.tag)[:80]} is not allowed", *_at(node))
        if isinstance(node.value, list):
            waiting += [
                part for item in node.value for part in (item if isinstance(item, tuple) else (item,))
            ]


def _entry(front: str, key: Any, value: Any) -> Entry:
    colon = front.find(":", key.end_mark.index) + 1
    alias = value.start_mark.index < colon
    end = front.find("\n", colon) if alias else _end_of(front, value)
    kind = type(value).__name__
    if value.start_mark.index == value.end_mark.index:
        end = colon
    shared = {
        "key": str(key.value),
        "line": key.start_mark.line + 1,
        "colon": colon,
        "end": end if end >= 0 else len(front),
    }
    if kind == "ScalarNode":
        return Entry(**shared, style=value.style or "", text=_scalar(value))
    steps = tuple(_steps(front, value)) if kind == "SequenceNode" else ()
    style = "flow" if value.flow_style else "block"
    source = _source(front, value)
    return Entry(
        **shared, style=style, text=source, steps=steps, is_list=kind == "SequenceNode", plain_text=False
    )


def _scalar(node: Any) -> str:
    if node.style is None and node.value in _NULLS:
        return ""
    return str(node.value)[:_VALUE_CHARS]


def _steps(front: str, node: Any) -> Iterator[Step]:
    for item in node.value[:_MOST_STEPS]:
        text = _scalar(item) if type(item).__name__ == "ScalarNode" else _source(front, item)
        start = front.rfind("-", 0, item.start_mark.index)
        end = front.find("\n", _end_of(front, item))
        yield Step(text, start, end if end >= 0 else len(front))


def _source(front: str, node: Any) -> str:
    return " ".join(front[node.start_mark.index : _end_of(front, node)].split())[:_VALUE_CHARS]


def _end_of(front: str, node: Any) -> int:
    """Behind the value itself: the parser's mark of a block lies behind blank lines and comments."""
    kind = type(node).__name__
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    if start == end:
        # The mark of nothing lies where the next thing begins.
        return len(front[:start].rstrip())
    if kind != "ScalarNode" and not node.flow_style and node.value:
        last: Any = node.value[-1]
        last = last[1] if isinstance(last, tuple) else last
        # An alias points to where its anchor stands.
        return _end_of(front, last) if last.start_mark.index >= start else front.find("\n", start)
    return start + len(front[start:end].rstrip())


def _at(node: Any) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1


def entry_named(entries: Sequence[Entry], key: str) -> Entry | None:
    """The entry of that key, None without one."""
    return next((one for one in entries if one.key == key), None)
