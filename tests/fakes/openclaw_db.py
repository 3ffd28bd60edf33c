"""The gateway's side of the agent database: writes what OpenClaw writes, in this process or as one of its own.

``python -m tests.fakes.openclaw_db DATABASE [SCHEMA]`` reads one JSON command a line (``{"do": "append", …}``: a method
of ``OpenClawDb`` and its arguments) and answers each with a JSON line: the result and how long it took.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import zstandard

from tests.fakes import openclaw_tables as tables

PACK_FROM_BYTES = 1024
PACK_TO_BYTES = 4 * 1024 * 1024
START_MS = 1_796_000_000_000

Entry = dict[str, Any]


def message(
    entry_id: str, text: str, *, role: str = "user", at_ms: int = START_MS, parent: str | None = None
) -> Entry:
    """A transcript entry with words of the user or the assistant."""
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    body = {"role": role, "content": content, "timestamp": at_ms}
    return {"type": "message", "id": entry_id, "parentId": parent, "timestamp": iso(at_ms), "message": body}


def iso(at_ms: int) -> str:
    """``at_ms`` as OpenClaw writes times."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at_ms // 1000)) + f".{at_ms % 1000:03d}Z"


class OpenClawDb:
    """A gateway that has the database open in WAL mode."""

    def __init__(self, path: Path, schema: int = 23) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.connection.execute("PRAGMA foreign_keys=ON")
        self.clock_ms = START_MS
        if not self.connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'transcript_events'"
        ).fetchone():
            for statement in tables.SCHEMA_19 if schema == 19 else tables.SCHEMA_23:
                self.connection.execute(statement)
            self.connection.execute(f"PRAGMA user_version = {schema}")

    @property
    def schema(self) -> int:
        """The agent schema's number."""
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        """A clean stop: the last connection checkpoints and removes -wal and -shm."""
        self.connection.close()

    def begin(self, session_id: str, key: str = "agent:main:main", **facts: str | None) -> None:
        """A new session under ``key`` with its header row."""
        self.window(session_id, key, **facts)
        self.append(session_id, {"type": "session", "version": 4, "id": session_id, "timestamp": iso(self._tick()),
                                 "cwd": "/home/user/.openclaw/workspace"})  # fmt: skip

    def append(self, session_id: str, entry: Entry, seq: int | None = None) -> int:
        """One entry, its own commit; its sequence number."""
        seq = self._next(session_id) if seq is None else seq
        at_ms = self._tick()
        with self._transaction():
            self._insert(session_id, seq, json.dumps(entry, ensure_ascii=False), at_ms)
            self.connection.execute(
                "UPDATE session_windows SET transcript_updated_at = ?, updated_at = ?, ended_at = ? WHERE session_id = ?",
                (at_ms, at_ms, at_ms, session_id),
            )
        return seq

    def begin_append(self, session_id: str, entry: Entry) -> None:
        """An entry whose transaction stays open until ``commit``."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.append(session_id, entry)

    def commit(self) -> None:
        """The end of ``begin_append``."""
        self.connection.execute("COMMIT")

    def say(self, session_id: str, text: str, role: str = "user") -> str:
        """A message with an id of its own, which is returned."""
        entry_id = str(uuid.uuid4())
        self.append(session_id, message(entry_id, text, role=role, at_ms=self._tick()))
        return entry_id

    def burst(self, session_id: str, count: int, text: str) -> float:
        """``count`` messages; the longest commit in milliseconds."""
        longest = 0.0
        for number in range(count):
            start = time.perf_counter()
            self.say(session_id, f"{text} {number}")
            longest = max(longest, (time.perf_counter() - start) * 1000)
        return longest

    def raw(self, session_id: str, text: str) -> int:
        """A row whose text is no entry at all."""
        seq = self._next(session_id)
        self.connection.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, ?, ?, ?)",
            (session_id, seq, text, self._tick()),
        )
        return seq

    def steer(self, session_id: str, seq: int) -> None:
        """The one update in place that was seen: a run id is added, the words stay, the generation changes."""
        entry = json.loads(self._texts(session_id)[seq])
        entry.setdefault("message", {})["__openclaw"] = {"steerTargetRunId": "run-1"}
        with self._transaction():
            self.connection.execute(
                "DELETE FROM transcript_events WHERE session_id = ? AND seq = ?", (session_id, seq)
            )
            self._insert(session_id, seq, json.dumps(entry, ensure_ascii=False), self._tick())
            self._new_generation(session_id)

    def rewrite(self, session_id: str, entries: list[Entry], *, mark: bool = True) -> None:
        """The whole history replaced (a repair)."""
        with self._transaction():
            self.connection.execute("DELETE FROM transcript_events WHERE session_id = ?", (session_id,))
            for seq, entry in enumerate(entries):
                self._insert(session_id, seq, json.dumps(entry, ensure_ascii=False), self._tick())
            if mark:
                self._new_generation(session_id)

    def fork(self, session_id: str, new_id: str, new_key: str, keep: int) -> None:
        """A child with the first ``keep`` rows after the header, ids kept."""
        parent = self._key(session_id)
        self.window(new_id, new_key, created_via="operator", parent_session_key=parent)
        self._copy(session_id, new_id, keep)

    def rewind(self, session_id: str, new_id: str, keep: int) -> None:
        """A successor under the same key with the first rows, then a leaf entry that drops the rest."""
        self.window(new_id, self._key(session_id), previous_session_id=session_id)
        self._copy(session_id, new_id, keep)
        last = json.loads(list(self._texts(new_id).values())[-1])
        self.append(new_id, {"type": "leaf", "id": str(uuid.uuid4()), "parentId": last.get("id"),
                             "timestamp": iso(self._tick()), "targetId": last.get("id")})  # fmt: skip

    def reset(self, session_id: str, reason: str = "new") -> None:
        """``/new`` or ``/reset``: one more entry, same session."""
        self.append(session_id, {"type": "reset", "id": uuid.uuid4().hex[:8], "parentId": None,
                                 "timestamp": iso(self._tick()), "reason": reason})  # fmt: skip

    def rollover(self, session_id: str, new_id: str) -> None:
        """The idle reset: a new session id under the same key, no command, no copied row."""
        self.begin(new_id, self._key(session_id), previous_session_id=session_id)

    def delete(self, session_id: str) -> None:
        """``sessions.delete``: rows and index rows leave, an archive row stays."""
        with self._transaction():
            self.connection.execute(
                "INSERT INTO session_transcript_archives VALUES (?, 'g', ?, 'deleted', 'zstd', x'00', ?, ?)",
                (session_id, self._key(session_id), f"{session_id}.jsonl.deleted.zst", self._tick()),
            )
            self.connection.execute("DELETE FROM session_windows WHERE session_id = ?", (session_id,))

    def chill(self, session_id: str) -> None:
        """Cold storage: the rows leave, the window stays."""
        with self._transaction():
            self.connection.execute(
                "INSERT INTO session_transcript_cold_archives VALUES (?, 'g', ?, ?, ?, 'file', NULL)",
                (session_id, f"cold-{session_id}", self._next(session_id) - 1, self._tick()),
            )
            self.connection.execute("DELETE FROM transcript_events WHERE session_id = ?", (session_id,))

    def upgrade(self) -> None:
        """Agent schema 19 to 23: the table is rebuilt and long rows are compressed."""
        old = self.connection.execute(
            "SELECT session_id, seq, event_json, created_at FROM transcript_events ORDER BY session_id, seq"
        ).fetchall()
        with self._transaction():
            self.connection.execute("DROP TABLE transcript_events")
            self.connection.execute(tables.EVENTS_23)
            self.connection.execute(tables.COLD_ARCHIVES)
            self.connection.execute("PRAGMA user_version = 23")
            for session_id, seq, text, at_ms in old:
                self._insert(session_id, seq, text, at_ms)

    def lock(self, seconds: float) -> None:
        """The exclusive lock that keeps readers out for ``seconds``."""
        self.connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        self.connection.execute("BEGIN EXCLUSIVE")
        self.connection.execute("UPDATE session_nodes SET updated_at = updated_at + 1")
        self.connection.execute("COMMIT")
        sys.stderr.write("locked\n")
        sys.stderr.flush()
        time.sleep(seconds)
        self.connection.execute("PRAGMA locking_mode=NORMAL")
        self.connection.execute("SELECT count(*) FROM session_nodes").fetchone()

    def checkpoint(self) -> int:
        """Write the WAL back as far as readers allow; the frames that had to stay."""
        _, total, done = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        return int(total) - int(done)

    def wal_bytes(self) -> int:
        """The size of the WAL file."""
        return Path(f"{self.path}-wal").stat().st_size

    def texts(self, session_id: str) -> list[str]:
        """The entries of a session, unpacked, in order."""
        return list(self._texts(session_id).values())

    def window(self, session_id: str, key: str, **facts: str | None) -> None:
        """The index rows of a session, without any row of its transcript."""
        at_ms = self._tick()
        with self._transaction():
            self.connection.execute(
                "INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, created_via,"
                " parent_session_key, spawned_by) VALUES (?, ?, '{}', ?, ?, ?, ?)"
                " ON CONFLICT (session_key) DO UPDATE SET current_session_id = excluded.current_session_id",
                (key, session_id, at_ms, facts.get("created_via", "run"), facts.get("parent_session_key"),
                 facts.get("spawned_by")),
            )  # fmt: skip
            self.connection.execute(
                "INSERT INTO session_windows (session_id, session_key, previous_session_id, created_at, updated_at,"
                " chat_type, parent_session_key, spawned_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (session_id, key, facts.get("previous_session_id"), at_ms, at_ms, facts.get("chat_type"),
                 facts.get("parent_session_key"), facts.get("spawned_by")),
            )  # fmt: skip

    def _copy(self, session_id: str, new_id: str, keep: int) -> None:
        texts = list(self._texts(session_id).values())[1 : keep + 1]
        header = {
            "type": "session",
            "version": 4,
            "id": new_id,
            "timestamp": iso(self._tick()),
            "cwd": "/home/user",
        }
        with self._transaction():
            for seq, text in enumerate([json.dumps(header), *texts]):
                self._insert(new_id, seq, text, self._tick())
            self._new_generation(new_id)

    def _insert(self, session_id: str, seq: int, text: str, at_ms: int) -> None:
        data = text.encode()
        plain: tuple[object, ...] = (session_id, seq, text, at_ms)
        if self.schema == 23 and PACK_FROM_BYTES <= len(data) <= PACK_TO_BYTES:
            packed = zstandard.ZstdCompressor().compress(data)
            self.connection.execute(
                "INSERT INTO transcript_events VALUES (?, ?, NULL, ?, ?, ?, '{}')",
                (session_id, seq, at_ms, packed, len(data)),
            )
            return
        self.connection.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, ?, ?, ?)",
            plain,
        )

    def _texts(self, session_id: str) -> dict[int, str]:
        columns = "event_json, event_zstd" if self.schema == 23 else "event_json, NULL"
        rows = self.connection.execute(
            f"SELECT seq, {columns} FROM transcript_events WHERE session_id = ? ORDER BY seq", (session_id,)
        )
        unpack = zstandard.ZstdDecompressor().decompress
        return {seq: text if text is not None else unpack(packed).decode() for seq, text, packed in rows}

    def _next(self, session_id: str) -> int:
        query = "SELECT coalesce(max(seq), -1) + 1 FROM transcript_events WHERE session_id = ?"
        return int(self.connection.execute(query, (session_id,)).fetchone()[0])

    def _key(self, session_id: str) -> str:
        query = "SELECT session_key FROM session_windows WHERE session_id = ?"
        return str(self.connection.execute(query, (session_id,)).fetchone()[0])

    def _new_generation(self, session_id: str) -> None:
        self.connection.execute(
            "INSERT INTO transcript_rewrite_watermarks VALUES (?, ?, ?) ON CONFLICT (session_id)"
            " DO UPDATE SET generation = excluded.generation, updated_at = excluded.updated_at",
            (session_id, uuid.uuid4().hex, self._tick()),
        )

    def _tick(self) -> int:
        self.clock_ms += 1000
        return self.clock_ms

    def _transaction(self) -> _Transaction:
        return _Transaction(self.connection)


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT; a nested one joins the outer one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.outer = not connection.in_transaction

    def __enter__(self) -> None:
        if self.outer:
            self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if self.outer:
            self.connection.execute("COMMIT" if kind is None else "ROLLBACK")


class WriterProcess:
    """A gateway in a process of its own; ``ask`` runs a method there."""

    def __init__(self, path: Path, schema: int = 23) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.openclaw_db", str(path), str(schema)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.result()

    def send(self, do: str, **arguments: Any) -> None:
        """Give the command and do not wait for it."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()

    def result(self) -> Any:
        """The answer to the oldest command that was not yet answered."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the writer process died"
        return json.loads(line)["result"]

    def ask(self, do: str, **arguments: Any) -> Any:
        """Give the command and wait for its answer."""
        self.send(do, **arguments)
        return self.result()

    def wait_for_lock(self) -> None:
        """Return once ``lock`` holds its lock."""
        assert self.process.stderr is not None
        assert self.process.stderr.readline() == "locked\n"

    def kill(self) -> None:
        """SIGKILL: -wal and -shm stay behind."""
        self.process.kill()
        self._reap()

    def stop(self) -> None:
        """A clean stop."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._reap()

    def _reap(self) -> None:
        self.process.wait(timeout=30)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def _answer(result: object) -> None:
    sys.stdout.write(json.dumps({"result": result}) + "\n")
    sys.stdout.flush()


def _serve(path: Path, schema: int) -> None:
    gateway = OpenClawDb(path, schema)
    _answer("ready")
    for line in sys.stdin:
        command = json.loads(line)
        result = getattr(gateway, command.pop("do"))(**command)
        _answer(result)
    gateway.close()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 23)
