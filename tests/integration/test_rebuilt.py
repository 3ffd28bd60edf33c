"""A ledger that was rebuilt from the mirror: nothing noted twice, nothing lost, and the recount adds up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.integration.counting import assert_whole, echo, recount, token, tokens_noted
from tests.integration.crashing import crash
from tests.lab import SESSION, Lab
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.jobs.context import Step
from totalrecall.ledger.rebuild import Way, repair

OTHER = "11111111-aaaa-4aaa-8aaa-000000000002"


def _repair(lab: Lab, way: Way = Way.MIRROR, *, lose: bool = True) -> None:
    with lab.context() as ctx:
        folder, mirror = ctx.state_dir, ctx.mirror_path
    if lose:
        for one in folder.glob("ledger.sqlite*"):
            one.unlink()
    repair(folder, mirror, way, now_ms=int(lab.now.timestamp() * 1000))


def _talk(lab: Lab) -> None:
    lab.say(f"it is {token(1)}", "/status", f"it is {token(2)}")
    lab.say(f"it is {token(3)}", session=OTHER)
    lab.observe()
    lab.say(f"it is {token(4)}")


def test_after_a_repair_from_the_mirror_everything_goes_on(lab: Lab) -> None:
    """What was settled is registered unread, skipped ones as skipped; what was unread is noted once."""
    _talk(lab)
    _repair(lab)
    asked = len(echo(lab).requests)
    assert recount(lab).adds_up
    lab.observe()
    found = assert_whole(lab, [token(number) for number in (1, 2, 3, 4)])
    assert found.states[MessageState.NOTED] == 4
    assert found.reasons == {SkipReason.COMMAND: 1}
    assert len(echo(lab).requests) == asked + 1
    assert lab.observe().idle


def test_old_messages_stay_before_adoption_after_a_repair(lab: Lab) -> None:
    """Registering does not make notes of what was said before the adoption."""
    lab.say(f"it is {token(2)}")
    lab.observe()
    _repair(lab)
    copied = lab.entry("user", f"it is {token(1)}")
    copied["timestamp"] = "2026-01-01T00:00:00.000Z"
    copied["message"]["timestamp"] = 1767225600000
    lab.append(copied, session=OTHER)
    lab.observe()
    assert tokens_noted(lab.notes)[token(2)] == 1
    assert recount(lab).adds_up


@pytest.mark.parametrize("step", [Step.RANGE_READ, Step.NOTES_WRITTEN, Step.MIRRORED])
def test_a_crash_in_the_first_run_after_a_repair(lab: Lab, step: Step) -> None:
    """The run that registers may be cut short, and the ledger may be lost again."""
    _talk(lab)
    _repair(lab)
    assert crash(lab, step)
    lab.observe()
    assert_whole(lab, [token(number) for number in (1, 2, 3, 4)])
    _repair(lab)
    lab.observe()
    assert_whole(lab, [token(number) for number in (1, 2, 3, 4)])


def _same_with_more_fields(lab: Lab) -> None:
    lines = [json.loads(one) for one in lab.path().read_text().splitlines()]
    lines[0]["note"] = "written anew by another version"
    lab.path().write_text("".join(f"{json.dumps(one)}\n" for one in lines))


def _closed(lab: Lab) -> None:
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    lab.say(f"it is {token(5)}")


def _emptied_by_compaction(lab: Lab) -> None:
    lines = lab.path().read_text().splitlines(keepends=True)
    lab.path().write_text("".join([lines[0], *lines[-2:]]))


@pytest.mark.parametrize("change", [_same_with_more_fields, _closed, _emptied_by_compaction])
def test_transcripts_that_changed_before_the_first_run(lab: Lab, change: Callable[[Lab], None]) -> None:
    """Rewritten, closed or compacted between the loss and the repair: the mirror's last message tells."""
    _talk(lab)
    change(lab)
    _repair(lab)
    lab.observe()
    expected = [token(number) for number in (1, 2, 3, 4)] + ([token(5)] if change is _closed else [])
    assert_whole(lab, expected)


def test_after_a_repair_from_a_backup(lab: Lab) -> None:
    """The copy is older than the mirror: what came between is registered, not noted again."""
    lab.say(f"it is {token(1)}")
    lab.observe()
    lab.say(f"it is {token(2)}")
    lab.observe()
    lab.say(f"it is {token(3)}")
    _repair(lab, Way.BACKUP)
    lab.observe()
    assert_whole(lab, [token(number) for number in (1, 2, 3)])
    with lab.context() as ctx:
        assert ctx.ledger.find_note(f"it is {token(1)}")
