"""Lines too large for memory, made small while they pass by.

An 80 MB line is an image with a caption, or a log pasted by the user (R018). What makes it large is always a
long string, so long strings keep their head and their end (a deadline likes to stand at the end) and base64
loses everything; the result is a normal line.
"""

from __future__ import annotations

import re

LONG_STRING_BYTES = 64 * 1024
OUTPUT_BYTES = 8 * 1024 * 1024
_ROOMY_BYTES = OUTPUT_BYTES // 8
_TIGHT_BYTES = OUTPUT_BYTES // 2
_SHORT_STRING_BYTES = 4 * 1024
_TINY_STRING_BYTES = 256

_NUL = b"\0"
_QUOTE = b'"'
_CONTINUATION = bytes(range(0x80, 0xC0))
_BACKSLASH = b"\\"
_BASE64_KEY = re.compile(rb'"(?:data|blob|thinkingSignature|encrypted_content)"\s*:\s*$')
_DATA_URL = re.compile(rb"data:[\w/+.-]+;base64,")
# Possessive: a string of a megabyte of escapes must not leave a megabyte of places to go back to.
_STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHOLE_ESCAPES = re.compile(rb"(?:[^\\]+|\\u[0-9a-fA-F]{4}|\\[^u])*", re.DOTALL)
_HIGH_SURROGATE_END = re.compile(rb"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
# Six bytes without a backslash are longer than the rest of any escape; a backslash after any other byte
# begins one.
_SAFE_START = re.compile(rb"[^\\]{6}|[^\\](?=\\)", re.DOTALL)


class LineReducer:
    """Takes one line in pieces and gives it back with its long strings shortened.

    It holds at most OUTPUT_BYTES and one piece. A line that stays larger although its strings were shortened
    (millions of numbers, or no JSON at all) comes back cut, does not parse, and is counted as a bad record.
    """

    def __init__(self) -> None:
        self._out = bytearray()
        self._inside = False
        self._head = bytearray()
        self._tail = bytearray()
        self._string_bytes = 0
        self._escape_open = False

    def feed(self, piece: bytes) -> None:
        """Take the next bytes of the line. NUL bytes are dropped."""
        if _NUL in piece:
            piece = piece.translate(None, _NUL)
        place = 0
        while place < len(piece) and len(self._out) < OUTPUT_BYTES:
            place = self._in_string(piece, place) if self._inside else self._between(piece, place)

    def finish(self) -> bytes:
        """The reduced line. A string that was still open stays open: such a line is not whole."""
        if self._inside:
            self._emit(bytes(self._head + self._tail))
        return bytes(self._out)

    def _between(self, piece: bytes, place: int) -> int:
        quote = piece.find(_QUOTE, place)
        end = len(piece) if quote < 0 else quote + 1
        self._emit(piece[place:end])
        if quote >= 0:
            self._inside = True
        return end

    def _in_string(self, piece: bytes, place: int) -> int:
        match = _STRING_REST.match(piece, place + self._escape_open)
        end = match.end() if match else place
        self._escape_open = end == len(piece) - 1 and piece.endswith(_BACKSLASH)
        if self._escape_open:
            end += 1
        self._keep(piece[place:end])
        if end < len(piece):
            self._close()
        return end + 1

    def _keep(self, content: bytes) -> None:
        self._string_bytes += len(content)
        room = LONG_STRING_BYTES // 2 - len(self._head)
        if room > 0:
            self._head += content[:room]
            content = content[room:]
        self._tail += content[-LONG_STRING_BYTES:]
        if len(self._tail) > 2 * LONG_STRING_BYTES:
            del self._tail[:-LONG_STRING_BYTES]

    def _close(self) -> None:
        limit = self._limit_bytes()
        if self._string_bytes <= limit:
            self._emit(bytes(self._head + self._tail))
        elif not (_BASE64_KEY.search(self._out[-64:-1]) or _DATA_URL.match(self._head)):
            self._emit(self._shortened(limit))
        self._emit(_QUOTE)
        self._inside = False
        self._head.clear()
        self._tail.clear()
        self._string_bytes = 0

    def _shortened(self, limit: int) -> bytes:
        half = limit // 2
        held = bytes(self._head + self._tail)
        head, tail = _cut_head(held[:half]), _cut_tail(held[-half:])
        cut_bytes = self._string_bytes - len(head) - len(tail)
        return head + b" [... %d bytes cut ...] " % cut_bytes + tail

    def _limit_bytes(self) -> int:
        if len(self._out) < _ROOMY_BYTES:
            return LONG_STRING_BYTES
        return _SHORT_STRING_BYTES if len(self._out) < _TIGHT_BYTES else _TINY_STRING_BYTES

    def _emit(self, content: bytes) -> None:
        self._out += content[: OUTPUT_BYTES - len(self._out)]


def _cut_head(head: bytes) -> bytes:
    """``head`` without the half of an escape, a surrogate pair or a UTF-8 sign at its end."""
    match = _WHOLE_ESCAPES.match(head)
    whole = _HIGH_SURROGATE_END.sub(rb"\1", match[0] if match else b"")
    return whole.decode("utf-8", "ignore").encode()


def _cut_tail(tail: bytes) -> bytes:
    """``tail`` from the first place that cannot be inside an escape or a UTF-8 sign."""
    match = _SAFE_START.search(tail)
    return tail[match.end() :].lstrip(_CONTINUATION) if match else b""
