"""What the service says of itself can be read back, and whether it runs is told by its lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from totalrecall.domain.service_state import (
    FILE_NAME,
    LOCK_NAME,
    AgentState,
    JobState,
    ServiceState,
    ServiceTrouble,
    decode,
    encode,
)
from totalrecall.files.lock import hold
from totalrecall.files.service_state import look_at_service

STATE = ServiceState(
    pid=4,
    version="1.0",
    started_ms=1,
    written_ms=2,
    next_runs={"observe": 900_000},
    agents={"main": AgentState("events", 3, 4, 5, jobs={"observe": JobState(9, 2, ok=False, reason="away")})},
    troubles=(ServiceTrouble("red", "It hangs.", "Restart it.", "main"),),
)


def test_what_is_written_reads_back_the_same() -> None:
    """Encode and decode are inverse."""
    assert decode(encode(STATE)) == STATE


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b"\xff", b'{"format": 99}', encode(STATE)[:-30], b'{"format": 1, "pid": null}'],
)
def test_a_file_that_is_not_ours_says_nothing(content: bytes) -> None:
    """Half a file, another version's file and garbage are read as no file at all."""
    assert decode(content) is None


def test_the_lock_tells_whether_the_service_runs(tmp_path: Path) -> None:
    """A state that was left behind does not make a dead service look alive."""
    (tmp_path / FILE_NAME).write_bytes(encode(STATE))
    assert not look_at_service(tmp_path).running
    with hold(tmp_path / LOCK_NAME, command="totalrecall run"):
        found = look_at_service(tmp_path)
    assert found.running
    assert "totalrecall run" in found.holder
    assert found.state == STATE
    assert not look_at_service(tmp_path).running
