"""Which passages answer a question best: BM25 over words, over character pairs where words have no spaces.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Passages are taken
one after the other and only those that can match are kept: neither an index nor memory for all is needed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Generic, Protocol, TypeVar

# How fast more occurrences of a word stop counting, and how much long passages are held back.
SATURATION = 1.2
LENGTH_SHARE = 0.6
# A word that only begins with the one asked for ("deploys" for "deploy") counts less.
PREFIX_CHARS = 4
PREFIX_SHARE = 0.6
# The question standing in a passage word for word.
PHRASE_BONUS = 0.5
EXPECTED_CHARS = 80.0

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0e7f"
_LETTER = rf"[^\W_{_UNSPACED}]"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|{_LETTER}+")
_UNSPACED_TOKEN = re.compile(rf"[{_UNSPACED}]")


class Findable(Protocol):
    """What can be ranked."""

    @property
    def text(self) -> str:
        """The words."""

    @property
    def day(self) -> date | None:
        """What settles a tie: the newer one goes first."""


_Passage = TypeVar("_Passage", bound=Findable)


@dataclass(frozen=True, slots=True)
class Ranked(Generic[_Passage]):
    """A passage with how well it answers; higher is better."""

    score: float
    passage: _Passage


def folded(text: str) -> str:
    """``text`` so that case and width of letters do not matter."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def terms(text: str) -> list[str]:
    """Words in lower case; for Chinese, Japanese and Thai every pair of neighbouring characters."""
    found: list[str] = []
    for token in _TOKEN.findall(folded(text)):
        if len(token) > 1 and _UNSPACED_TOKEN.match(token):
            found += [token[at : at + 2] for at in range(len(token) - 1)]
        else:
            found.append(token)
    return found


@dataclass(frozen=True, slots=True)
class _Term:
    """A word that is looked for. ``pattern`` finds it with what follows up to the end of the word."""

    word: str
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, word: str) -> _Term:
        if _UNSPACED_TOKEN.match(word):
            return cls(word, None)
        return cls(word, re.compile(rf"(?<!{_LETTER}){re.escape(word)}({_LETTER}*)"))

    def times_in(self, text: str) -> float:
        """How often it occurs; where it only begins a longer word it counts less."""
        if self.pattern is None:
            return float(text.count(self.word))
        ends = self.pattern.findall(text)
        whole = ends.count("")
        longer = len(ends) - whole if len(self.word) >= PREFIX_CHARS else 0
        return whole + PREFIX_SHARE * longer


@dataclass(slots=True)
class Ranker(Generic[_Passage]):
    """Takes passages one after the other and gives the best ones at the end.

    Attributes:
        question: what is looked for.
        passages: how many were taken.
    """

    question: str
    passages: int = 0
    _wanted: tuple[_Term, ...] = ()
    _phrase: str = ""
    _chars: int = 0
    _kept: list[tuple[_Passage, dict[str, float], bool]] = field(default_factory=list)
    _in_passages: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._wanted = tuple(_Term.of(one) for one in dict.fromkeys(terms(self.question)))
        self._phrase = " ".join(folded(self.question).split())

    @property
    def has_terms(self) -> bool:
        """Whether the question holds a word at all."""
        return bool(self._wanted)

    def add(self, passage: _Passage, allowed: Callable[[], bool] = lambda: True) -> bool:
        """Take a passage; True when it can be an answer. ``allowed`` is asked only then."""
        self.passages += 1
        self._chars += len(passage.text)
        text = folded(passage.text)
        hits = {one.word: times for one in self._wanted if one.word in text and (times := one.times_in(text))}
        if not hits or not allowed():
            return False
        self._in_passages.update(hits.keys())
        self._kept.append((passage, hits, self._phrase in " ".join(text.split())))
        return True

    def add_all(self, passages: Iterable[_Passage]) -> None:
        """Take them all."""
        for one in passages:
            self.add(one)

    def best(self, limit: int) -> list[Ranked[_Passage]]:
        """The best answers, best first; of equal ones the newer first."""
        mean_chars = self._chars / self.passages if self.passages else EXPECTED_CHARS
        scored = [Ranked(self._score(*one, mean_chars), one[0]) for one in self._kept]
        scored.sort(key=lambda one: (one.score, one.passage.day or date.min), reverse=True)
        return scored[:limit]

    def _score(self, passage: _Passage, hits: dict[str, float], phrase: bool, mean_chars: float) -> float:
        stretch = 1 - LENGTH_SHARE + LENGTH_SHARE * len(passage.text) / max(mean_chars, 1.0)
        total = 0.0
        for term, times in hits.items():
            having = self._in_passages[term]
            rarity = math.log(1 + (self.passages - having + 0.5) / (having + 0.5))
            total += rarity * times * (SATURATION + 1) / (times + SATURATION * stretch)
        return round(total * (1 + PHRASE_BONUS if phrase else 1), 6)
