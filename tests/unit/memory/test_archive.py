"""The archive: what left the log is there once, until an undo brings it back."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from totalrecall.memory.archive import ArchivedNote, archive, archive_files, archive_return, read_archive

AT = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def note(number: int, reflection: str = "aaaaaaaa", agent: str = "main") -> ArchivedNote:
    """A note that left."""
    return ArchivedNote(
        AT, "aged", f"- 🟢 10:00 [event] note {number}\n  - 🟢 child", date(2026, 2, 14), (f"bbbbbbbb-{number}",),
        "bbbbbbbb", "", reflection, number, agent,
    )  # fmt: skip


def bare(found: ArchivedNote) -> ArchivedNote:
    """Without the place in the file."""
    return replace(found, path=None, file_line=0)


def test_what_left_is_found_again_with_all_its_facts(tmp_path: Path) -> None:
    """Lines verbatim, children included; the file is named by the month of leaving and private."""
    archive(tmp_path / "archive", [note(1), replace(note(2), reason="merged", into="aaaaaaaa-0")])
    (path,) = archive_files(tmp_path / "archive")
    assert path.name == "observations-2026-11.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = list(read_archive(tmp_path / "archive"))
    assert [bare(one) for one in found] == [note(1), replace(note(2), reason="merged", into="aaaaaaaa-0")]
    assert [(one.path, one.file_line) for one in found] == [(path, 1), (path, 2)]
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0])["into"] is None


def test_a_second_time_adds_nothing(tmp_path: Path) -> None:
    """A run that was cut short after the archive does it again: each note is there once, also next month."""
    archive(tmp_path, [note(1), note(2)])
    archive(tmp_path, [replace(one, left_at=AT.replace(month=12)) for one in (note(1), note(2))])
    archive(tmp_path, [note(1, agent="second")])
    assert [(one.number, one.agent) for one in read_archive(tmp_path)] == [
        (1, "main"),
        (2, "main"),
        (1, "second"),
    ]


def test_what_returned_is_not_in_the_archive_any_more(tmp_path: Path) -> None:
    """Only the notes that an undo brought back, of that agent's reflection."""
    archive(tmp_path, [note(1), note(2)])
    archive(tmp_path, [note(1, "cccccccc")])
    for _ in range(2):
        archive_return(tmp_path, AT, "aaaaaaaa", [1], "main")
    assert [(one.reflection, one.number) for one in read_archive(tmp_path)] == [
        ("aaaaaaaa", 2),
        ("cccccccc", 1),
    ]
    assert len(archive_files(tmp_path)[0].read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize(
    "broken", [b"{", b"[1]", b'{"left": "yesterday"}', b'{"left": 3, "line": []}', b"\xff\xfe", b""]
)
def test_a_broken_line_is_that_line_s_problem(tmp_path: Path, broken: bytes) -> None:
    """Half a line of another program takes nothing else with it; what is added begins a line of its own."""
    (tmp_path / "observations-2026-11.jsonl").write_bytes(broken)
    archive(tmp_path, [note(1)])
    assert [bare(one) for one in read_archive(tmp_path)] == [note(1)]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """No folder is no archive; a file of another name is not read."""
    assert list(read_archive(tmp_path / "none")) == []
    (tmp_path / "observations-2026-11.jsonl.bak").write_text('{"left": "2026-11-30T00:00:00+00:00"}\n')
    assert list(read_archive(tmp_path)) == []
