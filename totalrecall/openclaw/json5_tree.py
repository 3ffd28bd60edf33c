"""Where things stand in a JSON5 text: every object with its members, and nothing of what they mean. Pure.

Only as strict as finding places needs; whether the text is valid is for the parser to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_DEPTH = 100
_TRIVIA = re.compile(r"(?:[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_BARE = re.compile(r"""[^\s\ufeff,:{}\[\]"'/]+""")


@dataclass(frozen=True, slots=True)
class Node:
    """A value from ``start`` up to ``end``; ``members`` is None unless it is an object."""

    start: int
    end: int
    members: tuple[Member, ...] | None = None

    def member(self, key: str) -> Member | None:
        """The member of that name; the last one, as parsers have it."""
        found = [one for one in self.members or () if one.key == key]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Member:
    """A key at ``start`` with its value; ``comma`` is where the comma behind it stands, None without one."""

    key: str
    start: int
    value: Node
    comma: int | None


class TreeError(ValueError):
    """The text is not understood at ``place``."""

    def __init__(self, place: int) -> None:
        super().__init__(f"not understood at character {place}")
        self.place = place


def tree_of(text: str) -> Node:
    """The outermost value of the text.

    Raises:
        TreeError: it is no JSON5, or nested too deeply.
    """
    node = _value(text, skip(text, 0), 0)
    if skip(text, node.end) != len(text):
        raise TreeError(node.end)
    return node


def skip(text: str, place: int) -> int:
    """The first place from ``place`` on that is neither white space nor comment."""
    found = _TRIVIA.match(text, place)
    return found.end() if found else place


def _value(text: str, place: int, depth: int) -> Node:
    if depth > MAX_DEPTH or place >= len(text):
        raise TreeError(place)
    if text[place] == "{":
        return _object(text, place, depth)
    if text[place] == "[":
        return _array(text, place, depth)
    return Node(place, _scalar(text, place))


def _scalar(text: str, place: int) -> int:
    found = _STRING.match(text, place) or _BARE.match(text, place)
    if found is None:
        raise TreeError(place)
    return found.end()


def _object(text: str, start: int, depth: int) -> Node:
    members: list[Member] = []
    place = skip(text, start + 1)
    while text[place : place + 1] != "}":
        key_end = _scalar(text, place)
        colon = skip(text, key_end)
        if text[colon : colon + 1] != ":":
            raise TreeError(colon)
        value = _value(text, skip(text, colon + 1), depth + 1)
        behind = skip(text, value.end)
        comma = behind if text[behind : behind + 1] == "," else None
        members.append(Member(_name(text[place:key_end]), place, value, comma))
        if comma is None and text[behind : behind + 1] != "}":
            raise TreeError(behind)
        place = skip(text, behind + 1) if comma is not None else behind
    return Node(start, place + 1, tuple(members))


def _array(text: str, start: int, depth: int) -> Node:
    place = skip(text, start + 1)
    while text[place : place + 1] != "]":
        value = _value(text, place, depth + 1)
        place = skip(text, value.end)
        if text[place : place + 1] == ",":
            place = skip(text, place + 1)
        elif text[place : place + 1] != "]":
            raise TreeError(place)
    return Node(start, place + 1)


def _name(raw: str) -> str:
    if raw[0] not in "\"'":
        return raw
    if "\\" not in raw:
        return raw[1:-1]
    from totalrecall.places.openclaw_config import parse_lax_json

    return str(parse_lax_json(f"[{raw}]")[0])
