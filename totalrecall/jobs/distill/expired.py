"""Moving old daily logs into ``memory/archive/YYYY/``. Nothing is ever overwritten or deleted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from totalrecall.files.atomic import ABSENT, Conflict, make_folder, read_state, replace, sync_folder
from totalrecall.files.failure import memory_file_error
from totalrecall.memory.daily import DailyLog
from totalrecall.memory.long_term.territory import Territory


def move_expired(territory: Territory, logs: Sequence[DailyLog]) -> int:
    """How many of the logs stand in the archive now; one whose place is taken by another file stays.

    Raises MemoryFileError.
    """
    return sum(_moved(territory, one) for one in logs)


def _moved(territory: Territory, log: DailyLog) -> bool:
    target = territory.allowed(territory.archive / f"{log.day:%Y}" / log.path.name)
    source = territory.allowed(log.path)
    try:
        if source.is_symlink() or not source.is_file():
            return False
        make_folder(target.parent)
        _put(source, target)
        sync_folder(target.parent)
        sync_folder(source.parent)
    except FileExistsError:
        return False
    except OSError as error:
        raise memory_file_error("move", source, error) from error
    return True


def _put(source: Path, target: Path) -> None:
    """A link, then the old name away: the log always stands somewhere, and nothing is overwritten."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: copied, compared, then removed.
        state = read_state(source)
        if isinstance(replace(target, state.content or b"", expected=ABSENT), Conflict):
            raise FileExistsError(target) from None
    source.unlink()
