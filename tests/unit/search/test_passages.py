"""Memory files as passages."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.observations import HEADER
from totalrecall.memory.passages import PassageKind, daily_passages, day_in, note_passages, plain_passages

LOG = f"""{HEADER}
Date: 2026-02-14 <!-- tr:3fa9c2d1 -->
- 🔴 14:05 [decision] Deploys go through staging first
  - 🟡 14:06 [fact] Staging host is stage-2

a line that a person wrote
over two lines

Date: 2026-02-15 <!-- tr:3fa9c2d2 -->
- 🟢 [event] Renamed the repository
"""

DAILY = """# Friday

Talked about the launch
and its date.

---

## Task Snapshot -- 16:20

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-02-13T16:20:05 -->
<!-- snapshot-id: 2026-02-13-01 -->

### [SNAPSHOT] Active Goal
Move the shop to the new host.

### [SNAPSHOT] Next Steps
1. Copy the images
2. Switch the name server

<!-- /BIG-MEMORY-SNAPSHOT -->
- after it
"""


def test_notes_have_their_day_time_and_line() -> None:
    """Each note is a passage of its own; a person's lines are found as well, the header is not."""
    found = [(one.line, one.day, one.time, one.text) for one in note_passages(LOG)]
    assert found == [
        (8, date(2026, 2, 14), "14:05", "- 🔴 14:05 [decision] Deploys go through staging first"),
        (9, date(2026, 2, 14), "14:06", "- 🟡 14:06 [fact] Staging host is stage-2"),
        (11, date(2026, 2, 14), "", "a line that a person wrote over two lines"),
        (15, date(2026, 2, 15), "", "- 🟢 [event] Renamed the repository"),
    ]


def test_snapshots_in_a_daily_log_are_told_from_the_rest() -> None:
    """A snapshot's lines carry the time at which it was taken, and its format is no answer."""
    found = [(one.kind, one.line, one.time, one.text) for one in daily_passages(DAILY, date(2026, 2, 12))]
    assert found == [
        (PassageKind.DAILY, 1, "", "# Friday"),
        (PassageKind.DAILY, 3, "", "Talked about the launch and its date."),
        (PassageKind.DAILY, 8, "", "## Task Snapshot -- 16:20"),
        (PassageKind.SNAPSHOT, 15, "16:20", "Move the shop to the new host."),
        (PassageKind.SNAPSHOT, 18, "16:20", "1. Copy the images"),
        (PassageKind.SNAPSHOT, 19, "16:20", "2. Switch the name server"),
        (PassageKind.DAILY, 22, "", "- after it"),
    ]


def test_fields_of_a_session_state_are_passages() -> None:
    """Front matter is found field by field."""
    text = '---\nproject: "atlas"\ntask: "move it"\n---\n\n## Context\n- one\r\n'
    found = [one.text for one in plain_passages(text, PassageKind.STATE)]
    assert found == ['project: "atlas"', 'task: "move it"', "## Context", "- one"]


def test_the_day_of_a_name_is_the_first_date_that_exists() -> None:
    """Names without a date have none."""
    assert day_in("2026-02-30-2026-02-13-1620.md") == date(2026, 2, 13)
    assert day_in("notes.md") is None


@given(st.text(max_size=300))
def test_every_word_of_any_file_is_in_a_passage(text: str) -> None:
    """Nothing but empty lines, rules, fences and comments is passed by, and lines are counted from 1."""
    found = list(plain_passages(text, PassageKind.DAILY))
    lines = text.split("\n")
    for one in found:
        assert 1 <= one.line <= len(lines)
        assert lines[one.line - 1].strip() in one.text
    joined = " ".join(one.text for one in found)
    for line in lines:
        plain = line.rstrip("\r").strip()
        if plain and not plain.startswith(("<!--", "---", "```", "###", "Date: ")):
            assert plain in joined
