"""The usual line of a session file as an event, several times faster than the patient way.

A typed decoder makes objects of the few fields that matter and skips the rest (usage, thinking, images, the
bodies of tool results). Whatever is not exactly as expected gives None, and ``openclaw.events_from_line``
reads it: for every line that both understand, both give the same event.

What looks odd here is measured (scripts/bench): an enum's member costs as much to look up as a small object
to make, and a NamedTuple's own constructor twice what the tuple's costs.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from msgspec import UNSET, DecodeError, Raw, Struct, UnsetType
from msgspec.json import Decoder, decode

from totalrecall.domain.event import NO_ORIGIN, Event, EventKind, Origin, Role, ToolCall, ToolResult
from totalrecall.transcripts.dialects.content import clean
from totalrecall.transcripts.dialects.tools import target_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_FIRST_MS = (datetime(2000, 1, 1, tzinfo=UTC) - _EPOCH) // _MS
_LAST_MS = (datetime(2100, 1, 1, tzinfo=UTC) - _EPOCH) // _MS
_LONG_BYTES = 2_048
_HEAD_BYTES = 1_024
_START_BYTES = len(b'{"type":"message"')
_HARMLESS = b"\t\n" + bytes(range(0x20, 0x7F))
_NEW = tuple.__new__
_MESSAGE = EventKind.MESSAGE
_TOOL = EventKind.TOOL
_TOOL_NAME = "message/toolResult"
_USER = Role.USER
_ASSISTANT = Role.ASSISTANT
_SILENT_PARTS = frozenset({"thinking", "image"})


class _Part(Struct, gc=False):
    type: str
    text: str | None = None
    id: str = ""
    name: str = ""
    arguments: Raw | UnsetType = UNSET


class _User(Struct, tag_field="role", tag="user", rename="camel", gc=False):
    content: str | list[_Part]
    provenance: Raw | None = None
    exclude_from_context: bool | None = None


class _Assistant(Struct, tag_field="role", tag="assistant", rename="camel", gc=False):
    content: str | list[_Part]
    provider: str = ""
    model: str = ""
    stop_reason: str = ""
    exclude_from_context: bool | None = None
    openclaw_abort: Raw | UnsetType = UNSET


class _Details(Struct, rename="camel", gc=False):
    status: str | None = None
    exit_code: int | None = None
    timed_out: bool | None = None


class _ToolResult(Struct, tag_field="role", tag="toolResult", rename="camel", gc=False):
    tool_call_id: str
    tool_name: str
    is_error: bool
    details: _Details | None = None
    exit_code: Raw | UnsetType = UNSET


class _Entry(Struct, tag_field="type", tag="message", rename="camel", gc=False):
    id: str
    timestamp: datetime
    message: _User | _Assistant | _ToolResult
    parent_id: str | None = None


_decode = Decoder(_Entry).decode
_GOOD_STATUS = frozenset({None, "completed", "ok", "success"})


def plain_event(line: bytes) -> Event | None:
    """The event of a usual message line; None for every other line, which the patient way must read."""
    try:
        entry = _decode(line if len(line) < _LONG_BYTES else _without_body(line))
    except (DecodeError, RecursionError):
        return None
    moment = entry.timestamp
    if moment.tzinfo is None:
        return None
    at_ms = (moment - _EPOCH) // _MS
    entry_id, parent_id = entry.id, entry.parent_id or ""
    if not (_FIRST_MS <= at_ms < _LAST_MS and entry_id.isprintable() and parent_id.isprintable()):
        return None
    message = entry.message
    if not isinstance(message, _ToolResult):
        return _speech(message, entry_id, parent_id, at_ms)
    result = _good_result(message)
    fields = (_TOOL, entry_id, parent_id, at_ms, None, "", (), result, _TOOL_NAME, NO_ORIGIN, "", "", "")
    return _NEW(Event, fields) if result is not None else None


def _without_body(line: bytes) -> bytes:
    """``line`` without the content of a tool's result, which nobody needs if the call went well.

    In JSON a quote inside a string stands behind a backslash, so these marks cannot be anybody's words. The
    beginning of the line again, further on, is a second record glued behind the first.
    """
    begin = line.find(b'"content":[', 0, _HEAD_BYTES)
    if begin < 0 or line.find(b'"role":"toolResult"', 0, begin) < 0:
        return line
    end = line.rfind(b'],"details":', begin)
    if end < 0:
        end = line.rfind(b'],"isError":', begin)
    if end < 0 or line.rfind(line[:_START_BYTES], _START_BYTES) >= 0:
        return line
    return line[:begin] + line[end + 2 :]


def _speech(message: _User | _Assistant, entry_id: str, parent_id: str, at_ms: int) -> Event | None:
    content = message.content
    calls: tuple[ToolCall, ...] = ()
    text: str | None
    if isinstance(content, str):
        text = content
    elif len(content) == 1 and content[0].type == "text":
        text = content[0].text
    else:
        text, calls = _words_and_calls(content)
    if text is None or message.exclude_from_context is not None:
        return None
    if not text.isascii() or text.encode().translate(None, _HARMLESS):
        text = clean(text)
    role = _USER
    origin: Origin | None = NO_ORIGIN
    if isinstance(message, _Assistant):
        role = _ASSISTANT
        origin = _origin(message.provider, message.model, message.stop_reason)
        if message.openclaw_abort is not UNSET:
            return None
    elif message.provenance is not None:
        return None
    if origin is None:
        return None
    fields = (_MESSAGE, entry_id, parent_id, at_ms, role, text, calls, None, "message", origin, "", "", "")
    return _NEW(Event, fields)


@lru_cache(maxsize=64)
def _origin(provider: str, model: str, stop_reason: str) -> Origin | None:
    """One object for all messages of a model; None when a name needs cleaning."""
    usual = provider.isprintable() and model.isprintable() and stop_reason.isprintable()
    return Origin(provider, model, stop_reason=stop_reason) if usual else None


def _words_and_calls(parts: list[_Part]) -> tuple[str | None, tuple[ToolCall, ...]]:
    """Words and tool calls of several parts; None for the words when a part is unusual."""
    words: list[str] = []
    calls: list[ToolCall] = []
    for part in parts:
        kind = part.type
        if kind == "text" and part.text is not None:
            words.append(part.text)
        elif kind == "toolCall" and isinstance(part.arguments, Raw):
            if not (part.id and part.name and (part.id + part.name).isprintable()):
                return None, ()
            try:
                target = target_of(decode(part.arguments))
            except DecodeError:
                return None, ()
            calls.append(ToolCall(part.id, part.name, target))
        elif kind not in _SILENT_PARTS:
            return None, ()
    return "\n".join(text for text in words if text), tuple(calls)


def _good_result(message: _ToolResult) -> ToolResult | None:
    details = message.details
    if message.is_error or message.exit_code is not UNSET:
        return None
    if details is not None and (details.exit_code or details.timed_out or details.status not in _GOOD_STATUS):
        return None
    call_id, name = message.tool_call_id, message.tool_name
    if not (call_id and name and call_id.isprintable() and name.isprintable()):
        return None
    return ToolResult(call_id, name, True, "")
