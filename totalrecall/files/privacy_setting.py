"""What a refused access means on macOS, where a setting of privacy stands above the rights of files. Pure."""

from __future__ import annotations

import errno
from pathlib import Path

# Folders of a home that macOS lets no program into unless the user allowed it.
_GUARDED = ("Desktop", "Documents", "Downloads", "Library/Mobile Documents", "Library/CloudStorage")


def privacy_hint(error_number: int | None, path: Path, home_dir: Path, program: Path) -> str:
    """What to do when macOS keeps ``program`` out of ``path``, "" where that is not the reason (R114).

    A program that runs in the background is refused without the question that a terminal would get.
    """
    if error_number not in {errno.EPERM, errno.EACCES}:
        return ""
    guarded = [home_dir / name for name in _GUARDED]
    if not any(path.is_relative_to(folder) for folder in guarded) and not path.is_relative_to("/Volumes"):
        return ""
    return (
        "macOS keeps background programs out of this folder. Open System Settings, Privacy & Security, "
        f"Full Disk Access, add {program} there, then run 'totalrecall service install'. "
        "Or move the workspace out of that folder."
    )
