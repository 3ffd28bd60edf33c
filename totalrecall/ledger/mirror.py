"""The small file beside the notes from which a lost ledger can be rebuilt. It holds no message text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from totalrecall.domain.session import SessionKind, StoreKind
from totalrecall.files.atomic import read_state, replace
from totalrecall.ledger.rows import Adoption

FILE_NAME = ".total-recall.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SessionMark:
    """How far one session is observed; the fields are those of ``SessionRow`` and its cursor.

    ``messages`` counts its messages that have a state, ``last_identity`` is the last of them in hex.
    """

    session_id: str
    store: StoreKind
    key: str
    kind: SessionKind
    location: str
    position: int
    head: str
    tail: str
    existed_at_adoption: bool
    ended: bool
    messages: int
    last_identity: str


@dataclass(frozen=True, slots=True)
class HighWater:
    """Adoption and sessions, as the ledger has them."""

    adoption: Adoption | None
    sessions: tuple[SessionMark, ...]


@dataclass(frozen=True, slots=True)
class Mirror:
    """What the file says. ``spend`` is the caller's, kept as it is."""

    agent: str
    high_water: HighWater
    spend: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """There is no usable mirror: ``missing`` when there is no file, else the reason."""

    reason: str
    missing: bool = False


def mirror_path(memory_folder: Path) -> Path:
    """Where the mirror of the notes in ``memory_folder`` is."""
    return memory_folder / FILE_NAME


def write_mirror(path: Path, mirror: Mirror) -> None:
    """Put the mirror on the disk, after the notes and before the ledger's commit.

    Raises MemoryFileError.
    """
    adoption = mirror.high_water.adoption
    said = {
        "version": VERSION,
        "about": "Total Recall's place marks, no message text. It repairs a lost ledger; leave it here.",
        "agent": mirror.agent,
        "adoption": asdict(adoption) if adoption else None,
        "sessions": [asdict(one) for one in mirror.high_water.sessions],
        "spend": dict(mirror.spend),
    }
    # ASCII escapes carry lone surrogates from odd file names safely.
    replace(path, (json.dumps(said, indent=1) + "\n").encode(), expected=None)


def read_mirror(path: Path) -> Mirror | Unreadable:
    """The mirror, or why there is none. A byte order mark and unknown keys do no harm.

    Raises MemoryFileError when the file is there and cannot be opened.
    """
    content = read_state(path).content
    if content is None:
        return Unreadable("there is no mirror", missing=True)
    try:
        said = json.loads(content.decode("utf-8-sig"))
        version = int(said["version"])
        if version > VERSION:
            return Unreadable(f"a newer Total Recall wrote it (version {version})")
        adoption = said["adoption"]
        marks = tuple(_mark(one) for one in said["sessions"])
        return Mirror(
            str(said["agent"]),
            HighWater(
                Adoption(int(adoption["adopted_at_ms"]), int(adoption["begins_at_ms"])) if adoption else None,
                marks,
            ),
            dict(said.get("spend") or {}),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        return Unreadable(f"it is torn or was edited ({type(error).__name__})")


def _mark(said: Mapping[str, Any]) -> SessionMark:
    return SessionMark(
        session_id=str(said["session_id"]),
        store=StoreKind(said["store"]),
        key=str(said["key"]),
        kind=SessionKind(said["kind"]),
        location=str(said["location"]),
        position=int(said["position"]),
        head=str(said["head"]),
        tail=str(said["tail"]),
        existed_at_adoption=bool(said["existed_at_adoption"]),
        ended=bool(said["ended"]),
        messages=int(said["messages"]),
        last_identity=str(said["last_identity"]),
    )
