"""How fast transcripts are read, and in how much memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scripts.bench_parts._part import Row
from totalrecall.transcripts.jsonl import JsonlStore

TRIES = 3
LIMIT_MB = 150
HEADER: dict[str, object] = {
    "type": "session",
    "version": 3,
    "id": "s",
    "timestamp": "2026-02-14T09:00:00.000Z",
    "cwd": "/home/user",
}
TALK = (
    "Please move the review to Thursday, the client cannot come on Wednesday.",
    (
        "I moved the review to Thursday at 14:00 and told both of them. The agenda is unchanged: first the "
        "fee fix, then the staging host, then who writes the report. Shall I also book the small room, or "
        "will you all join from where you are? The large one is taken until 15:00.\n\nIf the fee fix is not "
        "merged by then, we could look at the open questions of the migration instead; there are three, and "
        "two of them need you."
    ),
)
USAGE = {"input": 5120, "output": 64, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 5184}
CHILD = """
import resource, sys
from pathlib import Path
from totalrecall.transcripts.jsonl import JsonlStore
store = JsonlStore("main", Path(sys.argv[1]), now_ms=lambda: 0)
for session in store.sessions():
    for _ in store.read(session, 0): pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def rows() -> list[Row]:
    """Every measurement of reading. Takes about a minute and 700 MB of temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return [
            _speed(
                root / "tools", "read 200 MB, 90 % tool results (s, json.loads)", 200, _tool_lines, ">= 3"
            ),
            _speed(root / "talk", "read 100 MB of plain talk (s, json.loads)", 100, _talk_lines, ">= 1.5"),
            _resume(root / "resume"),
            _memory(root / "backlog", "80 MB backlog, peak memory (MB)", _backlog),
            _memory(root / "giant", "one 80 MB line, peak memory (MB)", _giant),
        ]


def _speed(folder: Path, name: str, megabytes: int, lines: Callable[[], Iterator[bytes]], reach: str) -> Row:
    path = _fill(folder, megabytes, lines)
    store = _store(folder)
    session = store.sessions()[0]
    ours = _best(lambda: sum(1 for _ in store.read(session, 0)))
    yardstick = _best(lambda: _json_loads(path))
    path.unlink()
    return Row(name, ours, yardstick, yardstick / ours, reach)


def _resume(folder: Path) -> Row:
    times = []
    for megabytes in (400, 1):
        path = _fill(folder / str(megabytes), megabytes, _tool_lines)
        store = _store(path.parent)
        session = store.sessions()[0]
        position = path.stat().st_size
        cursor = store.cursor_at(session, position, "")
        with path.open("ab") as file:
            file.writelines(line for line, _ in zip(_talk_lines(), range(20), strict=False))

        def resume(store: JsonlStore = store) -> None:
            current = store.sessions()[0]
            opening = store.open(current, cursor)  # noqa: B023  # called in the same round
            assert sum(1 for _ in store.read(current, opening.position)) == 20

        times.append(min(_best(resume) for _ in range(20)))
        path.unlink()
    return Row(
        "20 new lines behind 400 MB (s, behind 1 MB)", times[0], times[1], times[0] / times[1], "<= 1.2"
    )


def _memory(folder: Path, name: str, fill: Callable[[Path], None]) -> Row:
    folder.mkdir()
    fill(folder / "s.jsonl")
    done = subprocess.run([sys.executable, "-c", CHILD, folder], capture_output=True, text=True, check=True)
    peak_mb = int(done.stdout) * (1024 if sys.platform != "darwin" else 1) / 1e6
    return Row(name, peak_mb, LIMIT_MB, peak_mb / LIMIT_MB, "< 1")


def _backlog(path: Path) -> None:
    _fill(path.parent, 80, _talk_lines)


def _giant(path: Path) -> None:
    first, _, last = _line({"type": "text", "text": "MARK"}).partition(b"MARK")
    with path.open("wb") as file:
        file.write(json.dumps(HEADER).encode() + b"\n" + first)
        for _ in range(80):
            file.write(b"a line of a pasted log " * 43_479)
        file.write(last)


def _fill(folder: Path, megabytes: int, lines: Callable[[], Iterator[bytes]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "s.jsonl"
    left = megabytes * 1_000_000
    with path.open("wb") as file:
        file.write(json.dumps(HEADER, separators=(",", ":")).encode() + b"\n")
        for line in lines():
            left -= file.write(line)
            if left <= 0:
                return path
    return path


def _talk_lines() -> Iterator[bytes]:
    while True:
        yield _line({"type": "text", "text": TALK[0]})
        yield _line({"type": "text", "text": TALK[1]}, "assistant")


def _tool_lines() -> Iterator[bytes]:
    body = _tool_text()
    call: dict[str, object] = {
        "type": "toolCall",
        "id": "call_1",
        "name": "exec",
        "arguments": {"command": "npm test"},
    }
    while True:
        yield _line({"type": "text", "text": TALK[0]})
        yield _line(call, "assistant")
        yield _line({"type": "text", "text": body}, "toolResult")


def _tool_text() -> str:
    """What tools really print, 20 kB of it: an answer of a web service, a source file, a test run."""
    answer = [
        {"id": n, "name": f"item {n}", "tags": ["new", "paid"], "total": {"eur": 12.5}} for n in range(90)
    ]
    source = (
        'def fee(order: Order) -> Decimal:\n    """The fee of "order"."""\n    return order.total * RATE\n\n'
    )
    run = "tests/test_fee.py::test_rounding PASSED [ 41%]\n"
    return json.dumps(answer, indent=1) + source * 60 + run * 80


def _line(block: dict[str, object], role: str = "user") -> bytes:
    stamp = {"timestamp": 1_771_059_660_000}
    messages: dict[str, dict[str, object]] = {
        "user": {"role": role, "content": [block], **stamp},
        "assistant": {
            "role": role,
            "content": [block],
            "api": "openai-completions",
            "provider": "local",
            "model": "m1",
            "usage": {
                **USAGE,
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
            },
            "stopReason": "stop",
            **stamp,
        },
        "toolResult": {
            "role": role,
            "toolCallId": "call_1",
            "toolName": "exec",
            "content": [block],
            "details": {"status": "completed", "exitCode": 0, "durationMs": 31, "cwd": "/home/user"},
            "isError": False,
            **stamp,
        },
    }
    entry = {"type": "message", "id": os.urandom(4).hex(), "parentId": "00000000"}
    entry["timestamp"] = "2026-02-14T09:01:00.000Z"
    return json.dumps({**entry, "message": messages[role]}, separators=(",", ":")).encode() + b"\n"


def _store(folder: Path) -> JsonlStore:
    return JsonlStore("main", folder, now_ms=lambda: time.time_ns() // 1_000_000)


def _json_loads(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TRIES):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    for row in rows():
        print(f"{row.name}: {row.ours:.4f} / {row.yardstick:.4f} = {row.ratio:.2f} ({row.reach})", flush=True)
