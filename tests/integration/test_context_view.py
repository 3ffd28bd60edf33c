"""The prepared file that the bootstrap hook reads follows the notes file."""

from __future__ import annotations

import json

import pytest

from tests.lab import Lab
from totalrecall.jobs.context_view import LIMIT_UNITS, STEP_CHARS, Prepared, newest_part, prepare


def prepared(lab: Lab) -> tuple[Prepared, str, str]:
    """The outcome, the first line and what the agent sees."""
    with lab.context() as ctx:
        done = prepare(ctx)
    head, _, text = done.path.read_text(encoding="utf-8").partition("\n")
    return done, head, text


def test_the_agent_sees_what_was_observed(lab: Lab) -> None:
    """After a run the file holds the notes, tells the hook where they stand, and is the owner's alone."""
    lab.say("Deploys go through staging first.")
    lab.observe()
    done, head, text = prepared(lab)
    assert "Deploys go through staging first." in text
    facts = json.loads(head.removeprefix("<!-- totalrecall:context ").removesuffix(" -->"))
    assert facts["path"] == str(lab.notes_path)
    assert done.path.stat().st_mode & 0o777 == 0o600
    assert 0 < done.units <= LIMIT_UNITS


def test_an_unchanged_log_is_not_prepared_again(lab: Lab) -> None:
    """A run with nothing new writes nothing."""
    lab.say("Deploys go through staging first.")
    lab.observe()
    first, _, _ = prepared(lab)
    stamp = first.path.stat().st_mtime_ns
    again, _, _ = prepared(lab)
    assert (first.changed, again.changed) == (True, False)
    assert again.path.stat().st_mtime_ns == stamp
    assert again.units == first.units


def test_new_notes_only_append(lab: Lab) -> None:
    """What stood in the file before the run still stands there, byte for byte, in front of what is new."""
    lab.say("Deploys go through staging first.")
    lab.observe()
    _, _, before = prepared(lab)
    lab.say("The port is 8443.")
    lab.observe()
    _, _, after = prepared(lab)
    assert after.startswith(before)
    assert "8443" in after.removeprefix(before)


def test_a_note_that_a_person_deleted_is_gone(lab: Lab) -> None:
    """The next preparation follows the edit; with the last note the agent gets nothing at all."""
    lab.say("Deploys go through staging first.")
    lab.observe()
    prepared(lab)
    lab.notes_path.write_text(
        "\n".join(line for line in lab.notes.split("\n") if "staging" not in line), encoding="utf-8"
    )
    done, _, text = prepared(lab)
    assert (done.changed, done.units, text) == (True, 0, "")


@pytest.mark.report("R088")
def test_a_secret_that_a_person_wrote_into_the_log_does_not_reach_the_prompt(lab: Lab) -> None:
    """The log is the user's file; what goes to a model from it is screened."""
    key = "sk-or-v1-" + "0a" * 32
    lab.say("Deploys go through staging first.")
    lab.observe()
    with lab.notes_path.open("a", encoding="utf-8") as file:
        file.write(f"- 🔴 my key is {key}\n")
    _, _, text = prepared(lab)
    assert "my key is" in text
    assert "0a0a0a" not in text


@pytest.mark.parametrize(
    "found", ["", "something else", "<!-- totalrecall:context {broken -->\nold words\n", "\0" * 50]
)
def test_a_damaged_prepared_file_is_made_anew(lab: Lab, found: str) -> None:
    """It is only a copy: whatever stands there, the next run puts the notes in its place."""
    lab.say("Deploys go through staging first.")
    lab.observe()
    done, _, _ = prepared(lab)
    done.path.write_text(found, encoding="utf-8")
    _, _, text = prepared(lab)
    assert "Deploys go through staging first." in text
    assert "old words" not in text


def test_a_folder_with_odd_signs_does_not_break_the_first_line(lab: Lab) -> None:
    """The path of the notes stands inside a comment, and may hold what ends one."""
    lab.env["OPENCLAW_WORKSPACE"] = str(lab.root / "a --> b")
    lab.say("Deploys go through staging first.")
    lab.observe()
    _, head, text = prepared(lab)
    assert head.count("-->") == 1
    facts = json.loads(head.removeprefix("<!-- totalrecall:context ").removesuffix(" -->"))
    assert facts["path"].endswith("a --> b/memory/observations.md")
    assert "staging" in text


def test_of_a_log_far_longer_than_any_view_only_the_end_is_looked_at() -> None:
    """From a heading on, and from the same one while notes are added."""
    day = "Date: 2026-01-{:02d} <!-- tr:{:08x} -->\n" + "- 🟢 10:00 [event] a note of some words\n" * 400
    log = "".join(f"\n{day.format(1 + number % 28, number)}" for number in range(100))
    assert len(log) > 3 * STEP_CHARS
    part = newest_part(log)
    assert log.endswith(part)
    assert part.startswith("Date: ")
    assert STEP_CHARS <= len(part) <= 2 * STEP_CHARS
    grown = newest_part(f"{log}- 🔴 11:00 [rule] one more\n")
    assert grown == f"{part}- 🔴 11:00 [rule] one more\n"
    assert newest_part(log[:STEP_CHARS]) == log[:STEP_CHARS]
