"""What macOS's privacy setting refuses is told as that, and nothing else is."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from totalrecall.files.failure import memory_file_error
from totalrecall.files.privacy_setting import privacy_hint

HOME = Path("/Users/you")


@pytest.mark.report("R114")
@pytest.mark.parametrize(
    "path", [HOME / "Documents" / "claw", HOME / "Library/Mobile Documents/x", Path("/Volumes/disk/claw")]
)
def test_a_refusal_by_macos_is_named_as_the_privacy_setting(path: Path) -> None:
    """In Documents, in iCloud, on another disk: where to allow it is told, with the program's name."""
    assert "Full Disk Access, add /opt/python" in privacy_hint(errno.EPERM, path, HOME, Path("/opt/python"))


@pytest.mark.report("R114")
@pytest.mark.parametrize(
    ("number", "path"),
    [
        (errno.EACCES, HOME / ".openclaw"),
        (errno.ENOSPC, HOME / "Documents"),
        (None, HOME / "Documents"),
    ],
)
def test_other_refusals_are_not(number: int | None, path: Path) -> None:
    """Ordinary rights and a full disk are not blamed on the setting."""
    assert privacy_hint(number, path, HOME, Path("/opt/python")) == ""


@pytest.mark.report("R114")
@pytest.mark.parametrize(("platform", "told"), [("darwin", True), ("linux", False)])
def test_every_refused_write_says_it_there(
    monkeypatch: pytest.MonkeyPatch, platform: str, *, told: bool
) -> None:
    """The service, doctor and every command raise this error; elsewhere the rights of the file are named."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(HOME))
    error = memory_file_error("write", HOME / "Documents" / "notes.md", PermissionError(errno.EPERM, "no"))
    assert ("Full Disk Access" in error.hint) is told
