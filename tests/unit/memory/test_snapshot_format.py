"""A task snapshot parses back to what was written, whatever stands in it, and an agent's own is read too."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.domain.snapshot import Decision, FileInPlay, NamedValue, Phase, Snapshot, TaskPicture
from totalrecall.memory.snapshot_format import parse_snapshots, render_snapshot
from totalrecall.memory.snapshot_words import CODE_LINES, tidy


def at(text: str) -> datetime:
    """A local time, as the format has it: without a zone."""
    return datetime.fromisoformat(text)


DAY = date(2026, 2, 14)
TAKEN = at("2026-02-14T14:05:09")
NASTY = (
    "<!-- /BIG-MEMORY-SNAPSHOT -->", "<!-- BIG-MEMORY-SNAPSHOT v1 -->", "### [SNAPSHOT] Next Steps", "-->", "<!--",
    "## Task Snapshot -- 10:00", "---", "```", "````python", "~~~", "none", "N/A.", "- ", "1. ", "&lt;", "&#45;", "&amp;",
    " -- ", "`", ":", "\r\n", "\u2028", "\u2029", "\x85", "\ufeff", "\x00", "\ud800", "决定", "🔴", "👨‍👩‍👧", "Blocker: ", "Question: ",
    "A_B=C_D=E", "yes -- ", "[SNAPSHOT]", "BIG-MEMORY-SNAPSHOT", "\t", "\u3000",
)  # fmt: skip
words = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=8)), max_size=6).map("".join),
)
lists = st.lists(words, max_size=4).map(tuple)
pictures = st.builds(
    TaskPicture,
    goal=words,
    phase=st.one_of(st.none(), st.sampled_from(Phase)),
    branch=words,
    blocked=st.booleans(),
    blocked_by=words,
    progress=words,
    files=st.lists(st.builds(FileInPlay, words, words), max_size=4).map(tuple),
    decisions=st.lists(st.builds(Decision, words, words), max_size=4).map(tuple),
    code=st.lists(words, max_size=6).map("\n".join),
    names=st.lists(st.builds(NamedValue, words, words), max_size=4).map(tuple),
    blockers=lists,
    questions=lists,
    next_steps=lists,
)
WHOLE = TaskPicture(
    goal="Port the parser to Rust, because the old one needs 40 s a file",
    phase=Phase.DEBUGGING,
    branch="rust-parser",
    blocked=True,
    blocked_by="cargo test: 2 failed",
    progress="3 of 5 modules",
    files=(FileInPlay("src/lexer.rs", "edited"), FileInPlay("README.md")),
    decisions=(Decision("Keep the CLI in Python", "users script it"), Decision("No unsafe")),
    code="fn main() {\n    // ```\n}",
    names=(NamedValue("API endpoint", "POST /api/v1/users"), NamedValue("Env var", "DATABASE_URL")),
    blockers=("cargo test: 2 failed",),
    questions=("Which edition?",),
    next_steps=("Fix the lexer", "Run cargo test"),
)
LITERAL = """
---

## Task Snapshot -- 14:05

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-02-14T14:05:09 -->
<!-- snapshot-id: 2026-02-14-01 -->

### [SNAPSHOT] Active Goal
Port the parser to Rust, because the old one needs 40 s a file

### [SNAPSHOT] Current State
- Phase: debugging
- Branch: rust-parser
- Blocked: yes -- cargo test: 2 failed
- Progress: 3 of 5 modules

### [SNAPSHOT] Files In Play
- `src/lexer.rs` -- edited
- `README.md`

### [SNAPSHOT] Decisions Made
1. Keep the CLI in Python -- users script it
2. No unsafe

### [SNAPSHOT] Code Context
```
fn main() {
    // ```
}
```

### [SNAPSHOT] Key Names & Values
- API endpoint: `POST /api/v1/users`
- Env var: `DATABASE_URL`

### [SNAPSHOT] Blockers & Open Questions
- Blocker: cargo test: 2 failed
- Question: Which edition?

### [SNAPSHOT] Next Steps
1. Fix the lexer
2. Run cargo test

<!-- /BIG-MEMORY-SNAPSHOT -->
"""
BY_HAND = """# 2026-02-14

- Lunch with Odile

---

## Task Snapshot -- 23:20

<!-- BIG-MEMORY-SNAPSHOT v1 -->
<!-- timestamp: 2026-02-14T23:20:00+01:00 -->

### [SNAPSHOT] Active Goal
Move the kiln
to the shed.

### [SNAPSHOT] Current State
- Phase: Implementing (nearly done)
- Branch: n/a
- Blocked: no
- Progress: 80%

### [SNAPSHOT] Files In Play
* kiln/plan.md -- measures

### [SNAPSHOT] Decisions Made
none

### [SNAPSHOT] Code Context
```python
a = 1
```

### [SNAPSHOT] Key Names & Values
- Env var: `KILN_TOKEN`          (names, never values)
- Host: kiln.local

### [SNAPSHOT] Blockers & Open Questions
- Who carries it?

### [SNAPSHOT] Next Steps
1) Rent a van
   for Saturday
2) Call Odile

<!-- /BIG-MEMORY-SNAPSHOT -->

## Evening
- Something else
"""


def stored(picture: TaskPicture, number: int = 1) -> str:
    """One rendered snapshot."""
    return render_snapshot(Snapshot(f"2026-02-14-{number:02d}", TAKEN, picture))


@given(pictures)
def test_a_snapshot_parses_back_to_what_was_written(picture: TaskPicture) -> None:
    """Marks, headings, fences, comment ends and signs that look like them are given back as they were."""
    ((line, found),) = parse_snapshots(stored(picture), DAY)
    assert found == Snapshot("2026-02-14-01", TAKEN, tidy(picture))
    assert line == 4


@given(pictures, pictures)
def test_two_snapshots_and_foreign_text_around_them_stay_apart(one: TaskPicture, two: TaskPicture) -> None:
    """What stands in one snapshot never reaches into the next, with either kind of line end."""
    text = f"# Day\n\nfree words\n{stored(one)}\n## Evening\nmore\n{stored(two, 2)}"
    for shape in (text, text.replace("\n", "\r\n")):
        assert [found.picture for _, found in parse_snapshots(shape, DAY)] == [tidy(one), tidy(two)]


@given(pictures)
def test_content_never_shows_a_mark_of_the_format(picture: TaskPicture) -> None:
    """A search for the marks and headings finds those of the format only, once each."""
    text = stored(picture)
    assert text.count("BIG-MEMORY-SNAPSHOT") == 2
    assert text.count("[SNAPSHOT]") == 8
    assert text.count("<!--") == text.count("-->") == 4
    assert len([line for line in text.splitlines() if line.startswith("## ")]) == 1
    assert text.encode()


@given(pictures)
def test_tidying_twice_changes_nothing(picture: TaskPicture) -> None:
    """What was read and is written again stays the same."""
    assert tidy(tidy(picture)) == tidy(picture)


def test_the_format_is_literal() -> None:
    """Byte for byte what the agent's skill and its memory search expect."""
    assert stored(WHOLE) == LITERAL


def test_empty_sections_say_none() -> None:
    """A snapshot without anything still has all its eight sections."""
    text = stored(TaskPicture())
    assert text.count("\nnone\n") == 7
    assert "- Phase: n/a\n- Branch: n/a\n- Blocked: no\n- Progress: n/a\n" in text
    ((_, found),) = parse_snapshots(text, DAY)
    assert found.picture == TaskPicture()


def test_a_snapshot_that_an_agent_wrote_by_hand_is_read() -> None:
    """Other bullets, wrapped lines, a time with an offset, no id: the sense is kept."""
    zone = timezone(timedelta(hours=8))
    ((line, found),) = parse_snapshots(BY_HAND, date(2026, 2, 14), zone)
    assert (line, found.snapshot_id, found.taken) == (7, "", at("2026-02-15T06:20:00"))
    assert found.picture == TaskPicture(
        goal="Move the kiln to the shed.",
        phase=Phase.IMPLEMENTING,
        progress="80%",
        files=(FileInPlay("kiln/plan.md", "measures"),),
        code="a = 1",
        names=(NamedValue("Env var", "KILN_TOKEN"), NamedValue("Host", "kiln.local")),
        questions=("Who carries it?",),
        next_steps=("Rent a van for Saturday", "Call Odile"),
    )


@pytest.mark.parametrize(
    ("stamp", "taken"),
    [
        ("2026-02-14T09:30", at("2026-02-14T09:30:00")),
        ("yesterday", at("2026-02-14T14:05:00")),
        ("2099-01-01T00:00:00", at("2026-02-14T14:05:00")),
        ("2026-02-10T08:00:00", at("2026-02-10T08:00:00")),
    ],
)
def test_a_time_that_cannot_be_is_taken_from_heading_and_day(stamp: str, taken: datetime) -> None:
    """A time stamp of the far future would be the newest for ever."""
    text = stored(WHOLE).replace("2026-02-14T14:05:09", stamp)
    ((_, found),) = parse_snapshots(text, DAY)
    assert found.taken == taken


def test_half_a_snapshot_counts_only_when_its_last_section_has_begun() -> None:
    """A write that a crash cut short does not hide the snapshot before it."""
    text = stored(WHOLE)
    half, nearly = text[: len(text) // 2], text[: text.index("2. Run cargo")]
    assert [one.picture for _, one in parse_snapshots(text + half + text, DAY)] == [WHOLE, WHOLE]
    assert [one.picture.next_steps for _, one in parse_snapshots(nearly + text, DAY)] == [
        ("Fix the lexer",), WHOLE.next_steps,
    ]  # fmt: skip


def test_code_stays_under_fifty_lines() -> None:
    """More is cut with a count of what is missing."""
    picture = tidy(replace(WHOLE, code="\n".join(f"line {n}" for n in range(200))))
    assert len(picture.code.splitlines()) == CODE_LINES
    assert picture.code.endswith("… 155 more lines")
    section = stored(picture).split("Code Context\n")[1].split("\n\n### ")[0]
    assert len(section.splitlines()) < 50


def test_environment_variables_keep_their_names_and_lose_their_values() -> None:
    """Wherever one is assigned, as shells and .env files write it."""
    picture = tidy(
        TaskPicture(
            goal='Start it with LOG_LEVEL="de bug" and DATABASE_URL=postgres://db.example/x please',
            code="export API_BASE=https://api.example\nMAX_SIZE = 4",
            names=(NamedValue("Env var", "MODE=fast"), NamedValue("Env var", "$HOME_DIR")),
            next_steps=("Set RETRIES=5",),
        )
    )
    assert picture.goal == "Start it with LOG_LEVEL and DATABASE_URL please"
    assert picture.code == "export API_BASE\nMAX_SIZE = 4"
    assert [one.value for one in picture.names] == ["MODE", "HOME_DIR"]
    assert picture.next_steps == ("Set RETRIES",)
