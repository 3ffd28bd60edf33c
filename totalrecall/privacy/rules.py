"""The one table of built-in rules, and what they find in a view of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from totalrecall.privacy.context import CONTEXT
from totalrecall.privacy.headers import HEADERS
from totalrecall.privacy.normalise import WRAP, Span
from totalrecall.privacy.numbers import NUMBERS
from totalrecall.privacy.rule import Gate, Rule, compiled, secret_span
from totalrecall.privacy.shapes import long_numbers, private_keys
from totalrecall.privacy.tokens import TOKENS, Token, is_token, kept_length, plain_pattern, wrapped_pattern
from totalrecall.privacy.values import trimmed

RULES = HEADERS + CONTEXT + NUMBERS
KINDS = frozenset(rule.kind for rule in RULES) | {token.kind for token in TOKENS} | {
    "private key", "card number", "iban",
}  # fmt: skip

_DIGITS = re.compile(r"\d[ \u00a0\u202f.-]?\d[ \u00a0\u202f.-]?\d[ \u00a0\u202f.-]?\d")
_LONG_CHARS = 15
_HUGE_CHARS = 40
_QUOTES = "\"'`“„«「『"
_QUOTE_ENDS = "\"'`”“»」』\\"
Found = tuple[str, Span]


def _words_of(text: str, least: int) -> str:
    """The words of the text that have at least so many characters."""
    return " ".join([word for word in text.split() if len(word) >= least])


def _wanted(gate: Gate, lowered: str) -> set[Rule | Token]:
    return {rule for hint, rules in _hints(gate) if hint in lowered for rule in rules} if lowered else set()


@cache
def _hints(gate: Gate) -> tuple[tuple[str, tuple[Rule | Token, ...]], ...]:
    table: dict[str, list[Rule | Token]] = {}
    for token in TOKENS if gate is Gate.LONG else ():
        for prefix in token.prefixes:
            table.setdefault(prefix.lower(), []).append(token)
    for rule in RULES:
        for hint in rule.hints if rule.gate is gate else ():
            table.setdefault(hint, []).append(rule)
    return tuple((hint, tuple(rules)) for hint, rules in table.items())


@cache
def _order() -> dict[Rule | Token, int]:
    ordered: tuple[Rule | Token, ...] = (*TOKENS, *RULES)
    return {rule: place for place, rule in enumerate(ordered)}


def find(text: str) -> Iterator[Found]:
    """What the rules find in a plain or unescaped view, as kinds and ranges. Ranges may overlap."""
    lowered = text.lower()
    digits = bool(_DIGITS.search(text))
    long_words = _words_of(text, _LONG_CHARS)
    wanted = _wanted(Gate.OPEN, lowered)
    if long_words:
        wanted |= _wanted(Gate.LONG, long_words.lower())
        wanted |= _wanted(Gate.HUGE, _words_of(long_words, _HUGE_CHARS).lower())
    if digits:
        wanted |= _wanted(Gate.DIGITS, lowered)
    if "-----" in text or "---- BEGIN" in text:
        yield from private_keys(text)
    for rule in sorted(wanted, key=_order().__getitem__) if wanted else ():
        yield from _matches_of(rule, text)
    if digits:
        yield from long_numbers(text)


def find_wrapped(text: str) -> Iterator[Found]:
    """Keys with a known prefix in a wrapped view."""
    joined = text.replace(WRAP, "")
    lowered = _words_of(joined, _LONG_CHARS).lower()
    for token in TOKENS:
        if not any(prefix.lower() in lowered for prefix in token.prefixes):
            continue
        for match in wrapped_pattern(token).finditer(text):
            size = kept_length(token, match.group())
            kept = match.group()[:size]
            if WRAP in kept and is_token(token, match["tail"].replace(WRAP, "")):
                yield token.kind, (match.start(), match.start() + size)


def _matches_of(rule: Rule | Token, text: str) -> Iterator[Found]:
    if isinstance(rule, Token):
        for match in plain_pattern(rule).finditer(text):
            if is_token(rule, match["tail"]):
                yield rule.kind, match.span()
        return
    for match in compiled(rule).finditer(text):
        if rule.accepts(match):
            start, end = secret_span(match)
            quoted = start > 0 and text[start - 1] in _QUOTES and text[end : end + 1] in _QUOTE_ENDS
            yield rule.kind, (start, end if quoted else start + len(trimmed(text[start:end])))
