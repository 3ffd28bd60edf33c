"""Which sessions the agent's database holds, without reading through it.

One probe of the primary key per session, so that the cost follows the number of sessions and not the size of
the store. ``ended_at`` is not the end of a session: OpenClaw writes it after each run. A session has ended
when another one followed it or took its key.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from totalrecall.domain.session import Session, SessionKind, StoreKind
from totalrecall.transcripts.kinds import KindFacts, session_kind
from totalrecall.transcripts.sqlite.schema import ARCHIVES, COLD_ARCHIVES, EVENTS, NODES, WINDOWS, Schema

# The next id is found by the primary key, not by a scan: "distinct" would visit every row.
_IDS_WITH_ROWS = f"""
WITH RECURSIVE ids(id) AS (
  SELECT min(session_id) FROM {EVENTS}
  UNION ALL
  SELECT (SELECT min(session_id) FROM {EVENTS} WHERE session_id > ids.id) FROM ids WHERE ids.id IS NOT NULL
)
SELECT id, (SELECT max(seq) FROM {EVENTS} WHERE session_id = ids.id) FROM ids WHERE id IS NOT NULL
"""

_WINDOW_COLUMNS = (
    "session_id", "session_key", "previous_session_id", "transcript_updated_at", "chat_type", "session_scope",
    "parent_session_key", "spawned_by",
)  # fmt: skip
_NODE_COLUMNS = ("session_key", "current_session_id", "created_via", "parent_session_key", "spawned_by")
_MAX_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Survey:
    """What the database knows of sessions, in one snapshot.

    Attributes:
        sessions: those with rows, oldest change first.
        cold: ids whose rows OpenClaw moved to its cold storage; the user did not delete them.
        deleted: ids that the user deleted.
        headers: the workspace folder that each session's first row names, "" where it names none.
    """

    sessions: tuple[Session, ...]
    cold: frozenset[str]
    deleted: frozenset[str]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Whose database it is, where, and what the time is: a change in the future counts as one of now."""

    agent: str
    database: PurePath
    now_ms: int


@dataclass(frozen=True, slots=True)
class _Window:
    session_key: str = ""
    previous_id: str = ""
    changed_ms: int = 0
    chat_type: str = ""
    parent_key: str = ""
    spawned_by: str = ""


@dataclass(frozen=True, slots=True)
class _Node:
    current_id: str = ""
    created_via: str = ""
    parent_key: str = ""
    spawned_by: str = ""


@dataclass(frozen=True, slots=True)
class _Index:
    """session_windows by session id and session_nodes by key."""

    windows: dict[str, _Window]
    nodes: dict[str, _Node]

    def key_facts(self, key: str) -> tuple[_Node, _Window]:
        node = self.nodes.get(key, _Node())
        window = self.windows.get(node.current_id)
        if window is None:
            window = next((one for one in self.windows.values() if one.session_key == key), _Window())
        return node, window

    def kind(self, key: str, window: _Window, depth: int = 0) -> SessionKind:
        """The kind of a session, its parents' before its own: children follow their parents."""
        node = self.nodes.get(key, _Node())
        parent_key = window.parent_key or node.parent_key
        parent_kind = None
        if parent_key and parent_key != key and depth < _MAX_DEPTH:
            parent_kind = self.kind(parent_key, self.key_facts(parent_key)[1], depth + 1)
        facts = KindFacts(
            chat_type=window.chat_type,
            created_via=node.created_via,
            spawned_by=window.spawned_by or node.spawned_by,
            parent_kind=parent_kind,
        )
        return session_kind(key, facts)


def survey(
    connection: sqlite3.Connection, schema: Schema, place: Place, headers: Mapping[str, str]
) -> Survey:
    """Every session with rows, and why others have none. ``headers`` are those of an earlier survey."""
    index = _Index(_windows(connection, schema), _nodes(connection, schema))
    followed = {(one.previous_id, one.session_key) for one in index.windows.values() if one.previous_id}
    sessions = []
    seen: dict[str, str] = {}
    for raw_id, top in connection.execute(_IDS_WITH_ROWS).fetchall():
        session_id = _text(raw_id)
        window = index.windows.get(session_id, _Window())
        key = window.session_key
        node = index.nodes.get(key, _Node())
        seen[session_id] = (
            headers[session_id] if session_id in headers else _cwd(connection, schema, session_id)
        )
        sessions.append(
            Session(
                agent=place.agent,
                session_id=session_id,
                store=StoreKind.SQLITE,
                location=place.database,
                key=key,
                kind=index.kind(key, window),
                parent_key=window.parent_key or node.parent_key,
                ended=(session_id, key) in followed or node.current_id not in {"", session_id},
                size=int(top) + 1,
                modified_ms=min(
                    max(window.changed_ms, _last_created_ms(connection, schema, session_id)), place.now_ms
                ),
                cwd=seen[session_id],
            )
        )
    sessions.sort(key=lambda one: (one.modified_ms, one.session_id))
    cold = _ids(connection, schema, COLD_ARCHIVES, "")
    deleted = _ids(connection, schema, ARCHIVES, "WHERE reason = 'deleted'") - seen.keys()
    return Survey(tuple(sessions), cold - seen.keys(), deleted, seen)


def _windows(connection: sqlite3.Connection, schema: Schema) -> dict[str, _Window]:
    if not schema.has(WINDOWS, "session_id"):
        return {}
    found = {}
    for row in connection.execute(f"SELECT {schema.pick(WINDOWS, _WINDOW_COLUMNS)} FROM {WINDOWS}"):
        session_id, key, previous, changed, chat_type, scope, parent, spawned_by = row
        shared = _text(scope) if _text(scope) in {"group", "channel"} else ""
        found[_text(session_id)] = _Window(
            session_key=_text(key),
            previous_id=_text(previous),
            changed_ms=_number(changed),
            chat_type=_text(chat_type) or shared,
            parent_key=_text(parent),
            spawned_by=_text(spawned_by),
        )
    return found


def _nodes(connection: sqlite3.Connection, schema: Schema) -> dict[str, _Node]:
    if not schema.has(NODES, "session_key"):
        return {}
    rows = connection.execute(f"SELECT {schema.pick(NODES, _NODE_COLUMNS)} FROM {NODES}")
    return {_text(key): _Node(*(_text(value) for value in rest)) for key, *rest in rows}


def _ids(connection: sqlite3.Connection, schema: Schema, table: str, where: str) -> frozenset[str]:
    needed = ("session_id", "reason") if where else ("session_id",)
    if not schema.has(table, *needed):
        return frozenset()
    return frozenset(_text(row[0]) for row in connection.execute(f"SELECT session_id FROM {table} {where}"))


def _last_created_ms(connection: sqlite3.Connection, schema: Schema, session_id: str) -> int:
    if not schema.has(EVENTS, "created_at"):
        return 0
    query = f"SELECT created_at FROM {EVENTS} WHERE session_id = ? ORDER BY seq DESC LIMIT 1"
    row = connection.execute(query, (session_id,)).fetchone()
    return 0 if row is None else _number(row[0])


def _cwd(connection: sqlite3.Connection, schema: Schema, session_id: str) -> str:
    """The workspace that the header names; the header is the first row and small, so never compressed."""
    if not schema.has(EVENTS, "event_json"):
        return ""
    query = f"SELECT event_json FROM {EVENTS} WHERE session_id = ? ORDER BY seq LIMIT 1"
    try:
        row = connection.execute(query, (session_id,)).fetchone()
        header = json.loads(row[0]) if row and row[0] else None
    except (sqlite3.DataError, ValueError, RecursionError):
        return ""  # no header: the row is a giant or broken, and reading the session will count it
    cwd = header.get("cwd") if isinstance(header, dict) and header.get("type") == "session" else None
    return cwd if isinstance(cwd, str) else ""


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0
