"""What a file in a sessions folder is, told by its name alone. Pure.

Names were seen in OpenClaw 2026.2 to 2026.7 (its file era) and in reports R009 and R124. Of copies
(checkpoints, backups, sync conflicts) none is read: the agent never reads them either, and their messages
stand in the transcript they were copied from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

INDEX_NAME = "sessions.json"

_STAMP = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:[.-]\d+)?Z?"
# Session ids may be given by hand (``--session-id``), so more than UUIDs counts; a blank or a bracket does
# not: those are the copies that file managers and sync programs make.
_NAME = re.compile(
    rf"(?:(?P<began>{_STAMP})_)?(?P<stem>[A-Za-z0-9][\w.@+-]*?)(?:-topic-(?P<topic>[\w-]+))?"
    rf"\.jsonl(?:\.reset\.(?P<ended>{_STAMP}))?",
    re.ASCII,
)
_DELETED = re.compile(r".+\.jsonl\.deleted\..*")
_SIDECAR_WORDS = frozenset(
    {"trajectory", "checkpoint", "bak", "backup", "orig", "old", "copy", "tmp", "stage"}
)
_UUID_START = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.")
_CONFLICT = re.compile(r"\.sync-conflict-|conflicted", re.IGNORECASE)
_FAMILY = re.compile(r"(?:\.reset\..*|~.*)\Z", re.DOTALL)


class FileKind(StrEnum):
    """What to do with a file: read it, read its unread rest, never read it, or pay it no attention."""

    LIVE = "live"
    ENDED = "ended"
    DELETED = "deleted"
    INDEX = "index"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileName:
    """A name, understood.

    Attributes:
        kind: see FileKind.
        session_id: the id that the name gives; the header's id counts when it can be read.
        topic: the thread's id of a ``-topic-`` file, "".
        ended_at: the time stamp of a ``.reset.`` file as it stands in the name, "".
        plain: exactly ``<session_id>.jsonl``: the name that OpenClaw gives a session.
    """

    kind: FileKind
    session_id: str = ""
    topic: str = ""
    ended_at: str = ""
    plain: bool = False


_OTHER = FileName(FileKind.OTHER)


def classify(name: str) -> FileName:
    """What the file called ``name`` is; ``OTHER`` for every name that is not plainly a session's."""
    if name == INDEX_NAME:
        return FileName(FileKind.INDEX)
    if _DELETED.fullmatch(name):
        return FileName(FileKind.DELETED)
    match = _NAME.fullmatch(name)
    if match is None or _is_copy(match["stem"]):
        return _OTHER
    ended_at = match["ended"] or ""
    plain = not (match["began"] or match["topic"] or ended_at)
    kind = FileKind.ENDED if ended_at else FileKind.LIVE
    return FileName(kind, match["stem"], match["topic"] or "", ended_at, plain)


def variant_id(session_id: str, name: FileName, stem: str) -> str:
    """An id of its own for a file whose ``session_id`` belongs to another file in the folder.

    Cursors are kept by session id, so two files must never share one: each look would take the other's
    cursor for a rewrite and read everything again. ``family_id`` is the way back.
    """
    if name.ended_at:
        return f"{session_id}.reset.{name.ended_at}"
    return f"{session_id}~{stem}"


def family_id(session_id: str) -> str:
    """The host's session id of a session, whether or not ``variant_id`` made one of it."""
    return _FAMILY.sub("", session_id)


def _is_copy(stem: str) -> bool:
    parts = stem.split(".")
    return bool(_SIDECAR_WORDS.intersection(parts[1:]) or _CONFLICT.search(stem) or _UUID_START.match(stem))
