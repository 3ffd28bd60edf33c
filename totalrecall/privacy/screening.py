"""Screening: a text goes in, the same text without its secrets comes out.

Callers screen before they cut: half a key is no longer known for one. Texts that were cut already, or that
belong together (consecutive messages, head and tail of a long result), go through ``Screen.joined``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from totalrecall.privacy.denylist import DenyList
from totalrecall.privacy.normalise import Span, View, views, wrapped_view
from totalrecall.privacy.placeholders import (
    DENIED,
    UNSCREENED,
    USER_PATTERN,
    placeholder,
    placeholder_pattern,
)
from totalrecall.privacy.rules import KINDS, Found, find, find_wrapped
from totalrecall.privacy.user_patterns import TimedOutError, UserPattern, compile_patterns, spans

_ROUNDS = 12
_LEAST_CHARS = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """How many secrets of one kind were taken out."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Screened:
    """A text without its secrets, and what was taken out of it, by kind."""

    text: str
    hits: tuple[Hit, ...]


class Screen:
    """The built-in rules, a deny-list of exact values, and the user's patterns.

    Screening is idempotent, never raises, and returns the very same text where it finds nothing. A text that
    a user pattern cannot finish in time is withheld whole. Invalid user patterns: ``ConfigError``.
    """

    def __init__(self, deny: Sequence[str] = (), user_patterns: Sequence[UserPattern] = ()) -> None:
        self._deny = DenyList(deny)
        self._user = compile_patterns(user_patterns)

    def screen(self, text: str) -> Screened:
        """The text with a typed placeholder for each secret, and the hits in the order of their kinds."""
        counts: Counter[str] = Counter()
        # A placeholder can bring two harmless pieces together, so we look again until nothing is found.
        for _ in range(_ROUNDS):
            found = self._found(text)
            if not found:
                break
            text = _replaced(text, found)
            counts.update(kind for kind, _ in found)
        return Screened(text, tuple(Hit(kind, counts[kind]) for kind in sorted(counts)))

    def text(self, text: str) -> str:
        """The text without its secrets."""
        return self.screen(text).text

    def is_clean(self, text: str) -> bool:
        """Whether there is nothing to take out."""
        return not self._found(text)

    def joined(self, parts: Sequence[str]) -> list[str]:
        """The parts without their secrets, also those that begin in one part and end in the next."""
        ranges: list[list[Found]] = [[] for _ in parts]
        for separator in ("", "\n"):
            for kind, (start, end) in self._found(separator.join(parts)):
                place = 0
                for index, part in enumerate(parts):
                    low, high = max(start - place, 0), min(end - place, len(part))
                    if low < high:
                        ranges[index].append((kind, (low, high)))
                    place += len(part) + len(separator)
        return [
            self.text(_replaced(part, _merged(part, found)))
            for part, found in zip(parts, ranges, strict=True)
        ]

    def _found(self, text: str) -> list[Found]:
        try:
            found = [*self._known(text), *find_in_views(text)]
        except TimedOutError:
            return [(UNSCREENED, (0, len(text)))]
        return _merged(text, found) if found else []

    def _known(self, text: str) -> list[Found]:
        found: list[Found] = []
        if self._user and text != placeholder(UNSCREENED):
            found += [(USER_PATTERN, span) for span in spans(self._user, text)]
        if self._deny.forms:
            for view in views(text):
                found += [(DENIED, view.span(*span)) for span in self._deny.spans(view.text)]
                wrapped = wrapped_view(view)
                if wrapped:
                    found += [
                        (DENIED, wrapped.span(*span)) for span in self._deny.wrapped_spans(wrapped.text)
                    ]
        return found


def find_in_views(text: str) -> list[Found]:
    """What the built-in rules find in the text, in all its views."""
    found: list[Found] = []
    view = View(text)
    for view in views(text):
        found += ((kind, view.span(*span)) for kind, span in find(view.text) if span[0] < span[1])
    wrapped = wrapped_view(view)
    if wrapped:
        found += ((kind, wrapped.span(*span)) for kind, span in find_wrapped(wrapped.text))
    return found


def screen(text: str) -> Screened:
    """The text without what the built-in rules know."""
    return _built_in().screen(text)


def screen_joined(parts: Sequence[str]) -> list[str]:
    """The parts without what the built-in rules know, also across the borders between them."""
    return _built_in().joined(parts)


@cache
def _built_in() -> Screen:
    return Screen()


def _merged(text: str, found: Iterable[Found]) -> list[Found]:
    """The ranges in order, overlapping ones as one, and none in a placeholder that stands there already."""
    kept: list[Found] = []
    guarded = [match.span() for match in placeholder_pattern(KINDS).finditer(text)]
    ranges = [piece for one in found for piece in _outside(one, guarded)]
    for kind, (start, end) in sorted(ranges, key=lambda one: one[1][0]):
        if kept and start < kept[-1][1][1]:
            last_kind, (last_start, last_end) = kept[-1]
            kept[-1] = (last_kind, (last_start, max(end, last_end)))
        else:
            kept.append((kind, (start, end)))
    return kept


def _outside(found: Found, guarded: list[Span]) -> list[Found]:
    kind, (start, end) = found
    pieces = []
    for low, high in guarded[max(bisect_right(guarded, (start, start)) - 1, 0) :]:
        if low >= end:
            break
        if high <= start:
            continue
        if start < low:
            pieces.append((kind, (start, low)))
        start = high
    if start < end:
        pieces.append((kind, (start, end)))
    return pieces


def _replaced(text: str, found: Iterable[Found]) -> str:
    parts, done = [], 0
    for kind, (start, end) in found:
        parts += [text[done:start], placeholder(kind)]
        done = end
    return "".join([*parts, text[done:]])
