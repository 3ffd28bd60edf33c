"""Our block in ``MEMORY.md``, its settings, and what may be written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.domain.distilled import Theme
from totalrecall.errors import MemoryFileError
from totalrecall.memory.long_term.block import (
    BEGIN,
    END,
    Entry,
    LongTerm,
    TornBlockError,
    read_long_term,
    render_long_term,
)
from totalrecall.memory.long_term.merging import Likeness, fitted, merge
from totalrecall.memory.long_term.settings_file import BadSettingsError, rendered, settings_from
from totalrecall.memory.long_term.territory import Territory

DAY = date(2026, 2, 14)
WORDS = st.text("abc äß数据🔴", min_size=1, max_size=12).map(str.strip).filter(bool)
ENTRIES = st.lists(
    st.builds(
        Entry, st.sampled_from(Theme), WORDS.map(lambda text: f"x{text}x"), st.sampled_from([None, DAY])
    ),
    max_size=8,
)
FOREIGN = st.text("ab\r\n#- *", max_size=30).filter(lambda text: BEGIN not in text)
LIKENESS = Likeness(
    lambda new, old: new == old,
    lambda new, old: (
        old.split(" is ")[1]
        if " is " in old and new.split(" is ")[0] == old.split(" is ")[0] and new != old
        else ""
    ),
)


@given(FOREIGN, FOREIGN, ENTRIES, st.sampled_from(["en", "zh"]))
def test_what_others_wrote_stays_byte_for_byte(
    before: str, after: str, entries: list[Entry], language: str
) -> None:
    """Around the block nothing changes, and the block reads back as it was written."""
    text = render_long_term(LongTerm(before, after, tuple(entries), present=True), language)
    again = read_long_term(text)
    assert (again.before, again.after) == (before, after)
    assert sorted(again.entries, key=str) == sorted(entries, key=str)
    assert render_long_term(again, language) == text


@given(FOREIGN, ENTRIES)
def test_a_file_without_our_block_gets_it_at_its_end(text: str, entries: list[Entry]) -> None:
    """What stood there stands there, and a second time nothing changes."""
    grown = render_long_term(replace(read_long_term(text), entries=tuple(entries)), "en")
    assert grown.startswith(text)
    again = read_long_term(grown)
    assert again.present
    assert render_long_term(again, "en") == grown


def test_an_empty_memory_is_a_skeleton_in_either_language() -> None:
    """Each theme with its mark to be filled."""
    english, chinese = (render_long_term(LongTerm("", ""), language) for language in ("en", "zh"))
    assert [line for line in english.splitlines() if line.startswith("##")] == [
        "## Core", "## Agreements", "## Project status", "## Environment", "## Timeline",
    ]  # fmt: skip
    assert english.count("(to be filled)") == 5
    assert [line[3:] for line in chinese.splitlines() if line.startswith("##")] == [
        "核心",
        "协议",
        "项目状态",
        "环境备忘",
        "关键时间线",
    ]
    assert chinese.count("（待填充）") == 5


def test_what_a_person_writes_into_the_block_is_kept() -> None:
    """Their items, their prose and their dates."""
    text = f"{BEGIN}\n## Core\n\n- my own line\n* another (since 2026-01-02)\nsome prose\n{END}"
    memory = read_long_term(text)
    assert [(one.text, one.since) for one in memory.entries] == [
        ("my own line", None),
        ("another", date(2026, 1, 2)),
    ]
    shown = render_long_term(memory, "en")
    assert "- my own line\n- another (since 2026-01-02)\nsome prose\n" in shown


@pytest.mark.parametrize(
    "text", [BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}", f"{BEGIN}{END}{BEGIN}{END}"]
)
def test_a_torn_block_is_left_alone(text: str) -> None:
    """Nobody can tell what is ours."""
    with pytest.raises(TornBlockError):
        read_long_term(text)


def test_crlf_stays_crlf() -> None:
    """Also inside the block."""
    text = render_long_term(replace(read_long_term("# Mine\r\n"), entries=(Entry(Theme.CORE, "a"),)), "en")
    assert "\n" not in text.replace("\r\n", "")
    assert read_long_term(text).entries == (Entry(Theme.CORE, "a"),)


def at(day: int) -> date:
    """A day in February."""
    return date(2026, 2, day)


def test_repeated_facts_stand_once_and_the_newest_of_contradicting_ones_wins() -> None:
    """With what it replaced and since when; an older value does not come back."""
    known = [Entry(Theme.CORE, "port is 1", at(1)), Entry(Theme.CORE, "a", at(1))]
    new = [
        Entry(Theme.STATUS, "port is 2", at(5)),
        Entry(Theme.CORE, "a", at(6)),
        Entry(Theme.CORE, "b", at(2)),
    ]
    found = merge(known, new, LIKENESS)
    assert [(one.theme, one.text, one.since) for one in found.entries] == [
        (Theme.CORE, "port is 2 (replaces: 1)", at(5)), (Theme.CORE, "a", at(1)), (Theme.CORE, "b", at(2)),
    ]  # fmt: skip
    assert (len(found.added), len(found.repeated), len(found.superseded)) == (2, 1, 1)
    older = merge([Entry(Theme.CORE, "port is 2", at(5))], [Entry(Theme.CORE, "port is 1", at(3))], LIKENESS)
    assert [one.text for one in older.entries] == ["port is 2"]


@given(ENTRIES, ENTRIES)
def test_merging_twice_is_merging_once(known: list[Entry], new: list[Entry]) -> None:
    """A rerun after a crash adds nothing."""
    once = merge(known, new, LIKENESS)
    assert merge(once.entries, new, LIKENESS).entries == once.entries


def test_what_is_too_long_loses_its_oldest_dated_entries_and_never_an_agreement() -> None:
    """Timeline first; foreign text is not cut."""
    entries = (
        Entry(Theme.AGREEMENTS, "agreed", at(1)), Entry(Theme.TIMELINE, "old", at(2)), Entry(Theme.TIMELINE, "new", at(3)),
        Entry(Theme.STATUS, "undated"),
    )  # fmt: skip
    memory = LongTerm("x" * 100, "", entries)
    whole = len(render_long_term(memory, "en"))
    assert fitted(memory, "en", whole, len) == (memory, [])
    shorter, gone = fitted(memory, "en", whole - 1, len)
    assert [one.text for one in gone] == ["old"]
    least, gone = fitted(memory, "en", 10, len)
    assert [one.text for one in gone] == ["old", "new"]
    assert [one.text for one in least.entries] == ["agreed", "undated"]
    assert least.before == memory.before
    assert shorter.before == memory.before


def test_settings_have_defaults_and_keep_what_they_do_not_know() -> None:
    """Every key of the format, and the user's own."""
    found = settings_from({"retentionDays": 30, "mine": 1, "autoWrite": None})
    assert (found.retention_days, found.auto_write, found.auto_clean, found.maintain_every) == (
        30,
        False,
        False,
        7,
    )
    assert (found.schedule, found.last_distill) == ("0 22 * * *", None)
    written = json.loads(rendered(found.raw, lastDistill="2026-02-14"))
    assert list(written)[:2] == ["retentionDays", "mine"]
    assert (written["lastDistill"], written["sensitivePatterns"], written["retentionDays"]) == (
        "2026-02-14",
        [],
        30,
    )
    assert settings_from(written).last_distill == DAY


@pytest.mark.parametrize(
    "wrong",
    [
        {"retentionDays": 0}, {"retentionDays": "90"}, {"retentionDays": True}, {"maintainEvery": -1},
        {"autoWrite": "yes"}, {"autoClean": 1}, {"schedule": "daily"}, {"schedule": 22}, {"lastDistill": "soon"},
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_named(wrong: dict[str, object]) -> None:
    """With what they take."""
    with pytest.raises(BadSettingsError, match=next(iter(wrong))):
        settings_from(wrong)


AREA = Territory(Path("/w"), Path("/w/memory"))


def test_only_four_kinds_of_files_may_be_written() -> None:
    """``MEMORY.md``, daily logs, the archive, the settings."""
    for name in (
        "MEMORY.md",
        "distill-config.json",
        "memory/2026-02-14.md",
        "memory/archive/MEMORY-20260214.md",
        "memory/archive/2026/2026-02-14.md",
    ):
        assert AREA.allowed(Path("/w") / name) == Path("/w") / name


@given(
    st.lists(
        st.sampled_from(
            [
                "..",
                "memory",
                "archive",
                "MEMORY.md",
                "x.md",
                "AGENTS.md",
                "SOUL.md",
                "sessions",
                "x.json",
                ".",
            ]
        ),
        max_size=5,
    )
)
def test_nothing_else_can_be(parts: list[str]) -> None:
    """Whatever the path looks like, what is allowed lies where it may."""
    path = Path("/w").joinpath(*parts)
    try:
        allowed = AREA.allowed(path)
    except MemoryFileError:
        return
    plain = Path(allowed)
    inside = plain.parent == Path("/w/memory") and plain.suffix == ".md"
    assert (
        plain in {Path("/w/MEMORY.md"), Path("/w/distill-config.json")}
        or inside
        or Path("/w/memory/archive") in plain.parents
    )
    assert ".." not in plain.parts
