"""What the system's errors mean for somebody who reads them."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.privacy_setting import privacy_hint

_ROOM = "Make room on that disk, then run the command again."
_RIGHTS = "Give your user the right to write there (ls -ld shows who has it), then run the command again."
_DISK = "The disk reports errors: look at the system's log and check the disk before anything else."

REMEDIES: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", _ROOM),
    errno.EDQUOT: ("the disk quota is used up", _ROOM),
    errno.EFBIG: ("the file would be larger than this process may write", "Raise the limit (ulimit -f)."),
    errno.EACCES: ("permission denied", _RIGHTS),
    errno.EPERM: ("the operation is not permitted", _RIGHTS),
    errno.EROFS: ("the file system is read-only", "Mount it writable, or move the folder elsewhere."),
    errno.EIO: ("input/output error", _DISK),
    errno.ELOOP: ("its symbolic links go round in a circle", "Remove or correct the link."),
    errno.EISDIR: ("a folder stands where the file belongs", "Move the folder away."),
    errno.ENOTDIR: ("a file stands where a folder belongs", "Move that file away."),
    errno.EMFILE: ("too many files are open", "Raise the limit of open files (ulimit -n)."),
    errno.ENFILE: ("too many files are open on this machine", "Close programs that hold many files."),
    errno.ENAMETOOLONG: ("the name is too long", "Use a shorter path."),
    errno.ENOLCK: ("the file system offers no locks", "Keep this folder on a local disk."),
    errno.EOPNOTSUPP: ("the file system does not offer this", "Keep this folder on a local disk."),
}


def memory_file_error(action: str, path: Path, error: OSError) -> MemoryFileError:
    """The error to raise: ``Cannot <action> <path>: <why>``, with the remedy for its errno."""
    why, remedy = REMEDIES.get(error.errno or 0, (error.strerror or type(error).__name__, ""))
    if sys.platform == "darwin":
        remedy = privacy_hint(error.errno, path, Path.home(), Path(sys.executable)) or remedy
    return MemoryFileError(
        f"Cannot {action} {path}: {why}.",
        f"{remedy} Nothing was changed.".strip(),
    )
