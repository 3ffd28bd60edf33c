"""What a transcript holds, one record at a time, whatever store it came from."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """Who speaks. Everything that is neither is not speech."""

    USER = "user"
    ASSISTANT = "assistant"


class EventKind(StrEnum):
    """What a record is. Only ``MESSAGE`` holds words of the user or the assistant."""

    HEADER = "header"
    MESSAGE = "message"
    TOOL = "tool"
    COMPACTION = "compaction"
    RESET = "reset"
    LEAF = "leaf"
    META = "meta"
    UNKNOWN = "unknown"


class ToolCall(NamedTuple):
    """One call of a tool: its id in the transcript, its name, its target (path, command, url), shortened."""

    call_id: str
    name: str
    target: str


class ToolResult(NamedTuple):
    """How a call ended: ``ok``, and the first line of the error or of a failed command ("" when ok)."""

    call_id: str
    name: str
    ok: bool
    error_line: str


class Origin(NamedTuple):
    """Where a message came from, as the host recorded it, never guessed from its words.

    Attributes:
        provider: the model provider, e.g. ``openclaw`` for replies the gateway wrote itself.
        model: e.g. ``gateway-injected``, ``delivery-mirror``.
        provenance: ``kind`` of the host's provenance block, e.g. ``internal_system``.
        source_tool: e.g. ``cron``.
        excluded: the host marked it as not part of the model's context.
        stop_reason: ``stop``, ``toolUse``, ``error``, ``aborted``, ``length`` or "".
    """

    provider: str = ""
    model: str = ""
    provenance: str = ""
    source_tool: str = ""
    excluded: bool = False
    stop_reason: str = ""


NO_ORIGIN = Origin()


class Event(NamedTuple):
    """One record of a transcript.

    A NamedTuple and not a dataclass: it is made once per line of files of hundreds of megabytes, and a
    frozen dataclass costs three times as much to make (``scripts/bench`` shows the reading speed).

    Attributes:
        kind: what it is.
        entry_id: the host's id, "" when the record has none.
        parent_id: the entry it follows in the tree, "" when unknown.
        at_ms: milliseconds since 1970 UTC; None when the record has no usable time.
        role: who speaks, for ``MESSAGE``.
        text: the words as written, envelopes not yet removed; thinking never, images never.
        tool_calls: calls that an assistant entry makes.
        tool_result: for ``TOOL``.
        type_name: the record's own type (``message/bashExecution`` for roles), for counting unknown ones.
        origin: see Origin.
        session_id: for ``HEADER``: the session's id.
        cwd: for ``HEADER``: the workspace folder.
        target_id: for ``LEAF``: the entry the branch goes back to.
    """

    kind: EventKind
    entry_id: str = ""
    parent_id: str = ""
    at_ms: int | None = None
    role: Role | None = None
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_result: ToolResult | None = None
    type_name: str = ""
    origin: Origin = NO_ORIGIN
    session_id: str = ""
    cwd: str = ""
    target_id: str = ""


class BadRecord(NamedTuple):
    """A record that could not be read: why, in one word, and a short hash of its bytes, never its text."""

    reason: str
    digest: str
    size_bytes: int


class Record(NamedTuple):
    """One record with its place.

    Attributes:
        start: where it begins (JSONL: byte offset; SQLite: sequence number).
        end: where reading goes on after it (JSONL: offset after the newline; SQLite: sequence number + 1).
        body: the event, or why there is none. Objects glued into one line share
            start and end.
    """

    start: int
    end: int
    body: Event | BadRecord
