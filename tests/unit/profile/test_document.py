"""The profile as a document."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.profile.changes import Said, accept, learn, put, reject
from totalrecall.memory.profile.contacts import Contact, Episode, learn_contact, with_episode
from totalrecall.memory.profile.document import Damage, fresh, read_profile, render_profile, value_at
from totalrecall.memory.profile.fields import find_field
from totalrecall.memory.profile.hygiene import tidied
from totalrecall.memory.profile.relevant import relevant
from totalrecall.memory.profile.removal import without
from totalrecall.memory.profile.summary import summary

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_a_fresh_profile_has_the_schema_of_the_skill() -> None:
    """Every key of the format is there, unknown is the empty string."""
    made = fresh(NOW)
    assert list(made) == ["identity", "preferences", "relationships", "patterns", "episodic", "meta"]
    assert made["identity"] == {"name": "", "timezone": "", "language": "en", "preferred_name": ""}
    assert made["preferences"]["scheduling"]["buffer_between_meetings_minutes"] == 15
    assert made["meta"] == {
        "created_at": "2026-03-02T12:00:00+00:00", "last_updated": "2026-03-02T12:00:00+00:00", "version": "1.0.0",
    }  # fmt: skip


@pytest.mark.report("R081")
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\0" * 700, "empty"),
        (b'{"identity":{"name":"Robin"', "line 1, column"),
        (b'{"identity":{"name":"Robin",},}', "line 1, column"),
        (b'{"identity":{"name":"A"},"identity":{"name":"B"}}', "twice"),
        (b"[]", "not a JSON object"),
        (b'{"identity":"Robin"}', "identity has the wrong type"),
        (b'{"episodic":{}}', "episodic has the wrong type"),
        (b'{"meta":{"version":2}}', "meta.version has the wrong type"),
        (b'{"relationships":{"contacts":["Sarah"]}}', "contacts has the wrong type"),
        ('{"identity":{"name":"Jos\xe9"}}'.encode("latin-1"), "UTF-8"),
        (b'{"a":' * 100_000, "deeply"),
        (b'{"a":' + b"9" * 10_000 + b"}", "number"),
    ],
)
def test_what_is_no_profile_is_told_with_its_reason_and_none_of_its_words(
    content: bytes, reason: str
) -> None:
    """Damage is never read as an empty profile."""
    found = read_profile(content)
    assert isinstance(found, Damage)
    assert reason in found.reason
    assert "Robin" not in found.reason


@pytest.mark.report("R081")
def test_unknown_keys_and_a_byte_order_mark_are_kept_and_what_is_missing_is_filled_in() -> None:
    """A person's own keys survive, null counts as unknown, keys keep their order."""
    content = b'\xef\xbb\xbf{"mine":{"keep":[1]},"identity":{"name":"Robin","pet":"cat"},"relationships":{"contacts":null}}'
    found = read_profile(content)
    assert isinstance(found, dict)
    assert found["mine"] == {"keep": [1]}
    assert found["identity"] == {
        "name": "Robin",
        "pet": "cat",
        "timezone": "",
        "language": "en",
        "preferred_name": "",
    }
    assert found["relationships"]["contacts"] == []
    assert next(iter(found)) == "mine"


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_a_profile_reads_back_as_it_was_written(extra: dict[str, Any]) -> None:
    """Rendering and reading are inverse, whatever else stands in the file."""
    data = {**extra, **fresh(NOW)}
    again = read_profile(render_profile(data))
    assert again == json.loads(json.dumps(data))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_profile_or_damage(content: bytes) -> None:
    """Reading is total."""
    found = read_profile(content)
    assert isinstance(found, Damage) or value_at(found, "meta.version") is not None


ODD: list[object] = [5, "Sarah", True, [1, {"a": 1}], {"a": [1]}, [None], 1.5]


def _edited(path: str, odd: object) -> dict[str, Any]:
    data = fresh(NOW)
    data["identity"]["name"] = "Bob"
    data["relationships"]["contacts"] = [{"name": "Sarah"}, {"name": "Sarah"}]
    data["episodic"] = [{"summary": "the deploy script email"}]
    data["meta"]["conflicts"] = [{"id": "x"}]
    folder, _, key = path.partition(".")
    target = {"meta": data["meta"], "contact": data["relationships"]["contacts"][0], "episode": data["episodic"][0],
              "conflict": data["meta"]["conflicts"][0], "work": data["preferences"]["work"]}[folder]  # fmt: skip
    target[key] = odd
    return data


@pytest.mark.report("R081")
@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize(
    "path",
    [
        "meta.field_updated", "meta.sources", "meta.stale", "meta.conflicts", "meta.rejected", "meta.damaged",
        "contact.name", "contact.alias", "contact.relationship", "contact.communication_notes", "contact.last_interaction",
        "episode.date", "episode.summary", "episode.outcome", "episode.tags", "conflict.field", "conflict.new_said", "work.tools",
    ],
)  # fmt: skip
def test_an_edit_of_any_type_is_used_or_named_and_never_a_crash(path: str, odd: object) -> None:
    """Whatever a hand put there: everything that is done with a profile can be done, or the file is damaged."""
    found = read_profile(json.dumps(_edited(path, odd)).encode())
    if isinstance(found, Damage):
        return
    said, tools, name = (
        Said("2026-03-02T00:00:00+00:00", "main", "n"),
        find_field("tools"),
        find_field("identity.name"),
    )
    assert tools is not None
    assert name is not None
    learnt = learn(learn(found, tools, "uv", said).data, name, "Rob", said).data
    learnt = learn_contact(
        put(learnt, name, "Rob", said), Contact("Sarah", "boss", "S", "short mails", "2026-03-02"), said
    ).data
    learnt = with_episode(tidied(learnt, NOW).data, Episode("2026-03-02", "x")).data
    for number in ("x", "y"):
        learnt = accept(learnt, number) or reject(learnt, number) or learnt
    assert summary(learnt)
    assert relevant(learnt, "email to Sarah about the deploy script") is not None
    assert isinstance(read_profile(render_profile(without(learnt, "Sarah"))), dict)
