"""Which stores of transcripts an agent has: session files, OpenClaw's SQLite file, or both side by side.

Both databases belong to a running gateway. They are opened read-only, asked one small question and closed;
where no ``-wal`` and ``-shm`` stand, ``immutable=1`` keeps SQLite from creating them (R002).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import sqlite3

DATABASE_NAME = "openclaw-agent.sqlite"
REGISTRY = Path("state", "openclaw.sqlite")
BUSY_TIMEOUT_S = 1.0
_Answer = TypeVar("_Answer")


class DatabaseState(StrEnum):
    """What a look at an agent's database found."""

    TRANSCRIPTS = "transcripts"
    NO_TRANSCRIPTS = "no transcripts"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class DatabaseLook:
    """One database.

    Attributes:
        path: the file.
        state: ``NO_TRANSCRIPTS`` is normal up to OpenClaw 2026.7; ``UNREADABLE`` may pass, look again later.
        schema: ``PRAGMA user_version`` (19 in OpenClaw 2026.8.1, 23 in 2026.9.6), 0 when unknown.
        reason: why it is unreadable, "".
    """

    path: Path
    state: DatabaseState
    schema: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AgentStores:
    """Where an agent's transcripts are just now. Both may stand: files stay behind after an upgrade.

    Attributes:
        sessions_dir: the folder of session files, None when it does not stand.
        database: the SQLite file, None unless it holds transcripts.
        look: what was seen of the database.
    """

    sessions_dir: Path | None
    database: Path | None
    look: DatabaseLook


def stores_at(sessions_dir: Path, database: Path) -> AgentStores:
    """What stands at both places now. Ask again at every round: an upgrade of OpenClaw moves the sessions."""
    look = look_at_database(database)
    return AgentStores(
        sessions_dir=sessions_dir if sessions_dir.is_dir() else None,
        database=database if look.state is DatabaseState.TRANSCRIPTS else None,
        look=look,
    )


def look_at_database(path: Path) -> DatabaseLook:
    """Whether ``path`` holds transcripts (table ``transcript_events``). Creates no file, never waits long."""
    if not path.is_file():
        return DatabaseLook(path, DatabaseState.MISSING)

    def ask(connection: sqlite3.Connection) -> tuple[bool, int]:
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'transcript_events'"
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
        return bool(connection.execute(query).fetchone()[0]), int(schema)

    answer = _ask(path, ask)
    if isinstance(answer, str):
        return DatabaseLook(path, DatabaseState.UNREADABLE, reason=answer)
    has_table, schema = answer
    if not has_table and _stands(path, "-wal") and not _stands(path, "-shm"):
        # A copy without its -shm: the table may be in the -wal, which cannot be read without creating a file.
        return DatabaseLook(
            path, DatabaseState.UNREADABLE, schema, "a -wal file stands without its -shm file"
        )
    return DatabaseLook(
        path, DatabaseState.TRANSCRIPTS if has_table else DatabaseState.NO_TRANSCRIPTS, schema
    )


def registered_databases(state_dir: Path) -> dict[str, Path]:
    """Agent id to database, as ``state/openclaw.sqlite`` lists them (a ``session.store`` may move them).

    Empty when there is no such file, no such table, or it cannot be read just now.
    """
    path = state_dir / REGISTRY
    if not path.is_file():
        return {}

    def ask(connection: sqlite3.Connection) -> list[tuple[object, object]]:
        rows = connection.execute("SELECT agent_id, path FROM agent_databases ORDER BY last_seen_at")
        return [(row[0], row[1]) for row in rows]

    answer = _ask(path, ask)
    if isinstance(answer, str):
        return {}
    return {
        name: state_dir / file for name, file in answer if isinstance(name, str) and isinstance(file, str)
    }


def _ask(path: Path, question: Callable[[sqlite3.Connection], _Answer]) -> _Answer | str:
    """The answer of the database, or why it gave none."""
    import sqlite3

    alone = not _in_use(path)
    answer: _Answer | str
    try:
        with _opened(path, immutable=alone) as connection:
            answer = question(connection)
    except sqlite3.Error as error:
        answer = str(error)
    if alone and _in_use(path):
        # The gateway started meanwhile: what was read as unchanging may have changed.
        try:
            with _opened(path, immutable=False) as connection:
                return question(connection)
        except sqlite3.Error as error:
            return str(error)
    return answer


@contextmanager
def _opened(path: Path, *, immutable: bool) -> Iterator[sqlite3.Connection]:
    import sqlite3
    from urllib.parse import quote

    uri = f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if immutable else '&readonly_shm=1'}"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as connection:
        connection.execute("PRAGMA query_only = 1")
        yield connection


def _in_use(path: Path) -> bool:
    return _stands(path, "-wal") and _stands(path, "-shm")


def _stands(path: Path, suffix: str) -> bool:
    return path.with_name(path.name + suffix).exists()
