"""Reflections in the ledger: lineage over many of them, nothing counted before its time, and all of it undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity
from totalrecall.domain.note import Note, NoteType, Priority, Usage
from totalrecall.errors import LedgerError
from totalrecall.ledger import schema
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.provenance import NoteFilter
from totalrecall.ledger.reflection_rows import Departure, Merger, ReflectionPlan, ReflectionStatus, Swap, Undo
from totalrecall.ledger.rows import BatchStatus

DAY = date(2026, 2, 14)
SWAP = Swap("before", "after", 100)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with four notes of two batches, each standing for one message."""
    with Ledger.open(tmp_path, now_ms=NOW) as made:
        for marker, first in (("aaaaaaaa", 1), ("bbbbbbbb", 3)):
            made.plan(batch(marker, first, first + 1))
            notes = answer("one", "two").notes
            notes = tuple(
                replace(one, note=replace(one.note, text=f"note {first + place}"), cites=(place + 1,))
                for place, one in enumerate(notes)
            )
            made.store_answer(
                marker, replace(answer("x"), notes=notes), [identity(first), identity(first + 1)]
            )
            made.mark_writing(marker, "")
            made.commit(marker, now_ms=NOW)
        yield made


def departure(number: int, note_id: str, reason: str = "merged") -> Departure:
    """A note that leaves."""
    return Departure(number, note_id, DAY, f"- 🔴 14:05 [decision] {note_id}", note_id[:8], reason)


def merger(text: str, *stands_for: int, cites: tuple[int, ...]) -> Merger:
    """A new note with a child."""
    child = Note(Priority.LOW, DAY, "", f"{text} child")
    note = Note(Priority.HIGH, DAY, "14:05", text, NoteType.DECISION, (child,))
    return Merger(note, stands_for, tuple(identity(one) for one in cites))


def plan(marker: str, *departures: Departure, mergers: tuple[Merger, ...] = ()) -> ReflectionPlan:
    """What is about to happen."""
    return ReflectionPlan(
        marker, NOW, "llm", SWAP, departures, mergers, "backup.md", Usage(1, 10, 5, 0.01), {"words_before": 9}
    )


def texts(ledger: Ledger) -> set[str]:
    """The words of the notes that count as standing in the log."""
    return {one.text for one in ledger.notes()}


def consolidate(ledger: Ledger) -> None:
    """Two reflections: notes 1 and 2 become m1, note 3 leaves by age; then m1 and note 4 become m2."""
    first = merger("m1", 1, 2, cites=(1, 2))
    gone = (departure(1, "aaaaaaaa-0"), departure(2, "aaaaaaaa-1"), departure(3, "bbbbbbbb-0", "aged"))
    ledger.plan_reflection(plan("11111111", *gone, mergers=(first,)))
    ledger.commit_reflection("11111111", now_ms=NOW + 1)
    second = merger("m2", 1, 2, cites=(1, 2, 4))
    left = (departure(1, "11111111-0"), departure(2, "bbbbbbbb-1"))
    ledger.plan_reflection(replace(plan("22222222", *left, mergers=(second,)), started_ms=NOW + 2))
    ledger.commit_reflection("22222222", now_ms=NOW + 3)


def test_a_merged_note_leads_to_the_messages_over_two_reflections(ledger: Ledger) -> None:
    """The note stands for every message of what it was made from; what left is kept with what it went into."""
    consolidate(ledger)
    assert texts(ledger) == {"m2", "m2 child"}
    (found,) = ledger.find_note("m2")
    assert [one.identity for one in ledger.provenance(found.note_id)] == [identity(one) for one in (1, 2, 4)]
    (batch_row,) = [ledger.batch("22222222")]
    assert batch_row is not None
    assert (batch_row.status, batch_row.engine, batch_row.usage.tokens_in) == (
        BatchStatus.COMMITTED, "reflector llm", 10,
    )  # fmt: skip
    assert [one.into_id for one in ledger.departures("22222222")] == ["22222222-0", "22222222-0"]
    assert [one.into_id for one in ledger.departures("11111111")] == ["11111111-0", "11111111-0", ""]
    assert {one.text for one in ledger.notes_citing(identity(4))} == {"note 4", "m2", "m2 child"}
    assert ledger.left_since(NOW) == {"merged": 4, "aged": 1}
    assert ledger.left_since(NOW + 3) == {"merged": 2}
    assert len(ledger.batches(100)) == 4


def test_a_plan_changes_nothing_until_it_is_committed(ledger: Ledger) -> None:
    """Neither its notes nor what leaves count; it is replaced, found again after a crash, and forgotten."""
    before = texts(ledger)
    ledger.plan_reflection(
        plan("11111111", departure(1, "aaaaaaaa-0"), mergers=(merger("first", 1, cites=(1,)),))
    )
    ledger.plan_reflection(
        plan("11111111", departure(2, "aaaaaaaa-1"), mergers=(merger("second", 2, cites=(2,)),))
    )
    assert texts(ledger) == before
    assert ledger.find_note("second") == []
    assert not ledger.open_batches()
    found = ledger.open_reflection()
    assert found is not None
    assert (found.marker, found.status, found.swap, found.backup) == (
        "11111111", ReflectionStatus.PLANNED, SWAP, "backup.md",
    )  # fmt: skip
    assert [one.number for one in ledger.departures("11111111")] == [2]
    for _ in range(2):
        ledger.discard_reflection("11111111")
    assert ledger.open_reflection() is None
    assert ledger.batch("11111111") is None
    assert texts(ledger) == before
    assert ledger.last_reflection() is None


def test_undo_goes_back_step_by_step(ledger: Ledger) -> None:
    """The last one first; its notes leave, what returns counts again, what a person took out stays out."""
    consolidate(ledger)
    last = ledger.last_reflection()
    assert last is not None
    assert last.marker == "22222222"
    undo = Undo("cccccccc", Swap("b", "a"), (1, 2))
    ledger.plan_undo("22222222", undo, now_ms=NOW + 4)
    assert texts(ledger) == {"m2", "m2 child"}
    found = ledger.open_reflection()
    assert found is not None
    assert (found.status, found.undo) == (ReflectionStatus.UNDOING, undo)
    ledger.commit_undo("22222222", now_ms=NOW + 5)
    assert texts(ledger) == {"m1", "m1 child", "note 4"}
    last = ledger.last_reflection()
    assert last is not None
    assert last.marker == "11111111"
    ledger.plan_undo("11111111", Undo("dddddddd", Swap("b", "a"), (1, 3)), now_ms=NOW + 6)
    ledger.commit_undo("11111111", now_ms=NOW + 7)
    assert texts(ledger) == {"note 1", "note 3", "note 4"}
    assert ledger.last_reflection() is None
    assert ledger.left_since(NOW) == {"merged": 1}
    assert [(one.status, one.undone_ms) for one in ledger.reflections(9)] == [
        (ReflectionStatus.UNDONE, NOW + 5), (ReflectionStatus.UNDONE, NOW + 7),
    ]  # fmt: skip


def test_an_undo_that_never_happened_is_forgotten(ledger: Ledger) -> None:
    """The reflection stands as before and can be undone again; a step out of its order is refused."""
    consolidate(ledger)
    ledger.plan_undo("22222222", Undo("cccccccc", Swap("b", "a"), (1,)), now_ms=NOW)
    ledger.discard_undo("22222222")
    last = ledger.last_reflection()
    assert last is not None
    assert (last.marker, last.undo) == ("22222222", None)
    assert texts(ledger) == {"m2", "m2 child"}
    with pytest.raises(LedgerError):
        ledger.commit_undo("22222222", now_ms=NOW)
    with pytest.raises(LedgerError):
        ledger.commit_reflection("none", now_ms=NOW)


def test_refused_ones_stand_in_the_history_and_give_way(ledger: Ledger) -> None:
    """A refusal is no reflection to undo; of very many the newest stay."""
    for number in range(210):
        ledger.record_refused(NOW + number, "llm", {"refusals": "too short"})
    found = ledger.reflections(500)
    assert (len(found), found[0].numbers["refusals"]) == (200, "too short")
    assert ledger.last_reflection() is None


def test_a_ledger_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its notes are all there, and a reflection of them can be kept."""
    connection = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    for statement in schema.STEPS[0].split(";\n"):
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 1")
    connection.execute(
        "INSERT INTO batches VALUES ('aaaaaaaa', 's1', '', 'committed', 0, 1, 'llm', '', '', 1, 1, 1, 0.0, '', 0, '', 0, 1)"
    )
    connection.execute(
        "INSERT INTO notes VALUES ('aaaaaaaa-0', 'aaaaaaaa', 0, '2026-02-14', '', '🔴', NULL, 'old', x'00', NULL, 1, NULL)"
    )
    connection.close()
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        assert texts(ledger) == {"old"}
        ledger.plan_reflection(plan("11111111", departure(1, "aaaaaaaa-0", "aged")))
        ledger.commit_reflection("11111111", now_ms=NOW)
        assert texts(ledger) == set()
        assert {one.text for one in ledger.notes(NoteFilter(removed=True))} == {"old"}
