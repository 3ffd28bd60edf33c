"""The JSONL store and the in-memory fake keep the contract of stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.contracts.store_contract import Entry, Harness, StoreContract, header_entry
from tests.fakes.memory_store import MemorySession, MemoryStore
from tests.unit.transcripts_jsonl.agent import Agent


class MemoryHarness:
    """An agent whose sessions are lists."""

    def __init__(self) -> None:
        self.held: dict[str, MemorySession] = {}
        self.ms = 1_771_059_600_000

    def create_session(self, session_id: str, entries: Sequence[Entry] = ()) -> None:
        """Begin a session."""
        self.held[session_id] = MemorySession()
        self.rewrite(session_id, entries)

    def append_entries(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Add entries."""
        self.ms += 1
        self.held[session_id].entries.extend(entries)
        self.held[session_id].modified_ms = self.ms

    def begin_append(self, session_id: str, entry: Entry) -> Callable[[], None]:
        """A list shows an entry whole or not at all."""
        return lambda: self.append_entries(session_id, [entry])

    def rewrite(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Replace the list."""
        self.held[session_id].entries.clear()
        self.append_entries(session_id, [header_entry(session_id), *entries])

    def delete(self, session_id: str) -> None:
        """Forget the session."""
        del self.held[session_id]

    def settle(self) -> None:
        """Nothing in memory is ever half written."""

    def store(self) -> MemoryStore:
        """A new store over the same lists."""
        return MemoryStore(held=self.held)


class TestJsonlStore(StoreContract):
    """JsonlStore keeps the contract."""

    @pytest.fixture
    def harness(self, tmp_path: Path) -> Harness:
        """Files in a folder that does not exist yet."""
        return Agent(tmp_path / "sessions")


class TestMemoryStore(StoreContract):
    """The fake keeps the contract."""

    @pytest.fixture
    def harness(self) -> Harness:
        """Lists."""
        return MemoryHarness()
