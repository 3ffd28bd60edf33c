"""From the bytes of a growing file to lines: split at 0x0A and nowhere else, in bounded memory.

Text functions split at U+2028, U+0085 and others too, which stand inside valid JSON strings (R015).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from totalrecall.transcripts.giant import LineReducer

CHUNK_BYTES = 128 * 1024
GIANT_BYTES = 4 * 1024 * 1024
BOM = b"\xef\xbb\xbf"
BLANK = b"\0 \t\r\n"


class Lines(NamedTuple):
    """Lines that follow each other, without their newlines.

    Attributes:
        start: where the first one begins.
        end: after the newline of the last one.
        contents: the lines. Each one ends a newline after its length, but for a ``reduced`` one.
        whole: False for what stands after the last newline; it is alone.
        reduced: the only line was a giant, and its content is shortened.
    """

    start: int
    end: int
    contents: list[bytes]
    whole: bool = True
    reduced: bool = False


def read_lines(read_at: Callable[[int, int], bytes], position: int) -> Iterator[Lines]:
    """Lines from ``position`` on, and at last what stands after the final newline, if anything does.

    ``read_at(offset, size)`` gives bytes, and nothing at the end. Lines over GIANT_BYTES come reduced.
    """
    start = offset = position
    carry = b""
    while chunk := read_at(offset, CHUNK_BYTES):
        offset += len(chunk)
        contents = chunk.split(b"\n")
        contents[0] = carry + contents[0]
        carry = contents.pop()
        if contents:
            yield Lines(start, offset - len(carry), contents)
            start = offset - len(carry)
        if len(carry) > GIANT_BYTES:
            giant = _giant_line(read_at, start, offset, carry)
            yield giant
            if not giant.whole:
                return
            start = offset = giant.end
            carry = b""
    if carry:
        yield Lines(start, offset, [carry], whole=False)


def _giant_line(read_at: Callable[[int, int], bytes], start: int, offset: int, carry: bytes) -> Lines:
    reducer = LineReducer()
    reducer.feed(carry)
    while chunk := read_at(offset, CHUNK_BYTES):
        newline = chunk.find(b"\n")
        if newline >= 0:
            reducer.feed(chunk[:newline])
            return Lines(start, offset + newline + 1, [reducer.finish()], reduced=True)
        reducer.feed(chunk)
        offset += len(chunk)
    return Lines(start, offset, [reducer.finish()], whole=False, reduced=True)


def finished_bytes(content: bytes) -> int:
    """How many bytes of ``content`` are finished JSON objects, what stands before and between them included.

    0 when not even the first object is finished. Used for a last line without newline only.
    """
    text = content.decode("utf-8", "surrogateescape")  # a torn UTF-8 sign at the end keeps its bytes
    place = finished = 0
    decoder = json.JSONDecoder()
    while True:
        while place < len(text) and text[place] in "\0 \t\r\n\ufeff":
            place += 1
        if not text.startswith("{", place):
            break
        try:
            _, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        finished = place
    return len(text[:finished].encode("utf-8", "surrogateescape"))
