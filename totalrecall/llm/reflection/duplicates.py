"""Whether a note says all that another says, so surely that nobody has to read them. Pure.

Every word of the shorter one must stand in the longer one, in the same order; numbers, names, negations and
days must be the same. Two events of different days are two events, unless they are told in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from totalrecall.domain.note import Note
from totalrecall.llm.extractive.similar import gist
from totalrecall.llm.reflection.future import days_of
from totalrecall.llm.reflection.subject import said

_SHARE = 0.75
_PIECE = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:[-.:/@_,'’][^\W_]+)*|[%$€£#+=<>!?-]")
_SMALL = frozenset(
    """a an the der die das ein eine einen einem einer el la los las le les un une of is are was were be been
    has have had ist sind war und and the user nutzer user's to in on at von im am zu 的 了 用户""".split()  # noqa: SIM905 -- reads as what it is
)


def says_the_same(one: Note, other: Note) -> bool:
    """True when both say the same in the same words; case, spaces and the last full stop do not count."""
    return one.type is other.type and key_of(one) == key_of(other) and _same_days(one, other)


def says_all_of(long: Note, short: Note) -> bool:
    """True when ``long`` says everything that ``short`` says, in about the same words."""
    if long.type is not short.type or long.children or short.children:
        return False
    told, wanted = _words(long.text), _words(short.text)
    if not wanted or len(wanted) < len(told) * _SHARE or not set(wanted) <= set(told):
        return False
    if _signs(told) != _signs(wanted):
        return False
    a, b = gist(long.text), gist(short.text)
    same = a.values == b.values and a.negated == b.negated and _same_days(long, short)
    return same and _in_order(wanted, iter(told))


@lru_cache(maxsize=8192)
def key_of(note: Note) -> str:
    """Equal for notes that say the same in the same words."""
    return "\n".join(" ".join(line.casefold().split()).rstrip(" .。!！") for line in said(note).split("\n"))


def words_of_note(note: Note) -> frozenset[str]:
    """The words that decide whether another note can be a duplicate."""
    return frozenset(_words(note.text))


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    # "Server A" is not "a server".
    return tuple(
        piece.casefold()
        for piece in _PIECE.findall(text)
        if piece.casefold() not in _SMALL or (len(piece) == 1 and piece.isupper())
    )


def _signs(words: Sequence[str]) -> list[str]:
    """What is no word: a minus makes another number."""
    return [word for word in words if not word[0].isalnum()]


def _same_days(one: Note, other: Note) -> bool:
    return days_of(one) == days_of(other)


def _in_order(wanted: Sequence[str], told: Iterator[str]) -> bool:
    return all(any(word == here for here in told) for word in wanted)
