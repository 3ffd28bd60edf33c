"""``user_profile.json`` on the disk: one for all agents of a home, so each change is made under a lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import ABSENT, Conflict, FileState, read_state, replace
from totalrecall.files.lock import hold
from totalrecall.memory.profile.changes import stamped_now
from totalrecall.memory.profile.document import Damage, Data, fresh, read_profile, render_profile, with_value

FILE_NAME = "user_profile.json"
BACKUP_NAME = "user_profile.backup.json"
LOCK_WAIT_S = 10.0
WRITE_TRIES = 20


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """The profile of one home.

    Attributes:
        path: ``<OpenClaw's folder>/memory/user_profile.json``.
        lock_path: its lock, in our state folder.
    """

    path: Path
    lock_path: Path

    @property
    def backup_path(self) -> Path:
        """The last damaged file, as it was found."""
        return self.path.with_name(BACKUP_NAME)

    def copies(self) -> list[Path]:
        """The damaged files that were kept."""
        folder = self.path.parent
        found = {*folder.glob("user_profile.damaged-*.json"), *folder.glob(BACKUP_NAME)}
        return sorted(found)

    def read(self) -> Data | Damage | None:
        """The profile; None when there is none yet; why it cannot be read. Nothing is written."""
        content = read_state(self.path).content
        return None if content is None else read_profile(content)

    def change(self, edit: Callable[[Data], Data], now: datetime) -> Data:
        """The profile after ``edit``, written when it changed anything.

        A damaged file is put aside first and a fresh one begun. An edit that somebody else makes meanwhile is
        kept: ``edit`` is applied to what stands there then, so it may be called again.

        Raises:
            MemoryFileError: it cannot be written; it is as it was.
            BusyError: another process of ours kept it for too long.
        """
        with hold(self.lock_path, wait_s=LOCK_WAIT_S):
            for _ in range(WRITE_TRIES):
                before = read_state(self.path)
                found = None if before.content is None else read_profile(before.content)
                data = self._begun(before, found, now)
                changed = edit(data)
                if changed == data and isinstance(found, dict):
                    return data
                content = render_profile(stamped_now(changed, now))
                done = replace(self.path, content, expected=before, private=True)
                if not isinstance(done, Conflict):
                    return changed
        raise MemoryFileError(
            f"{self.path} is being changed all the time by another program.",
            "Nothing was changed; try again.",
        )

    def _begun(self, before: FileState, found: Data | Damage | None, now: datetime) -> Data:
        if isinstance(found, Damage):
            return self._set_aside(before.content or b"", found, now)
        return fresh(now) if found is None else found

    def _set_aside(self, content: bytes, damage: Damage, now: datetime) -> Data:
        """A fresh profile that says so; the damaged bytes are kept under their own name and as backup."""
        stem = f"user_profile.damaged-{now:%Y%m%dT%H%M%S}"
        number = 0
        while True:
            kept = self.path.with_name(f"{stem}{f'-{number}' if number else ''}.json")
            done = replace(kept, content, expected=ABSENT, private=True)
            if not isinstance(done, Conflict) or done.current.content == content:
                break
            number += 1
        replace(self.backup_path, content, expected=None, private=True)
        return with_value(fresh(now), "meta.damaged", {"file": kept.name, "reason": damage.reason})
