"""Replacing a whole file so that it is always the old one or the new one, and never over somebody's edit."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.failure import memory_file_error

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMP_PREFIX = ".total-recall-"
TEMP_SUFFIX = ".tmp"
LEFTOVER_AGE_S = 3600.0
READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileState:
    """What stood in a file when it was read: its bytes and their digest; None and "" without a file."""

    content: bytes | None
    digest: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """The new content is on the disk.

    Attributes:
        state: what stands in the file now, to be the next ``expected``.
        path: the file that was replaced, links followed.
        created: there was none before.
        other_links: hard links that still show the old content, since a replacement cannot reach them.
    """

    state: FileState
    path: Path
    created: bool
    other_links: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was written: the file is no longer what was read. ``current`` is what stands there now."""

    current: FileState


ABSENT = FileState(None, "")


def digest_of(content: bytes) -> str:
    """The digest that ``FileState`` carries: 32 hex digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def read_state(path: Path) -> FileState:
    """What stands at ``path`` now, links followed; ``ABSENT`` when nothing does.

    Raises MemoryFileError when it cannot be read or is no regular file.
    """
    try:
        # Without O_NONBLOCK opening a named pipe waits for ever.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        raise memory_file_error("read", path, error) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise memory_file_error("read", path, _not_a_file(os.fstat(fd)))
        content = b"".join(iter(lambda: os.read(fd, READ_BYTES), b""))
    except OSError as error:
        raise memory_file_error("read", path, error) from error
    finally:
        os.close(fd)
    return FileState(content, digest_of(content))


def replace(
    path: Path,
    content: bytes,
    *,
    expected: FileState | None,
    about_to: Callable[[Path], None] | None = None,
    private: bool = False,
) -> Replaced | Conflict:
    """Put ``content`` at ``path`` in one step, or say that the file is not what ``expected`` says.

    ``expected`` None replaces whatever stands there; ``ABSENT`` demands that nothing does. Links are
    followed, also to a file that does not exist yet. Mode and (for root) owner stay; a new file gets 0600,
    new folders 0700; with ``private`` an existing file gets 0600 as well. ``about_to`` is told the temporary
    file just before it takes the place: as long as that file is there, it has not happened.

    Raises:
        MemoryFileError: with the reason and the remedy; the file is as it was and no temporary file is left.
    """
    target = resolve(path)
    before = _stat_of(target)
    temp = target.parent / f"{TEMP_PREFIX}{os.getpid()}-{os.urandom(6).hex()}{TEMP_SUFFIX}"
    try:
        with _removed_on_failure(temp):
            _write_temp(temp, content, before, private=private)
            current = read_state(target) if expected is not None else None
            if current is not None and expected is not None and current.digest != expected.digest:
                temp.unlink()
                return Conflict(current)
            if about_to is not None:
                about_to(temp)
            temp.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise memory_file_error("write", target, error) from error
    other_links = before.st_nlink - 1 if before else 0
    return Replaced(FileState(content, digest_of(content)), target, before is None, other_links)


def resolve(path: Path) -> Path:
    """The real place of ``path``, links followed, its folder made if it is missing.

    Raises MemoryFileError when a link leads into a folder that is not there: it may be a disk that is not
    mounted, and making the folder would hide that.
    """
    try:
        target = Path(os.path.realpath(path))
        if path.is_symlink() and not target.parent.is_dir():
            raise MemoryFileError(
                f"Cannot write {path}: it is a link to {target}, whose folder does not exist.",
                "Mount the disk or make the folder, or remove the link. Nothing was changed.",
            )
        make_folder(target.parent)
    except OSError as error:
        raise memory_file_error("write", path, error) from error
    return target


def make_folder(folder: Path) -> None:
    """``folder`` and what is missing above it, each 0700. Existing ones are left as they are."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):
            one.mkdir(mode=FOLDER_MODE)
            sync_folder(one.parent)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def sync_folder(folder: Path) -> None:
    """Makes names in ``folder`` survive a power cut, where the file system can do that."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network and FUSE file systems cannot sync a folder and say so.
        if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.EBADF}:
            raise
    finally:
        os.close(fd)


def sync_file(fd: int) -> None:
    """Puts a file's bytes on the disk itself; on macOS ``fsync`` alone only reaches the disk's cache."""
    full_sync = getattr(fcntl, "F_FULLFSYNC", None)
    if full_sync is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, full_sync)
            return
    os.fsync(fd)


def write_all(fd: int, content: bytes) -> None:
    """Writes every byte, however many calls it takes."""
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


def _not_a_file(status: os.stat_result) -> OSError:
    if stat.S_ISDIR(status.st_mode):
        return IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return OSError(errno.EINVAL, "it is not a regular file")


def _stat_of(target: Path) -> os.stat_result | None:
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise memory_file_error("write", target, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise memory_file_error("write", target, _not_a_file(status))
    # A replacement needs rights on the folder only; who made the file read-only means the file.
    if not os.access(target, os.W_OK):
        raise memory_file_error("write", target, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
    return status


def _write_temp(temp: Path, content: bytes, before: os.stat_result | None, *, private: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = os.open(temp, flags, FILE_MODE)
    try:
        _sweep(temp.parent, os.fstat(fd).st_mtime - LEFTOVER_AGE_S)
        write_all(fd, content)
        if before is not None:
            _keep_owner(fd, before)
            os.fchmod(fd, FILE_MODE if private else stat.S_IMODE(before.st_mode))
        sync_file(fd)
    finally:
        os.close(fd)


def _keep_owner(fd: int, before: os.stat_result) -> None:
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid):
        return
    if os.geteuid() == 0:
        os.fchown(fd, before.st_uid, before.st_gid)
        return
    # An ordinary user may keep the group where he is a member of it, and no more.
    with contextlib.suppress(PermissionError):
        os.fchown(fd, -1, before.st_gid)


def remove_leftovers(folder: Path) -> None:
    """No temporary file of a process that has died is left in ``folder``, however young."""
    for leftover in folder.glob(f"{TEMP_PREFIX}*{TEMP_SUFFIX}"):
        pid = leftover.name.removeprefix(TEMP_PREFIX).partition("-")[0]
        if pid.isdecimal() and not _is_alive(int(pid)):
            with contextlib.suppress(OSError):
                leftover.unlink()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _sweep(folder: Path, before_s: float) -> None:
    """Removes temporary files of runs that died. Their age is told by the file system's own clock."""
    for leftover in folder.glob(f"{TEMP_PREFIX}*{TEMP_SUFFIX}"):
        with contextlib.suppress(OSError):
            if leftover.lstat().st_mtime < before_s:
                leftover.unlink()


@contextlib.contextmanager
def _removed_on_failure(temp: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
