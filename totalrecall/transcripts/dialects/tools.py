"""What a tool was asked and how it ended: a few words each, never the tool's whole text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from totalrecall.domain.event import ToolCall, ToolResult
from totalrecall.transcripts.dialects.content import clean, first_line, words_of

TARGET_CHARS = 120
ERROR_CHARS = 200

_CALL_TYPES = frozenset({"toolCall", "tool_call", "tool_use", "toolUse", "function_call"})
_TARGET_KEYS = (
    "path", "file_path", "filePath", "file", "filename", "command", "cmd", "url", "query", "pattern", "q",
    "action", "task", "label", "name", "target", "id",
)  # fmt: skip
_NEVER_TARGETS = frozenset(
    {"content", "text", "message", "body", "data", "oldText", "newText", "patch", "input"}
)
_BAD = frozenset(
    {"error", "failed", "failure", "timeout", "timed_out", "killed", "aborted", "denied", "cancelled"}
)


def tool_calls(content: object) -> tuple[ToolCall, ...]:
    """The calls among the parts of an assistant's content."""
    if not isinstance(content, list):
        return ()
    return tuple(
        _call(part) for part in content if isinstance(part, dict) and _word(part.get("type")) in _CALL_TYPES
    )


def _call(part: Mapping[str, Any]) -> ToolCall:
    arguments = part.get("arguments", part.get("input"))
    return ToolCall(
        _word(part.get("id") or part.get("call_id") or part.get("toolCallId")),
        _word(part.get("name") or part.get("toolName")),
        target_of(arguments),
    )


def target_of(arguments: object) -> str:
    """What the call is about: the path, command, address or query; the first short string else."""
    if isinstance(arguments, str):
        return first_line(arguments, TARGET_CHARS)
    if not isinstance(arguments, dict):
        return ""
    for key in _TARGET_KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return first_line(value, TARGET_CHARS)
    for key, value in arguments.items():
        if isinstance(value, str) and value.strip() and key not in _NEVER_TARGETS:
            return first_line(value, TARGET_CHARS)
    return ""


def tool_result(message: Mapping[str, Any]) -> ToolResult:
    """How the call ended.

    A command that ended with another code than 0 is a failure although OpenClaw writes ``isError: false``
    beside it; its details tell.
    """
    details = message.get("details")
    details = details if isinstance(details, dict) else {}
    code = details.get("exitCode", message.get("exitCode"))
    status = details.get("status")
    failed_code = isinstance(code, int) and not isinstance(code, bool) and code != 0
    ok = not (
        message.get("isError") is True
        or failed_code
        or (isinstance(status, str) and status.lower() in _BAD)
        or details.get("timedOut") is True
    )
    call_id = _word(message.get("toolCallId") or message.get("tool_call_id"))
    name = _word(message.get("toolName") or message.get("name"))
    if ok:
        return ToolResult(call_id, name, True, "")
    return ToolResult(call_id, name, False, _error_line(message, details, code if failed_code else None))


def _error_line(message: Mapping[str, Any], details: Mapping[str, Any], code: int | None) -> str:
    """The error in one line: what the JSON names as error, else the first line of the text."""
    text = words_of(message.get("content"))
    line = _named_error(text) or first_line(text, ERROR_CHARS)
    if not line:
        line = first_line(str(details.get("error") or details.get("status") or "failed"), ERROR_CHARS)
    if code is not None:
        line = first_line(f"exit {code}: {line}", ERROR_CHARS)
    return line


def _named_error(text: str) -> str:
    """The ``error`` of a result that is a JSON object, as OpenClaw's web tools write it; "" else."""
    if not text.startswith("{") or len(text) > 64_000:
        return ""
    import orjson

    try:
        body = orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return ""
    for key in ("error", "message", "reason"):
        found = body.get(key) if isinstance(body, dict) else None
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found.strip():
            return first_line(found, ERROR_CHARS)
    return ""


def _word(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""
