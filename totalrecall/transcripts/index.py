"""The agent's ``sessions.json``: facts about sessions, never the list of them.

It is missing, torn, tens of megabytes large, or speaks of files that moved (R006). The files decide which
sessions there are; whatever the index says comes on top.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.domain.session import SessionKind
from totalrecall.transcripts.filenames import classify
from totalrecall.transcripts.kinds import KindFacts, session_kind

LARGEST_BYTES = 256 * 1024 * 1024
# The standard library reads it: at the usual few kilobytes importing a faster one costs more than it saves.
_WHOLE_PARSE_BYTES = 8 * 1024 * 1024
_PARENTS = 8
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]', re.DOTALL)
_PATH_SEPARATOR = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index says of one session key."""

    key: str
    chat_type: str = ""
    created_via: str = ""
    spawned_by: str = ""


class SessionIndex:
    """The index of one sessions folder, as it was when it could be read last."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._by_key: dict[str, IndexEntry] = {}
        self._by_session: dict[str, IndexEntry] = {}

    def refresh(self) -> None:
        """Read the index again if it changed. What is torn or gone keeps the view of before.

        A session that left the index (its key has a new one) keeps its key as long as this object lives.
        """
        try:
            stat = self._path.stat()
            seen = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if seen == self._seen or stat.st_size > LARGEST_BYTES:
                return
            content = self._path.read_bytes()
        except OSError:
            return  # additional facts only: without the index the files still say everything that was said
        entries, whole = _parse(content)
        self._learn(entries)
        self._seen = seen if whole else None

    def entry_for(self, session_id: str) -> IndexEntry | None:
        """What is known of the session; None if the index never named it."""
        return self._by_session.get(session_id)

    def kind_of(self, entry: IndexEntry | None) -> SessionKind:
        """The kind of the session behind ``entry``, its parents' kinds considered."""
        kind: SessionKind | None = None
        for ancestor in reversed(self._line_of(entry)):
            facts = KindFacts(
                chat_type=ancestor.chat_type,
                created_via=ancestor.created_via,
                spawned_by=ancestor.spawned_by,
                parent_kind=kind,
            )
            kind = session_kind(ancestor.key, facts)
        return kind if kind is not None else session_kind("", KindFacts())

    def _line_of(self, entry: IndexEntry | None) -> list[IndexEntry]:
        line: list[IndexEntry] = []
        while entry is not None and entry not in line and len(line) < _PARENTS:
            line.append(entry)
            parent = entry.spawned_by
            entry = (self._by_key.get(parent) or IndexEntry(parent)) if parent else None
        return line

    def _learn(self, entries: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        own: dict[str, IndexEntry] = {}
        kin: dict[str, IndexEntry] = {}
        for key, facts in entries:
            entry = _entry(key, facts)
            self._by_key[key] = entry
            session_id = _text(facts, "sessionId")
            # Cron runs have a second key ``…:run:<id>`` for the same session: the shorter one is the job's.
            if session_id and len(key) <= len(own.get(session_id, entry).key):
                own[session_id] = entry
            for other in _kindred(facts):
                kin.setdefault(other, entry)
        self._by_session |= kin | own


def _entry(key: str, facts: Mapping[str, Any]) -> IndexEntry:
    origin = facts.get("origin")
    chat_type = _text(facts, "chatType") or (_text(origin, "chatType") if isinstance(origin, dict) else "")
    return IndexEntry(key, chat_type, _text(facts, "createdVia"), _text(facts, "spawnedBy"))


def _kindred(facts: Mapping[str, Any]) -> Iterator[str]:
    """Ids of sessions that had the same key before, and the one that the entry's file is named after."""
    named = _PATH_SEPARATOR.split(_text(facts, "sessionFile"))[-1]
    family = facts.get("usageFamilySessionIds")
    checkpoints = facts.get("compactionCheckpoints")
    found: list[object] = [classify(named).session_id]
    found += family if isinstance(family, list) else []
    for checkpoint in checkpoints if isinstance(checkpoints, list) else []:
        if isinstance(checkpoint, dict):
            found.append(checkpoint.get("sessionId"))
    yield from (session_id for session_id in found if isinstance(session_id, str) and session_id)


def _text(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""


def _parse(content: bytes) -> tuple[Iterable[tuple[str, Mapping[str, Any]]], bool]:
    """The entries, and whether the content was whole. Of a torn index the entries before the tear count."""
    if len(content) <= _WHOLE_PARSE_BYTES:
        try:
            index = json.loads(content)
        except (ValueError, RecursionError):
            return _entries_one_by_one(content), False
        entries = index.items() if isinstance(index, dict) else ()
        return [(key, facts) for key, facts in entries if isinstance(facts, dict)], isinstance(index, dict)
    return _entries_one_by_one(content), content.rstrip().endswith(b"}")


def _entries_one_by_one(content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each entry of the outermost object, parsed alone: a large index never becomes objects as a whole."""
    depth = begin = 0
    key = b""
    for token in _TOKEN.finditer(content):
        sign = token[0]
        if sign == b"{":
            depth += 1
            begin = token.start() if depth == 2 else begin
        elif sign == b"}":
            depth -= 1
            if depth == 1:
                yield from _one_entry(key, content[begin : token.end()])
        elif depth == 1:
            key = sign


def _one_entry(key: bytes, content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        name, facts = json.loads(key), json.loads(content)
    except (ValueError, RecursionError):
        return
    yield name, facts
