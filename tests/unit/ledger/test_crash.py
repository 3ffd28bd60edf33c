"""Crashes at each step, kills in the middle, and any order of steps."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.unit.ledger.processes import run, start
from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity, ids, seen, session
from totalrecall.domain.state import MessageState
from totalrecall.errors import LedgerError
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.rows import Adoption, BatchStatus

STEPS = (
    "ledger.plan(row)",
    'ledger.store_answer(row.marker, answer("One", "Two"), ids(row))',
    'ledger.mark_writing(row.marker, "d1")',
    "ledger.commit(row.marker, now_ms=NOW)",
)
AFTER = (BatchStatus.PLANNED, BatchStatus.GENERATED, BatchStatus.WRITING, BatchStatus.COMMITTED)


@pytest.mark.report("R031")
@pytest.mark.parametrize("done", range(1, 5))
def test_each_step_survives_a_crash_right_after_it(tmp_path: Path, done: int) -> None:
    """The step is there, the cursor moves with the last only, and the rest can be done from there, once."""
    steps = "\n        ".join(STEPS[:done])
    code = f"""
        ledger = Ledger.open(folder, now_ms=NOW)
        ledger.adopt(Adoption(NOW, NOW), [session(0)])
        row = batch("aa000001", 1, 3)
        {steps}
        os._exit(9)
    """
    result, _, err = run(code, tmp_path)
    assert result == 9, err
    row = batch("aa000001", 1, 3)
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        found = ledger.batch("aa000001")
        assert found is not None
        assert found.status is AFTER[done - 1]
        assert ledger.sessions()[0].cursor.position == (40 if done == 4 else 0)
        assert ledger.counts().total == (3 if done == 4 else 0)
        if done < 2:
            ledger.store_answer(row.marker, answer("One", "Two"), ids(row))
        ledger.commit(row.marker, now_ms=NOW)
        assert ledger.counts().by_state == {MessageState.NOTED: 3}
        assert [one.text for one in ledger.notes_of("aa000001")] == ["One", "Two"]


@pytest.mark.report("R031")
@pytest.mark.parametrize(
    "at", ["INSERT OR IGNORE INTO seen", "DELETE FROM planned", "sessions (", "settled_ms = ?", "COMMIT"]
)
def test_a_crash_inside_the_commit_is_as_if_it_never_began(tmp_path: Path, at: str) -> None:
    """Whatever statement of the commit is the last, no state is stored and no cursor moved."""
    code = f"""
        import sqlite3
        real = sqlite3.connect
        armed = []
        class Dying(sqlite3.Connection):
            def execute(self, sql, *rest):
                if armed and {at!r} in sql:
                    os._exit(9)
                return super().execute(sql, *rest)
        sqlite3.connect = lambda *a, **k: real(*a, factory=Dying, **k)
        ledger = Ledger.open(folder, now_ms=NOW)
        ledger.adopt(Adoption(NOW, NOW), [session(0)])
        row = batch("aa000001", 1, 3)
        ledger.plan(row)
        ledger.store_answer("aa000001", answer("One"), ids(row))
        armed.append(1)
        ledger.commit("aa000001", now_ms=NOW)
    """
    result, _, err = run(code, tmp_path)
    assert result == 9, err
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        assert ledger.counts().total == 0
        assert ledger.sessions()[0].cursor.position == 0
        assert [one.status for one in ledger.open_batches()] == [BatchStatus.GENERATED]


def test_kills_in_the_middle_of_commits_leave_whole_batches(tmp_path: Path) -> None:
    """A process that commits batch after batch is killed: cursor and states fit each other every time."""
    code = """
        ledger = Ledger.open(folder, now_ms=NOW)
        begin = ledger.session("s1")
        first = begin.cursor.position // 10 if begin else 1
        print("ready", flush=True)
        for number in range(max(first, 1), 10_000):
            row = batch(f"{number:08x}", number, number)
            ledger.plan(row)
            ledger.store_answer(row.marker, answer("One"), ids(row))
            ledger.commit(row.marker, now_ms=NOW)
    """
    for turn in range(3):
        with start(code, tmp_path) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.05 + 0.03 * turn)
            process.kill()
        with Ledger.open(tmp_path, now_ms=NOW) as ledger:
            for one in ledger.open_batches():
                assert one.status in {BatchStatus.PLANNED, BatchStatus.GENERATED}
                if one.status is BatchStatus.PLANNED:
                    ledger.discard(one.marker)
                else:
                    ledger.commit(one.marker, now_ms=NOW)
            rows = ledger.sessions()
            reached = rows[0].cursor.position // 10 - 1 if rows else 0
            assert ledger.counts().total == reached
            assert len(ledger.notes()) == reached


class AnyOrder(RuleBasedStateMachine):
    """Steps of batches over twelve messages in any order, with crashes, against a model of the states."""

    @initialize()
    def begin(self) -> None:
        """An adopted agent with one session."""
        self.folder = TemporaryDirectory()
        self.ledger = Ledger.open(Path(self.folder.name), now_ms=NOW)
        self.ledger.adopt(Adoption(NOW, NOW), [session(0)])
        self.states: dict[bytes, MessageState] = {}
        self.cursor = 0
        self.markers = 0

    def settle(self, messages: list[bytes], state: MessageState, end: int) -> None:
        """The first state of a message stays; the cursor never goes back."""
        for one in messages:
            self.states.setdefault(one, state)
        self.cursor = max(self.cursor, end)

    @rule(first=st.integers(1, 12), length=st.integers(1, 4))
    def plan(self, first: int, length: int) -> None:
        """A range is planned, also one that overlaps others or is long behind."""
        self.markers += 1
        self.ledger.plan(batch(f"{self.markers:08x}", first, first + length - 1))

    @rule(
        choice=st.integers(0, 20),
        step=st.sampled_from(["answer", "nothing", "writing", "commit", "discard", "aside"]),
    )
    def step(self, choice: int, step: str) -> None:
        """Any step at any open batch: it is done, or refused without a trace."""
        found = self.ledger.open_batches()
        if not found:
            return
        row = found[choice % len(found)]
        messages = [one.identity for one in row.seen]
        noted = bool(self.ledger.notes_of(row.marker))
        try:
            if step in {"answer", "nothing"}:
                self.ledger.store_answer(row.marker, answer(*(["One"] if step == "answer" else [])), messages)
            elif step == "writing":
                self.ledger.mark_writing(row.marker, "d")
            elif step == "commit":
                self.ledger.commit(row.marker, now_ms=NOW)
                state = MessageState.NOTED if noted else MessageState.NOTHING_NOTABLE
                self.settle(messages, state, row.session.cursor.position)
            elif step == "discard":
                self.ledger.discard(row.marker)
            else:
                self.ledger.set_aside(row.marker, "refused", NOW)
                self.settle(messages, MessageState.SET_ASIDE, row.session.cursor.position)
        except LedgerError:
            allowed = {
                "answer": row.status in {BatchStatus.PLANNED, BatchStatus.GENERATED},
                "nothing": row.status in {BatchStatus.PLANNED, BatchStatus.GENERATED},
                "writing": row.status is not BatchStatus.PLANNED,
                "commit": row.status is not BatchStatus.PLANNED,
                "discard": row.status is BatchStatus.PLANNED,
                "aside": row.status is not BatchStatus.WRITING,
            }
            assert not allowed[step]

    @rule(number=st.integers(1, 14))
    def pass_over(self, number: int) -> None:
        """A message is skipped and the cursor put behind it."""
        self.ledger.pass_over(session(number * 10 + 10), [seen(number, MessageState.SKIPPED)])
        self.settle([identity(number)], MessageState.SKIPPED, number * 10 + 10)

    @rule()
    def crash(self) -> None:
        """The file is opened anew from what is on the disk."""
        self.ledger._db._connection.close()
        self.ledger.close()
        self.ledger = Ledger.open(Path(self.folder.name), now_ms=NOW)

    @invariant()
    def agrees(self) -> None:
        """Each message has the one state of the model, and the cursor stands where the model's does."""
        if not hasattr(self, "ledger"):
            return
        known = self.ledger.known([identity(number) for number in range(30)])
        assert {one: row.state for one, row in known.items()} == self.states
        assert self.ledger.sessions()[0].cursor.position == self.cursor
        assert self.ledger.counts().total == len(self.states)

    def teardown(self) -> None:
        """Close the file and remove the folder."""
        if hasattr(self, "ledger"):
            self.ledger.close()
            self.folder.cleanup()


TestAnyOrder = pytest.mark.report("R031")(AnyOrder.TestCase)
AnyOrder.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
