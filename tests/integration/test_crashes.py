"""A process that ends at any step of a batch: no note lost, none doubled (invariant 2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.counting import assert_whole, recount, token, tokens_noted
from tests.integration.crashing import crash, outcome, start
from tests.lab import Lab
from totalrecall.jobs.context import Step
from totalrecall.memory.observations import markers_in

WORDS = [token(number) for number in range(3)]


def _talk(lab: Lab) -> None:
    lab.say(*[f"the value is {word}" for word in WORDS])
    lab.reply("understood")


@pytest.mark.parametrize("step", list(Step), ids=lambda step: step.name)
def test_a_crash_after_any_step_loses_and_doubles_nothing(lab: Lab, step: Step) -> None:
    """The run after the crash notes each message once, and the recount adds up."""
    _talk(lab)
    assert crash(lab, step)
    lab.observe()
    assert_whole(lab, WORDS)
    assert len(markers_in(lab.notes)) == 1
    assert lab.observe().idle


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Step.NOTES_WRITTEN, Step.WRITING_MARKED),
        (Step.WRITING_MARKED, Step.NOTES_WRITTEN),
        (Step.MIRRORED, Step.MIRRORED),
        (Step.ANSWER_STORED, Step.MIRRORED),
        (Step.PLANNED, Step.MODEL_ASKED),
        (Step.COMMITTED, Step.RANGE_READ),
    ],
)
def test_two_crashes_in_a_row(lab: Lab, first: Step, second: Step) -> None:
    """Recovery from a crash may itself be cut short; new messages come in between."""
    _talk(lab)
    assert crash(lab, first)
    lab.say(f"and {token(7)}")
    crash(lab, second)
    lab.observe()
    assert_whole(lab, [*WORDS, token(7)])


@pytest.mark.parametrize("step", [Step.NOTES_WRITTEN, Step.MIRRORED])
def test_a_block_deleted_after_a_crash_stays_deleted(lab: Lab, step: Step) -> None:
    """A person takes the block out before the restart: it does not come back (invariant 7)."""
    lab.say("first of all")
    lab.observe()
    _talk(lab)
    before = lab.notes
    assert crash(lab, step)
    assert tokens_noted(lab.notes)
    lab.notes_path.write_text(before, encoding="utf-8")
    lab.observe()
    assert_whole(lab, [])
    assert "first of all" in lab.notes


def test_an_edit_after_a_crash_before_the_writing_does_not_lose_the_block(lab: Lab) -> None:
    """The block was about to be written and was not; that somebody edits the file meanwhile changes nothing."""
    lab.say("first of all")
    lab.observe()
    _talk(lab)
    assert crash(lab, Step.WRITING_MARKED)
    edited = lab.notes_path.with_suffix(".new")
    edited.write_text(lab.notes + "\nmy own line\n", encoding="utf-8")
    edited.replace(lab.notes_path)
    lab.observe()
    assert_whole(lab, WORDS)
    assert "my own line" in lab.notes


@pytest.mark.parametrize("step", list(Step)[:-1], ids=lambda step: step.name)
def test_a_crash_with_a_stand_in(lab: Lab, step: Step) -> None:
    """A provisional block cut short is finished once, and the model's notes take its place later."""
    _talk(lab)
    crash(lab, step, away=True)
    code, said = outcome(start(lab, away=True))
    assert code == 0, said
    assert lab.notes.count("provisional -->") == 1
    assert recount(lab).adds_up
    lab.observe()
    assert "provisional" not in lab.notes
    assert_whole(lab, WORDS)


@pytest.mark.parametrize("step", list(Step), ids=lambda step: step.name)
def test_a_crash_while_a_stand_in_is_replaced(lab: Lab, step: Step) -> None:
    """The replacement by the model's notes may be cut short anywhere."""
    _talk(lab)
    assert outcome(start(lab, away=True))[0] == 0
    assert "provisional" in lab.notes
    assert crash(lab, step)
    lab.observe()
    assert "provisional" not in lab.notes
    assert_whole(lab, WORDS)


def test_a_crash_in_the_middle_of_many_batches(tmp_path: Path) -> None:
    """Several batches of several sessions, a crash in one of each: the next runs go on where it stopped."""
    lab = Lab(tmp_path, env={"OPENROUTER_API_KEY": "k" * 30})
    lab.adopt()
    words = [token(number) for number in range(130)]
    for number, some in enumerate((words[:65], words[65:])):
        lab.say(*[f"it is {word}" for word in some], session=f"11111111-aaaa-4aaa-8aaa-00000000000{number}")
    for nth in (2, 1, 2):
        crash(lab, Step.NOTES_WRITTEN, nth=nth)
    lab.observe()
    assert_whole(lab, words)
