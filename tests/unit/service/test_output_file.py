"""The file that launchd prints into stays short."""

from __future__ import annotations

import os
from pathlib import Path

from totalrecall.service.output_file import keep_short


def test_a_long_file_is_cut_to_its_last_lines(tmp_path: Path) -> None:
    """Cut in place, at a line's beginning; who has it open for appending goes on behind."""
    path = tmp_path / "service.log"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(fd, b"".join(b"line %03d\n" % number for number in range(200)))
    assert keep_short(path, max_bytes=1000, kept_bytes=25)
    os.write(fd, b"more\n")
    os.close(fd)
    assert path.read_bytes() == b"line 198\nline 199\nmore\n"
    assert not keep_short(path, max_bytes=1000, kept_bytes=25)


def test_what_is_no_file_of_ours_is_left(tmp_path: Path) -> None:
    """No file, a link, a pipe: nothing happens and nothing is raised."""
    target = tmp_path / "other"
    target.write_bytes(b"x" * 50)
    (tmp_path / "link").symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    assert not any(keep_short(tmp_path / name, max_bytes=10) for name in ("none", "link", "pipe"))
    assert target.stat().st_size == 50
