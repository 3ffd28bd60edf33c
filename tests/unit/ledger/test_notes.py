"""Notes, provenance, and words that are gone for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity, ids, session
from totalrecall.domain.note import Compression, DraftNote, Dropped, Note, NoteType, Priority
from totalrecall.domain.state import MessageState
from totalrecall.ledger.backup import back_up, backups
from totalrecall.ledger.forgetting import remove_from_copies
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.provenance import NoteFilter
from totalrecall.ledger.rows import Adoption

SECRET = "the wedding is planned for the old lighthouse"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An adopted ledger."""
    with Ledger.open(tmp_path / "state", now_ms=NOW) as opened:
        opened.adopt(Adoption(NOW, NOW), [session(0)])
        yield opened


def note_down(ledger: Ledger, marker: str, number: int, compression: Compression) -> None:
    """Commit a batch of three messages with this answer."""
    row = batch(marker, number, number + 2)
    ledger.plan(row)
    ledger.store_answer(marker, compression, ids(row))
    ledger.commit(marker, now_ms=NOW)


def test_a_note_leads_back_to_its_messages(ledger: Ledger) -> None:
    """Numbers become identities, in the order of the citation; a number that is not there is left out."""
    note_down(ledger, "aa000001", 5, answer("Deploys go through staging", cites=(3, 1, 9, 0)))
    found = ledger.find_note("deploys go  through STAGING")
    assert [one.note_id for one in found] == ["aa000001-0"]
    assert found[0].cites == (identity(7), identity(5))
    assert [(one.position, one.state) for one in ledger.provenance("aa000001-0")] == [
        (70, MessageState.NOTED),
        (50, MessageState.NOTED),
    ]
    assert [one.note_id for one in ledger.notes_citing(identity(7))] == ["aa000001-0"]
    assert ledger.notes_citing(identity(6)) == []


def test_children_share_their_parents_messages(ledger: Ledger) -> None:
    """A child stands after its parent, names it, and leads to the same messages."""
    child = Note(Priority.LOW, date(2026, 2, 14), "14:06", "Staging host is stage-2", NoteType.FACT)
    parent = Note(Priority.HIGH, date(2026, 2, 14), "", "Deploys go through staging", None, (child,))
    note_down(ledger, "aa000001", 1, Compression((DraftNote(parent, (2,), verified=False),)))
    first, second = ledger.notes_of("aa000001")
    assert (first.text, first.type, first.time, first.parent_id) == (
        "Deploys go through staging",
        None,
        "",
        None,
    )
    assert (second.parent_id, second.cites, second.verified) == (first.note_id, (identity(2),), False)


def test_a_pasted_line_is_found(ledger: Ledger) -> None:
    """A whole line of the file finds its note; so do some of its words; nothing finds nothing."""
    note_down(ledger, "aa000001", 1, answer("Deploys go through staging", "Ｓtaging host is stage-2"))
    assert [one.ordinal for one in ledger.find_note("- 🔴 14:05 [decision] Deploys go through staging")] == [
        0
    ]
    assert [one.ordinal for one in ledger.find_note("staging")] == [0, 1]
    assert ledger.find_note("  ") == []
    assert ledger.find_note("production") == []


def test_only_committed_notes_are_listed(ledger: Ledger) -> None:
    """An answer whose block is not in the file yet is not among the notes."""
    row = batch("aa000001", 1, 3)
    ledger.plan(row)
    ledger.store_answer("aa000001", answer("Early"), ids(row))
    assert ledger.notes() == []
    assert ledger.find_note("Early") == []
    assert len(ledger.notes_of("aa000001")) == 1


def test_a_second_answer_replaces_the_first(ledger: Ledger) -> None:
    """Notes and dropped lines of an answer that was asked for again do not pile up."""
    row = batch("aa000001", 1, 3)
    ledger.plan(row)
    ledger.store_answer("aa000001", answer("First", "Other"), ids(row))
    ledger.store_answer("aa000001", answer("Second"), ids(row))
    ledger.commit("aa000001", now_ms=NOW)
    assert ledger.note_texts(10) == ["Second"]
    assert [one.text for one in ledger.dropped(10)] == ["again and again"]


def test_notes_can_be_filtered(ledger: Ledger) -> None:
    """By day, priority, verification, and whether they are still in the file."""
    old = Note(Priority.LOW, date(2026, 1, 1), "10:00", "Old and low")
    note_down(ledger, "aa000001", 1, Compression((DraftNote(old, (1,), verified=False),)))
    note_down(ledger, "aa000002", 4, answer("New and high"))
    assert [one.text for one in ledger.notes()] == ["New and high", "Old and low"]
    for wanted in (
        NoteFilter(until=date(2026, 1, 31)),
        NoteFilter(priority=Priority.LOW),
        NoteFilter(verified=False),
    ):
        assert [one.text for one in ledger.notes(wanted)] == ["Old and low"]
    assert [one.text for one in ledger.notes(NoteFilter(since=date(2026, 2, 1)))] == ["New and high"]
    ledger.mark_removed(["aa000002-0"], NOW + 1)
    ledger.mark_removed(["aa000002-0"], NOW + 2)
    assert ledger.note_texts(5) == ["Old and low"]
    assert [one.removed_ms for one in ledger.notes(NoteFilter(removed=True))] == [NOW + 1]
    assert len(ledger.notes(NoteFilter(removed=None), limit=1)) == 1


def test_dropped_lines_do_not_grow_without_end(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest are kept."""
    monkeypatch.setattr("totalrecall.ledger.settle.DROPPED_KEPT", 2)
    for number in range(4):
        lines = (Dropped(f"line {number}", "loop"),)
        note_down(
            ledger, f"aa00000{number}", 1 + 3 * number, Compression((), nothing_notable=True, dropped=lines)
        )
    assert [one.text for one in ledger.dropped(10)] == ["line 3", "line 2"]


def test_forgotten_words_are_in_no_byte(ledger: Ledger) -> None:
    """They are neither in the file nor beside it nor in a backup, and no hash of them is left."""
    note_down(ledger, "aa000001", 1, answer(SECRET, "Something else stays"))
    lines = (Dropped(SECRET + " again", "loop"),)
    note_down(ledger, "aa000002", 4, Compression((), nothing_notable=True, dropped=lines))
    folder = ledger.path.parent
    assert back_up(ledger, day=date(2026, 2, 14)) is not None
    everything = [*folder.glob("ledger*"), *backups(folder)]
    assert sum(SECRET.encode() in one.read_bytes() for one in everything) >= 2

    assert len(ledger.texts_holding(_is_secret)) == 2
    assert ledger.remove_texts(_is_secret)
    assert remove_from_copies(backups(folder), _is_secret) == 1
    for one in folder.rglob("*"):
        assert one.is_dir() or SECRET.encode() not in one.read_bytes(), one
    assert not ledger.has_had(SECRET)
    assert ledger.find_note("lighthouse") == []
    assert ledger.find_note("") == []
    assert [one.text for one in ledger.notes_of("aa000001")] == ["", "Something else stays"]
    assert ledger.note_texts(10) == ["Something else stays"]


def _is_secret(text: str) -> bool:
    return SECRET in text


def test_a_reader_that_keeps_the_log_is_told(ledger: Ledger) -> None:
    """While another process reads an old state the log cannot be emptied; later it can."""
    note_down(ledger, "aa000001", 1, answer(SECRET))
    with Ledger.open(ledger.path.parent, now_ms=NOW) as other:
        other._db._connection.execute("BEGIN")
        other.counts()
        assert not ledger.remove_texts(_is_secret)
        other._db._connection.execute("ROLLBACK")
    assert ledger.truncate_wal()
    assert all(SECRET.encode() not in one.read_bytes() for one in ledger.path.parent.glob("ledger*"))
