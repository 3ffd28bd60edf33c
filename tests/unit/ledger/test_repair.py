"""Backups, the mirror, and bringing a lost ledger back."""

from __future__ import annotations

import json
import sqlite3
import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.unit.ledger.processes import run
from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity, ids, seen, session
from totalrecall.domain.state import MessageState
from totalrecall.errors import BusyError, LedgerError
from totalrecall.files.lock import hold
from totalrecall.ledger.backup import back_up, backups, newest_good
from totalrecall.ledger.forgetting import remove_from_copies
from totalrecall.ledger.health import LedgerHealth, demand_usable, diagnose
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.mirror import Mirror, Unreadable, mirror_path, read_mirror, write_mirror
from totalrecall.ledger.rebuild import Way, choices, repair
from totalrecall.ledger.rows import Adoption, BatchStatus

DAY = date(2026, 2, 14)
ADOPTION = Adoption(NOW, NOW - 1000)


def note_down(ledger: Ledger, number: int, text: str = "One") -> None:
    """Note message ``number`` down, with the mirror written as the observer does."""
    row = batch(f"{number:08x}", number, number)
    ledger.plan(row)
    ledger.store_answer(row.marker, answer(text), ids(row))
    write_mirror(mirror_of(ledger.path.parent), Mirror("main", ledger.high_water(row.marker), {"usd": 0.01}))
    ledger.commit(row.marker, now_ms=NOW)


def mirror_of(folder: Path) -> Path:
    """The mirror of the ledger in ``folder``."""
    return mirror_path(folder.parent / "memory")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The state folder of an agent with five noted messages, a backup after the third, and a mirror."""
    state = tmp_path / "state"
    with Ledger.open(state, now_ms=NOW) as ledger:
        ledger.adopt(ADOPTION, [session(0)])
        for number in (1, 2, 3):
            note_down(ledger, number)
        ledger.plan(batch("bb000001", 4, 4))
        back_up(ledger, day=DAY)
        ledger.discard("bb000001")
        for number in (4, 5):
            note_down(ledger, number)
    return state


def test_a_day_has_one_checked_private_copy(folder: Path) -> None:
    """The copy holds the ledger, stands alone, is private, and is made once a day."""
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert back_up(ledger, day=DAY) is None
    there = folder / "backups"
    assert sorted(one.name for one in there.iterdir()) == ["backup.lock", "ledger-20260214.sqlite"]
    assert stat.S_IMODE((there / "ledger-20260214.sqlite").stat().st_mode) == 0o600
    assert newest_good(folder) == there / "ledger-20260214.sqlite"


def test_seven_copies_are_kept(folder: Path) -> None:
    """The oldest go; files of others in the folder stay."""
    (folder / "backups" / "mine.sqlite").write_bytes(b"x")
    with Ledger.open(folder, now_ms=NOW) as ledger:
        for days in range(1, 10):
            back_up(ledger, day=DAY + timedelta(days=days))
    assert [one.name for one in backups(folder)] == [f"ledger-202602{n}.sqlite" for n in range(23, 16, -1)]
    assert (folder / "backups" / "mine.sqlite").exists()


def test_a_second_backup_at_once_gives_way(folder: Path) -> None:
    """While another process makes the copy, this one goes on without."""
    with Ledger.open(folder, now_ms=NOW) as ledger, hold(folder / "backups" / "backup.lock"):
        assert back_up(ledger, day=DAY + timedelta(days=1)) is None
    assert len(backups(folder)) == 1


@pytest.mark.report("R082")
def test_a_copy_that_does_not_fit_leaves_the_older_ones(folder: Path) -> None:
    """Without room the error says so, no half copy is left, and the older copy is good."""
    code = """
        import resource
        from datetime import date
        from totalrecall.ledger.backup import back_up
        with Ledger.open(folder, now_ms=NOW) as ledger:
            resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
            try:
                back_up(ledger, day=date(2026, 3, 1))
            except LedgerError as error:
                print(error.hint)
    """
    done, out, err = run(code, folder)
    assert done == 0, err
    assert "that disk" in out
    assert [one.name for one in backups(folder)] == ["ledger-20260214.sqlite"]
    assert newest_good(folder) is not None
    assert not list((folder / "backups").glob(".total-recall-*"))


def test_a_bad_copy_is_passed_by(folder: Path) -> None:
    """The newest copy that passes its check is used; forgetting removes one that cannot be opened."""
    bad = folder / "backups" / "ledger-20260301.sqlite"
    bad.write_bytes(b"garbage" * 1000)
    assert newest_good(folder) == folder / "backups" / "ledger-20260214.sqlite"
    remove_from_copies(backups(folder), lambda text: "nothing" in text)
    assert not bad.exists()


def test_the_mirror_says_what_the_commit_will_make_true(folder: Path) -> None:
    """Written before the commit, it equals what the ledger says after it, and holds no message text."""
    mirror = read_mirror(mirror_of(folder))
    assert isinstance(mirror, Mirror)
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert mirror.high_water == ledger.high_water()
        note_down(ledger, 6, "Deploys go through staging")
        ledger.pass_over(session(80, carry="recent words"), [seen(7, MessageState.SKIPPED)])
        write_mirror(mirror_of(folder), Mirror("main", ledger.high_water()))
    raw = mirror_of(folder).read_text()
    assert "staging" not in raw
    assert "recent words" not in raw
    mark = json.loads(raw)["sessions"][0]
    assert (mark["position"], mark["messages"], mark["last_identity"]) == (80, 7, identity(7).hex())
    assert mirror.spend == {"usd": 0.01}
    assert stat.S_IMODE(mirror_of(folder).stat().st_mode) == 0o600


def test_a_mirror_with_a_byte_order_mark_is_read(folder: Path) -> None:
    """An editor's mark and keys of others do no harm."""
    path = mirror_of(folder)
    said = json.loads(path.read_text())
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(said | {"more": [1]}).encode())
    assert isinstance(read_mirror(path), Mirror)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"version": 1, "agent": "ma',
        b"\0" * 200,
        b"[]",
        b"null",
        b"[" * 100_000,
        b"\xff\xfe{",
        b'{"version": 1, "agent": "x", "adoption": null, "sessions": [{"session_id": "s"}]}',
        b'{"version": 1, "agent": "x", "adoption": {"adopted_at_ms": Infinity, "begins_at_ms": 1}, "sessions": []}',
        b'{"version": 99, "agent": "x", "adoption": null, "sessions": []}',
    ],
)
def test_a_torn_mirror_is_told_and_is_no_error(tmp_path: Path, content: bytes) -> None:
    """What cannot be read is a reason, and is told apart from no mirror at all."""
    path = tmp_path / ".total-recall.json"
    missing = read_mirror(path)
    assert isinstance(missing, Unreadable)
    assert missing.missing
    path.write_bytes(content)
    torn = read_mirror(path)
    assert isinstance(torn, Unreadable)
    assert not torn.missing
    assert torn.reason


def remove(folder: Path) -> None:
    """The ledger is gone, and its backups."""
    (folder / "ledger.sqlite").unlink()
    for one in backups(folder):
        one.unlink()


def empty(folder: Path) -> None:
    """The ledger has no bytes left, and there are no backups."""
    remove(folder)
    (folder / "ledger.sqlite").touch()


@pytest.mark.parametrize("lose", [remove, empty])
def test_a_lost_ledger_is_never_a_fresh_start(folder: Path, lose: Callable[[Path], None]) -> None:
    """With a mirror, a torn mirror, or only notes left, the service stops and names `totalrecall repair`."""
    mirror = mirror_of(folder)
    assert diagnose(folder, mirror, notes_exist=True, thorough=True) is LedgerHealth.OK
    lose(folder)
    found = diagnose(folder, mirror, notes_exist=True)
    assert found is LedgerHealth.MISSING_BUT_MIRROR
    mirror.write_bytes(b"{")
    torn = diagnose(folder, mirror, notes_exist=False)
    assert torn is LedgerHealth.MISSING_BUT_NOTES
    mirror.unlink()
    gone = diagnose(folder, mirror, notes_exist=True)
    assert gone is LedgerHealth.MISSING_BUT_NOTES
    for health in (found, torn, gone):
        with pytest.raises(LedgerError, match="totalrecall repair"):
            demand_usable(health, folder)
    fresh = diagnose(folder, mirror, notes_exist=False)
    assert fresh is LedgerHealth.FRESH
    demand_usable(fresh, folder)


def test_damage_and_a_newer_version_are_told_apart(folder: Path) -> None:
    """Garbage is damage; a higher version is not."""
    with Ledger.open(folder, now_ms=NOW) as ledger, ledger._db.write() as connection:
        connection.execute("PRAGMA user_version = 99")
    newer = diagnose(folder, mirror_of(folder), notes_exist=True)
    assert newer is LedgerHealth.NEWER
    (folder / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    damaged = diagnose(folder, mirror_of(folder), notes_exist=True)
    assert damaged is LedgerHealth.DAMAGED
    for health in (newer, damaged):
        with pytest.raises(LedgerError, match="totalrecall repair"):
            demand_usable(health, folder)


def test_a_look_does_not_hide_a_crash(folder: Path) -> None:
    """Diagnosing leaves the log of a crash for the opening that checks it."""
    code = "Ledger.open(folder, now_ms=NOW).put_session(session(3, session_id='s9')); os._exit(9)"
    assert run(code, folder)[0] == 9
    assert diagnose(folder, mirror_of(folder), notes_exist=True) is LedgerHealth.OK
    assert (folder / "ledger.sqlite-wal").stat().st_size > 0
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert ledger.session("s9") is not None


def test_the_ways_are_offered_best_first(folder: Path) -> None:
    """What is there is offered; starting over always, and only if chosen."""
    mirror = mirror_of(folder)
    assert [one.way for one in choices(folder, mirror)] == [Way.BACKUP, Way.MIRROR, Way.START_OVER]
    remove(folder)
    assert [one.way for one in choices(folder, mirror)] == [Way.MIRROR, Way.START_OVER]
    mirror.unlink()
    assert [one.way for one in choices(folder, mirror)] == [Way.START_OVER]
    with pytest.raises(LedgerError, match="Choose another way"):
        repair(folder, mirror, Way.BACKUP, now_ms=NOW)


def test_a_backup_is_brought_up_to_the_mirror(folder: Path) -> None:
    """The rows of the backup come back, the cursor is the mirror's, nothing under way is left, nothing is lost."""
    (folder / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    done = repair(folder, mirror_of(folder), Way.BACKUP, now_ms=NOW)
    assert (done.sessions, done.to_register) == (1, 1)
    assert done.aside is not None
    assert done.aside.read_bytes() == b"garbage" * 1000
    with Ledger.open(folder, now_ms=NOW) as ledger:
        row = ledger.sessions()[0]
        assert (row.cursor.position, row.cursor.head, row.rebuilt) == (60, "head", True)
        assert ledger.counts().by_state == {MessageState.NOTED: 3}
        assert ledger.open_batches() == []
        assert len(ledger.notes()) == 3
        ledger.register(replace(row, rebuilt=False), [seen(n, MessageState.NOTED) for n in range(1, 6)])
        assert ledger.counts().by_state == {MessageState.NOTED: 5}
        assert not ledger.sessions()[0].rebuilt
    assert diagnose(folder, mirror_of(folder), notes_exist=True, thorough=True) is LedgerHealth.OK
    assert not list(folder.glob(".repair-*"))


def test_a_mirror_alone_brings_the_cursors_back(folder: Path) -> None:
    """Adoption and sessions are restored; no entry is known until it is registered."""
    remove(folder)
    done = repair(folder, mirror_of(folder), Way.MIRROR, now_ms=NOW)
    assert (done.aside, done.sessions, done.to_register) == (None, 1, 1)
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert ledger.adoption() == ADOPTION
        row = ledger.sessions()[0]
        assert (row.cursor.position, row.cursor.tail, row.rebuilt) == (60, "tail60", True)
        assert row.existed_at_adoption
        assert ledger.counts().total == 0


def test_an_older_mirror_does_not_turn_a_backup_back(folder: Path) -> None:
    """Where the backup has read further than the mirror says, the backup holds."""
    old = mirror_of(folder).read_bytes()
    with Ledger.open(folder, now_ms=NOW) as ledger:
        note_down(ledger, 6)
        back_up(ledger, day=DAY + timedelta(days=1))
    mirror_of(folder).write_bytes(old)
    assert repair(folder, mirror_of(folder), Way.BACKUP, now_ms=NOW).to_register == 0
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert ledger.sessions()[0].cursor.position == 70
        assert ledger.batches(1)[0].status is BatchStatus.COMMITTED


def test_starting_over_keeps_the_old_file(folder: Path) -> None:
    """The new ledger knows nothing; the old ones are beside it, each under its own name."""
    asides = [repair(folder, mirror_of(folder), Way.START_OVER, now_ms=NOW).aside for _ in range(2)]
    assert len(set(asides)) == 2
    assert all(one is not None and one.exists() for one in asides)
    with Ledger.open(folder, now_ms=NOW) as ledger:
        assert ledger.adoption() is None
        assert ledger.sessions() == []


def test_nothing_is_repaired_under_a_running_service(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody has the ledger open it stays where it is."""
    with Ledger.open(folder, now_ms=NOW) as ledger:
        before = ledger.counts()
        with pytest.raises(BusyError, match="in use"):
            repair(folder, mirror_of(folder), Way.START_OVER, now_ms=NOW)
        assert ledger.counts() == before
    assert not list(folder.glob("ledger-aside-*"))
    assert not list(folder.glob(".repair-*"))


@pytest.mark.report("R082")
@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (sqlite3.SQLITE_IOERR, LedgerError, "free space"),
        (sqlite3.SQLITE_FULL, LedgerError, "Make room"),
        (sqlite3.SQLITE_CANTOPEN, LedgerError, "right to read"),
        (sqlite3.SQLITE_BUSY, BusyError, "Try again"),
    ],
)
def test_a_full_disk_is_not_taken_for_damage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, kind: type[Exception], said: str
) -> None:
    """What the disk, the rights or others do is told as that: `repair` would move a sound ledger aside."""

    def look(_path: Path, *, thorough: bool) -> tuple[int, str]:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr("totalrecall.ledger.health._look", look)
    with pytest.raises(kind, match=said):
        diagnose(folder, mirror_of(folder), notes_exist=False)
