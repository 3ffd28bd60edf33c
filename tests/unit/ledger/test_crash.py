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


STEP_NAMES = ("answer", "nothing", "writing", "commit", "aside")
# Random orders alone seldom reach a commit.
SOME_STEPS = st.one_of(
    st.sampled_from(
        [["answer", "writing", "commit"], ["nothing", "commit"], ["answer"], ["commit"], ["aside"], []]
    ),
    st.lists(st.sampled_from(STEP_NAMES), max_size=4),
)


def messages_end(numbers: range) -> int:
    """The cursor after the last of these messages."""
    return numbers[-1] * 10 + 10


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
        self.ranges: dict[str, range] = {}

    def settle(self, messages: list[bytes], state: MessageState, end: int) -> None:
        """The first state of a message stays; the cursor never goes back."""
        for one in messages:
            self.states.setdefault(one, state)
        self.cursor = max(self.cursor, end)

    @rule(first=st.integers(1, 12), length=st.integers(1, 4), steps=SOME_STEPS)
    def plan(self, first: int, length: int, steps: list[str]) -> None:
        """A range is planned, also one that overlaps others or is long behind, and taken some steps further."""
        marker = f"{len(self.ranges):08x}"
        self.ranges[marker] = range(first, first + length)
        self.ledger.plan(batch(marker, first, first + length - 1))
        for name in steps:
            self.step(marker, name)

    @rule(choice=st.integers(0, 20), steps=SOME_STEPS)
    def advance(self, choice: int, steps: list[str]) -> None:
        """Any steps at any open batch, in any order: each is done, or refused without a trace."""
        found = self.ledger.open_batches()
        for name in steps if found else ():
            self.step(found[choice % len(found)].marker, name)

    def step(self, marker: str, name: str) -> None:
        """One step, in the ledger and in the model."""
        row = self.ledger.batch(marker)
        assert row is not None
        messages = [identity(number) for number in self.ranges[marker]]
        noted = bool(self.ledger.notes_of(marker))
        settled = row.status in {BatchStatus.COMMITTED, BatchStatus.SET_ASIDE}
        answerable = row.status in {BatchStatus.PLANNED, BatchStatus.GENERATED}
        writable = row.status in {BatchStatus.GENERATED, BatchStatus.WRITING}
        try:
            if name in {"answer", "nothing"}:
                self.ledger.store_answer(marker, answer(*(["One"] if name == "answer" else [])), messages)
                assert answerable
            elif name == "writing":
                self.ledger.mark_writing(marker, "d")
                assert writable
            elif name == "commit":
                self.ledger.commit(marker, now_ms=NOW)
                assert writable or row.status is BatchStatus.COMMITTED
                if not settled:
                    state = MessageState.NOTED if noted else MessageState.NOTHING_NOTABLE
                    self.settle(messages, state, messages_end(self.ranges[marker]))
            else:
                self.ledger.set_aside(marker, "refused", NOW)
                assert answerable
                self.settle(messages, MessageState.SET_ASIDE, messages_end(self.ranges[marker]))
        except LedgerError:
            allowed = {"answer": answerable, "nothing": answerable, "writing": writable, "aside": answerable}
            assert not allowed.get(name, writable or row.status is BatchStatus.COMMITTED)

    @rule(choice=st.integers(0, 20))
    def discard(self, choice: int) -> None:
        """A plan is dropped without a trace; a batch that went further is not."""
        found = self.ledger.open_batches()
        if not found:
            return
        row = found[choice % len(found)]
        if row.status is BatchStatus.PLANNED:
            self.ledger.discard(row.marker)
            assert self.ledger.batch(row.marker) is None
        else:
            with pytest.raises(LedgerError):
                self.ledger.discard(row.marker)

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
AnyOrder.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
