"""Learning, contradictions, and what the user decides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.profile.changes import Change, Said, accept, conflicts, learn, put, reject
from totalrecall.memory.profile.document import Data, fresh, value_at
from totalrecall.memory.profile.fields import FIELDS, Field, checked, find_field

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MONDAY = Said("2026-03-02T12:00:00+00:00", "main", "note-1")
FRIDAY = Said("2026-03-06T12:00:00+00:00", "main", "note-2")


def field(name: str) -> Field:
    """A field by the last part of its path."""
    found = find_field(name)
    assert found is not None
    return found


def known(name: str, value: str) -> Data:
    """A profile that knows one thing."""
    return learn(fresh(NOW), field(name), value, MONDAY).data


def test_what_is_unknown_is_learnt_with_when_and_where() -> None:
    """The value, its time and its source are kept."""
    data = known("timezone", "Europe/Lisbon")
    assert data["identity"]["timezone"] == "Europe/Lisbon"
    assert data["meta"]["field_updated"] == {"identity.timezone": MONDAY.at}
    assert data["meta"]["sources"]["identity.timezone"]["note"] == "note-1"


def test_a_contradiction_never_overwrites() -> None:
    """Old and new wait beside each other, each with where it was said."""
    done = learn(known("name", "Robin"), field("name"), "Alex", FRIDAY)
    assert done.change is Change.CONFLICT
    assert value_at(done.data, "identity.name") == "Robin"
    (waiting,) = conflicts(done.data)
    assert (waiting["old"], waiting["new"]) == ("Robin", "Alex")
    assert (waiting["old_said"]["note"], waiting["new_said"]["note"]) == ("note-1", "note-2")


def test_the_same_contradiction_waits_once() -> None:
    """Said again, it is not asked about twice."""
    once = learn(known("name", "Robin"), field("name"), "Alex", FRIDAY).data
    again = learn(once, field("name"), "alex", FRIDAY)
    assert again.change is Change.CONFLICT or again.data == once
    third = learn(once, field("name"), "Alex", FRIDAY)
    assert third.change is Change.KNOWN
    assert len(conflicts(third.data)) == 1


def test_accepting_takes_the_new_value_and_rejecting_keeps_the_old_for_good() -> None:
    """Either way nothing waits any more, and a rejected value is not asked about again."""
    held = learn(known("name", "Robin"), field("name"), "Alex", FRIDAY).data
    number = conflicts(held)[0]["id"]
    taken = accept(held, number)
    assert taken is not None
    assert (value_at(taken, "identity.name"), conflicts(taken)) == ("Alex", [])
    kept = reject(held, number)
    assert kept is not None
    assert (value_at(kept, "identity.name"), conflicts(kept)) == ("Robin", [])
    assert learn(kept, field("name"), "Alex", FRIDAY).change is Change.KNOWN
    assert accept(held, "nothing") is None
    assert reject(held, "nothing") is None


def test_what_the_user_sets_replaces_and_settles() -> None:
    """A value given by hand is no contradiction."""
    held = learn(known("name", "Robin"), field("name"), "Alex", FRIDAY).data
    done = put(held, field("name"), "Sam", FRIDAY)
    assert (value_at(done, "identity.name"), conflicts(done)) == ("Sam", [])


def test_a_preset_value_is_nobodys_word() -> None:
    """English and 15 minutes stand in every fresh profile and contradict nothing."""
    done = learn(fresh(NOW), field("language"), "de", MONDAY)
    assert (done.change, value_at(done.data, "identity.language")) == (Change.ADDED, "de")
    assert learn(done.data, field("language"), "fr", FRIDAY).change is Change.CONFLICT


def test_lists_grow_and_hold_each_item_once() -> None:
    """Another tool contradicts none; the same one in other letters is the same."""
    data = learn(known("tools", "uv"), field("tools"), "ruff", FRIDAY).data
    again = learn(data, field("tools"), "UV", FRIDAY)
    assert (again.change, value_at(again.data, "preferences.work.tools")) == (Change.KNOWN, ["uv", "ruff"])


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("email_tone", "Formal", "formal"),
        ("response_length", "concise", "concise"),
        ("protected_hours", "0:00-9:30", "00:00–09:30"),
        ("protected_hours", "12 to 13", "12:00–13:00"),
        ("buffer_between_meetings_minutes", "20", 20),
        ("start", "9", "09:00"),
        ("end", "1730", "17:30"),
        ("timezone", "Asia/Shanghai", "Asia/Shanghai"),
        ("language", "zh-CN", "zh-CN"),
        ("sign_off", "  Best,  R. ", "Best, R."),
    ],
)
def test_values_are_stored_in_one_form(name: str, raw: str, value: object) -> None:
    """What means the same is written the same."""
    assert checked(field(name), raw) == value


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("email_tone", "angry"), ("response_length", "short"), ("protected_hours", "mornings"), ("start", "25"),
        ("start", "24:30"), ("buffer_between_meetings_minutes", "-1"), ("buffer_between_meetings_minutes", "2000"),
        ("timezone", "Mars/Olympus"), ("language", "english!"), ("name", " "), ("name", "x" * 201),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(name: str, raw: str) -> None:
    """With what the field takes."""
    with pytest.raises(ValueError, match=r"."):
        checked(field(name), raw)


def test_fields_are_found_by_path_and_by_an_unambiguous_ending() -> None:
    """``tools`` is one field, an unknown name is none."""
    assert {find_field(one.path) for one in FIELDS} == set(FIELDS)
    assert field("tools").path == "preferences.work.tools"
    assert find_field("episodic") is None


@given(
    st.lists(st.tuples(st.sampled_from(FIELDS), st.sampled_from(["a", "b", "c"]), st.booleans()), max_size=12)
)
def test_learning_never_takes_a_value_away(steps: list[tuple[Field, str, bool]]) -> None:
    """Whatever is learnt in whatever order: a value that was there stays until the user says otherwise."""
    data = fresh(NOW)
    for one, value, _ in steps:
        before = value_at(data, one.path)
        after = learn(data, one, value, FRIDAY).data
        now = value_at(after, one.path)
        if one.is_list:
            assert set(before) <= set(now)
        elif before and one.path in (data["meta"].get("field_updated") or {}):
            assert now == before
        data = after
