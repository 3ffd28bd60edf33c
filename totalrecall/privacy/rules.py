"""The one table of built-in rules, and what they find in a view of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from totalrecall.privacy.context import CONTEXT
from totalrecall.privacy.normalise import WRAP, Span
from totalrecall.privacy.numbers import NUMBERS, long_numbers, private_keys
from totalrecall.privacy.rule import Rule, compiled, secret_span
from totalrecall.privacy.tokens import TOKENS, Token, is_token, kept_length, plain_pattern, wrapped_pattern
from totalrecall.privacy.values import trimmed

RULES = CONTEXT + NUMBERS
KINDS = frozenset(rule.kind for rule in RULES) | {token.kind for token in TOKENS} | {
    "private key", "card number", "iban",
}  # fmt: skip

_DIGITS = re.compile(r"\d[ \u00a0\u202f.-]?\d[ \u00a0\u202f.-]?\d[ \u00a0\u202f.-]?\d")
Found = tuple[str, Span]


@cache
def _hints() -> tuple[tuple[str, tuple[Rule | Token, ...]], ...]:
    table: dict[str, list[Rule | Token]] = {}
    for token in TOKENS:
        for prefix in token.prefixes:
            table.setdefault(prefix.lower(), []).append(token)
    for rule in RULES:
        for hint in rule.hints:
            table.setdefault(hint, []).append(rule)
    return tuple((hint, tuple(rules)) for hint, rules in table.items())


@cache
def _order() -> dict[Rule | Token, int]:
    ordered: tuple[Rule | Token, ...] = (*TOKENS, *RULES)
    return {rule: place for place, rule in enumerate(ordered)}


def find(text: str) -> Iterator[Found]:
    """What the rules find in a plain or unescaped view, by kind and range; ranges may overlap, the first names the kind."""
    lowered = text.lower()
    wanted = {rule for hint, rules in _hints() if hint in lowered for rule in rules}
    if "-----" in text or "---- BEGIN" in text:
        yield from private_keys(text)
    for rule in sorted(wanted, key=_order().__getitem__) if wanted else ():
        yield from _matches_of(rule, text)
    if _DIGITS.search(text):
        yield from long_numbers(text)


def find_wrapped(text: str) -> Iterator[Found]:
    """Keys with a known prefix in a wrapped view."""
    lowered = text.replace(WRAP, "").lower()
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
            yield rule.kind, (start, start + len(trimmed(text[start:end])))
