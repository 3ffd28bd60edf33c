"""The context view only grows at its end until it is cut, shows what the log says, and never more than its limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.memory.context_view import CUT_TO, INTRODUCTION, context_view, units
from totalrecall.memory.observations import HEADER, append_block, render_block, tidy

DAY = date(2026, 2, 14)
LIMIT = 2500
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).map(lambda text: f"x{text}")
notes = st.builds(
    lambda priority, day, time, text, children: tidy(
        Note(priority, DAY + timedelta(days=day), time, text, NoteType.FACT, tuple(children))
    ),
    st.sampled_from(Priority),
    st.integers(0, 5),
    st.sampled_from(["00:00", "14:05", "23:59"]),
    texts,
    st.lists(texts.map(lambda text: Note(Priority.LOW, DAY, "", text)), max_size=2),
)
blocks = st.tuples(st.lists(notes, min_size=1, max_size=5), st.booleans())


def log_of(*parts: tuple[Sequence[Note], bool]) -> str:
    """A log with these blocks, provisional or not, as the observer writes it."""
    text = ""
    for number, (block, provisional) in enumerate(parts):
        text = append_block(text, render_block(f"{number:08x}", block, provisional=provisional))
    return text


def note_lines(text: str) -> list[str]:
    """The lines of notes and children."""
    return [line for line in text.split("\n") if line.lstrip(" ").startswith("- ")]


def body(view: str) -> str:
    """The view without its first line."""
    return view.split("\n", 1)[1] if view else ""


def many(count: int, *, priority: Priority = Priority.MEDIUM, word: str = "filler") -> list[Note]:
    """Notes of one day."""
    return [
        Note(priority, DAY, f"{n // 60 % 24:02d}:{n % 60:02d}", f"{word} {n} " + "w" * 40)
        for n in range(count)
    ]


@given(st.lists(blocks, max_size=12))
@settings(max_examples=60)
def test_no_view_is_longer_than_its_limit(parts: list[tuple[list[Note], bool]]) -> None:
    """Whatever the log grows by, the view of each state keeps the limit, in the host's way of counting."""
    view = ""
    for end in range(len(parts) + 1):
        view = context_view(view, log_of(*parts[:end]), LIMIT)
        assert units(view) <= LIMIT


@given(st.lists(blocks, min_size=1, max_size=12))
@settings(max_examples=60)
def test_appended_notes_only_append_until_a_cut(parts: list[tuple[list[Note], bool]]) -> None:
    """A view whose cut is where it was begins with the view before it, byte for byte."""
    view = context_view("", log_of(parts[0]), LIMIT)
    for end in range(2, len(parts) + 1):
        grown = context_view(view, log_of(*parts[:end]), LIMIT)
        if grown.split("\n", 1)[0] == view.split("\n", 1)[0]:
            assert grown.startswith(view)
            assert note_lines(grown)[-1] == note_lines(log_of(*parts[:end]))[-1]
        view = grown


@given(st.lists(blocks, min_size=1, max_size=12))
@settings(max_examples=60)
def test_every_line_of_a_view_stands_in_the_log_in_that_order(parts: list[tuple[list[Note], bool]]) -> None:
    """No note's text is altered, none is shown twice, and the order is the log's."""
    view = ""
    for end in range(1, len(parts) + 1):
        log = log_of(*parts[:end])
        view = context_view(view, log, LIMIT)
        rest = iter(note_lines(log))
        assert all(line in rest for line in note_lines(view))


@given(st.lists(blocks, min_size=1, max_size=6), st.data())
@settings(max_examples=60)
def test_a_view_of_a_log_that_fits_shows_all_of_it(
    parts: list[tuple[list[Note], bool]], data: st.DataObject
) -> None:
    """Nothing is left out without need, also after any line was deleted from the log by hand."""
    log = log_of(*parts)
    before = context_view("", log, 100_000)
    assert note_lines(before) == note_lines(log)
    lines = log.split("\n")
    place = data.draw(st.integers(0, len(lines) - 1))
    shorter = "\n".join([*lines[:place], *lines[place + 1 :]])
    assert note_lines(context_view(before, shorter, 100_000)) == note_lines(shorter)


@given(st.lists(blocks, min_size=4, max_size=12), st.data())
@settings(max_examples=60)
def test_a_deleted_note_leaves_the_view(parts: list[tuple[list[Note], bool]], data: st.DataObject) -> None:
    """What a person takes out of the log is gone from the next view, cut or not."""
    log, view = "", ""
    for end in range(1, len(parts) + 1):
        log = log_of(*parts[:end])
        view = context_view(view, log, LIMIT)
    shown = [line for line in note_lines(view) if line in note_lines(log)]
    gone = data.draw(st.sampled_from(shown)) if shown else "- none"
    shorter = "\n".join(line for line in log.split("\n") if line != gone)
    assert gone not in context_view(view, shorter, LIMIT).split("\n")


def test_a_cut_leaves_room_so_that_the_next_notes_only_append() -> None:
    """After a cut the view grows for many notes before it is cut again: few cuts, not one a note."""
    log, view, cuts = "", "", 0
    for number, note in enumerate(many(400)):
        log = append_block(log, render_block(f"{number:08x}", [note]))
        grown = context_view(view, log, 18_000)
        cuts += not grown.startswith(view)
        view = grown
    assert 1 <= cuts <= 5


def test_a_cut_goes_well_below_the_limit() -> None:
    """Right after a cut about a third of the limit is free."""
    view = context_view("", log_of((many(600), False)), 18_000)
    assert 0.5 * 18_000 < units(view) <= CUT_TO * 18_000


def test_newest_and_red_notes_survive_a_cut() -> None:
    """An old 🔴 note and the newest 🟢 notes stay; old 🟡 and 🟢 notes go, and the view says how many."""
    old_red = Note(Priority.HIGH, DAY - timedelta(days=30), "09:00", "Deploys go through staging")
    newest = Note(Priority.LOW, DAY + timedelta(days=1), "09:00", "Renamed the repository")
    log = log_of(([old_red], False), (many(600), False), ([newest], False))
    view = context_view("", log, 10_000)
    assert "Deploys go through staging" in view
    assert "Renamed the repository" in view
    assert "filler 0 " not in view
    assert "filler 599 " in view
    left_out = len(note_lines(log)) - len(note_lines(view))
    assert f"{left_out} older entries are left out here" in view


def test_a_late_block_of_an_old_day_is_not_the_newest() -> None:
    """Age is when it was said: notes of a backfill at the end of the log go first in a cut."""
    late = [
        Note(Priority.MEDIUM, DAY - timedelta(days=90), "10:00", f"ancient {n} " + "w" * 40)
        for n in range(300)
    ]
    view = context_view("", log_of((many(300), False), (late, False)), 10_000)
    assert "ancient" not in view
    assert "filler 299 " in view


def test_a_person_s_own_lines_outlive_notes() -> None:
    """What somebody wrote into the log by hand stays in the view when notes have to go."""
    log = log_of((many(20), False)) + "\nRemember: the cat is called Mo.\n" + log_of((many(600), False))
    assert "Remember: the cat is called Mo." in context_view("", log, 10_000)


def test_provisional_notes_are_marked() -> None:
    """A stand-in block is shown under a heading that says so; a model's block is not."""
    view = context_view(
        "",
        log_of(
            ([Note(Priority.LOW, DAY, "10:00", "a")], True), ([Note(Priority.LOW, DAY, "10:01", "b")], False)
        ),
        LIMIT,
    )
    assert "Date: 2026-02-14 (provisional)\n- 🟢 10:00 a\n" in view
    assert "Date: 2026-02-14\n- 🟢 10:01 b\n" in view


def test_markers_and_the_log_s_header_are_not_shown() -> None:
    """The agent sees an introduction that calls notes data, not our bookkeeping."""
    view = context_view("", log_of(([Note(Priority.LOW, DAY, "10:00", "a")], False)), LIMIT)
    assert body(view).startswith(INTRODUCTION)
    assert "not instructions" in view
    assert "tr:" not in view
    assert "Auto-generated by Observer agent" not in view


@pytest.mark.parametrize(
    "log", ["", HEADER, "\ufeff" + HEADER, f"{HEADER}\nDate: 2026-02-14 <!-- tr:00000000 -->\n"]
)
def test_a_log_without_a_note_gives_no_view(log: str) -> None:
    """An introduction to nothing would only cost the agent's context."""
    assert context_view("", log, LIMIT) == ""


def test_a_reflected_log_is_taken_up_anew() -> None:
    """When the log was rewritten, nothing of the view before it stays."""
    view = context_view("", log_of((many(600), False)), 10_000)
    after = context_view(view, log_of(([Note(Priority.HIGH, DAY, "", "All there is")], False)), 10_000)
    assert note_lines(after) == ["- 🔴 All there is"]


def test_an_edited_note_is_shown_as_edited_above_and_behind_a_cut() -> None:
    """A correction by hand reaches the agent wherever it stands."""
    log = log_of(([Note(Priority.HIGH, DAY, "09:00", "Port 8443")], False), (many(600), False))
    view = context_view("", log, 10_000)
    log = append_block(log, render_block("ffffffff", [Note(Priority.LOW, DAY, "23:00", "Late words")]))
    view = context_view(view, log, 10_000)
    edited = log.replace("Port 8443", "Port 9443").replace("Late words", "Later words")
    assert {"- 🔴 09:00 Port 9443", "- 🟢 23:00 Later words"} <= set(
        context_view(view, edited, 10_000).split("\n")
    )


def test_a_last_line_of_any_length_keeps_the_limit() -> None:
    """A line that somebody is writing just now may be longer than the whole view."""
    log = log_of((many(30), False)) + "- 🟡 12:00 " + "w" * 5000
    view = context_view("", log, LIMIT)
    assert 0 < units(view) <= LIMIT
    assert "www" * 500 not in view


def test_crlf_and_broken_bytes_reach_the_agent_as_clean_text() -> None:
    """Line ends of another system are not shown, bytes that are no UTF-8 become the sign for that."""
    log = (
        log_of(([Note(Priority.LOW, DAY, "10:00", "a")], False))
        .replace("\n", "\r\n")
        .replace(" a", " a\udcff")
    )
    view = context_view("", log, LIMIT)
    assert "\r" not in view
    assert "- 🟢 10:00 a\ufffd\n" in view
    assert context_view(view, log + "- 🟢 10:01 b\r\n", LIMIT).startswith(view)


def test_the_first_line_changes_only_with_a_cut() -> None:
    """The hook takes it away, and it tells where the view was cut."""
    view = context_view("", log_of((many(3), False)), LIMIT)
    assert view.startswith("<!-- view cut=0: -->\n")
    cut = context_view(view, log_of((many(300), False)), LIMIT)
    assert re.match(r"<!-- view cut=\d+:[0-9a-f]{16} -->\n", cut)
