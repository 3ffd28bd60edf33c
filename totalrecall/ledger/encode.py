"""Rows to columns and back."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.session import SessionKind, StoreKind
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.ledger.rows import SeenRow, SessionRow

SESSION_COLUMNS = (
    "session_id",
    "store",
    "key",
    "kind",
    "location",
    "position",
    "head",
    "tail",
    "carry",
    "existed_at_adoption",
    "started_ms",
    "last_at_ms",
    "ended",
    "bad_records",
    "unknown_types",
    "last_entries",
    "rebuilt",
)
SEEN_COLUMNS = "identity, session_id, position, is_message, state, reason, at_ms, marker"
_LINE_START = re.compile(r"^\s*-\s+(?:[🔴🟡🟢]\ufe0f?\s+)?(?:\d\d:\d\d\s+)?(?:\[\w+\]\s+)?")

_STATES = {one.value: one for one in MessageState}
_REASONS: dict[str | None, SkipReason | None] = {one.value: one for one in SkipReason} | {None: None}

Value = str | bytes | int | float | None


def stored(text: str) -> str | bytes:
    """``text`` as SQLite can keep it: names of files and broken messages may hold lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def loaded(value: Any) -> str:
    """What ``stored`` kept."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)


def session_values(row: SessionRow) -> tuple[Value, ...]:
    """The columns of a session, in the order of ``SESSION_COLUMNS``."""
    cursor = row.cursor
    return (
        stored(row.session_id),
        row.store.value,
        stored(row.key),
        row.kind.value,
        stored(row.location),
        cursor.position,
        cursor.head,
        cursor.tail,
        stored(cursor.carry),
        int(row.existed_at_adoption),
        row.started_ms,
        row.last_at_ms,
        int(row.ended),
        row.bad_records,
        json.dumps(row.unknown_types),
        row.last_entries,
        int(row.rebuilt),
    )


def session_from(values: Sequence[Any]) -> SessionRow:
    """The session in a database row of ``SESSION_COLUMNS``."""
    said = dict(zip(SESSION_COLUMNS, values, strict=True))
    store = StoreKind(said["store"])
    return SessionRow(
        session_id=loaded(said["session_id"]),
        store=store,
        key=loaded(said["key"]),
        kind=SessionKind(said["kind"]),
        location=loaded(said["location"]),
        cursor=Cursor(store, said["position"], said["head"], said["tail"], loaded(said["carry"])),
        existed_at_adoption=bool(said["existed_at_adoption"]),
        started_ms=said["started_ms"],
        last_at_ms=said["last_at_ms"],
        ended=bool(said["ended"]),
        bad_records=said["bad_records"],
        unknown_types=tuple((str(name), int(count)) for name, count in json.loads(said["unknown_types"])),
        last_entries=said["last_entries"],
        rebuilt=bool(said["rebuilt"]),
    )


def session_json(row: SessionRow) -> str:
    """A session as text, by column name, so that an older batch outlives a change of columns."""
    texts = [loaded(one) if isinstance(one, bytes) else one for one in session_values(row)]
    return json.dumps(dict(zip(SESSION_COLUMNS, texts, strict=True)))


def session_from_json(text: str) -> SessionRow:
    """What ``session_json`` wrote."""
    said = json.loads(text)
    return session_from([said[column] for column in SESSION_COLUMNS])


def seen_values(row: SeenRow) -> tuple[Value, ...]:
    """The columns of an entry, in the order of ``SEEN_COLUMNS``."""
    reason = row.reason.value if row.reason else None
    return (
        row.identity,
        stored(row.session_id),
        row.position,
        int(row.is_message),
        row.state.value,
        reason,
        row.at_ms,
        row.marker,
    )


def seen_from(values: Sequence[Any]) -> SeenRow:
    """The entry in a database row of ``SEEN_COLUMNS``."""
    identity, session_id, position, is_message, state, reason, at_ms, marker = values
    return SeenRow(
        identity,
        loaded(session_id),
        position,
        bool(is_message),
        _STATES[state],
        _REASONS[reason],
        at_ms,
        marker,
    )


def normalised(text: str) -> str:
    """A note's words without line start, case and spacing: what a person pastes finds what was stored."""
    bare = _LINE_START.sub("", text)
    return " ".join(unicodedata.normalize("NFKC", bare).casefold().split())


def text_hash(text: str) -> bytes:
    """The 16 bytes by which a note is found again."""
    raw = normalised(text).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, digest_size=16).digest()
