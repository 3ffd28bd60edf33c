"""A session of an agent, as its store shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath


class StoreKind(StrEnum):
    """Where a transcript lives."""

    JSONL = "jsonl"
    SQLITE = "sqlite"


class SessionKind(StrEnum):
    """What a session is for. Only ``MAIN`` and ``DIRECT`` are observed by default."""

    MAIN = "main"
    DIRECT = "direct"
    GROUP = "group"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    SUBAGENT = "subagent"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Session:
    """One session in one store.

    Attributes:
        agent: the agent's id.
        session_id: the host's id.
        store: which kind of store.
        location: the transcript file, or the database.
        key: the session key (``agent:main:telegram:direct:555``), "" when the index does not know it.
        kind: from key and origin, never from words.
        parent_key: the session that started it, "".
        ended: renamed by ``/new`` or ``/reset``; nothing will be added.
        size: bytes (JSONL) or the highest sequence number + 1 (SQLite).
        modified_ms: last change, milliseconds since 1970 UTC.
        cwd: the workspace that the index or header names, "" when unknown.
    """

    agent: str
    session_id: str
    store: StoreKind
    location: PurePath
    key: str = ""
    kind: SessionKind = SessionKind.MAIN
    parent_key: str = ""
    ended: bool = False
    size: int = 0
    modified_ms: int = 0
    cwd: str = ""
