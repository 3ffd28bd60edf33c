"""What a session is for, from key and origin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.domain.session import SessionKind
from totalrecall.transcripts.kinds import KindFacts, session_kind

K = SessionKind


@pytest.mark.report("R008")
@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("agent:main:main", K.MAIN),
        ("agent:main:work", K.MAIN),
        ("agent:cron:main", K.MAIN),
        ("agent:main:cron", K.MAIN),
        ("agent:main:explicit:1-2", K.MAIN),
        ("agent:main:dashboard:1-2", K.MAIN),
        ("", K.MAIN),
        ("agent:main:telegram:direct:555", K.DIRECT),
        ("agent:main:whatsapp:dm:555", K.DIRECT),
        ("agent:main:telegram:group:-100", K.GROUP),
        ("agent:main:telegram:group:-100:topic:42", K.GROUP),
        ("agent:main:discord:channel:cron", K.GROUP),
        ("agent:main:cron:job", K.CRON),
        ("agent:main:cron:job:run:r1", K.CRON),
        ("agent:main:daily:run:r1", K.CRON),
        ("cron:job", K.CRON),
        ("agent:main:subagent:u", K.SUBAGENT),
        ("agent:main:main:heartbeat", K.HEARTBEAT),
        ("agent:main:dreaming-narrative-light-1", K.MACHINE),
        ("agent:main:active-memory:1", K.MACHINE),
        ("agent:main:hook:1", K.MACHINE),
    ],
)
def test_keys_tell_what_a_session_is_for(key: str, kind: SessionKind) -> None:
    """Machine sessions are known by their key; a name that only sounds like one is a person's session."""
    assert session_kind(key, KindFacts()) is kind


@pytest.mark.report("R008")
def test_origin_and_parents_count() -> None:
    """A cron job's named session is cron work, and children follow machine parents and groups."""
    assert session_kind("agent:main:daily", KindFacts(created_via="cron")) is K.CRON
    assert session_kind("agent:main:x", KindFacts(spawned_by="agent:main:main")) is K.SUBAGENT
    assert session_kind("agent:main:x", KindFacts(spawned_by="agent:main:cron:j")) is K.CRON
    for parent in (K.CRON, K.HEARTBEAT, K.SUBAGENT, K.MACHINE, K.GROUP):
        assert session_kind("agent:main:dashboard:1", KindFacts(parent_kind=parent)) is parent
    assert session_kind("agent:main:dashboard:1", KindFacts(parent_kind=K.DIRECT)) is K.MAIN
    assert session_kind("agent:main:main", KindFacts(chat_type="group")) is K.GROUP
    assert session_kind("agent:main:main", KindFacts(chat_type="direct", created_via="run")) is K.MAIN


@settings(max_examples=100)
@given(st.text(alphabet="agentmicrou:-", max_size=30), st.text(max_size=8), st.text(max_size=8))
def test_every_key_has_a_kind(key: str, chat_type: str, via: str) -> None:
    """No key raises."""
    assert session_kind(key, KindFacts(chat_type, via)) in SessionKind
