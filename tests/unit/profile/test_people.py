"""Contacts, episodes, hygiene, summary, what matters for a task, and removal."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.profile.changes import Change, Said, conflicts, learn, put
from totalrecall.memory.profile.contacts import (
    Contact,
    Episode,
    contacts,
    episodes,
    learn_contact,
    people_named,
    put_contact,
    with_episode,
)
from totalrecall.memory.profile.document import Data, fresh, value_at, with_value
from totalrecall.memory.profile.fields import find_field
from totalrecall.memory.profile.hygiene import tidied
from totalrecall.memory.profile.relevant import relevant
from totalrecall.memory.profile.removal import matches, without
from totalrecall.memory.profile.summary import BEGINS, DAMAGED, ENDS, NOTHING, questions, summary

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
SAID = Said("2026-08-30T12:00:00+00:00", "main", "note-7")


def with_people(*people: Contact) -> Data:
    """A profile that knows these people."""
    data = fresh(NOW)
    for one in people:
        data = put_contact(data, one, None)
    return data


def full() -> Data:
    """A profile with something of everything."""
    data = with_people(
        Contact("Sarah Chen", "boss", "Ms. Chen", "prefers short mails"), Contact("Tom", "friend")
    )
    for name, value in (
        ("name", "Robin"), ("timezone", "Europe/Lisbon"), ("email_tone", "formal"), ("tools", "uv"),
        ("protected_hours", "00:00–09:30"),
    ):  # fmt: skip
        found = find_field(name)
        assert found is not None
        data = put(data, found, value, SAID)
    return with_episode(
        data, Episode("2026-08-01", "Moved the shop to the new host", "worked", ("shop",))
    ).data


def test_a_person_is_known_by_name_and_alias() -> None:
    """Another spelling is the same person, and what is new about them is added."""
    data = full()
    assert people_named(data, "ms. chen") == people_named(data, "SARAH CHEN") == [0]
    done = learn_contact(data, Contact("Ms. Chen", notes="on holiday in May", day="2026-08-30"), SAID)
    assert done.change is Change.ADDED
    assert contacts(done.data)[0]["communication_notes"] == "prefers short mails; on holiday in May"
    assert contacts(done.data)[0]["last_interaction"] == "2026-08-30"
    assert learn_contact(done.data, Contact("Ms. Chen"), SAID).change is Change.KNOWN


def test_a_contradicting_relationship_waits() -> None:
    """The boss does not become a client without being asked."""
    done = learn_contact(full(), Contact("Sarah Chen", "client"), SAID)
    assert done.change is Change.CONFLICT
    assert contacts(done.data)[0]["relationship"] == "boss"
    assert conflicts(done.data)[0]["field"] == "relationships.contacts[Sarah Chen].relationship"


def test_two_people_of_one_name_are_asked_about() -> None:
    """What is said of "Sarah" is added to neither."""
    data = with_people(Contact("Sarah", "boss"), Contact("Sarah", "client"))
    done = learn_contact(data, Contact("Sarah", notes="likes tea"), SAID)
    assert done.change is Change.CONFLICT
    assert contacts(done.data) == contacts(data)


def test_an_episode_stands_once() -> None:
    """The same work on the same day is one episode."""
    again = with_episode(full(), Episode("2026-08-01", "moved the shop to the  new host"))
    assert again.change is Change.KNOWN
    assert len(episodes(again.data)) == 1


def test_hygiene_drops_old_episodes_merges_twins_and_marks_old_fields() -> None:
    """Important ones stay; two of one name with different relationships are two people."""
    data = full()
    data = with_episode(data, Episode("2026-01-02", "old")).data
    data = with_episode(data, Episode("2026-01-03", "old and dear", tags=("Important",))).data
    data = with_episode(data, Episode("someday", "no date")).data
    data = with_value(data, "relationships.contacts", [
        *contacts(data), {"name": "tom", "communication_notes": "call him", "pet": "cat"}, {"name": "Sarah Chen", "relationship": "client"},
    ])  # fmt: skip
    data = with_value(
        data,
        "meta.field_updated",
        {"identity.name": "2026-01-01T00:00:00+00:00", "identity.timezone": SAID.at},
    )
    done = tidied(data, NOW)
    assert (done.episodes, done.people, done.stale) == (1, 1, ("identity.name",))
    assert [one["summary"] for one in episodes(done.data)] == [
        "Moved the shop to the new host",
        "old and dear",
        "no date",
    ]
    assert [one["name"] for one in contacts(done.data)] == ["Sarah Chen", "Tom", "Sarah Chen"]
    assert contacts(done.data)[1]["pet"] == "cat"
    assert value_at(done.data, "meta.last_updated") == "2026-09-01T12:00:00+00:00"
    assert tidied(done.data, NOW).data == done.data


def test_a_field_said_again_is_no_longer_stale() -> None:
    """Confirmation takes the mark away."""
    data = with_value(full(), "meta.stale", ["identity.name"])
    name = find_field("name")
    assert name is not None
    assert value_at(learn(data, name, "robin", SAID).data, "meta.stale") == []


def test_the_summary_is_sentences_with_counts() -> None:
    """What is known, how many people and tasks, and the question at the end."""
    lines = summary(full())
    assert lines[0] == BEGINS
    assert lines[-1] == ENDS
    assert "- Your name: Robin." in lines
    assert "- I know 2 contacts: Sarah Chen, Tom." in lines
    assert any(line.startswith("- I remember 1 task, most recently: Moved the shop") for line in lines)
    assert not any("language" in line or "minutes" in line for line in lines)
    assert summary(fresh(NOW)) == [NOTHING, ENDS]


def test_gaps_are_asked_about_after_the_fifth_talk_and_never_more_than_two() -> None:
    """Nobody is asked for what is known, and a known name needs no other one."""
    assert questions(fresh(NOW), 4) == []
    assert len(questions(fresh(NOW), 5)) == 2
    assert questions(full(), 50) == []
    assert questions(with_value(full(), "identity.timezone", ""), 5) == ["Which time zone are you in?"]


@pytest.mark.report("R081")
def test_a_damaged_file_is_said_in_the_summary() -> None:
    """The user is told until it is recovered or set aside."""
    assert DAMAGED in summary(with_value(fresh(NOW), "meta.damaged", {"file": "x", "reason": "it is empty"}))


@pytest.mark.report("R094")
def test_only_what_a_task_needs_is_given() -> None:
    """A mail to one person shows that person and how mails are written, and nobody else."""
    part = relevant(full(), "email to Sarah about the shop")
    assert [one["name"] for one in part["contacts"]] == ["Sarah Chen"]
    assert part["preferences"] == {"communication": {"email_tone": "formal"}}
    assert "Tom" not in json.dumps(part)
    assert relevant(full(), "what is the weather") == {}
    assert value_at(relevant(full(), "schedule a meeting"), "identity.timezone") == "Europe/Lisbon"
    assert value_at(relevant(full(), "写一个部署脚本"), "preferences.work.tools") == ["uv"]
    assert relevant(full(), "the shop moved to another host again")["episodic"][0]["outcome"] == "worked"


def test_forgetting_a_person_removes_only_that_person() -> None:
    """Everything else stands as it stood."""
    data = full()
    assert [one.path for one in matches(data, "ms. chen")] == ["relationships.contacts[0]"]
    done = without(data, "Ms. Chen")
    assert [one["name"] for one in contacts(done)] == ["Tom"]
    assert {**done, "relationships": 0} == {**data, "relationships": 0}


def test_forgetting_a_value_empties_its_field_and_its_conflicts() -> None:
    """A field becomes unknown, a list loses the item, a waiting contradiction goes too."""
    name = find_field("name")
    assert name is not None
    data = learn(full(), name, "Robin Hood", SAID).data
    done = without(data, "robin")
    assert value_at(done, "identity.name") == ""
    assert conflicts(done) == []
    assert without(done, "uv")["preferences"]["work"]["tools"] == []


@given(st.text(min_size=1, max_size=12))
def test_nothing_that_was_forgotten_is_left(text: str) -> None:
    """Whatever is asked for, no value holds it afterwards; times and versions are not values."""
    done = without(full(), text)
    assert matches(done, text) == [] or " ".join(text.split()).casefold() in "en15"
