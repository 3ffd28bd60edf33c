"""Which store serves which session of an agent, decided anew at every look.

OpenClaw moved its transcripts from files to SQLite (R001), and it does so under a running service: the
database appears, the files move to an archive folder, some stay behind. A session belongs to the database as
soon as that has its rows, has them in cold storage, or knows that the user deleted it; its file is then stale
and never read. Files of sessions that the database never had (``.reset.*`` ones of before the move) are
finished as files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Record
from totalrecall.domain.session import Session, StoreKind
from totalrecall.errors import SourceError
from totalrecall.transcripts.filenames import family_id
from totalrecall.transcripts.sqlite.store import Fate, SqliteStore
from totalrecall.transcripts.store import Opening, Start, TranscriptStore

_DELETED_MARK = ".jsonl.deleted."


@dataclass(frozen=True, slots=True)
class StoreActivity:
    """What one store shows from outside, for ``doctor`` and ``status``.

    Attributes:
        store: which kind.
        location: the folder or the database.
        sessions: how many can be read.
        newest_ms: the last change of a session that can be read, milliseconds since 1970; 0 without one.
        changed_ms: the last write to the store's files, whatever was written; 0 without any. Much later than
            ``newest_ms`` of both stores means: the agent is active and nothing arrives.
        trouble: why it cannot be read, one sentence; "" when it can.
    """

    store: StoreKind
    location: Path
    sessions: int = 0
    newest_ms: int = 0
    changed_ms: int = 0
    trouble: str = ""


class AgentTranscripts:
    """Both stores of one agent behind the protocol of one.

    ``sessions_dir`` is the folder that ``files`` reads. Neither needs to exist.
    """

    def __init__(self, files: TranscriptStore, rows: SqliteStore, sessions_dir: Path) -> None:
        self._files = files
        self._rows = rows
        self._sessions_dir = sessions_dir

    def sessions(self) -> Sequence[Session]:
        """Every session of both stores that may be read, oldest change first, each from one store only."""
        in_rows, in_files = self._split()
        return sorted([*in_rows, *in_files], key=lambda one: (one.modified_ms, one.session_id))

    def open(self, session: Session, cursor: Cursor | None) -> Opening:
        """Where to begin.

        A cursor of the other store means RESCAN: known identities are skipped by the job.
        """
        store = self._store(session)
        if cursor is None or cursor.store is session.store:
            return store.open(session, cursor)
        opening = store.open(session, None)
        return Opening(Start.RESCAN, 0, "store changed") if opening.start is Start.FRESH else opening

    def read(self, session: Session, position: int) -> Iterator[Record]:
        """Records of ``session`` from ``position`` on, from the store that it belongs to."""
        return self._store(session).read(session, position)

    def cursor_at(self, session: Session, position: int, carry: str) -> Cursor:
        """The cursor for ``position`` in the store that the session belongs to."""
        return self._store(session).cursor_at(session, position, carry)

    def last_entries(self, session: Session, cursor: Cursor | None = None) -> str:
        """The hash of the last entries, from the store that the session belongs to."""
        return self._store(session).last_entries(session, cursor)

    def fate(self, session_id: str) -> Fate:
        """Why a session that was once listed may not be any more, over both stores."""
        if any(one.session_id == session_id for one in self.sessions()):
            return Fate.LIVE
        return self._rows.fate(session_id) if self._rows.holds_transcripts() else Fate.DELETED

    def activity(self) -> tuple[StoreActivity, StoreActivity]:
        """What files and database show from outside, in this order. Never raises SourceError."""
        trouble = ""
        in_rows: Sequence[Session] = ()
        try:
            in_rows, in_files = self._split()
        except SourceError as error:
            trouble = error.title
            in_files = self._files.sessions()
        return (
            StoreActivity(
                store=StoreKind.JSONL,
                location=self._sessions_dir,
                sessions=len(in_files),
                newest_ms=max((one.modified_ms for one in in_files), default=0),
                changed_ms=_newest_file_ms(self._sessions_dir),
            ),
            StoreActivity(
                store=StoreKind.SQLITE,
                location=self._rows.database,
                sessions=len(in_rows),
                newest_ms=max((one.modified_ms for one in in_rows), default=0),
                changed_ms=self._rows.changed_ms(),
                trouble=trouble,
            ),
        )

    def _store(self, session: Session) -> TranscriptStore:
        return self._rows if session.store is StoreKind.SQLITE else self._files

    def _split(self) -> tuple[Sequence[Session], Sequence[Session]]:
        found = self._rows.survey() if self._rows.holds_transcripts() else None
        # The files are listed after the database: a session that moves in between is found in one of the two.
        in_files = self._files.sessions()
        if found is None:
            return (), in_files
        deleted = found.deleted | _deleted_beside(self._sessions_dir)
        owned = found.cold | {one.session_id for one in found.sessions}
        return found.sessions, [one for one in in_files if not _is_stale(one, deleted, owned)]


def _is_stale(session: Session, deleted: frozenset[str], owned: frozenset[str]) -> bool:
    """True for a session file whose truth is the database.

    A file that ``/new`` renamed is never imported, so what was unread in it is in no row, even when the
    session went on under its id; its messages are told apart by identity.
    """
    family = family_id(session.session_id)
    return family in deleted or (family in owned and not session.ended)


def _deleted_beside(folder: Path) -> frozenset[str]:
    """The ids of which the database's deletion left its archive beside the old files."""
    try:
        names = [one.name for one in folder.iterdir()]
    except OSError:
        return frozenset()  # no folder: nothing was left behind
    return frozenset(name.partition(_DELETED_MARK)[0] for name in names if _DELETED_MARK in name)


def _newest_file_ms(folder: Path) -> int:
    newest = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                newest = max(newest, entry.stat().st_mtime_ns // 1_000_000)
    except OSError:
        return newest  # the folder is gone or not ours; the reading itself says so
    return newest
