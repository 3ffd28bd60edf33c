"""The reflector without a model: certain things only."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.reflector import TODAY as LOG_TODAY
from tests.fakes.reflector import long_log
from tests.unit.reflection.notes import CONTEXT, EVENT, FACT, GREEN, RED, TODAY, YELLOW, items, note
from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.llm.reflection.protect import protection
from totalrecall.llm.reflection.ranges import newest
from totalrecall.llm.reflection.rules import ExtractiveReflector
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import (
    Author,
    Dropped,
    DropReason,
    Item,
    Reflection,
    ReflectionRequest,
)
from totalrecall.llm.reflection.whole import broken


def reflected(log: tuple[Item, ...]) -> Reflection:
    """The outcome by rules."""
    return ExtractiveReflector().reflect(ReflectionRequest(log, TODAY, "main"))


def left(log: tuple[Item, ...], outcome: Reflection) -> list[Note]:
    """The notes that are there afterwards, by day."""
    by_number = {item.number: item.note for item in log}
    notes = [by_number[number] for number in outcome.kept] + [one.note for one in outcome.merged]
    return sorted(notes, key=lambda one: (one.day, one.time, one.text))


@pytest.mark.report("R072")
def test_the_same_fact_said_twice_is_there_once() -> None:
    """Exact and near duplicates leave for the one that says it all; others stay."""
    log = items(
        note("Atlas listens on port 8443", ago=20),
        note("atlas listens on port 8443.", ago=18),
        note("User has a cat called Mia and she is allergic to fish", ago=17),
        note("User has a cat called Mia and she is allergic to tinned fish", ago=15),
        note("Atlas listens on port 8444", ago=10),
        note("Marigold listens on port 8443", ago=10),
    )
    outcome = reflected(log)
    assert outcome.dropped == (
        Dropped(1, DropReason.DUPLICATE, 2),
        Dropped(3, DropReason.DUPLICATE, 4),
    )
    assert outcome.kept == (2, 4, 5, 6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Ana approved the design of the login page of atlas",
            "Ana approved the design of the signup page of atlas",
        ),
        ("Ana beat Ben at chess", "Ben beat Ana at chess"),
        ("Rows are deleted after a week by the job", "Rows are not deleted after a week by the job"),
        ("Backup 1 finished at 10", "Backup 2 finished at 10"),
        ("Pull request 12 is merged", "Pull request 13 is merged"),
        ("Dentist tomorrow", "Dentist in two days"),
        ("Server A is the mail server", "Server B is the mail server"),
        ("Limit of atlas is -5 degrees", "Limit of atlas is 5 degrees"),
        ("温度是-5度", "温度是5度"),
    ],
)
def test_what_only_looks_alike_stays(one: str, other: str) -> None:
    """Other names, numbers, order, negation, days: two things."""
    log = items(note(one, ago=20), note(other, ago=19))
    assert not reflected(log).changes


def test_a_duplicate_never_costs_sign_or_life() -> None:
    """What stays has the highest sign and the latest day of those that said it; a person's words stay themselves."""
    log = items(note("Cellar is dry", sign=GREEN, ago=9), note("Cellar is dry", sign=YELLOW, ago=40))
    (merged,) = reflected(log).merged
    assert (merged.note.priority, merged.note.day, merged.stands_for) == (YELLOW, log[0].note.day, (1, 2))
    mine = items(note("Cellar is dry", sign=GREEN, ago=40), note("Cellar is dry", ago=9), persons=[1])
    outcome = reflected(mine)
    assert 1 in outcome.kept


def test_a_value_leaves_when_the_newer_note_names_it() -> None:
    """Only with "replaces", only for the rest of the same words, only of the same kind, only backwards."""
    old = note("Deploys go through staging", NoteType.DECISION, RED, ago=60)
    new = note(
        "Deploys go straight to production (replaces: through staging)", NoteType.DECISION, RED, ago=20
    )
    assert reflected(items(old, new)).dropped == (Dropped(1, DropReason.SUPERSEDED, 2),)
    for changed in (
        replace(new, type=NoteType.EVENT),
        replace(new, text="Deploys go straight to production"),
        replace(new, text="Mails go straight to production (replaces: through staging)"),
        replace(new, day=old.day - timedelta(days=1)),
    ):
        assert not reflected(items(old, changed)).dropped
    assert not reflected(
        items(replace(old, text="Deploys go through staging after Jonas looked"), new)
    ).dropped


def test_a_task_leaves_when_a_later_note_says_in_its_words_that_it_is_done() -> None:
    """Certain words only; what is close stays open."""
    task = note("renew TLS certificate of quarry", NoteType.TASK, ago=9)
    done = note("TLS certificate of quarry renewed", EVENT, ago=4)
    assert reflected(items(task, done)).dropped == (Dropped(1, DropReason.RESOLVED, 2),)
    assert not reflected(items(task, replace(done, text="TLS certificate renewed"))).dropped
    assert not reflected(
        items(task, replace(done, text="TLS certificate of quarry: renewing failed"))
    ).dropped


def test_old_notes_leave_by_age_and_the_newest_are_not_touched() -> None:
    """An event of two weeks leaves; a duplicate among the newest days stays."""
    log = items(
        note("Ants in the kitchen", EVENT, ago=15),
        note("Rain in the yard", EVENT, ago=1, time="08:00"),
        note("Rain in the yard", EVENT, ago=1, time="09:00"),
    )
    outcome = reflected(log)
    assert outcome.dropped == (Dropped(1, DropReason.AGED),)
    assert outcome.kept == (2, 3)


def _said_anything() -> st.SearchStrategy[tuple[Item, ...]]:
    words = st.sampled_from(
        [
            "atlas",
            "Ana",
            "8443",
            "not",
            "done",
            "port",
            "tomorrow",
            "(replaces: port)",
            "2026-07-09",
            "the",
            "端口",
            "renewed",
        ]
    )
    texts = st.lists(words, min_size=1, max_size=5).map(" ".join)
    kinds = st.sampled_from([*NoteType, None])
    notes = st.builds(
        note,
        texts,
        kinds,
        st.sampled_from(list(Priority)),
        ago=st.integers(-2, 120),
        time=st.sampled_from(["", "09:00", "17:30"]),
    )
    authors = st.sampled_from([Author.OURS, Author.OURS, Author.PERSON])
    return st.lists(st.tuples(notes, authors), max_size=25).map(
        lambda found: tuple(Item(number, one, author) for number, (one, author) in enumerate(found, 1))
    )


@settings(max_examples=250, deadline=None)
@given(_said_anything())
def test_whatever_the_log_nothing_is_lost_and_a_second_run_changes_nothing(log: tuple[Item, ...]) -> None:
    """The numbers are partitioned, protected notes are accounted for, and the rules come to rest at once."""
    request = ReflectionRequest(log, TODAY, "main", word_limit=60)
    outcome = ExtractiveReflector().reflect(request)
    assert outcome == ExtractiveReflector().reflect(request)
    assert broken(request, outcome) == ()
    texts = {said(one) for one in left(log, outcome)}
    fresh = newest(log, TODAY, 60)
    assert all(
        said(item.note) in texts for item in log if item.author is Author.PERSON or item.number in fresh
    )
    again = tuple(
        [item for item in log if item.number in outcome.kept]
        + [Item(one.stands_for[-1], one.note) for one in outcome.merged]
    )
    second = ExtractiveReflector().reflect(ReflectionRequest(again, TODAY, "main", word_limit=60))
    if newest(again, TODAY, 60) == fresh:
        assert not second.changes


@pytest.mark.report("R072")
def test_a_long_log_gets_short_without_a_model_and_keeps_what_must_stay() -> None:
    """12,000 words of talk and routine: each text that must stay is still there."""
    log = long_log()
    request = ReflectionRequest(log.items, LOG_TODAY, "main")
    outcome = ExtractiveReflector().reflect(request)
    texts = {" ".join(said(one).casefold().rstrip(".!").split()) for one in left(log.items, outcome)}
    replaced = {
        one.number for one in outcome.dropped if one.reason in {DropReason.SUPERSEDED, DropReason.RESOLVED}
    }
    for item in log.items:
        if item.number in log.must_stay - replaced:
            assert " ".join(said(item.note).casefold().rstrip(".!").split()) in texts
    assert len(replaced) <= 5
    free = [item for item in log.items if protection(item, LOG_TODAY) is None]
    assert len(outcome.kept) + len(outcome.merged) < len(log.items) - len(free) * 0.4
    assert broken(request, outcome) == ()


def test_a_context_is_no_duplicate_of_a_fact() -> None:
    """The type is part of what a note says."""
    log = items(note("Atlas has port 8443", FACT, ago=9), note("Atlas has port 8443", CONTEXT, ago=8))
    assert not reflected(log).changes


@pytest.mark.parametrize("kind", [NoteType.RULE, NoteType.TASK, NoteType.PREFERENCE])
def test_two_protected_notes_in_about_the_same_words_stop_nothing(kind: NoteType) -> None:
    """Both stay word for word, and the rest of the log is consolidated all the same."""
    log = items(
        note("Never push to main of the atlas repo", kind, ago=60),
        note("Never push to main of atlas repo", kind, ago=50),
        note("Went for lunch", EVENT, GREEN, ago=40),
    )
    outcome = reflected(log)
    assert broken(ReflectionRequest(log, TODAY, "main"), outcome) == ()
    assert outcome.dropped == (Dropped(3, DropReason.AGED),)
