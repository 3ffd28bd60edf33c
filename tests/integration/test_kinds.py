"""Which sessions are observed: people's, not machines'; groups only when switched on; as the settings say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.counting import assert_whole, echo, token
from tests.lab import Lab
from totalrecall.domain.state import MessageState, SkipReason


def _id(number: int) -> str:
    return f"11111111-aaaa-4aaa-8aaa-{number:012d}"


def _index(lab: Lab, **entries: dict[str, Any]) -> None:
    lab.sessions.mkdir(parents=True, exist_ok=True)
    (lab.sessions / "sessions.json").write_text(json.dumps(entries))


def _lab(root: Path, **env: str) -> Lab:
    lab = Lab(root, env=env)
    lab.adopt()
    return lab


@pytest.mark.report("R008")
def test_machine_sessions_and_their_children_are_skipped_and_counted(lab: Lab) -> None:
    """Cron, heartbeat, sub-agent, dreaming: by key and origin, children as their parents."""
    keys = {
        "agent:main:main": {"sessionId": _id(1)},
        "agent:main:cron:daily": {"sessionId": _id(2)},
        "agent:main:subagent:1": {"sessionId": _id(3), "spawnedBy": "agent:main:cron:daily"},
        "agent:main:subagent:2": {"sessionId": _id(4), "spawnedBy": "agent:main:main"},
        "agent:main:dreaming-light": {"sessionId": _id(5)},
        "agent:main:main:heartbeat": {"sessionId": _id(6)},
    }
    _index(lab, **keys)
    for number in range(1, 7):
        lab.say(f"it is {token(number)}", session=_id(number))
    lab.observe()
    found = assert_whole(lab, [token(1)])
    assert found.reasons == {SkipReason.MACHINE_SESSION: 5}
    assert len(echo(lab).requests) == 1


@pytest.mark.report("R008")
def test_a_glob_includes_a_machine_session_and_excludes_a_chat(tmp_path: Path) -> None:
    """Settings decide over the kind; exclusion over inclusion."""
    lab = _lab(tmp_path, TOTALRECALL_INCLUDE="agent:main:cron:*", TOTALRECALL_EXCLUDE="*secret*")
    _index(
        lab,
        **{
            "agent:main:cron:daily": {"sessionId": _id(1)},
            "agent:main:cron:secret": {"sessionId": _id(2)},
            "agent:main:secret-plans": {"sessionId": _id(3)},
        },
    )
    for number in (1, 2, 3):
        lab.say(f"it is {token(number)}", session=_id(number))
    lab.observe()
    found = assert_whole(lab, [token(1)])
    assert found.reasons == {SkipReason.EXCLUDED: 2}


@pytest.mark.parametrize("groups", ["off", "notes"])
def test_groups_are_observed_only_when_switched_on(tmp_path: Path, groups: str) -> None:
    """Off by default; with ``notes`` the engine is told that it is a group."""
    lab = _lab(tmp_path, TOTALRECALL_GROUPS=groups)
    _index(lab, **{"agent:main:telegram:group:-100": {"sessionId": _id(1), "chatType": "group"}})
    lab.say(f"it is {token(1)}", session=_id(1))
    lab.observe()
    if groups == "off":
        assert assert_whole(lab, []).reasons == {SkipReason.GROUP_OFF: 1}
    else:
        assert_whole(lab, [token(1)])
        assert echo(lab).requests[0].batch.group


def test_off_the_record_keeps_the_exchange_out(lab: Lab) -> None:
    """The marked message and its answer are skipped; the next one counts again."""
    lab.say(f"it is {token(1)} #offtherecord")
    lab.reply(f"understood, {token(2)}")
    lab.say(f"it is {token(3)}")
    lab.observe()
    found = assert_whole(lab, [token(3)])
    assert found.reasons == {SkipReason.OFF_THE_RECORD: 2}
    assert token(2) not in str(echo(lab).requests)


def test_a_key_that_becomes_known_later_counts_from_then_on(lab: Lab) -> None:
    """Without an index a session is a person's; named as cron work later, its rest is skipped, its past stays."""
    lab.say(f"it is {token(1)}", session=_id(1))
    lab.observe()
    _index(lab, **{"agent:main:cron:daily": {"sessionId": _id(1)}})
    lab.say(f"it is {token(2)}", session=_id(1))
    lab.observe()
    (lab.sessions / "sessions.json").unlink()
    lab.say(f"it is {token(3)}", session=_id(1))
    lab.observe()
    found = assert_whole(lab, [token(1)])
    assert found.states == {MessageState.NOTED: 1, MessageState.SKIPPED: 2}
