"""Whether two lasting statements say the same in other words. Pure.

Stricter than it is generous: where each of the two has a word that the other lacks, that word may be what it
is about ("never delete photos", "never delete letters"), and they are two statements.
"""

from __future__ import annotations

import re

from totalrecall.llm.extractive.roles import other_names, turned_round
from totalrecall.llm.extractive.similar import Gist, gist, same

_HAN = re.compile("[\u3400-\u9fff]")
_HAN_SILENT = frozenset("的了是在我你他们这那就都也和与把被很吗吧呢啊着过要会用户")
_HAN_FEW = 3
_COVERED = 0.6
_ENDINGS = frozenset(["", "s", "es", "ed", "ing", "e", "en", "t", "n", "er", "te", "d"])
# What makes another word of a short one, or of a name: car and cart, Simon and Simone.
_TELLING = frozenset(["e", "t", "te", "d", "er"])
_STEM_CHARS, _LONG_STEM_CHARS = 2, 4


def restates(new: str, old: str) -> bool:
    """True when ``old`` says what ``new`` says."""
    mine, theirs = gist(new), gist(old)
    if other_names(new, old) or turned_round(new, old):
        return False
    signs = {one for one in _HAN.findall(new) if one not in _HAN_SILENT}
    others = {one for one in _HAN.findall(old) if one not in _HAN_SILENT}
    shared = _shared(mine, theirs)
    two_things = bool(signs - others and others - signs) if signs else shared < min(_sizes(mine, theirs))
    if two_things:
        return False
    if same(new, old):
        return True
    if mine.values != theirs.values or mine.negated != theirs.negated:
        return False
    if len(signs) > _HAN_FEW:
        return _covers(len(signs & others), len(signs), len(others)) and _latin(mine) == _latin(theirs)
    enough = shared > 1 or (shared == 1 and bool(mine.values))
    return enough and _covers(shared, len(mine.words), len(theirs.words))


def _sizes(mine: Gist, theirs: Gist) -> tuple[int, int]:
    return len(mine.words), len(theirs.words)


def _covers(shared: int, one: int, other: int) -> bool:
    """One of the two has nothing that the other lacks, and not much is left over."""
    return shared > 0 and shared == min(one, other) and shared / max(one, other) >= _COVERED


def _shared(mine: Gist, theirs: Gist) -> int:
    """How many words of one have a partner in the other, endings aside; each partner once."""
    left = set(theirs.words)
    shared = 0
    for word in sorted(mine.words):
        partner = word if word in left else next((one for one in sorted(left) if _alike(word, one)), None)
        if partner is not None:
            left.discard(partner)
            shared += 1
    return shared


def _alike(one: str, other: str) -> bool:
    """``go`` and ``goes``, ``live`` and ``living``; not ``car`` and ``cart``, ``port`` and ``porter``."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    ends = {one[length:], other[length:]}
    if "" in ends and ends & _TELLING and (length < _LONG_STEM_CHARS or "er" in ends):
        return False
    return length >= _STEM_CHARS and ends <= _ENDINGS


def _latin(found: Gist) -> frozenset[str]:
    return frozenset(one for one in found.words if one.isascii())
