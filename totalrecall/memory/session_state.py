"""``SESSION_STATE.md`` on the disk: read, changed without losing an edit, copied when unreadable."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from totalrecall.domain.session_state import SessionState
from totalrecall.errors import ConfigError, MemoryFileError
from totalrecall.files.atomic import ABSENT, Conflict, FileState, read_state, replace
from totalrecall.files.lock import hold
from totalrecall.memory.session_state_check import believable, moment_of
from totalrecall.memory.session_state_format import (
    Changes,
    Document,
    Unreadable,
    changed,
    parse_document,
    state_of,
)
from totalrecall.memory.session_state_yaml import FrontMatterError

FILE_NAME = "SESSION_STATE.md"
PROJECTS = "state"
COPIES_KEPT = 5
LOCK_WAIT_S = 10.0
WRITE_TRIES = 20
_PROJECT = re.compile(r"[^\W_][\w-]{0,63}(?:\.[\w-]{1,20}){0,3}")
_COPY = re.compile(r".+\.unreadable-\d{8}T\d{6}(?:-\d+)?")


@dataclass(frozen=True, slots=True)
class StateRead:
    """What stands in the file.

    Attributes:
        path: the file.
        content: its bytes.
        parts: its parts, or why it cannot be understood; of an empty file where there is none.
        changed_at: when it was changed last, by the file system; None without a file.
    """

    path: Path
    content: FileState
    parts: Document | Unreadable
    changed_at: datetime | None

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.content.content is not None

    @property
    def state(self) -> SessionState:
        """What it says; nothing when it cannot be read."""
        return state_of(self.parts) if isinstance(self.parts, Document) else SessionState()

    def edited_at(self, now: datetime) -> datetime | None:
        """When somebody last wrote it: the later of what it says and what the file system says."""
        said = moment_of(self.state.updated)
        times = [at for at in (said, self.changed_at) if at is not None and believable(at, now)]
        return max(times, default=None)


@dataclass(frozen=True, slots=True)
class StateWritten:
    """The file before and after; ``before`` and ``after`` are equal when nothing had to be written."""

    before: StateRead
    after: bytes


class StateFile:
    """One state file of a workspace. ``lock_path`` is the lock of our processes for this workspace."""

    def __init__(self, path: Path, lock_path: Path) -> None:
        self.path = path
        self._lock_path = lock_path

    def read(self) -> StateRead:
        """The file as it stands. Raises MemoryFileError when the system refuses to read it."""
        changed_at = None
        content = read_state(self.path)
        if content is not ABSENT:
            with contextlib.suppress(OSError):
                changed_at = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return StateRead(self.path, content, parse_document(content.content or b""), changed_at)

    def write(
        self, wanted: Callable[[StateRead], Changes | None], *, dry_run: bool = False
    ) -> StateWritten | StateRead:
        """The file with what ``wanted`` says of it as it stands then; the read file when that is None.

        ``wanted`` is asked again whenever the file was changed meanwhile, so a later edit is never lost. A
        file that cannot be understood is given back as it was read.

        Raises:
            MemoryFileError: it cannot be written, or the change would touch other fields; it is as it was.
        """
        with hold(self._lock_path, wait_s=LOCK_WAIT_S, command="totalrecall state"):
            for _ in range(WRITE_TRIES):
                before = self.read()
                if isinstance(before.parts, Unreadable):
                    return before
                changes = wanted(before)
                if changes is None:
                    return before
                after = _changed(before, before.parts, changes)
                if dry_run or (before.exists and after == before.content.content):
                    return StateWritten(before, after)
                if not isinstance(replace(self.path, after, expected=before.content), Conflict):
                    return StateWritten(before, after)
        raise MemoryFileError(
            f"{self.path} is being changed all the time by another program.", "Nothing was written."
        )

    def set_aside(self, read: StateRead, now: datetime) -> Path | None:
        """A copy of what cannot be read lies beside the file, one for the same bytes; None without any.

        Where none can be written there is none: what is wrong with the file matters more.
        """
        content = read.content.content
        if not content:
            return None
        beside = self.path.parent.glob(f"{self.path.name}.unreadable-*")
        copies = sorted(one for one in beside if _COPY.fullmatch(one.name) and one.is_file())
        name = f"{self.path.name}.unreadable-{now:%Y%m%dT%H%M%S}"
        free = (self.path.with_name(name + (f"-{number}" if number else "")) for number in range(100))
        copy = next((one for one in free if not one.exists()), self.path.with_name(name))
        try:
            for one in copies:
                if read_state(one).digest == read.content.digest:
                    return one
            replace(copy, content, expected=None)
        except MemoryFileError:
            return None
        for old in copies[: max(0, len(copies) + 1 - COPIES_KEPT)]:
            with contextlib.suppress(OSError):
                old.unlink()
        return copy


def state_path(workspace: Path, project: str = "") -> Path:
    """Where the state stands: ``SESSION_STATE.md``, or ``state/NAME.md`` of a project.

    Raises:
        ConfigError: a name that is none, such as one with a path in it.
    """
    if not project:
        return workspace / FILE_NAME
    if not _PROJECT.fullmatch(project):
        raise ConfigError(
            f"{project!r} cannot be the name of a project.",
            "Letters, digits, dots, dashes and underscores, at most 64; no path.",
        )
    return workspace / PROJECTS / f"{project}.md"


def projects_in(workspace: Path) -> list[str]:
    """The projects that have a state of their own."""
    return sorted(one.stem for one in (workspace / PROJECTS).glob("*.md") if _PROJECT.fullmatch(one.stem))


def _changed(before: StateRead, parts: Document, changes: Changes) -> bytes:
    try:
        return changed(parts, changes)
    except FrontMatterError as error:
        raise MemoryFileError(
            f"{before.path} was not written: {error.why}.", "Write the field into the file by hand."
        ) from error
