"""A phrase to be forgotten: whether a text holds it, and marks that recognise it without holding it. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase that was forgotten, as a salted hash of its words.

    Attributes:
        digest: the salted hash, hex digits.
        tokens: how many words (Chinese and Japanese: signs) the phrase has.
    """

    digest: str
    tokens: int


def tokens_of(text: str) -> list[str]:
    """The words of ``text``, and each Chinese or Japanese sign, without regard to case, width and signs."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def holds(text: str, phrase: str) -> bool:
    """Whether ``text`` holds the words of ``phrase`` one after the other, whole words only."""
    wanted = _wanted(phrase)
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    # Most texts hold none of it, and looking costs far less than taking them apart.
    if not wanted or any(one not in folded for one in wanted):
        return False
    return any(window == wanted for window in _windows(tokens_of(text), len(wanted)))


@lru_cache(maxsize=64)
def _wanted(phrase: str) -> list[str]:
    return tokens_of(phrase)


def mark_of(phrase: str, salt: bytes) -> Mark:
    """What is kept of a phrase in order to know it again."""
    tokens = tokens_of(phrase)
    return Mark(_digest(tokens, salt), len(tokens))


def is_marked(text: str, marks: Collection[Mark], salt: bytes) -> bool:
    """Whether ``text`` holds one of the phrases that the marks stand for."""
    if not marks:
        return False
    tokens = tokens_of(text)
    known = {(one.tokens, one.digest) for one in marks}
    return any(
        (size, _digest(window, salt)) in known
        for size in sorted({one.tokens for one in marks})
        for window in _windows(tokens, size)
    )


def _windows(tokens: list[str], size: int) -> Iterator[list[str]]:
    return (tokens[at : at + size] for at in range(len(tokens) - size + 1))


def _digest(tokens: list[str], salt: bytes) -> str:
    return hashlib.blake2b("\0".join(tokens).encode(), key=salt[:64], digest_size=DIGEST_BYTES).hexdigest()
