"""The rules of the user's profile that need no files, one test each."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import pytest

from totalrecall.jobs.profile import REFUSAL
from totalrecall.memory.profile.changes import Change, Said, accept, conflicts, learn, put
from totalrecall.memory.profile.contacts import (
    Contact,
    Episode,
    contacts,
    episodes,
    learn_contact,
    put_contact,
    with_episode,
)
from totalrecall.memory.profile.document import (
    Damage,
    fresh,
    read_profile,
    render_profile,
    value_at,
    with_value,
)
from totalrecall.memory.profile.fields import checked, find_field
from totalrecall.memory.profile.hygiene import tidied
from totalrecall.memory.profile.relevant import relevant
from totalrecall.memory.profile.removal import without
from totalrecall.memory.profile.summary import summary

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SAID = Said(NOW.isoformat(), "main", "n1")
SCHEMA = (
    '{"identity":{"name":"","timezone":"","language":"en","preferred_name":""},'
    '"preferences":{"communication":{"email_tone":"","response_length":"","sign_off":""},'
    '"scheduling":{"protected_hours":[],"preferred_meeting_times":[],"buffer_between_meetings_minutes":15},'
    '"work":{"tools":[],"stacks":[],"working_hours":{"start":"","end":""}}},'
    '"relationships":{"contacts":[]},'
    '"patterns":{"recurring_tasks":[],"common_mistakes":[],"frequent_requests":[]},'
    '"episodic":[],'
    '"meta":{"created_at":"","last_updated":"","version":"1.0.0"}}'
)


def skill() -> str:
    """What the agent is told, with its line breaks as spaces."""
    text = (files("totalrecall") / "openclaw" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def stored(name: str, raw: str) -> Any:
    """A value as the field keeps it."""
    field = find_field(name)
    assert field is not None
    return checked(field, raw)


def told(*lines: tuple[str, str]) -> dict[str, Any]:
    """A profile in which fields were set."""
    data = fresh(NOW)
    for name, raw in lines:
        field = find_field(name)
        assert field is not None
        data = put(data, field, checked(field, raw), SAID)
    return data


# The schema


def test_an_empty_profile_is_the_schema_key_by_key_in_order() -> None:
    """All but the two times."""
    made = json.loads(render_profile(fresh(NOW)))
    made["meta"]["created_at"] = made["meta"]["last_updated"] = ""
    assert json.dumps(made, separators=(",", ":")) == SCHEMA


def test_a_bare_schema_is_a_profile() -> None:
    """As another program writes it, without our own keys."""
    assert not isinstance(read_profile(SCHEMA.encode()), Damage)


def test_a_contact_has_exactly_its_five_keys() -> None:
    """Also where only the name is known."""
    (made,) = contacts(put_contact(fresh(NOW), Contact("Sarah Chen"), None))
    assert list(made) == ["name", "alias", "relationship", "communication_notes", "last_interaction"]
    assert made["alias"] == []


@pytest.mark.parametrize("relationship", ["boss", "colleague", "client", "friend", "family"])
def test_each_relationship_is_known(relationship: str) -> None:
    """And learnt as it is called."""
    (made,) = contacts(learn_contact(fresh(NOW), Contact("Sarah", relationship), SAID).data)
    assert made["relationship"] == relationship


def test_an_episode_has_exactly_its_four_keys() -> None:
    """With its tags as a list."""
    (made,) = episodes(
        with_episode(fresh(NOW), Episode("2026-03-02", "Moved the shop", "done", ("shop",))).data
    )
    assert made == {"date": "2026-03-02", "summary": "Moved the shop", "outcome": "done", "tags": ["shop"]}


@pytest.mark.parametrize("tone", ["formal", "casual", "neutral"])
def test_each_email_tone_is_known(tone: str) -> None:
    """And no other."""
    assert stored("email_tone", tone) == tone
    with pytest.raises(ValueError, match="formal, casual, neutral"):
        stored("email_tone", f"{tone}ish")


@pytest.mark.parametrize("length", ["concise", "detailed"])
def test_each_response_length_is_known(length: str) -> None:
    """And no other."""
    assert stored("response_length", length) == length
    with pytest.raises(ValueError, match="concise, detailed"):
        stored("response_length", "epic")


def test_protected_hours_are_written_with_a_dash_between_two_times() -> None:
    """However they were given."""
    for raw in ("0:00-9:30", "00:00–09:30", "0 to 9:30"):
        assert stored("protected_hours", raw) == "00:00–09:30"


def test_the_empty_string_means_unknown() -> None:
    """It contradicts nothing, is not shown, and is not stored as a value."""
    name = find_field("identity.name")
    assert name is not None
    assert learn(fresh(NOW), name, "Robin", SAID).change is Change.ADDED
    assert not any("name" in line for line in summary(fresh(NOW)))
    with pytest.raises(ValueError, match="empty"):
        stored("identity.name", " ")


def test_when_a_field_was_said_stands_beside_the_schema() -> None:
    """In ``meta.field_updated``, by the field's path."""
    assert told(("identity.name", "Robin"))["meta"]["field_updated"] == {"identity.name": NOW.isoformat()}


# Writing


def test_an_episode_is_one_or_two_sentences() -> None:
    """A longer story is cut after the second one; a point inside a name ends none."""
    story = "We moved the shop to stage-7.2 today. It took two hours. Then we had lunch. Then we went home."
    (made,) = episodes(with_episode(fresh(NOW), Episode("2026-03-02", story)).data)
    assert made["summary"] == "We moved the shop to stage-7.2 today. It took two hours."
    (made,) = episodes(
        with_episode(fresh(NOW), Episode("2026-03-02", "商店搬完了。花了两小时。然后吃饭。")).data
    )
    assert made["summary"] == "商店搬完了。 花了两小时。"


@pytest.mark.parametrize(
    "occasion",
    ["A correction", '"I always …"', '"never do …"', "a contact with context", "a task done for the third time",
     "a mistake explained"],
)  # fmt: skip
def test_each_occasion_of_learning_is_named_to_the_agent(occasion: str) -> None:
    """So that it does not write by itself what is learnt anyway."""
    assert occasion in skill().partition("it is learnt from the conversation by itself")[0]


def test_the_sentence_of_refusal_is_literal_and_told_to_the_agent() -> None:
    """The program and the skill say the same words."""
    assert REFUSAL == (
        "I don't store that kind of information for your safety. "
        "You can use a password manager or secure vault instead."
    )
    assert f'say: "{REFUSAL}"' in skill()


@pytest.mark.parametrize(
    "kind",
    [
        "passwords",
        "keys",
        "tokens",
        "one-time codes",
        "payment data",
        "identity numbers",
        "Medical facts only",
    ],
)
def test_what_is_never_stored_is_told_to_the_agent(kind: str) -> None:
    """Each kind by name."""
    assert kind in skill().partition("## What you must not do")[2]


# Contradictions


def test_what_is_said_now_holds_and_the_default_is_asked_about_afterwards() -> None:
    """The stored value stays until the answer; the agent is told to follow the new one and to ask."""
    data, tone = told(("email_tone", "formal")), find_field("email_tone")
    assert tone is not None
    data = learn(data, tone, "casual", SAID).data
    assert value_at(data, tone.path) == "formal"
    (waiting,) = conflicts(data)
    assert (waiting["old"], waiting["new"]) == ("formal", "casual")
    done = accept(data, waiting["id"])
    assert done is not None
    assert value_at(done, tone.path) == "casual"
    assert "What the user says now holds for this action." in skill()
    assert "ask afterwards whether the stored default should change" in skill()


def test_of_two_people_with_one_name_the_agent_asks_which() -> None:
    """Then one of them gets an alias, and the episode is put right: both are told with their commands."""
    part = (
        skill()
        .partition("Two contacts with one name: ask which one is meant")[2]
        .partition("What do you know")[0]
    )
    assert 'totalrecall profile contact NAME --which N --alias "…"' in part
    assert 'totalrecall profile forget "its words" --yes' in part
    assert 'totalrecall profile episode "…"' in part


def test_an_alias_settles_who_was_meant() -> None:
    """What waited goes, and the alias finds that one person."""
    data = put_contact(
        put_contact(fresh(NOW), Contact("Sarah", "boss"), None), Contact("Sarah", "friend"), None
    )
    data = learn_contact(data, Contact("Sarah", notes="likes short mails"), SAID).data
    assert len(conflicts(data)) == 1
    data = put_contact(data, Contact("Sarah", alias="Sarah from work"), 0)
    assert conflicts(data) == []
    found = learn_contact(data, Contact("Sarah from work", notes="likes short mails"), SAID)
    assert found.change is Change.ADDED
    assert contacts(found.data)[0]["communication_notes"] == "likes short mails"


# Using it


@pytest.mark.parametrize(
    ("task", "path"),
    [
        ("write an email to Sarah", "preferences.communication.email_tone"),
        ("schedule a meeting", "preferences.scheduling.protected_hours"),
        ("write a deploy script", "preferences.work.tools"),
        ("order more paper", "patterns.recurring_tasks"),
    ],
    ids=["mail", "scheduling", "scripts", "purchases"],
)
def test_each_kind_of_task_gets_its_part(task: str, path: str) -> None:
    """And none of what the other tasks need."""
    data = told(
        ("email_tone", "casual"), ("protected_hours", "0-9:30"), ("tools", "uv"),
        ("recurring_tasks", "Order paper on Mondays"),
    )  # fmt: skip
    found = relevant(data, task)
    assert value_at(found, path)
    paths = ("email_tone", "protected_hours", "tools", "recurring_tasks")
    assert [name for name in paths if name in json.dumps(found)] == [path.rpartition(".")[2]]


def test_the_profile_is_consulted_silently_before_such_tasks() -> None:
    """The agent is told when, how, and not to speak of it."""
    assert (
        "Before mail, scheduling, scripts and purchases, ask for the part that matters, silently:" in skill()
    )
    assert 'totalrecall profile show --relevant "' in skill()
    assert "Mention it only if it changes what you do." in skill()


def test_what_is_known_is_told_in_sentences_with_counts() -> None:
    """Fixed words at both ends, no JSON between them, and how many contacts and tasks there are."""
    data = told(("identity.name", "Robin"), ("tools", "uv"))
    data = put_contact(put_contact(data, Contact("Sarah", "boss"), None), Contact("Tom", "friend"), None)
    data = with_episode(data, Episode("2026-03-01", "Moved the shop to stage-7")).data
    lines = summary(data)
    assert lines[0] == "Here's what I know about you so far:"
    assert lines[-1] == "Want to correct or add anything?"
    assert any("2 contacts" in line for line in lines)
    assert any("1 task" in line for line in lines)
    assert not any(sign in line for line in lines for sign in "{}[]")


def test_the_agent_tells_it_the_same_way() -> None:
    """Sentences, never JSON, and the question."""
    part = skill().partition('"What do you know about me?"')[2]
    assert "Here's what I know about you so far: …" in part
    assert "never as JSON" in part
    assert "Want to correct or add anything?" in part


def test_forgetting_takes_only_that() -> None:
    """Everything beside it stays."""
    data = told(("identity.name", "Robin"), ("tools", "uv"), ("tools", "telnet"))
    assert value_at(without(data, "telnet"), "preferences.work.tools") == ["uv"]
    assert value_at(without(data, "telnet"), "identity.name") == "Robin"


def test_how_much_to_forget_is_asked_first() -> None:
    """And everything goes only on two literal phrases."""
    part = skill().partition("## Forgetting")[2]
    assert '"Forget X": ask how much of it is meant.' in part
    assert 'Everything goes only on "forget everything" or "reset my memory"' in part


def test_the_agent_tells_of_a_damaged_profile_in_fixed_words() -> None:
    """And offers to recover it."""
    data = with_value(fresh(NOW), "meta.damaged", {"file": "x", "reason": "it is empty"})
    words = (
        "Your memory file appears corrupted. I've backed it up and started fresh. "
        "Want me to try to recover it?"
    )
    assert words in summary(data)
    assert words in skill()
    assert "If so: `totalrecall profile recover`; if not, with `--leave`." in skill()


# Hygiene


@pytest.mark.parametrize(("days", "tags", "kept"), [(180, (), 1), (181, (), 0), (181, ("important",), 1)])
def test_an_episode_goes_after_half_a_year_unless_important(
    days: int, tags: tuple[str, ...], kept: int
) -> None:
    """To the day."""
    day = (NOW - timedelta(days=days)).date().isoformat()
    data = with_episode(fresh(NOW), Episode(day, "Moved the shop", "", tags)).data
    assert len(episodes(tidied(data, NOW).data)) == kept


def test_contacts_of_one_name_become_one() -> None:
    """With what each of them says."""
    people = [
        {"name": "Sarah Chen", "alias": ["Sarah"]},
        {"name": "sarah chen", "communication_notes": "short"},
    ]
    (made,) = contacts(tidied(with_value(fresh(NOW), "relationships.contacts", people), NOW).data)
    assert (made["alias"], made["communication_notes"]) == (["Sarah"], "short")


@pytest.mark.parametrize(("days", "stale"), [(90, []), (91, ["identity.name"])])
def test_a_field_is_marked_after_ninety_days(days: int, stale: list[str]) -> None:
    """In ``meta.stale``, and its value stays."""
    then = (NOW - timedelta(days=days)).isoformat()
    data = with_value(told(("identity.name", "Robin")), "meta.field_updated", {"identity.name": then})
    found = tidied(data, NOW).data
    assert (value_at(found, "meta.stale") or []) == stale
    assert value_at(found, "identity.name") == "Robin"


def test_tidying_sets_the_time_of_the_last_change() -> None:
    """``last_updated`` moves, ``created_at`` does not."""
    old = NOW - timedelta(days=200)
    data = with_episode(fresh(old), Episode(old.date().isoformat(), "Moved the shop")).data
    meta = tidied(data, NOW).data["meta"]
    assert (meta["created_at"], meta["last_updated"]) == (old.isoformat(), NOW.isoformat())
