"""The JSON objects in one line of a session file: fast for what is sound, patient with what is not.

Two facts carry the fast paths. In valid JSON a quote inside a string stands behind a backslash, so
the bytes ``"isError":`` or ``{"type":"message"`` cannot occur in anybody's words. And nobody needs the body
of a tool's result that went well: of such a line only head and tail are parsed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from totalrecall.domain.event import BadRecord

_BLANK = b" \t\r\n\0"
_BOM = b"\xef\xbb\xbf"
_TOOL_LINE_BYTES = 1_536
_IMAGE_LINE_BYTES = 65_536
_HEAD_BYTES = 1_024
_TAIL_BYTES = 512
_START_BYTES = len(b'{"type":"message"')
_RESYNC = ('{"type":"message"', '{"type": "message"')


def objects_in(line: bytes) -> list[Any]:
    """The decoded values of ``line`` in order, with a BadRecord wherever a piece cannot be read.

    Empty for a blank line (spaces, NUL bytes left by a crash).
    """
    import orjson

    if len(line) >= _TOOL_LINE_BYTES:
        short = _without_tool_body(line)
        if short is not None:
            return [short]
        if len(line) >= _IMAGE_LINE_BYTES:
            line = _without_images(line)
    try:
        return [orjson.loads(line)]
    except orjson.JSONDecodeError:
        return list(_patiently(line))


def bad_record(reason: str, piece: bytes) -> BadRecord:
    """A BadRecord for ``piece``: reason, hash and size, never a word of it."""
    return BadRecord(reason, hashlib.blake2b(piece, digest_size=4).hexdigest(), len(piece))


def _without_tool_body(line: bytes) -> dict[str, Any] | None:
    """The record of a tool result that plainly went well, without its text; None to parse it all."""
    cut = line.find(b'"content":', 0, _HEAD_BYTES)
    # The beginning of the line again, further on, is a second record glued behind the first (R017).
    if (
        cut < 0
        or line.find(b'"toolResult"', 0, cut) < 0
        or line.rfind(line[:_START_BYTES], _START_BYTES) >= 0
    ):
        return None
    tail = line[-_TAIL_BYTES:]
    flag = tail.rfind(b'"isError":')
    if flag < 0 or not tail[flag + 10 :].lstrip().startswith(b"false"):
        return None
    details = line.find(b'"details":', cut)
    if details >= 0 and not _went_well(line[details : details + _HEAD_BYTES]):
        return None
    return _joined(line[:cut].rstrip(b", ") + b"}}", b"{" + tail[flag:].rstrip(_BLANK)[:-1])


def _joined(head: bytes, tail: bytes) -> dict[str, Any] | None:
    """The record from what stands before its content and what stands behind its details, if that is all."""
    import orjson

    try:
        entry, rest = orjson.loads(head), orjson.loads(tail)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(entry, dict) or entry.get("type") != "message":
        return None
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") != "toolResult" or "toolCallId" not in message:
        return None
    message.update(rest)
    return entry


def _went_well(details: bytes) -> bool:
    """True when the beginning of a ``details`` object names success and nothing else."""
    code = details.find(b'"exitCode":')
    if code >= 0 and details[code + 11 : code + 20].lstrip()[:2] not in {b"0,", b"0}"}:
        return False
    status = details.find(b'"status":')
    if status >= 0 and not details[status + 9 : status + 30].lstrip().startswith((b'"completed"', b'"ok"')):
        return False
    return b'"timedOut":' not in details and (code >= 0 or status >= 0)


def _without_images(line: bytes) -> bytes:
    """``line`` with long ``"data"`` strings emptied, before anything is decoded (R018)."""
    pieces: list[bytes] = []
    start = 0
    while True:
        key = line.find(b'"data":', start)
        if key < 0:
            break
        opening = line.find(b'"', key + 7, key + 16)
        closing = line.find(b'"', opening + 1) if opening >= 0 else -1
        if closing < 0 or line[key + 7 : opening].strip() or line.find(b"\\", opening, closing) >= 0:
            pieces.append(line[start : key + 7])
            start = key + 7
            continue
        pieces.append(line[start : opening + 1])
        start = closing
    pieces.append(line[start:])
    return b"".join(pieces)


def _patiently(line: bytes) -> Iterator[Any]:
    """Every object that can still be had from a line that is not one JSON value."""
    rest = line.removeprefix(_BOM).strip(_BLANK)
    text = rest.decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False)  # raw control characters inside strings are taken, not refused
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            yield bad_record("too_deep", rest)
            return
        except ValueError:
            # Half a line with a whole one glued behind it: the whole one is somebody's message.
            yield bad_record("not_json", text[at:].encode("utf-8", "replace"))
            found = [place for mark in _RESYNC if (place := text.find(mark, at + 1)) >= 0]
            if not found:
                return
            at = min(found)
            continue
        yield value
        while at < len(text) and text[at] in " \t\r\n\0,":
            at += 1
