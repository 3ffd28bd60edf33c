"""Who does what to whom in two statements: the same words do not always say the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\W_]+(?:[-.:/@_][^\W_]+)*")
_OWNED = re.compile(r"([^\W\d_]+)['\u2019]s\b")
_OWNER = re.compile(r"['\u2019]s\b")
# Words that may stand between two others and leave them equals.
_JOINING = frozenset(
    [
        "is",
        "are",
        "ist",
        "sind",
        "and",
        "or",
        "und",
        "oder",
        "with",
        "mit",
        "the",
        "a",
        "der",
        "die",
        "das",
        "和",
        "或",
        "与",
    ]
)
_POINTING = frozenset(["an", "nach", "als", "von", "statt", "to", "from", "than", "over"])
_GERMAN = re.compile(r"\b(?:der|die|das|den|dem|am|im|und|ist|sind|wird|für|beim|zum)\b", re.IGNORECASE)
# The user is never what something is done to, whatever stands first.
_USER = frozenset(["user", "nutzer", "i", "we", "ich", "wir"])
_HAN = re.compile("[\u3400-\u9fff]")
_HAN_BETWEEN = ("胜过", "管理", "负责", "领导", "多于", "向", "给", "比", "到", "教", "欠")
_INFLECTED = frozenset(["n", "en"])
_STEM_CHARS = 4


def other_names(new: str, old: str) -> bool:
    """Whether each names somebody or something that the other does not: Simon reviews, Simone reviews."""
    owners, others = _owners(new), _owners(old)
    if owners and others and owners != others:
        return True
    mine, theirs = _pieces(new), _pieces(old)
    if mine and theirs and _are_look_alikes(mine[0], theirs[0]):
        return True
    only_mine = _capitals(mine[1:]) - {one.casefold() for one in theirs}
    only_theirs = _capitals(theirs[1:]) - {one.casefold() for one in mine}
    left = {one for one in only_mine if not any(_is_inflected(one, other) for other in only_theirs)}
    return bool(left and only_theirs)


def turned_round(new: str, old: str) -> bool:
    """Whether two things have changed places around a word: Anna reports to Tom, Tom reports to Anna."""
    mine, theirs = list(_folded(new)), list(_folded(old))
    # In German what is done to somebody may stand first: only prepositions tell.
    free = _GERMAN.search(f"{new} {old}") is not None
    known = [one for one in dict.fromkeys(mine) if mine.count(one) == theirs.count(one) == 1]
    for first, second in combinations([one for one in known if one not in _JOINING | _USER], 2):
        if mine.index(first) < mine.index(second) and theirs.index(second) < theirs.index(first):
            inside = set(mine[mine.index(first) + 1 : mine.index(second)])
            pivots = (inside & set(theirs[theirs.index(second) + 1 : theirs.index(first)])) - _JOINING
            if pivots & _POINTING if free else pivots:
                return True
    return any(_changed_sides(new, old, word) for word in _HAN_BETWEEN if word in new and word in old)


def _changed_sides(new: str, old: str, word: str) -> bool:
    before, after = (set(_HAN.findall(part)) for part in new.split(word, 1))
    old_before, old_after = (set(_HAN.findall(part)) for part in old.split(word, 1))
    forward = (before - after) & (old_after - old_before)
    return bool(forward and (after - before) & (old_before - old_after))


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(_OWNER.sub("", text))


def _folded(text: str) -> Iterator[str]:
    return (one.casefold() for one in _pieces(text))


def _capitals(pieces: list[str]) -> set[str]:
    return {one.casefold() for one in pieces if one[0].isupper()}


def _owners(text: str) -> set[str]:
    return {one.casefold() for one in _OWNED.findall(text)} - _USER


def _are_look_alikes(one: str, other: str) -> bool:
    """``Jan`` and ``Jane``: not the same, and taken for each other's inflection elsewhere."""
    if not (one[0].isupper() and other[0].isupper()) or one.casefold() == other.casefold():
        return False
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long.startswith(short) and not _is_inflected(short, long)


def _is_inflected(one: str, other: str) -> bool:
    """``Kunde`` and ``Kunden``; a name is not inflected that way."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _STEM_CHARS and long.startswith(short) and long[len(short) :] in _INFLECTED
