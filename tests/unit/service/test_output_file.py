"""The file that launchd prints into stays short, and macOS's privacy setting is named."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from totalrecall.service.output_file import keep_short
from totalrecall.service.privacy_setting import privacy_hint

HOME = Path("/Users/you")


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


@pytest.mark.report("R114")
def test_a_refusal_by_macos_is_named_as_the_privacy_setting() -> None:
    """In Documents, in iCloud, on another disk: the place where it is allowed is told, with the program's name."""
    for path in (
        HOME / "Documents" / "claw",
        HOME / "Library/Mobile Documents/x",
        Path("/Volumes/disk/claw"),
    ):
        hint = privacy_hint(errno.EPERM, path, HOME, "darwin", Path("/opt/python"))
        assert "Full Disk Access, add /opt/python" in hint


@pytest.mark.report("R114")
@pytest.mark.parametrize(
    ("number", "path", "platform"),
    [
        (errno.EPERM, HOME / "Documents", "linux"),
        (errno.EACCES, HOME / ".openclaw", "darwin"),
        (errno.ENOSPC, HOME / "Documents", "darwin"),
        (None, HOME / "Documents", "darwin"),
    ],
)
def test_other_refusals_are_not(number: int | None, path: Path, platform: str) -> None:
    """Ordinary rights, a full disk, another system: the setting is not blamed."""
    assert privacy_hint(number, path, HOME, platform, Path("/opt/python")) == ""
