"""The three questions by rules, and what a model may say about them."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.domain.distilled import Candidate, Judged, Level, Sort, Theme
from totalrecall.domain.note import NoteType, Priority
from totalrecall.llm.distill_reader import read_levels
from totalrecall.llm.extractive.levels import judge

DAY = date(2026, 3, 2)
HIGH, MEDIUM, LOW = Priority.HIGH, Priority.MEDIUM, Priority.LOW


def candidate(
    text: str, kind: NoteType | None = None, priority: Priority | None = MEDIUM, number: int = 1
) -> Candidate:
    """A note to be judged."""
    return Candidate(number, text, DAY, "12:00", kind, priority)


@pytest.mark.parametrize(
    ("text", "kind", "priority", "level", "theme"),
    [
        ("Never deploy on Fridays", NoteType.RULE, HIGH, Level.CORE, Theme.AGREEMENTS),
        ("We decided to keep PostgreSQL 16", NoteType.DECISION, HIGH, Level.CORE, Theme.AGREEMENTS),
        ("User prefers short answers", NoteType.PREFERENCE, MEDIUM, Level.CORE, Theme.CORE),
        ("Launch the shop in May", NoteType.GOAL, HIGH, Level.CORE, Theme.STATUS),
        ("User's name is Robin", NoteType.FACT, MEDIUM, Level.CORE, Theme.CORE),
        ("Sarah Chen is my boss", NoteType.FACT, MEDIUM, Level.CORE, Theme.CORE),
        ("The staging server is stage-2, port 8443", NoteType.FACT, MEDIUM, Level.CORE, Theme.ENVIRONMENT),
        ("代码仓库在 /home/lin/gateway", NoteType.FACT, MEDIUM, Level.CORE, Theme.ENVIRONMENT),
        ("Ich heiße Jonas, er ist mein Chef", NoteType.FACT, MEDIUM, Level.CORE, Theme.CORE),
        ("The test report has 12 pages", NoteType.FACT, MEDIUM, Level.DAILY, Theme.STATUS),
        ("Renew the certificate", NoteType.TASK, MEDIUM, Level.DAILY, Theme.STATUS),
        ("All 42 tests pass", NoteType.EVENT, LOW, Level.DAILY, Theme.TIMELINE),
        ("Your verification code is 482913", NoteType.FACT, MEDIUM, Level.TEMPORARY, Theme.STATUS),
        ("The download link expires in an hour", NoteType.CONTEXT, LOW, Level.TEMPORARY, Theme.STATUS),
        ("临时链接：今晚失效", NoteType.FACT, MEDIUM, Level.TEMPORARY, Theme.STATUS),
        ("The build is fixed", NoteType.CONTEXT, LOW, Level.TEMPORARY, Theme.STATUS),
    ],
)
def test_the_three_questions(
    text: str, kind: NoteType, priority: Priority, level: Level, theme: Theme
) -> None:
    """What lasts, what is of the day, what is nothing; and under which theme."""
    found = judge(candidate(text, kind, priority))
    assert (found.level, found.theme) == (level, theme)


def test_what_is_not_settled_is_marked() -> None:
    """A big event and an important fact without a place are for the user to decide."""
    assert not judge(candidate("The shop went live", NoteType.EVENT, HIGH)).sure
    assert not judge(candidate("The audit begins soon", NoteType.FACT, HIGH)).sure
    assert not judge(candidate("Coffee first", NoteType.PREFERENCE, LOW)).sure
    assert judge(candidate("Never deploy on Fridays", NoteType.RULE, HIGH)).sure


def test_entries_are_counted_as_decisions_tasks_and_facts() -> None:
    """By their type."""
    kinds = (NoteType.RULE, NoteType.DECISION, NoteType.TASK, NoteType.GOAL, NoteType.FACT, None)
    assert [candidate("x", one).sort for one in kinds] == [
        Sort.DECISION, Sort.DECISION, Sort.TASK, Sort.TASK, Sort.FACT, Sort.FACT,
    ]  # fmt: skip


@given(st.text(max_size=80), st.sampled_from([None, *NoteType]), st.sampled_from([None, *Priority]))
def test_any_note_has_a_level(text: str, kind: NoteType | None, priority: Priority | None) -> None:
    """Judging is total, and rules, decisions, preferences and goals last unless plainly temporary."""
    found = judge(candidate(text, kind, priority))
    if kind in {NoteType.RULE, NoteType.DECISION, NoteType.PREFERENCE, NoteType.GOAL}:
        assert found.level in {Level.CORE, Level.TEMPORARY}


BY_RULES = [
    judge(candidate("Never deploy on Fridays", NoteType.RULE, HIGH, 1)),
    judge(candidate("The test report has 12 pages", NoteType.FACT, MEDIUM, 2)),
]


def read(*items: object) -> list[Judged]:
    """The candidates as a model sorts them."""
    return read_levels(json.dumps(list(items)), BY_RULES)


def test_a_model_sorts_and_says_what_it_is_asked() -> None:
    """Level and theme are taken; a changed level is marked for the user."""
    found = read(
        {"n": 2, "level": "core", "theme": "environment"}, {"n": 1, "level": "core", "theme": "agreements"}
    )
    assert [(one.level, one.theme) for one in found] == [
        (Level.CORE, Theme.AGREEMENTS), (Level.CORE, Theme.ENVIRONMENT),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "item",
    [
        {"n": 1, "level": "temporary", "theme": "core"}, {"n": 9, "level": "core"}, {"n": "1", "level": "daily"},
        {"n": 1, "level": "gone"}, {"level": "daily"}, "1: daily", None, [1, "daily"], {"n": True, "level": "daily"},
    ],
)  # fmt: skip
def test_a_model_cannot_drop_what_the_user_laid_down(item: object) -> None:
    """A rule stays core whatever it says; wrong numbers, levels and shapes change nothing."""
    first = read(item)[0]
    assert (first.level, first.theme) == (Level.CORE, Theme.AGREEMENTS)
    assert [one.candidate for one in read(item)] == [one.candidate for one in BY_RULES]


@given(st.text(max_size=200))
def test_any_answer_sorts_every_candidate_once(text: str) -> None:
    """Nothing is lost and nothing added."""
    assert [one.candidate.number for one in read_levels(text, BY_RULES)] == [1, 2]
