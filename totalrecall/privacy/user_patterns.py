"""Patterns that users add to the rules, run in the ``regex`` library because ``re`` cannot be stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from totalrecall.errors import ConfigError

TIMEOUT_S = 0.5


@dataclass(frozen=True, slots=True)
class UserPattern:
    """One pattern of the user's, and where it was set (for messages)."""

    source: str
    origin: str = "sensitivePatterns"


class TimedOutError(Exception):
    """A user pattern did not come to an end in ``TIMEOUT_S``; the text must be withheld."""


def compile_patterns(patterns: Sequence[UserPattern]) -> tuple[Any, ...]:
    """The patterns, compiled. Raises ``ConfigError`` naming one that is invalid or matches the empty text."""
    if not patterns:
        return ()
    import regex

    made = []
    for pattern in patterns:
        hint = "Correct or remove it; nothing is read until then, so that nothing leaks."
        try:
            one = regex.compile(pattern.source)
        except regex.error as problem:
            raise ConfigError(
                f"{pattern.origin}: the pattern {pattern.source!r} is invalid: {problem}.", hint
            ) from problem
        if one.match("") is not None:
            raise ConfigError(
                f"{pattern.origin}: the pattern {pattern.source!r} matches the empty text.", hint
            )
        made.append(one)
    return tuple(made)


def spans(compiled: tuple[Any, ...], text: str) -> list[tuple[int, int]]:
    """The ranges the patterns match. Raises ``TimedOutError``."""
    found = []
    for pattern in compiled:
        try:
            found += [match.span() for match in pattern.finditer(text, timeout=TIMEOUT_S) if match.group()]
        except TimeoutError as problem:
            raise TimedOutError from problem
    return found
