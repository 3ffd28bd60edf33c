"""The SQLite store keeps the contract of every store, beside a writer in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.contracts.store_contract import Entry, Harness, StoreContract, header_entry
from tests.fakes.openclaw_db import WriterProcess
from tests.unit.transcripts_sqlite.follower import store_of
from totalrecall.transcripts.store import TranscriptStore


class SqliteHarness:
    """An agent whose gateway runs in another process with the database in WAL mode."""

    def __init__(self, database: Path, schema: int) -> None:
        self.database = database
        self.writer = WriterProcess(database, schema)

    def create_session(self, session_id: str, entries: Sequence[Entry] = ()) -> None:
        """A window, its header row and ``entries``."""
        self.writer.ask("window", session_id=session_id, key=f"agent:main:{session_id}")
        self.append_entries(session_id, [header_entry(session_id), *entries])

    def append_entries(self, session_id: str, entries: Sequence[Entry]) -> None:
        """One commit per entry, as the gateway does."""
        for entry in entries:
            self.writer.ask("append", session_id=session_id, entry=entry)

    def begin_append(self, session_id: str, entry: Entry) -> Callable[[], None]:
        """An entry that is inserted and not committed."""
        self.writer.ask("begin_append", session_id=session_id, entry=entry)
        return lambda: self.writer.ask("commit")

    def rewrite(self, session_id: str, entries: Sequence[Entry]) -> None:
        """All rows replaced, with a new generation."""
        self.writer.ask("rewrite", session_id=session_id, entries=[header_entry(session_id), *entries])

    def delete(self, session_id: str) -> None:
        """The rows go, an archive row stays."""
        self.writer.ask("delete", session_id=session_id)

    def settle(self) -> None:
        """Rows are whole as soon as they are seen."""

    def store(self) -> TranscriptStore:
        """A new store object over the same database."""
        return store_of(self.database)


@pytest.fixture(params=[19, 23])
def harness(request: pytest.FixtureRequest, database: Path) -> Iterator[Harness]:
    """A gateway of each schema."""
    made = SqliteHarness(database, request.param)
    yield made
    made.writer.stop()


@pytest.mark.report("R001")
class TestSqliteStore(StoreContract):
    """SqliteStore keeps the contract."""
