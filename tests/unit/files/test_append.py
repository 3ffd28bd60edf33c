"""Appending beside others."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.unit.files.test_atomic import names, run_limited
from totalrecall.errors import MemoryFileError
from totalrecall.files.append import Appended, append


def test_bytes_go_to_the_end_and_their_place_is_told(tmp_path: Path) -> None:
    """A new file is private; each append says where its bytes stand."""
    path = tmp_path / "memory" / "2026-02-14.md"
    assert append(path, b"one\n") == Appended(0, 4)
    assert append(path, b"two\n") == Appended(4, 8)
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_open_line_is_closed_first(tmp_path: Path) -> None:
    """What we add never continues somebody's unfinished line, unless asked to."""
    path = tmp_path / "day.md"
    path.write_bytes(b"unfinished")
    append(path, b"ours\n")
    append(path, b"bare", on_new_line=False)
    append(path, b"+", on_new_line=False)
    assert path.read_bytes() == b"unfinished\nours\nbare+"


def test_a_link_is_followed(tmp_path: Path) -> None:
    """A link to a file that does not exist yet gets one at its end."""
    (tmp_path / "link.md").symlink_to(tmp_path / "real.md")
    append(tmp_path / "link.md", b"x\n")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_bytes() == b"x\n"


@pytest.mark.report("R082")
def test_a_short_write_is_taken_back(tmp_path: Path) -> None:
    """When only part of the bytes fits, the file is as before and the failure is said."""
    path = tmp_path / "day.md"
    path.write_bytes(b"old\n" * 3000)
    done = run_limited("append", path)
    assert done.returncode == 3, done.stderr
    assert "Cannot append to" in done.stdout
    assert path.read_bytes() == b"old\n" * 3000


def test_a_short_write_before_somebody_elses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When others wrote after our cut bytes, theirs are kept and the error says what stands there."""
    path = tmp_path / "day.md"
    path.write_bytes(b"old\n")
    real = os.write

    def short(fd: int, content: bytes) -> int:
        count = real(fd, content[:3])
        with path.open("ab") as other:
            other.write(b"theirs\n")
        return count

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(MemoryFileError, match="Only 3 of 5 bytes"):
        append(path, b"ours\n")
    assert path.read_bytes() == b"old\nourtheirs\n"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A pipe without a reader does not block; a folder is named."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(MemoryFileError, match="Cannot append to"):
            append(tmp_path / name, b"x\n")
    assert names(tmp_path) == ["folder", "pipe"]


def test_lines_of_several_processes_stay_whole(tmp_path: Path) -> None:
    """Four processes append at once: every line is there, none is mixed (an empty one between them may be)."""
    path = tmp_path / "day.md"
    code = """
        import sys
        from pathlib import Path
        from totalrecall.files.append import append
        for turn in range(25):
            append(Path(sys.argv[1]), (sys.argv[2] * 2000 + "\\n").encode())
    """
    writers = [
        subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(path), letter])
        for letter in "abcd"
    ]
    assert [one.wait() for one in writers] == [0, 0, 0, 0]
    lines = [one for one in path.read_text().splitlines() if one]
    assert sorted(lines) == sorted(letter * 2000 for letter in "abcd" for _ in range(25))
