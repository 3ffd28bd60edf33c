"""Adding and taking out single members of a JSON5 text; every other byte stays as it is. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from totalrecall.openclaw.json5_tree import Node, TreeError, tree_of

DEFAULT_INDENT = "  "
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*[^\n\r]*?\*/)*(?://[^\n\r]*)?(?=\r?\n)")


def insert(text: str, path: Sequence[str], value: object) -> str:
    """The text with ``value`` at ``path``, and the objects on the way there that are missing.

    The new member comes last in its object, on a line of its own where the others are.

    Raises:
        TreeError: the text is not understood, or something that is no object stands in the way.
        KeyError: something stands at ``path`` already.
    """
    node, depth = tree_of(text), 0
    while True:
        if node.members is None:
            raise TreeError(node.start)
        member = node.member(path[depth])
        if member is None:
            break
        depth += 1
        if depth == len(path):
            raise KeyError(".".join(path))
        node = member.value
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _add(text, node, path[depth], value)


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the member at ``path``; what ``insert`` put there goes with its comma and its line.

    Raises:
        TreeError: the text is not understood.
        KeyError: there is no such member.
    """
    node = tree_of(text)
    for key in path[:-1]:
        member = node.member(key)
        if member is None:
            raise KeyError(".".join(path))
        node = member.value
    member = node.member(path[-1])
    if member is None or node.members is None:
        raise KeyError(".".join(path))
    return _take_out(text, node, node.members.index(member))


def put_in_place_of(text: str, path: Sequence[str], value: object) -> str:
    """The text with ``value`` where another one stands at ``path``.

    Raises:
        TreeError: the text is not understood.
        KeyError: there is no such member.
    """
    node = tree_of(text)
    for key in path:
        member = node.member(key)
        if member is None:
            raise KeyError(".".join(path))
        node = member.value
    body = _dump(value, _indent_at(text, node.start), _unit(text), "\r\n" if "\r\n" in text else "\n")
    return text[: node.start] + body + text[node.end :]


def _add(text: str, node: Node, key: str, value: object) -> str:
    members = node.members or ()
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_at(text, node.start)
    unit = _unit(text)
    if not members:
        return _add_first(text, node, f"{json.dumps(key)}: ", value, (outer, unit, newline))
    last = members[-1]
    spread = "\n" in text[node.start : members[0].start]
    if not spread:
        body = f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        if last.comma is not None:
            return f"{text[: last.comma + 1]}{body},{text[last.comma + 1 :]}"
        return f"{text[: last.value.end]},{body}{text[last.value.end :]}"
    indent = _indent_at(text, members[0].start)
    body = f"{newline}{indent}{json.dumps(key)}: {_dump(value, indent, unit, newline)}"
    if last.comma is not None:
        place = _end_of_line(text, last.comma + 1)
        return f"{text[:place]}{body},{text[place:]}"
    place = _end_of_line(text, last.value.end)
    return f"{text[: last.value.end]},{text[last.value.end : place]}{body}{text[place:]}"


def _add_first(text: str, node: Node, key: str, value: object, style: tuple[str, str, str]) -> str:
    """The first member of an empty object: right behind the brace, so that what else is in it stays."""
    outer, unit, newline = style
    inner = outer + unit
    place = node.start + 1
    end = newline + outer if place == node.end - 1 else ""
    return f"{text[:place]}{newline}{inner}{key}{_dump(value, inner, unit, newline)}{end}{text[place:]}"


def _take_out(text: str, node: Node, place: int) -> str:
    members = node.members or ()
    member = members[place]
    start = _line_start(text, member.start)
    if member.comma is not None:
        return text[:start] + text[member.comma + 1 :]
    if place:
        # The one before becomes the last: its comma goes, what stands between stays.
        comma = members[place - 1].comma
        kept = text[: member.start] if comma is None else text[:comma] + text[comma + 1 : start]
        return kept + text[member.value.end :]
    behind = text[member.value.end : node.end - 1]
    if behind.strip(" \t") in {"\n", "\r\n"} and not text[node.start + 1 : start].strip():
        behind = ""
    return text[:start] + behind + text[node.end - 1 :]


def _line_start(text: str, place: int) -> int:
    """Where the line break, or the blanks, before ``place`` begin."""
    start = place
    while start and text[start - 1] in " \t":
        start -= 1
    if start and text[start - 1] == "\n":
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return start


def _end_of_line(text: str, place: int) -> int:
    """Where the line of ``place`` ends if only a comment follows on it, else ``place``."""
    found = _REST_OF_LINE.match(text, place)
    return found.end() if found else place


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else DEFAULT_INDENT


def _dump(value: object, indent: str, unit: str, newline: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return newline.join([lines[0], *(indent + line for line in lines[1:])])
