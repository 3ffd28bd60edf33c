"""Changes to files: shown before they are made, made without running over anybody's edit, with a backup."""

from __future__ import annotations

import contextlib
import difflib
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import ABSENT, Conflict, FileState, read_state, replace
from totalrecall.files.failure import memory_file_error
from totalrecall.openclaw.record import HomeRecord, read_record

BACKUP_FOLDER = "openclaw-backups"
MAX_BACKUPS = 100


@dataclass(frozen=True, slots=True)
class Change:
    """One file.

    Attributes:
        path: the file.
        before: what stands there.
        after: what is to stand there; None takes the file away.
        what: what this is, for people.
        shown: what to show instead of changed lines; for a file whose lines may hold keys.
        backup: where the old content is kept; None for none.
    """

    path: Path
    before: FileState
    after: bytes | None
    what: str
    shown: tuple[str, ...] = ()
    backup: Path | None = None

    @property
    def verb(self) -> str:
        """``create``, ``change`` or ``remove``."""
        if self.after is None:
            return "remove"
        return "change" if self.before.content is not None else "create"

    def diff(self) -> tuple[str, ...]:
        """The changed lines with ``+`` and ``-``; none for a file that is new or taken away."""
        if self.shown or self.verb != "change" or self.after is None:
            return self.shown
        old, new = (
            content.decode("utf-8", "replace").splitlines()
            for content in (self.before.content or b"", self.after)
        )
        return tuple(list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:])


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that an installation or its undoing does in one home.

    Attributes:
        home: the state folder.
        changes: the files.
        notes: sentences about what was found and left.
        by_hand: what the user has to do, as text to copy.
        state_root: our state folder, with the record.
        recorded: what stands in this home afterwards because of us.
    """

    home: Path
    changes: tuple[Change, ...]
    notes: tuple[str, ...]
    by_hand: tuple[str, ...]
    state_root: Path
    recorded: HomeRecord


def carry_out(plan: Plan) -> tuple[str, ...]:
    """Makes the changes; sentences about those that could not be made, since the file had changed meanwhile.

    Raises:
        MemoryFileError: a file cannot be written; what came before it is done, and can be done again.
    """
    # The record comes first: what a crash leaves half done can then be finished, or taken back.
    record = read_record(plan.state_root).with_home(plan.home, plan.recorded)
    if record.stale:
        done = replace(record.path, record.render(), expected=record.state)
        if isinstance(done, Conflict):
            raise MemoryFileError(
                "Another installation is at work.", "Run the command again. Nothing was changed."
            )
    said = tuple(said for change in plan.changes if (said := _make(change)))
    if not record.homes:
        record.path.unlink(missing_ok=True)
    return said


def _make(change: Change) -> str:
    if change.backup is not None and change.before.content is not None:
        _keep(change.backup, change.before)
    if change.after is None:
        return _remove(change)
    done = replace(change.path, change.after, expected=change.before)
    return (
        f"{change.path} was changed by somebody meanwhile; run again." if isinstance(done, Conflict) else ""
    )


def _keep(backup: Path, before: FileState) -> None:
    """The old content under the backup's name, with a number behind it where another one stands already."""
    for number in range(1, MAX_BACKUPS):
        name = backup if number == 1 else backup.with_name(f"{backup.name}-{number}")
        kept = replace(name, before.content or b"", expected=ABSENT)
        if not isinstance(kept, Conflict) or kept.current.digest == before.digest:
            return
    raise MemoryFileError(f"There is no free name for a backup beside {backup}.", "Remove old ones.")


def _remove(change: Change) -> str:
    if read_state(change.path).digest != change.before.digest:
        return f"{change.path} was changed by somebody meanwhile and stays."
    try:
        change.path.unlink(missing_ok=True)
    except OSError as error:
        raise memory_file_error("remove", change.path, error) from error
    # The hook's or the skill's own folder, and "hooks" or "skills" where nothing else is in it.
    with contextlib.suppress(OSError):
        change.path.parent.rmdir()
        change.path.parent.parent.rmdir()
    return ""
