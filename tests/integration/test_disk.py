"""A disk that is full, read-only, or has lost the files."""

from __future__ import annotations

import shutil

import pytest

from tests.integration.counting import assert_whole, echo, recount, token
from tests.integration.crashing import outcome, start
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.errors import LedgerError, MemoryFileError, TotalRecallError
from totalrecall.jobs.observe import observe


def _cursor(lab: Lab) -> int:
    with lab.context() as ctx:
        return sum(row.cursor.position for row in ctx.ledger.sessions())


def _folder_is_a_file(lab: Lab) -> None:
    memory = lab.notes_path.parent
    memory.rename(memory.with_name("memory.away"))
    memory.write_text("in the way")


def _put_back(lab: Lab) -> None:
    memory = lab.notes_path.parent
    memory.unlink()
    memory.with_name("memory.away").rename(memory)


@pytest.mark.report("R082")
def test_notes_that_cannot_be_written_move_no_cursor(lab: Lab) -> None:
    """While the memory folder cannot be written, nothing is committed and status has the reason; then it goes on."""
    lab.say("first of all")
    lab.observe()
    lab.say(f"it is {token(1)}")
    before = _cursor(lab)

    def lost_on_the_way(_request: object) -> None:
        _folder_is_a_file(lab)

    echo(lab).refuse = lost_on_the_way
    with lab.context() as ctx, pytest.raises(MemoryFileError):
        observe(ctx)
    echo(lab).refuse = lambda _request: None
    _put_back(lab)
    assert _cursor(lab) == before
    with lab.context() as ctx:
        assert not ctx.ledger.last_runs()["observe"].ok
        assert "memory" in str(ctx.ledger.last_runs()["observe"].numbers["reason"])
    assert len(echo(lab).requests) == 2
    lab.observe()
    assert len(echo(lab).requests) == 2, "the stored answer is not paid for twice"
    assert_whole(lab, [token(1)])


@pytest.mark.parametrize("how", ["gone", "empty", "zeros"])
def test_notes_that_are_gone_are_a_stop_and_no_fresh_start(lab: Lab, how: str) -> None:
    """The ledger knows of notes and the file is gone or emptied: nothing is read, nothing is written."""
    lab.say("first of all")
    lab.observe()
    lab.say(f"it is {token(1)}")
    kept = lab.notes_path.read_bytes()
    lab.notes_path.unlink()
    if how != "gone":
        lab.notes_path.write_bytes(b"" if how == "empty" else b"\0" * 4096)
    before = _cursor(lab)
    with lab.context() as ctx, pytest.raises(MemoryFileError, match="gone or empty"):
        observe(ctx)
    assert _cursor(lab) == before
    assert len(echo(lab).requests) == 1
    lab.notes_path.write_bytes(kept)
    lab.observe()
    assert_whole(lab, [token(1)])


@pytest.mark.report("R082")
@pytest.mark.parametrize("limit_bytes", [2_000, 10_000, 30_000, 45_000, 60_000, 90_000, 120_000])
def test_a_disk_that_fills_up_in_the_middle(lab: Lab, limit_bytes: int) -> None:
    """Wherever the space ends, the notes stay as they were or whole, and the next run makes good."""
    lab.say("first of all")
    lab.observe()
    words = [token(number) for number in range(150)]
    lab.say(*[f"it is {word} {'and so on ' * 40}" for word in words])
    before = lab.notes
    code, said = outcome(start(lab, file_limit_bytes=limit_bytes))
    assert code in {0, 3}, said
    assert lab.notes.startswith(before)
    assert not list(lab.notes_path.parent.glob("*.tmp"))
    lab.observe()
    assert_whole(lab, words)


def test_a_ledger_that_cannot_be_written(lab: Lab) -> None:
    """No ledger, no reading: it is an error and never a run without bookkeeping."""
    lab.say(f"it is {token(1)}")
    with lab.context() as ctx:
        folder = ctx.state_dir
    away = folder.with_name("away")
    folder.rename(away)
    folder.write_text("in the way")
    with pytest.raises(TotalRecallError) as caught:
        lab.observe()
    assert caught.value.exit_code == 3
    assert not lab.notes
    folder.unlink()
    away.rename(folder)
    lab.observe()
    assert_whole(lab, [token(1)])


def test_a_lost_ledger_stops_while_notes_exist(lab: Lab) -> None:
    """The ledger is gone: nothing starts over by itself."""
    lab.say("first of all")
    lab.observe()
    with lab.context() as ctx:
        folder = ctx.state_dir
    shutil.rmtree(folder)
    with pytest.raises(LedgerError, match="gone"):
        lab.observe()


def test_the_ledger_is_backed_up_once_a_day(lab: Lab) -> None:
    """The first run of a local day that committed something leaves a copy; idle runs leave none; seven are kept."""
    with lab.context() as ctx:
        folder = ctx.state_dir / "backups"
    lab.observe()
    assert not folder.exists()
    for number in range(10):
        lab.say(f"it is {token(number)}")
        lab.observe()
        lab.say(f"and {token(number + 100)}")
        lab.observe()
        assert len(list(folder.glob("*.sqlite"))) == min(number + 1, 7)
        lab.now = lab.now.replace(day=lab.now.day + 1)
    assert recount(lab).states == {MessageState.NOTED: 20}
