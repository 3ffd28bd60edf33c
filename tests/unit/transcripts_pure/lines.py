"""Transcript lines in OpenClaw's shapes, for the tests beside this file."""

from __future__ import annotations

import json
from typing import Any

from totalrecall.domain.event import BadRecord, Event
from totalrecall.transcripts.carry import Carry, decode_carry, encode_carry
from totalrecall.transcripts.dialects.openclaw import events_from_line
from totalrecall.transcripts.noise import SessionFacts, Verdict, classify

START_MS = 1_771_070_400_000  # 2026-02-14 12:00 UTC


def entry(number: int, role: str, content: object, **message: Any) -> dict[str, Any]:
    """One message entry, written ``number`` seconds after the start."""
    at_ms = START_MS + number * 1_000
    body = {"role": role, "content": content, "timestamp": at_ms, **message}
    return {"type": "message", "id": f"{number:08x}", "parentId": None, "timestamp": at_ms, "message": body}


def user(number: int, text: str, **message: Any) -> dict[str, Any]:
    """What a user says."""
    return entry(number, "user", text, **message)


def assistant(
    number: int, text: str, *calls: tuple[str, str, dict[str, Any]], **message: Any
) -> dict[str, Any]:
    """What the assistant says, with tool calls (id, name, arguments)."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [{"type": "toolCall", "id": i, "name": n, "arguments": a} for i, n, a in calls]
    return entry(number, "assistant", parts, **message)


def result(number: int, call_id: str, name: str, text: str, **message: Any) -> dict[str, Any]:
    """How a tool call ended."""
    value = entry(number, "toolResult", [{"type": "text", "text": text}])
    body = value["message"]
    at_ms = body.pop("timestamp")
    content = body.pop("content")
    body |= {"toolCallId": call_id, "toolName": name, "content": content, **message, "timestamp": at_ms}
    return value


def line(value: object) -> bytes:
    """``value`` as OpenClaw writes it: compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def event(value: object) -> Event:
    """The one event of an entry, by way of its line."""
    (found,) = events_from_line(line(value))
    assert not isinstance(found, BadRecord), found
    return found


def verdicts(*entries: dict[str, Any], facts: SessionFacts | None = None) -> list[Verdict]:
    """What ``classify`` says of each entry; the carry passes through its written form between any two."""
    carry, found = Carry(), []
    for value in entries:
        verdict, carry = classify(event(value), decode_carry(encode_carry(carry)), facts or SessionFacts())
        found.append(verdict)
    return found
