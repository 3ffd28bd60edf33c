"""What the user's own words say about them, by rules and read by a model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.llm.extractive.profile_facts import facts_in
from totalrecall.llm.profile_reader import read_facts


def told(text: str) -> list[tuple[str, str]]:
    """Field and value, or name and relationship."""
    return [
        (one.field.rpartition(".")[2], one.value)
        if one.kind is FactKind.FIELD
        else (one.name, one.relationship or one.notes)
        for one in facts_in([OwnNote(1, "", (text,))])
    ]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My name is Robin Hale, and please call me Rob.", [("name", "Robin Hale"), ("preferred_name", "Rob")]),
        ("My time zone is Europe/Lisbon.", [("timezone", "Europe/Lisbon")]),
        ("I always use uv. I prefer Podman over Docker.", [("tools", "uv"), ("tools", "Podman")]),
        ("Please keep your answers short.", [("response_length", "concise")]),
        ("I want detailed explanations.", [("response_length", "detailed")]),
        ("No meetings before 9:30, please.", [("protected_hours", "00:00–09:30")]),
        ("Never book calls after 6 pm.", [("protected_hours", "18:00–24:00")]),
        ("I work from 9 to 5:30 pm.", [("start", "09:00"), ("end", "17:30")]),
        ("Sarah Chen is my boss.", [("Sarah Chen", "boss")]),
        ("My sister Ana lives there.", [("Ana", "family")]),
        ("Tom prefers phone calls.", [("Tom", "prefers phone calls")]),
        ("Our stack is Django, PostgreSQL and HTMX.", [("stacks", "Django"), ("stacks", "PostgreSQL"), ("stacks", "HTMX")]),
        ("Mails to clients should be formal.", [("email_tone", "formal")]),
        ('Sign my emails with "Best wishes".', [("sign_off", "Best wishes")]),
        ("I need 20 minutes between meetings.", [("buffer_between_meetings_minutes", "20")]),
        ("I prefer meetings in the morning.", [("preferred_meeting_times", "in the morning")]),
        ("Always answer in German.", [("language", "de")]),
        ("Ich heiße Jonas Brandt. Nenn mich bitte Jo.", [("name", "Jonas Brandt"), ("preferred_name", "Jo")]),
        ("Ich arbeite von 8 bis 16 Uhr.", [("start", "08:00"), ("end", "16:00")]),
        ("Frau Winter ist meine Chefin.", [("Frau Winter", "boss")]),
        ("Keine Termine nach 17 Uhr.", [("protected_hours", "17:00–24:00")]),
        ("Antworte mir bitte immer auf Deutsch.", [("language", "de")]),
        ("我叫林晓峰，在苏州。", [("name", "林晓峰")]),
        ("请叫我小峰。", [("preferred_name", "小峰")]),
        ("王芳是我的同事。", [("王芳", "colleague")]),
        ("回复请简短。", [("response_length", "concise")]),
        ("我的工作时间是9点到18点。", [("start", "09:00"), ("end", "18:00")]),
        ("我总是用 vim。以后请用中文回复。", [("tools", "vim"), ("language", "zh")]),
    ],
)  # fmt: skip
def test_plain_statements_are_understood(text: str, facts: list[tuple[str, str]]) -> None:
    """English, German and Chinese."""
    assert told(text) == facts


@pytest.mark.report("R066", "R067")
@pytest.mark.parametrize(
    "text",
    [
        "Should you call me Al?", "Maybe call me Al.", "My name is not Robin.", "I'm joking, call me Boss.",
        "If my name is Robin, what then?", "This is my friend.", "I don't always use uv.", "I used uv once.",
        "The deploy takes 20 minutes.", "Sarah wrote to me.", "Write a formal proof.", "Meetings are at 9.",
        "The name is in the file.", "Deploy to staging before 9:30.", "Ich heiße dich willkommen.",
        "Frau Winter ist nicht meine Chefin.", "今天天气不错。", "王芳不是我的同事。", "我叫他来开会。",
    ],
)  # fmt: skip
def test_what_is_no_statement_about_the_user_says_nothing(text: str) -> None:
    """Questions, doubts, jokes, denials, single deeds and other people's matters."""
    assert told(text) == []


@given(st.text(max_size=200))
def test_any_words_can_be_read(text: str) -> None:
    """Reading is total, and every fact names its note."""
    assert all(one.number == 1 for one in facts_in([OwnNote(1, "", (text,))]))


NOTES = [
    OwnNote(1, "", ("I always use uv, and Sarah Chen is my boss.",)),
    OwnNote(2, "", ("Please be brief.",)),
]


def answered(*items: object) -> list[ProfileFact]:
    """The facts of a model's answer."""
    return read_facts(json.dumps(list(items)), NOTES)


def test_a_models_facts_are_taken_where_their_words_were_said() -> None:
    """A tool, a person, a choice of words of ours."""
    facts = answered(
        {"kind": "field", "field": "preferences.work.tools", "value": "uv", "line": 1},
        {"kind": "contact", "name": "Sarah Chen", "relationship": "boss", "line": 1},
        {
            "kind": "field",
            "field": "preferences.communication.response_length",
            "value": "concise",
            "line": "2",
        },
    )
    assert [(one.kind, one.number, one.value or one.name) for one in facts] == [
        (FactKind.FIELD, 1, "uv"), (FactKind.CONTACT, 1, "Sarah Chen"), (FactKind.FIELD, 2, "concise"),
    ]  # fmt: skip


@pytest.mark.report("R067")
@pytest.mark.parametrize(
    "item",
    [
        {"kind": "field", "field": "preferences.work.tools", "value": "poetry", "line": 1},
        {"kind": "field", "field": "preferences.work.tools", "value": "uv", "line": 2},
        {"kind": "field", "field": "preferences.work.tools", "value": "uv", "line": 9},
        {"kind": "field", "field": "preferences.work.tools", "value": "uv"},
        {"kind": "contact", "name": "Tom", "relationship": "friend", "line": 1},
        {"kind": "contact", "name": "Sarah Chen", "notes": "adores ancient Greek pottery", "line": 1},
        {"kind": "field", "field": "patterns.common_mistakes", "value": "The disk was full again", "line": 1},
        {"kind": "field", "field": "identity.timezone", "value": "Asia/Tokyo", "line": 1},
        {"kind": "field", "field": "identity.language", "value": "de", "line": 1},
        {"kind": "field", "field": "preferences.communication.email_tone", "value": "formal", "line": 1},
        {"kind": "field", "field": "preferences.communication.response_length", "value": "detailed", "line": 2},
        {"kind": "field", "field": "preferences.work.working_hours.start", "value": "09:00", "line": 1},
        {"kind": "field", "field": "preferences.scheduling.protected_hours", "value": "00:00–09:30", "line": 1},
        {"kind": "field", "field": "preferences.scheduling.buffer_between_meetings_minutes", "value": 45, "line": 1},
        {"kind": "episode", "value": "uv", "line": 1}, "uv", None, 7, {"kind": "field", "line": 1},
        {"kind": "field", "field": ["tools"], "value": {"a": 1}, "line": [1]},
    ],
)  # fmt: skip
def test_what_a_model_makes_up_is_left_out(item: object) -> None:
    """Invented values, wrong or missing lines, unknown kinds and wrong types."""
    assert answered(item) == []


@given(st.text(max_size=200))
def test_any_answer_can_be_read(text: str) -> None:
    """Whatever a model says, nothing breaks, and nothing is believed that names no line."""
    assert all(one.number in {1, 2} for one in read_facts(text, NOTES))
