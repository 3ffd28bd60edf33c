"""Searching everything that is remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab import Lab
from totalrecall.errors import ConfigError
from totalrecall.jobs.search import SearchOptions, SearchResult, search
from totalrecall.memory.passages import PassageKind


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent with a memory of every kind."""
    made = Lab(tmp_path)
    made.adopt()
    made.say("The codename of the shop is Falcon.", "Private: the falcon budget. #offtherecord")
    made.observe()
    memory = made.workspace / "memory"
    (made.workspace / "MEMORY.md").write_text("# Memory\n\n- Falcon goes live in May\n", encoding="utf-8")
    (made.workspace / "SESSION_STATE.md").write_text('---\ntask: "test falcon"\n---\n', encoding="utf-8")
    (made.workspace / "state").mkdir()
    (made.workspace / "state" / "shop.md").write_text('---\ntask: "falcon images"\n---\n', encoding="utf-8")
    (memory / "2026-02-13.md").write_text("- talked about falcon\n", encoding="utf-8")
    (memory / "archive" / "2026").mkdir(parents=True)
    (memory / "archive" / "2026" / "2026-01-02.md").write_text("- old falcon talk\n", encoding="utf-8")
    (memory / "archive" / "MEMORY-20260101.md").write_text("- Falcon goes live in May\n", encoding="utf-8")
    (memory / "observation-backups").mkdir()
    (memory / "observation-backups" / "observations-1.md").write_text("- falcon\n", encoding="utf-8")
    return made


def found(lab: Lab, text: str, **options: bool) -> SearchResult:
    """The result of one search."""
    with lab.context() as ctx:
        return search(ctx, SearchOptions(text, **options))


def test_every_kind_of_memory_is_searched_and_backups_are_not(lab: Lab) -> None:
    """One answer from each file, none from copies, and the archive only when asked for."""
    names = sorted(Path(one.file).name for one in found(lab, "falcon").hits)
    assert names == ["2026-02-13.md", "MEMORY.md", "SESSION_STATE.md", "observations.md", "shop.md"]
    names = sorted(Path(one.file).name for one in found(lab, "falcon", archive=True).hits)
    assert names == [
        "2026-01-02.md",
        "2026-02-13.md",
        "MEMORY.md",
        "SESSION_STATE.md",
        "observations.md",
        "shop.md",
    ]


def test_the_talk_itself_is_searched_when_asked_for_without_what_is_off_the_record(lab: Lab) -> None:
    """A message is found with its time; one that was kept off the record is not."""
    hits = [one for one in found(lab, "falcon", transcripts=True).hits if one.kind is PassageKind.MESSAGE]
    assert [one.text for one in hits] == ["user: The codename of the shop is Falcon."]
    assert hits[0].day is not None
    assert hits[0].time


@pytest.mark.report("R088", "R089")
def test_what_is_shown_is_screened(lab: Lab) -> None:
    """A secret that the agent wrote into its own daily log is not repeated."""
    key = "sk-or-v1-" + "0a" * 32
    (lab.workspace / "memory" / "2026-02-14.md").write_text(f"- falcon key {key}\n", encoding="utf-8")
    result = found(lab, "falcon key")
    assert key not in json.dumps([one.text for one in result.hits])
    assert any("falcon key" in one.text for one in result.hits)


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_searched(lab: Lab) -> None:
    """A folder with a file's name is named, and nothing else is lost."""
    (lab.workspace / "memory" / "2026-02-15.md").mkdir()
    result = found(lab, "falcon")
    assert [Path(one).name for one in result.unreadable] == ["2026-02-15.md"]
    assert len(result.hits) == 5


def test_bytes_that_are_no_text_are_searched_all_the_same(lab: Lab) -> None:
    """A damaged byte does not hide its line."""
    (lab.workspace / "memory" / "2026-02-16.md").write_bytes(b"\xef\xbb\xbf- zeppelin \xff\xfe here\r\n")
    (hit,) = found(lab, "zeppelin").hits
    assert (hit.line, hit.text) == (1, "- zeppelin �� here")


def test_a_question_without_a_word_is_refused(lab: Lab) -> None:
    """Signs alone are no question."""
    with pytest.raises(ConfigError, match="no word"):
        found(lab, "?!")


def test_searching_changes_nothing(lab: Lab) -> None:
    """Not a byte of the memory is touched."""
    before = {path: path.read_bytes() for path in lab.workspace.rglob("*") if path.is_file()}
    found(lab, "falcon", archive=True, transcripts=True)
    assert {path: path.read_bytes() for path in lab.workspace.rglob("*") if path.is_file()} == before
