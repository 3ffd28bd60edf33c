"""From the bytes of an answer to its JSON, whatever the encoding and wrapping. Pure."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any

_SSE_COMMENT = re.compile(r"^:.*$", re.MULTILINE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(body: bytes, content_type: str) -> str:
    """The text of a body: by its byte order mark, as UTF-8, as JSON's UTF-16/32, at last by its charset."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    if len(body) >= 2 and (0 in body[:4]):
        return body.decode(json.detect_encoding(body), "replace").lstrip("\ufeff")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        match = re.search(r"charset=[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
        try:
            return body.decode(match[1] if match else "cp1252", "replace")
        except LookupError:
            return body.decode("utf-8", "replace")


def json_in_body(text: str) -> Any:
    """The JSON of a body, also behind keep-alive comments or spelled as server-sent events; None if none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    bare = _SSE_COMMENT.sub("", text).strip()
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        return _from_events(text)


def _from_events(text: str) -> Any:
    """A completion put together from server-sent events; None unless the stream came to its end."""
    words: list[str] = []
    finish, ended = "", False
    last: dict[str, Any] = {}
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        payload = line[5:].strip()
        if payload == "[DONE]":
            ended = True
            continue
        try:
            chunk = json.loads(payload)
        except (ValueError, RecursionError):
            return None
        if not isinstance(chunk, Mapping):
            return None
        if chunk.get("error"):
            return chunk
        last = {**last, **{key: value for key, value in chunk.items() if value is not None}}
        choices = chunk.get("choices")
        choice = (
            choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
        )
        part = choice.get("delta") or choice.get("message")
        words.append(content_text(part.get("content")) if isinstance(part, Mapping) else "")
        finish = choice.get("finish_reason") or finish
    if not (ended or finish):
        return None
    message = {"role": "assistant", "content": "".join(words)}
    return {**last, "choices": [{"finish_reason": finish or "stop", "message": message}]}


def content_text(content: Any) -> str:
    """The words of a message's content: a string, or parts of which the texts are joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in {"text", "output_text"}:
            parts.append(part["text"] if isinstance(part.get("text"), str) else "")
    return "".join(parts)
