"""Views of a text in which a disguised secret stands plainly, each with its way back to the original.

A view is searched in place of the text: what is found is cut out of the original. So screening sees through
zero-width characters, full-width letters, JSON and percent escapes and soft wraps, and still never changes a
text without a hit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]
_FAR = 1 << 62

WRAP = "\x1f"
"""Stands for a line break inside what may be one token. No plain view holds it."""

_INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_WIDE = "\uff01-\uff5e\u3000\U0001d400-\U0001d7ff"
_ODD = re.compile(f"[{_INVISIBLE}]+|[{_WIDE}]")
_ESCAPE = re.compile(
    r"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf\"'/])|%[0-9a-fA-F]{2}|&(?:quot|amp|apos|#3[49]);"
)
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
_ENTITIES = {"&quot;": '"', "&#34;": '"', "&amp;": "&", "&apos;": "'", "&#39;": "'"}
_WRAPPABLE = r"A-Za-z0-9_\-+/=."
_SOFT_WRAP = re.compile(rf"(?<=[{_WRAPPABLE}])[ \t]*\\?\r?\n[ \t>|]*(?=[{_WRAPPABLE}])")


@dataclass(frozen=True, slots=True)
class View:
    """A text to search, and where each piece of it comes from.

    ``pieces`` are ascending: (start in view, start in source, how many characters of the source one replaced
    character stands for; 0: the piece is verbatim). None: the view is the source.
    """

    text: str
    pieces: tuple[tuple[int, int, int], ...] = ()
    source: View | None = None

    def span(self, start: int, end: int) -> Span:
        """The range of the original text that holds this range of the view. ``end`` is after ``start``."""
        if self.pieces:
            start, end = self._origin(start)[0], self._origin(end - 1)[1]
        return self.source.span(start, end) if self.source else (start, end)

    def _origin(self, place: int) -> Span:
        index = bisect_right(self.pieces, (place, _FAR, 0)) - 1
        start, origin, replaced = self.pieces[index]
        if replaced:
            return origin, origin + replaced
        here = origin + place - start
        return here, here + 1


def views(text: str) -> Iterator[View]:
    """The plain view of the text, and the one without escapes if there are any."""
    view = plain_view(text)
    yield view
    if ("\\" in view.text or "%" in view.text or "&" in view.text) and _ESCAPE.search(view.text):
        yield _rewritten(view, _ESCAPE, _unescaped)


def plain_view(text: str) -> View:
    """The text without invisible characters, and with full-width and mathematical letters as plain ones."""
    if text.isascii() and (text.isprintable() or not _ODD.search(text)):
        return View(text)
    return _rewritten(View(text), _ODD, _plain)


def wrapped_view(view: View) -> View | None:
    """The view with ``WRAP`` for each line break inside what may be one token; ``None`` if there is none."""
    if "\n" not in view.text:
        return None
    wrapped = _rewritten(view, _SOFT_WRAP, lambda _: WRAP)
    return None if wrapped is view else wrapped


def _rewritten(view: View, pattern: re.Pattern[str], replace: Callable[[str], str]) -> View:
    source, parts, pieces = view.text, [], []
    done = length = 0
    for match in pattern.finditer(source):
        start, end = match.span()
        new = replace(match.group())
        if start > done:
            pieces.append((length, done, 0))
            parts.append(source[done:start])
            length += start - done
        if new:
            pieces.append((length, start, end - start))
            parts.append(new)
            length += 1
        done = end
    if not done:
        return view
    pieces.append((length, done, 0))
    parts.append(source[done:])
    return View("".join(parts), tuple(pieces), view)


def _plain(found: str) -> str:
    code = ord(found[0])
    if 0xFF01 <= code <= 0xFF5E:
        return chr(code - 0xFEE0)
    if code == 0x3000:
        return " "
    if code >= 0x1D400 and code <= 0x1D7FF:
        return _mathematical(code)
    return ""


def _mathematical(code: int) -> str:
    if code >= 0x1D7CE:
        return chr(ord("0") + (code - 0x1D7CE) % 10)
    if code < 0x1D6A4:
        place = (code - 0x1D400) % 52
        return chr(ord("A") + place) if place < 26 else chr(ord("a") + place - 26)
    return "?"


def _unescaped(found: str) -> str:
    if found[0] == "%":
        return chr(int(found[1:], 16))
    if found[0] == "&":
        return _ENTITIES[found]
    sign = found.lstrip("\\")
    if sign[0] in "ux" and len(sign) > 1:
        return chr(int(sign[1:], 16))
    return _SIGNS.get(sign, sign)
