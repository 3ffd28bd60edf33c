"""Secrets known by their shape alone: cards, IBANs, identity numbers with a check digit, private keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from totalrecall.privacy.luhn import iban_chars, is_card_number, is_chinese_identity
from totalrecall.privacy.normalise import Span

_RUN = re.compile(r"(?<![\w.-])\d(?:[ \u00a0\u202f.-]?\d){12,18}")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
_CHINESE_ID = re.compile(r"(?<![\w.-])[1-9]\d{16}[\dXx](?!\w)")
_MARK = re.compile(
    r"-{4,5} ?(?P<which>BEGIN|END) (?P<what>[A-Z0-9 ]{0,40}?(?:PRIVATE KEY(?: BLOCK)?"
    r"|PGP MESSAGE|OPENSSH KEY))(?: ?-{3,5})?"
)
_TAIL_CHARS = 4096
_BASE64_TAIL = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{8,}$")
_BODY = re.compile(r"(?:[A-Za-z0-9+/=]{8,}|[A-Za-z-]{1,20}: [^\n]{0,200})?\s*")


def long_numbers(text: str) -> Iterator[tuple[str, Span]]:
    """Card numbers, IBANs and Chinese identity numbers in the text, with any usual separators."""
    for match in _CHINESE_ID.finditer(text):
        if is_chinese_identity(match.group()):
            yield "identity number", match.span()
    for match in _RUN.finditer(text):
        size = _card_chars(match.group())
        if size:
            yield "card number", (match.start(), match.start() + size)
    for match in _IBAN.finditer(text):
        compact = re.sub(r"[ -]", "", match.group()).upper()
        size = iban_chars(compact)
        if size:
            yield "iban", (match.start(), match.start() + _place_after(match.group(), size))


def private_keys(text: str) -> Iterator[tuple[str, Span]]:
    """Private key blocks, also where the beginning or the end was cut off."""
    opened: int | None = None
    body = done = 0
    for mark in _MARK.finditer(text):
        if mark["which"] == "BEGIN":
            if opened is not None:
                yield "private key", (opened, _body_end(text, body))
            opened, body = mark.start(), mark.end()
        else:
            start = opened if opened is not None else _body_start(text, done, mark.start())
            yield "private key", (start, mark.end())
            opened = None
        done = mark.end()
    if opened is not None:
        yield "private key", (opened, _body_end(text, body))


def _body_end(text: str, place: int) -> int:
    end = place
    while (match := _BODY.match(text, place)) and match.end() > place:
        place = match.end()
        end = max(end, match.start() + len(match.group().rstrip()))
    return end


def _body_start(text: str, floor: int, place: int) -> int:
    """Where the base64 lines before a lonely end mark begin."""
    start = line_end = place
    while line_end > floor:
        line_start = max(text.rfind("\n", floor, line_end) + 1, floor)
        line = text[line_start:line_end].strip()
        tail = _BASE64_TAIL.search(line[-_TAIL_CHARS:])
        if line and not (tail and len(tail.group()) == len(line)):
            whole = tail is not None and len(tail.group()) >= 16
            return (
                line_start + text[line_start:line_end].rfind(line[-1]) + 1 - len(tail.group())
                if whole and tail
                else start
            )
        start = line_start if line else start
        line_end = line_start - 1
    return start


def _card_chars(found: str) -> int:
    """How many characters of a run of digits and separators are a card number; other digits may follow."""
    for size in (19, 18, 16, 15, 14):
        end = _place_after(found, size)
        digits = re.sub(r"\D", "", found[:end])
        if len(digits) == size and not found[end : end + 1].isdigit() and is_card_number(digits):
            return end
    return 0


def _place_after(found: str, wanted: int) -> int:
    seen = 0
    for place, sign in enumerate(found):
        seen += sign.isalnum()
        if seen == wanted:
            return place + 1
    return len(found)
