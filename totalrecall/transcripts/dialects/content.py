"""The words in a message's content, whatever shape it has, and clean text."""

from __future__ import annotations

import math
import re

_TEXT_PARTS = frozenset({"text", "input_text", "output_text", ""})
_MAX_DEPTH = 4

_LINE_BREAKS = re.compile("\r\n?|[\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
# Bidirectional controls turn the order of what a person reads; zero-width signs and tag characters hide
# words. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji need them.
_HIDDEN = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """``text`` with plain newlines only, without control, direction and hidden characters or lone surrogates.

    Every separator that ``str.splitlines`` knows becomes a newline (R015), other controls a space.
    """
    # One pass in C that says yes for nearly all text; it says no for a little more than must be changed.
    if text.replace("\n", " ").replace("\t", " ").isprintable():
        return text
    text = _LINE_BREAKS.sub("\n", text)
    text = _CONTROLS.sub(" ", text)
    text = _HIDDEN.sub("", text)
    return _SURROGATES.sub("\ufffd", text)


def first_line(text: str, limit_chars: int) -> str:
    """The first line of ``text`` with words in it, cleaned, at most ``limit_chars`` long.

    A cut falls between words where it can, so that half of a secret does not get past the screening by being
    cut out of its shape.
    """
    # Only the beginning is looked at: a tool's text may be megabytes.
    for line in clean(text[:4_000]).split("\n"):
        words = " ".join(line.split())
        if words:
            return _cut(words, limit_chars)
    return ""


def _cut(words: str, limit_chars: int) -> str:
    if len(words) <= limit_chars:
        return words
    head = words[: limit_chars - 1]
    if words[limit_chars - 1] != " ":
        shorter = head.rpartition(" ")[0]
        head = shorter if len(shorter) >= limit_chars // 3 else head
    return head.rstrip() + "…"


def words_of(content: object, depth: int = 0) -> str:
    """All words of the content, parts joined by newlines, not yet cleaned; "" when there are none.

    Takes a string, a number, an object, a list of parts and bare strings, or nothing (R019). Thinking,
    images, tool calls and parts of unknown type are left out.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        if depth >= _MAX_DEPTH:
            return ""
        found = [_part(part, depth) for part in content]
        return "\n".join(text for text in found if text)
    if isinstance(content, dict):
        return _part(content, depth)
    if isinstance(content, (int, float)) and not isinstance(content, bool) and math.isfinite(content):
        return str(content)
    return ""


def _part(part: object, depth: int) -> str:
    """The words of one part of a list, or of an object that stands for the whole content."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    kind = part.get("type", "")
    if kind not in _TEXT_PARTS if isinstance(kind, str) else kind is not None:
        return ""
    text = part.get("text")
    if isinstance(text, str):
        return text
    if isinstance(text, dict) and isinstance(text.get("value"), str):
        return str(text["value"])
    inner = part.get("content")
    return words_of(inner, depth + 1) if inner is not None and depth < _MAX_DEPTH else ""
