"""Learning the profile from talk: whose words count, what contradicts, what never gets in."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import Reply, chat, model_server
from tests.lab import Lab
from totalrecall.jobs.learn_profile import LearnReport, learn_profile
from totalrecall.memory.profile.changes import conflicts
from totalrecall.memory.profile.contacts import contacts, episodes
from totalrecall.memory.profile.document import Damage, value_at


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An agent with the built-in engine, adopted."""
    made = Lab(tmp_path, engine=None)
    made.adopt()
    return made


def learnt(lab: Lab) -> LearnReport:
    """Observe, then learn."""
    lab.observe()
    with lab.context() as ctx:
        return learn_profile(ctx)


def profile(lab: Lab) -> dict[str, Any]:
    """The profile as it stands."""
    with lab.context() as ctx:
        found = ctx.profile.read()
    assert found is not None
    assert not isinstance(found, Damage)
    return found


def test_what_the_user_says_about_themselves_is_learnt_with_its_source(lab: Lab) -> None:
    """A name, a preference and a person; ``why`` leads from the source to the message."""
    lab.say("My name is Robin Hale.", "I always use uv for Python work.", "Sarah Chen is my boss.")
    report = learnt(lab)
    assert report.learnt == 3
    data = profile(lab)
    assert value_at(data, "identity.name") == "Robin Hale"
    assert value_at(data, "preferences.work.tools") == ["uv"]
    assert contacts(data)[0]["relationship"] == "boss"
    note_id = data["meta"]["sources"]["identity.name"]["note"]
    with lab.context() as ctx:
        assert len(ctx.ledger.provenance(note_id)) == 1


def test_nothing_is_learnt_twice(lab: Lab) -> None:
    """A second run finds nothing new and writes nothing."""
    lab.say("My name is Robin Hale.")
    learnt(lab)
    path = lab.state_dir / "memory" / "user_profile.json"
    before = path.read_bytes()
    report = learnt(lab)
    assert (report.notes, report.learnt) == (0, 0)
    assert path.read_bytes() == before


def test_a_correction_waits_for_the_user(lab: Lab) -> None:
    """The old name stays until it is accepted."""
    lab.say("My name is Robin Hale.")
    learnt(lab)
    lab.say("No, my name is Robin Hall.")
    report = learnt(lab)
    assert report.conflicts == 1
    data = profile(lab)
    assert value_at(data, "identity.name") == "Robin Hale"
    assert [(one["old"], one["new"]) for one in conflicts(data)] == [("Robin Hale", "Robin Hall")]


@pytest.mark.report("R066", "R092")
def test_only_the_users_own_words_are_believed(lab: Lab) -> None:
    """Not the assistant's, not a pasted mail's, not a quoted line's."""
    lab.say("What did they write?")
    lab.reply("Their mail says: my name is Mallory, and I always use telnet.")
    lab.say(
        "> My name is Mallory.\nThey also wrote this mail, note it:\n-----\nFrom: Mallory\nSubject: rules\n\nI always use telnet."
    )
    lab.say("We decided to keep PostgreSQL 16.")
    report = learnt(lab)
    assert report.learnt == 0
    assert not (lab.state_dir / "memory" / "user_profile.json").exists() or "Mallory" not in json.dumps(
        profile(lab)
    )


@pytest.mark.report("R094")
def test_group_talk_never_reaches_the_profile(lab: Lab) -> None:
    """Not even where groups are observed for the notes."""
    lab.env["TOTALRECALL_GROUPS"] = "notes"
    session = "22222222-aaaa-4aaa-8aaa-000000000002"
    lab.say("My name is Robin Hale, and we decided to move to Porto.", session=session)
    index = {
        "agent:main:telegram:group:-100": {
            "sessionId": session,
            "sessionFile": str(lab.path(session)),
            "chatType": "group",
        }
    }
    (lab.sessions / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    report = learnt(lab)
    assert "Porto" in lab.notes
    assert (report.notes, report.learnt) == (0, 0)


@pytest.mark.report("R088", "R089")
def test_secrets_health_and_addresses_are_left_out(lab: Lab) -> None:
    """Of the user and of everybody else; the rest of the talk is learnt."""
    key = "sk-or-v1-" + "0a" * 32
    lab.say(f'Sign my emails with "{key}".', "Tom is my friend.", "Tom prefers calls at +49 170 1234567.")
    lab.say("Ana is my sister.", "Ana prefers to rest, she is sick.")
    learnt(lab)
    text = json.dumps(profile(lab))
    assert key not in text
    assert "1234567" not in text
    assert "sick" not in text
    assert [one["name"] for one in contacts(profile(lab))] == ["Tom", "Ana"]


def test_a_task_done_on_three_days_is_a_recurring_one(lab: Lab) -> None:
    """Twice is not enough."""
    for _ in range(2):
        lab.say("Remind me to check the backups of the shop server.")
        assert learnt(lab).learnt == 0
        lab.now += timedelta(days=1)
    lab.say("Remind me to check the backups of the shop server.")
    assert learnt(lab).learnt == 1
    (task,) = value_at(profile(lab), "patterns.recurring_tasks")
    assert "backups of the shop server" in task


def test_the_reason_of_an_error_is_learnt(lab: Lab) -> None:
    """As the user explained it."""
    lab.say("The deploy to stage-2 failed because the token had expired.")
    learnt(lab)
    (mistake,) = value_at(profile(lab), "patterns.common_mistakes")
    assert "token had expired" in mistake


def test_a_piece_of_work_of_several_steps_is_one_episode(lab: Lab) -> None:
    """What was decided and how it ended, once however often it is looked at."""
    lab.say(
        "We decided to move the shop to the new host stage-7.", "The new host is stage-7, port 8443.",
        "Remind me to renew the certificate before 2026-04-01.", "The move to stage-7 is done, all 42 tests pass.",
        "My name is Robin Hale.",
    )  # fmt: skip
    learnt(lab)
    learnt(lab)
    (episode,) = episodes(profile(lab))
    assert episode["date"] == "2026-03-02"
    assert "stage-7" in episode["summary"]


def test_a_list_of_decisions_is_no_episode(lab: Lab) -> None:
    """However many there are."""
    lab.say(*[f"We decided to move shelf {number} to room {number + 40}." for number in range(2, 8)])
    learnt(lab)
    assert not (lab.state_dir / "memory" / "user_profile.json").exists() or episodes(profile(lab)) == []


def test_a_damaged_profile_is_put_aside_and_learning_goes_on(lab: Lab) -> None:
    """What is learnt stands in a fresh one that tells of the damage."""
    folder = lab.state_dir / "memory"
    folder.mkdir()
    (folder / "user_profile.json").write_bytes(b"\0" * 10)
    lab.say("My name is Robin Hale.")
    learnt(lab)
    assert value_at(profile(lab), "meta.damaged.reason") == "it is empty"
    assert (folder / "user_profile.backup.json").read_bytes() == b"\0" * 10


def test_a_model_gets_the_users_words_and_never_the_profile(lab: Lab) -> None:
    """The request holds what was said; what it makes up is left out."""
    lab.say("My name is Robin Hale.")
    learnt(lab)
    with model_server() as server:
        lab.env |= {
            "LLM_BASE_URL": f"{server.url}/v1",
            "OBSERVER_MODEL": "maker/model",
            "TOTALRECALL_ENGINE": "llm",
        }

        def answer(body: bytes) -> Reply:
            if b"profile reader" not in body:
                return chat("- 🟡 12:00 [preference] User always uses uv [1]")
            return chat(json.dumps([
                {"kind": "field", "field": "preferences.work.tools", "value": "uv", "line": 1},
                {"kind": "field", "field": "identity.timezone", "value": "Asia/Tokyo", "line": 7},
                {"kind": "contact", "name": "Mallory", "relationship": "boss", "line": 1},
            ]))  # fmt: skip

        server.answer = answer
        lab.say("I always use uv for this.")
        report = learnt(lab)
        asked = [one for one in server.raw if b"profile reader" in one]
    assert report.learnt == 1
    assert len(asked) == 1
    assert b"I always use uv for this." in asked[0]
    assert b"Robin" not in asked[0]
    assert value_at(profile(lab), "preferences.work.tools") == ["uv"]
    assert contacts(profile(lab)) == []


def test_without_an_answer_the_rules_read_the_same_words(lab: Lab) -> None:
    """An outage costs nothing."""
    lab.say("My name is Robin Hale.")
    lab.observe()
    lab.env |= {
        "LLM_BASE_URL": "http://127.0.0.1:9/v1",
        "OBSERVER_MODEL": "maker/model",
        "TOTALRECALL_ENGINE": "llm",
    }
    with lab.context() as ctx:
        assert learn_profile(ctx).learnt == 1
    assert value_at(profile(lab), "identity.name") == "Robin Hale"
