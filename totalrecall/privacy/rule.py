"""What a rule of screening is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache


class Gate(Enum):
    """What a text must hold before a rule is tried: this keeps clean text cheap."""

    OPEN = "nothing"
    LONG = "a word of fifteen characters"
    HUGE = "a word of forty characters"
    DIGITS = "four digits in a row"


def always(match: re.Match[str]) -> bool:
    """True: what the pattern finds is a secret."""
    return bool(match)


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret: words of which one must occur (lower case), a pattern, and a judgement.

    The groups ``s``, ``s2``, … or ``bare`` are the secret, else the whole match. Patterns are linear:
    repeats are bounded, or no two neighbours can match the same characters.
    """

    kind: str
    hints: tuple[str, ...]
    source: str
    accepts: Callable[[re.Match[str]], bool] = always
    gate: Gate = Gate.OPEN


@cache
def compiled(rule: Rule) -> re.Pattern[str]:
    """The rule's pattern; compiled when first needed, so that starting up costs nothing."""
    return re.compile(rule.source)


def secret_span(match: re.Match[str]) -> tuple[int, int]:
    """The range of the secret in a match."""
    for name in match.re.groupindex:
        if name in {"s", "s2", "s3", "s4", "bare"} and match.start(name) >= 0:
            return match.span(name)
    return match.span()
