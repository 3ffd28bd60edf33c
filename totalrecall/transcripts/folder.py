"""The transcript files of a sessions folder, each with a session id of its own."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from totalrecall.domain.event import Event, EventKind
from totalrecall.errors import SourceError
from totalrecall.transcripts.dialects.openclaw import events_from_line
from totalrecall.transcripts.filenames import FileKind, FileName, classify, variant_id
from totalrecall.transcripts.lines import BLANK, BOM
from totalrecall.transcripts.tape import open_for_reading, source_error

_HEADER_BYTES = 16 * 1024
_USABLE_ID = re.compile(r"[\w.@:+-]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One transcript file. ``session_id`` differs between any two files of a folder."""

    path: Path
    name: FileName
    session_id: str
    cwd: str
    size: int
    modified_ms: int
    inode: int


class SessionFolder:
    """Lists the transcripts of one folder. Headers are read once per file and remembered."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._headers: dict[tuple[str, int], tuple[str, str]] = {}

    def files(self) -> list[FoundFile]:
        """Every transcript that may be read, oldest change first; none while there is no folder.

        Files that go while this looks, links that lead nowhere and folders with a transcript's name are left
        out. Raises SourceError when the folder itself may not be read.
        """
        try:
            found = [file for entry in self._entries() if (file := self._found(entry)) is not None]
        except (FileNotFoundError, NotADirectoryError):
            found = []
        except OSError as error:
            raise source_error(self._path, error) from error
        self._forget_headers_except({(file.path.name, file.inode) for file in found})
        return sorted(_with_ids_of_their_own(found), key=lambda file: (file.modified_ms, file.path.name))

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        with os.scandir(self._path) as entries:
            yield from entries

    def _found(self, entry: os.DirEntry[str]) -> FoundFile | None:
        name = classify(entry.name)
        if name.kind not in {FileKind.LIVE, FileKind.ENDED}:
            return None
        try:
            status = entry.stat()
        except OSError as error:
            if isinstance(error, PermissionError) and not entry.is_symlink():
                raise  # the folder lets itself be listed, but not entered
            return None  # gone meanwhile, or a link that leads nowhere, in a circle, or to a closed place
        if not stat.S_ISREG(status.st_mode):
            return None
        path = self._path / entry.name
        header_id, cwd = self._header(path, status.st_ino)
        modified_ms = status.st_mtime_ns // 1_000_000
        session_id = header_id or name.session_id
        return FoundFile(path, name, session_id, cwd, status.st_size, modified_ms, status.st_ino)

    def _header(self, path: Path, inode: int) -> tuple[str, str]:
        """Session id and workspace from the first line; "" for what it does not say."""
        known = self._headers.get((path.name, inode))
        if known is None:
            known = _read_header(path)
            if known != ("", ""):
                self._headers[path.name, inode] = known
        return known

    def _forget_headers_except(self, present: set[tuple[str, int]]) -> None:
        for gone in self._headers.keys() - present:
            del self._headers[gone]


def _read_header(path: Path) -> tuple[str, str]:
    try:
        descriptor = open_for_reading(path)
    except SourceError:
        return "", ""  # the name is enough to list it; reading it says what is wrong
    if descriptor is None:
        return "", ""
    try:
        content = os.pread(descriptor, _HEADER_BYTES, 0)
    except OSError:
        return "", ""  # as above
    finally:
        os.close(descriptor)
    first, newline, _ = content.removeprefix(BOM).lstrip(BLANK).partition(b"\n")
    event = next(iter(events_from_line(first.strip(BLANK))), None) if newline else None
    if not isinstance(event, Event) or event.kind is not EventKind.HEADER:
        return "", ""
    return (event.session_id if _USABLE_ID.fullmatch(event.session_id) else ""), event.cwd


def _with_ids_of_their_own(found: Iterable[FoundFile]) -> Iterator[FoundFile]:
    """The same files; where several claim one id, the one that the agent writes to keeps it.

    That happens when ``/new`` leaves ``<id>.jsonl.reset.<ts>`` behind and starts ``<id>.jsonl`` again, and
    with copies under another name. Their common messages are told by identity.
    """
    claimed: dict[str, list[FoundFile]] = {}
    for file in found:
        claimed.setdefault(file.session_id, []).append(file)
    for session_id, files in claimed.items():
        keeper = max(files, key=_claim)
        for file in files:
            own = session_id if file is keeper else variant_id(session_id, file.name, _stem(file.path.name))
            yield replace(file, session_id=own)


def _claim(file: FoundFile) -> tuple[bool, bool, str, str]:
    """How good a claim to its id a file has: still written to, named after it, ended last."""
    named_after_it = file.name.plain and file.name.session_id == file.session_id
    return file.name.kind is FileKind.LIVE, named_after_it, file.name.ended_at, file.path.name


def _stem(name: str) -> str:
    return name.partition(".jsonl")[0]
