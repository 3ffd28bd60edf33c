"""OpenClaw's transcript records, of both stores, as events. Never raises, whatever it is given.

A record is a JSON object: one line of a session file or one row of ``transcript_events``. Times: the
entry's own ``timestamp`` (when it was written down, the one that orders the transcript); and
``message.timestamp`` (when the message began) only where the entry has no usable one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from totalrecall.domain.event import NO_ORIGIN, BadRecord, Event, EventKind, Origin, Role
from totalrecall.transcripts.dialects.content import clean, words_of
from totalrecall.transcripts.dialects.lines import bad_record, objects_in
from totalrecall.transcripts.dialects.timestamps import milliseconds
from totalrecall.transcripts.dialects.tools import tool_calls, tool_result

_KINDS = {
    "session": EventKind.HEADER,
    "compaction": EventKind.COMPACTION,
    "reset": EventKind.RESET,
    "leaf": EventKind.LEAF,
    "branch_summary": EventKind.META,
    "custom": EventKind.META,
    "custom_message": EventKind.META,
    "label": EventKind.META,
    "model_change": EventKind.META,
    "session_info": EventKind.META,
    "thinking_level_change": EventKind.META,
}
_SPEECHLESS_ROLES = frozenset(
    {"system", "developer", "bashExecution", "custom", "compactionSummary", "branchSummary"}
)
_MESSAGE = EventKind.MESSAGE
_USER = Role.USER
_ASSISTANT = Role.ASSISTANT


def events_from_line(line: bytes) -> list[Event | BadRecord]:
    """What a whole line (without its newline) holds.

    Usually one event. Glued objects give several, a blank line gives none, and what cannot be read gives a
    BadRecord that carries the reason, a hash and the size, so that it is counted and never silently lost
    (R013, R017).
    """
    found: list[Event | BadRecord] = []
    for value in objects_in(line):
        if isinstance(value, BadRecord):
            found.append(value)
            continue
        event = event_from_entry(value)
        if isinstance(event, BadRecord):
            event = bad_record(event.reason, line)
        found.append(event)
    return found


def event_from_entry(entry: object) -> Event | BadRecord:
    """The event of one decoded record; a BadRecord for what is no record at all.

    Summaries of compactions and branches, and messages of any role but user and assistant, hold no speech
    (R023). Types of the future become ``UNKNOWN`` with their name.
    """
    if not isinstance(entry, dict):
        return BadRecord("not_an_object", "", 0)
    kind_name = entry.get("type")
    if kind_name == "message":
        return _message_event(entry)
    if not isinstance(kind_name, str) or not kind_name:
        return BadRecord("no_type", "", 0)
    kind = _KINDS.get(kind_name, EventKind.UNKNOWN)
    entry_id = _word(entry.get("id"))
    header = kind is EventKind.HEADER
    return Event(
        kind,
        "" if header else entry_id,
        _word(entry.get("parentId")),
        milliseconds(entry.get("timestamp")),
        type_name=clean(kind_name),
        session_id=entry_id if header else "",
        cwd=_word(entry.get("cwd")) if header else "",
        target_id=_word(entry.get("targetId")) if kind is EventKind.LEAF else "",
    )


def _message_event(entry: Mapping[str, Any]) -> Event | BadRecord:
    message = entry.get("message")
    if not isinstance(message, dict):
        return BadRecord("no_message", "", 0)
    entry_id = _word(entry.get("id"))
    parent_id = _word(entry.get("parentId"))
    at_ms = milliseconds(entry.get("timestamp"))
    if at_ms is None:
        at_ms = milliseconds(message.get("timestamp"))
    role = message.get("role")
    content = message.get("content")
    if role == "user":
        text = clean(words_of(content))
        return Event(
            _MESSAGE, entry_id, parent_id, at_ms, _USER, text, (), None, "message", _user_origin(message)
        )
    if role == "assistant":
        text = clean(words_of(content))
        calls = tool_calls(content)
        origin = _assistant_origin(message)
        return Event(_MESSAGE, entry_id, parent_id, at_ms, _ASSISTANT, text, calls, None, "message", origin)
    if role == "toolResult":
        result = tool_result(message)
        return Event(EventKind.TOOL, entry_id, parent_id, at_ms, None, "", (), result, "message/toolResult")
    role_name = _word(role)
    kind = EventKind.META if role_name in _SPEECHLESS_ROLES else EventKind.UNKNOWN
    return Event(kind, entry_id, parent_id, at_ms, type_name=f"message/{role_name}")


def _user_origin(message: Mapping[str, Any]) -> Origin:
    provenance = message.get("provenance")
    excluded = message.get("excludeFromContext") is True
    if not isinstance(provenance, dict):
        return Origin(excluded=True) if excluded else NO_ORIGIN
    return Origin(
        provenance=_word(provenance.get("kind")),
        source_tool=_word(provenance.get("sourceTool")),
        excluded=excluded,
    )


def _assistant_origin(message: Mapping[str, Any]) -> Origin:
    stop_reason = _word(message.get("stopReason"))
    # 2026.3 writes what an aborted answer had said so far as if the gateway had written it; this field tells.
    if "openclawAbort" in message:
        stop_reason = "aborted"
    return Origin(
        _word(message.get("provider")),
        _word(message.get("model")),
        "",
        "",
        message.get("excludeFromContext") is True,
        stop_reason,
    )


def _word(value: object) -> str:
    """An identifier or name; "" for everything that is not a string or a whole number."""
    if isinstance(value, str):
        return value if value.isprintable() else clean(value)
    return str(value) if type(value) is int and abs(value) < 1 << 63 else ""
