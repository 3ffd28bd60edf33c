"""Whether two notes say the same, and what value changed between them (R072)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

_STOP_WORDS = (
    "a an the is are was were be been to of in on at for with and or but that this it its as by from we "
    "our us i my me you your "
    "user assistant he she they will would now then so just also please has have had do does did use "
    "uses using not no replaces "
    "agreed says der die das ein eine einen einem einer ist sind war zu von im in am an auf für mit und "
    "oder aber dass es wir "
    "unser unsere ich mein meine mir mich du dein sie er wird werden hat habe haben jetzt bitte auch "
    "nicht den dem des als bei "
    "nutzer vereinbart correction korrektur new now failed fehlgeschlagen claimed"
)
_SIGN_STOP = "的了是在我你他们这那就都也和与把被很吗吧呢啊用户"
_SAME = 0.8
_SHORT = 5
_CHANGED = 0.6


class Gist(NamedTuple):
    """What a text is about: content words (Chinese: pairs of signs), and values (whatever has a digit)."""

    words: frozenset[str]
    values: frozenset[str]
    negated: bool


@cache
def _stop() -> frozenset[str]:
    return frozenset(_STOP_WORDS.split())


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[\u3400-\u9fff]+|[^\W_]+(?:[-.:/@_,][^\W_]+)*")


@cache
def _negation() -> re.Pattern[str]:
    return re.compile(r"\b(?:not|never|no|don't|nicht|nie|kein\w*|without|ohne)\b|不|没|别", re.IGNORECASE)


@lru_cache(maxsize=4096)
def gist(text: str) -> Gist:
    """The words and values of ``text``; resolved days in brackets do not count."""
    words: set[str] = set()
    found: set[str] = set()
    for piece in _pieces().findall(re.sub(r"\(\d{4}-\d\d-\d\d\)|\(replaces:.*\)", " ", text).casefold()):
        if piece[0] >= "\u3400" and piece[0] <= "\u9fff":
            signs = [sign for sign in piece if sign not in _SIGN_STOP]
            words.update(one + other for one, other in pairwise(signs))
        elif any(sign.isdigit() for sign in piece):
            found.add(piece)
        elif piece not in _stop():
            words.add(_stem(piece))
    return Gist(frozenset(words), frozenset(found), bool(_negation().search(text)))


def _stem(word: str) -> str:
    """The word without its endings: ``prefers``, ``preferred`` and ``prefer`` meet."""
    for end in ("ing", "ern", "ed", "es", "en", "er", "s", "e", "t"):
        if len(word) - len(end) >= 4 and word.endswith(end):
            return _stem(word[: -len(end)])
    return word


def same(new: str, old: str) -> bool:
    """True when ``old`` already says what ``new`` says, in these or similar words."""
    return _covers(gist(old), gist(new))


def among(new: str, olds: Iterable[str]) -> bool:
    """True when one of ``olds`` already says what ``new`` says."""
    wanted = gist(new)
    return any(_covers(gist(old), wanted) for old in olds)


def _covers(b: Gist, a: Gist) -> bool:
    """Whether ``b`` says what ``a`` says."""
    if b.words.isdisjoint(a.words) and b.values.isdisjoint(a.values):
        return False
    size = len(a.words) + len(a.values)
    if size == 0 or not a.values <= b.values or (a.negated != b.negated and size < 8):
        return False
    shared = len(a.words & b.words) + len(a.values & b.values)
    # In a short sentence the one word that differs is what it is about: "never delete photos", "… letters".
    return shared >= min(size, 2) and (shared == size or (size > _SHORT and shared / size >= _SAME))


def related(one: str, other: str) -> bool:
    """True when the two share a content word."""
    return bool(gist(one).words & gist(other).words)


def changed(new: str, old: str) -> str:
    """The old value where both say the same of something but its value; "" otherwise."""
    a, b = gist(new), gist(old)
    come, gone = a.values - b.values, b.values - a.values
    if len(come) != 1 or len(gone) != 1 or len(a.words & b.words) < 2:
        return ""
    if a.words - b.words and b.words - a.words:
        return ""  # each names something that the other does not: two things, not one that changed
    share = len(a.words & b.words) / max(len(a.words), len(b.words))
    return _as_written(old, gone) if share >= _CHANGED else ""


def replaced(new: str, old: str, *, same_subject: bool = False) -> str:
    """What a correction replaces in ``old``: its differing value, else its differing words; "" if unrelated.

    ``same_subject``: the two are known to be about one thing although they share no word.
    """
    a, b = gist(new), gist(old)
    if not same_subject and not a.words & b.words:
        return ""
    come, gone = a.values - b.values, b.values - a.values
    if come and gone:
        return _as_written(old, _alike(gone, come))
    denied = {value for value in a.values & b.values if _denies(new, value)}
    if come and denied:
        return _as_written(old, denied)
    return _as_written(old, b.words - a.words) if a.words - b.words else ""


def _alike(gone: frozenset[str], come: frozenset[str]) -> frozenset[str]:
    """Those of ``gone`` written like one of ``come``: stage-2 for stage-3, not its port; else all."""
    wanted = {_shape(value) for value in come}
    return frozenset(value for value in gone if _shape(value) in wanted) or gone


def _shape(value: str) -> str:
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", value))


def _denies(text: str, value: str) -> bool:
    """Whether ``text`` says that it is not ``value`` (any more)."""
    no = r"(?:\bnot|\bno longer|\binstead of|\bnicht(?: mehr)?|\bstatt|不是|不再是|而不是)\s*"
    return re.search(no + re.escape(value) + r"(?!\w)", text, re.IGNORECASE) is not None


def _as_written(text: str, wanted: Iterable[str]) -> str:
    """The part of ``text`` that spans the wanted words, at most four words of it."""
    keys = set(wanted)
    text = re.sub(r"\s*\(replaces:.*\)|\s*\(\d{4}-\d\d-\d\d\)", "", text)
    hits = [
        match
        for match in _pieces().finditer(text)
        if match[0].casefold() in keys or _stem(match[0].casefold()) in keys
    ]
    if not hits:
        return ""
    start, end = hits[0].start(), hits[0].end()
    for match in hits[1:]:
        if len(text[start : match.end()].split()) > 4:
            break
        end = match.end()
    return text[start:end]
