"""What was forgotten, as salted hashes: so that it is not learnt again from the talk that is still there."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import Conflict, read_state, replace
from totalrecall.privacy.phrase import Mark, is_marked, mark_of

WRITE_TRIES = 20
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What was forgotten until when.

    Attributes:
        salt: random bytes of this installation.
        phrases: marks of phrases, each with the time up to which messages that hold it are left out.
        sessions: marks of session ids, likewise.
        all_until_ms: every message up to this time is left out; 0 for none.
    """

    salt: bytes = b""
    phrases: tuple[tuple[Mark, int], ...] = ()
    sessions: tuple[tuple[Mark, int], ...] = ()
    all_until_ms: int = 0

    @property
    def empty(self) -> bool:
        """Nothing was ever forgotten."""
        return not self.phrases and not self.sessions and not self.all_until_ms

    def covers(self, text: str, at_ms: int | None, session_id: str) -> bool:
        """Whether a message was said before it was forgotten: a message without a time counts as old."""
        if self.empty:
            return False
        if self.all_until_ms and (at_ms is None or at_ms <= self.all_until_ms):
            return True
        old = [mark for mark, until_ms in self.phrases if at_ms is None or at_ms <= until_ms]
        if old and is_marked(text, old, self.salt):
            return True
        closed = [mark for mark, until_ms in self.sessions if at_ms is None or at_ms <= until_ms]
        return bool(closed) and mark_of(session_id, self.salt) in closed


def read_tombstones(path: Path) -> Tombstones:
    """What was forgotten; nothing where there is no file.

    Raises:
        MemoryFileError: the file is damaged. Nothing is read then, so that nothing comes back.
    """
    content = read_state(path).content
    return Tombstones() if content is None else _parsed(path, content)


def add_tombstone(
    path: Path, now_ms: int, *, phrase: str = "", session_ids: tuple[str, ...] = (), everything: bool = False
) -> None:
    """Remember that a phrase, sessions, or everything that was said until now is forgotten.

    Raises MemoryFileError.
    """
    for _ in range(WRITE_TRIES):
        before = read_state(path)
        known = (
            Tombstones(os.urandom(SALT_BYTES)) if before.content is None else _parsed(path, before.content)
        )
        phrases = dict(known.phrases)
        sessions = dict(known.sessions)
        if phrase:
            phrases[mark_of(phrase, known.salt)] = now_ms
        sessions.update((mark_of(one, known.salt), now_ms) for one in session_ids)
        data = {
            "salt": known.salt.hex(),
            "phrases": _rows(phrases),
            "sessions": _rows(sessions),
            "all_until_ms": now_ms if everything else known.all_until_ms,
        }
        content = (json.dumps(data, indent=1) + "\n").encode()
        if not isinstance(replace(path, content, expected=before, private=True), Conflict):
            return
    raise MemoryFileError(f"{path} is being changed all the time.", "Nothing was forgotten; try again.")


def _rows(marks: dict[Mark, int]) -> list[list[Any]]:
    return [[mark.digest, mark.tokens, until_ms] for mark, until_ms in marks.items()]


def _parsed(path: Path, content: bytes) -> Tombstones:
    try:
        data = json.loads(content)
        return Tombstones(
            bytes.fromhex(data["salt"]),
            _marks(data["phrases"]),
            _marks(data["sessions"]),
            int(data["all_until_ms"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MemoryFileError(
            f"{path} cannot be read; it says what was forgotten.",
            "Put it back from a backup, or remove it: what was forgotten may then be learnt again.",
        ) from error


def _marks(rows: Any) -> tuple[tuple[Mark, int], ...]:
    return tuple((Mark(str(digest), int(tokens)), int(until_ms)) for digest, tokens, until_ms in rows)
