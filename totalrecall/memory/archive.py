"""``memory/archive/observations-YYYY-MM.jsonl``: notes that left the log, with date, reason and lineage.

The agent does not index these files, so that what left does not come back by its search. One JSON object a
line: a note that left (``left``, ``reason``, ``line``, ``day``, ``notes``, ``marker``, ``into``,
``reflection``, ``number``, ``agent``), or that an undo brought notes back (``returned``, ``reflection``,
``numbers``, ``agent``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from totalrecall.files.append import append
from totalrecall.files.atomic import read_state

FOLDER_NAME = "archive"
_NAME = re.compile(r"observations-\d{4}-\d{2}\.jsonl")


@dataclass(frozen=True, slots=True)
class ArchivedNote:
    """A note that left the log.

    Attributes:
        left_at: when, in the user's zone.
        reason: ``merged``, or why it was dropped.
        line: its line with those of its children, as they stood.
        day: the day it stood under.
        note_ids: the ledger's names for it.
        marker: the block it stood in.
        into: the ledger's name for the note that says it now, "".
        reflection: the marker of the reflection that took it out.
        number: its number in that reflection.
        agent: whose ledger knows it.
        path: the file it was read from; set by ``read_archive``.
        file_line: its line in that file, from 1.
    """

    left_at: datetime
    reason: str
    line: str
    day: date
    note_ids: tuple[str, ...]
    marker: str
    into: str
    reflection: str
    number: int
    agent: str = ""
    path: Path | None = None
    file_line: int = 0


def archive_folder(memory_dir: Path) -> Path:
    """Where the archive of a memory folder is."""
    return memory_dir / FOLDER_NAME


def archive(folder: Path, notes: Sequence[ArchivedNote]) -> None:
    """All the notes are in the archive afterwards, once: those of one reflection come in one write.

    Raises MemoryFileError.
    """
    if notes and not _mentions(folder, "left", notes[0].reflection, notes[0].agent):
        _append(folder, notes[0].left_at, [_said(one) for one in notes])


def archive_return(
    folder: Path, at: datetime, reflection: str, numbers: Sequence[int], agent: str = ""
) -> None:
    """Say in the archive that notes of a reflection are back in the log, once.

    Raises MemoryFileError.
    """
    if numbers and not _mentions(folder, "returned", reflection, agent):
        said = {
            "returned": at.isoformat(timespec="seconds"),
            "reflection": reflection,
            "numbers": list(numbers),
            "agent": agent,
        }
        _append(folder, at, [said])


def read_archive(folder: Path) -> Iterator[ArchivedNote]:
    """Every note that left the log and is not back, oldest file first; broken lines are passed by."""
    found: list[ArchivedNote] = []
    returned: set[tuple[str, str, int]] = set()
    for path, number, said in _lines(folder):
        if "returned" in said:
            numbers = said.get("numbers")
            for one in numbers if isinstance(numbers, list) else ():
                returned.add((str(said.get("agent", "")), str(said.get("reflection", "")), one))
        elif (note := _note(said, path, number)) is not None:
            found.append(note)
    return (one for one in found if (one.agent, one.reflection, one.number) not in returned)


def archive_files(folder: Path) -> list[Path]:
    """The archive's files, oldest month first."""
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if _NAME.fullmatch(one.name))


def _append(folder: Path, at: datetime, lines: Sequence[dict[str, Any]]) -> None:
    text = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)
    append(folder / f"observations-{at:%Y-%m}.jsonl", text.encode("utf-8", "replace"))


def _mentions(folder: Path, kind: str, reflection: str, agent: str) -> bool:
    return any(
        kind in said and said.get("reflection") == reflection and said.get("agent", "") == agent
        for _, _, said in _lines(folder)
    )


def _lines(folder: Path) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    for path in archive_files(folder):
        content = read_state(path).content or b""
        for number, raw in enumerate(content.split(b"\n"), 1):
            try:
                said = json.loads(raw)
            except ValueError:
                # An empty end, or a line that somebody else wrote or cut.
                continue
            if isinstance(said, dict):
                yield path, number, said


def _said(note: ArchivedNote) -> dict[str, Any]:
    return {
        "left": note.left_at.isoformat(timespec="seconds"),
        "reason": note.reason,
        "line": note.line,
        "day": note.day.isoformat(),
        "notes": list(note.note_ids),
        "marker": note.marker,
        "into": note.into or None,
        "reflection": note.reflection,
        "number": note.number,
        "agent": note.agent,
    }


def _note(said: dict[str, Any], path: Path, number: int) -> ArchivedNote | None:
    try:
        return ArchivedNote(
            left_at=datetime.fromisoformat(said["left"]),
            reason=str(said["reason"]),
            line=str(said["line"]),
            day=date.fromisoformat(said["day"]),
            note_ids=tuple(str(one) for one in said.get("notes") or ()),
            marker=str(said.get("marker") or ""),
            into=str(said.get("into") or ""),
            reflection=str(said.get("reflection") or ""),
            number=int(said.get("number") or 0),
            agent=str(said.get("agent") or ""),
            path=path,
            file_line=number,
        )
    except (KeyError, TypeError, ValueError):
        return None
