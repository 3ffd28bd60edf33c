"""An agent's sessions folder as OpenClaw writes it, and the store that reads it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.contracts.store_contract import Entry, header_entry
from totalrecall.transcripts.jsonl import JsonlStore

DAY_MS = 1_771_059_600_000
QUIET_MS = 60_000


@dataclass(slots=True)
class Clock:
    """The time that the store is told; it moves only when a test moves it."""

    ms: int = DAY_MS

    def __call__(self) -> int:
        """Now, in milliseconds."""
        return self.ms


@dataclass(slots=True)
class Agent:
    """Writes session files. Each write has the clock's time as the file's time of change."""

    folder: Path
    clock: Clock = field(default_factory=Clock)

    def create_session(self, session_id: str, entries: Sequence[Entry] = ()) -> None:
        """Begin a session that holds the header and ``entries``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rewrite(session_id, entries)

    def append_entries(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Add whole lines."""
        self.append(f"{session_id}.jsonl", lines(entries))

    def begin_append(self, session_id: str, entry: Entry) -> Callable[[], None]:
        """Write half a line, cut inside a UTF-8 sign if it has one; the result writes the rest."""
        line = lines([entry])
        cut = next((place + 1 for place, byte in enumerate(line) if byte >= 0xC0), len(line) // 2)
        self.append(f"{session_id}.jsonl", line[:cut])

        def finish() -> None:
            self.append(f"{session_id}.jsonl", line[cut:])

        return finish

    def rewrite(self, session_id: str, entries: Sequence[Entry]) -> None:
        """Empty the file and write it anew, in place."""
        self.write(f"{session_id}.jsonl", lines([header_entry(session_id), *entries]))

    def delete(self, session_id: str) -> None:
        """Rename to ``.deleted.``, as the user's delete does."""
        path = self.folder / f"{session_id}.jsonl"
        path.rename(path.with_name(f"{path.name}.deleted.2026-02-14T10-00-00.000Z"))

    def settle(self) -> None:
        """Let a minute pass."""
        self.clock.ms += QUIET_MS

    def store(self) -> JsonlStore:
        """A new store over the folder."""
        return JsonlStore("main", self.folder, now_ms=self.clock)

    def write(self, name: str, content: bytes) -> Path:
        """Replace the content of a file in place."""
        path = self.folder / name
        path.write_bytes(content)
        return self.touch(path)

    def append(self, name: str, content: bytes) -> Path:
        """Add bytes to a file."""
        path = self.folder / name
        with path.open("ab") as file:
            file.write(content)
        return self.touch(path)

    def touch(self, path: Path) -> Path:
        """Give the file the clock's time, a moment later than every write before."""
        self.clock.ms += 1
        os.utime(path, ns=(self.clock.ms * 1_000_000, self.clock.ms * 1_000_000))
        return path


def lines(entries: Sequence[Entry]) -> bytes:
    """The entries as OpenClaw writes them: compact JSON, UTF-8, one line each."""
    return b"".join(
        json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for entry in entries
    )
