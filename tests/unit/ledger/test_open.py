"""Opening, making, checking and closing the ledger."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from tests.unit.ledger.processes import run, start
from tests.unit.ledger.rows_for_tests import NOW, answer, batch, ids, seen, session
from totalrecall.domain.state import MessageState
from totalrecall.errors import BusyError, LedgerError
from totalrecall.ledger import database, schema
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.rows import Adoption

DAY_MS = 24 * 3600 * 1000


def names(folder: Path) -> list[str]:
    """What is in the ledger's folder."""
    return sorted(one.name for one in folder.iterdir())


def test_everything_is_private(tmp_path: Path) -> None:
    """Folder 0700, and the file and what SQLite puts beside it 0600."""
    folder = tmp_path / "state" / "main"
    with Ledger.open(folder, now_ms=NOW) as ledger:
        ledger.put_session(session(1))
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
    assert modes == dict.fromkeys(
        ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.users"), 0o600
    )
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert names(folder) == ["ledger.sqlite", "ledger.users"]


def test_durability_and_erasure_are_on(tmp_path: Path) -> None:
    """WAL, synchronous=FULL, secure_delete and foreign keys hold for each connection, not only the first."""
    for _ in range(2):
        with Ledger.open(tmp_path, now_ms=NOW) as ledger:
            asked = ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
            found = [ledger._db.read(f"PRAGMA {one}")[0][0] for one in asked]
        assert found == ["wal", 2, 1, 1]


def test_closing_twice_is_fine(tmp_path: Path) -> None:
    """The second close finds nothing to do."""
    ledger = Ledger.open(tmp_path, now_ms=NOW)
    ledger.close()
    ledger.close()


def test_a_second_opening_keeps_the_first_ones_locks(tmp_path: Path) -> None:
    """Opening in another thread of the process frees no lock: nobody can take the log away meanwhile.

    Closing any descriptor of a file frees all POSIX locks that the process has on it.
    """
    code = """
        import sqlite3
        connection = sqlite3.connect(folder / "ledger.sqlite", timeout=0.05)
        try:
            print(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0])
        except sqlite3.OperationalError:
            print("locked")
    """
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        ledger.put_session(session(1))
        Ledger.open(tmp_path, now_ms=NOW).close()
        done, out, err = run(code, tmp_path)
        assert done == 0, err
        assert out.strip() in {"locked", "wal"}
        assert ledger.sessions() == [session(1)]


def test_ten_processes_may_make_it_at_once(tmp_path: Path) -> None:
    """Ten processes open, adopt and write at once: one schema, one adoption, every write there."""
    code = """
        number = os.getpid()
        with Ledger.open(folder, now_ms=NOW) as ledger:
            print(ledger.adopt(Adoption(number, number), []).adopted_at_ms)
            ledger.put_session(session(5, session_id=str(number)))
    """
    processes = [start(code, tmp_path / "state") for _ in range(10)]
    results = [(one.communicate(timeout=60), one.returncode) for one in processes]
    assert [code for _, code in results] == [0] * 10, results
    assert len({out for (out, _), _ in results}) == 1
    with Ledger.open(tmp_path / "state", now_ms=NOW) as ledger:
        assert len(ledger.sessions()) == 10


@pytest.mark.parametrize("where", ["BEGIN", "CREATE TABLE batches", "PRAGMA user_version =", "checked_ms"])
def test_a_crash_while_it_is_made_is_no_harm(tmp_path: Path, where: str) -> None:
    """A process that dies inside the making leaves a folder that the next one can use."""
    code = f"""
        import sqlite3
        real = sqlite3.connect
        class Dying(sqlite3.Connection):
            def execute(self, sql, *rest):
                if {where!r} in sql and "SELECT" not in sql:
                    os._exit(9)
                return super().execute(sql, *rest)
        sqlite3.connect = lambda *a, **k: real(*a, factory=Dying, **k)
        Ledger.open(folder, now_ms=NOW)
    """
    assert run(code, tmp_path)[0] == 9
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        ledger.put_session(session(1))
        assert len(ledger.sessions()) == 1


def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    """The error says what to do; the file keeps its version."""
    Ledger.open(tmp_path, now_ms=NOW).close()
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    before = (tmp_path / "ledger.sqlite").read_bytes()
    with pytest.raises(LedgerError, match="Install the newer"):
        Ledger.open(tmp_path, now_ms=NOW)
    assert (tmp_path / "ledger.sqlite").read_bytes() == before


def test_an_older_file_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new step runs once, keeps the rows, and waits until nobody else has the file open."""
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        ledger.put_session(session(7))
        monkeypatch.setattr(database, "VERSION", schema.VERSION + 1)
        monkeypatch.setattr(
            schema, "STEPS", (*schema.STEPS, "CREATE TABLE added (x);\nINSERT INTO added VALUES (1);\n")
        )
        monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
        monkeypatch.setattr(database, "BUSY_S", 0.1)
        with pytest.raises(BusyError, match="stop the service"):
            Ledger.open(tmp_path, now_ms=NOW)
    for _ in range(2):
        with Ledger.open(tmp_path, now_ms=NOW) as ledger:
            assert ledger._db.read("SELECT x FROM added") == [(1,)]
            assert ledger.sessions() == [session(7)]


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_names_the_repair(tmp_path: Path, content: bytes) -> None:
    """What is no database is an error that names `totalrecall repair`, and it is left as it is."""
    (tmp_path / "ledger.sqlite").write_bytes(content)
    with pytest.raises(LedgerError, match="totalrecall repair"):
        Ledger.open(tmp_path, now_ms=NOW)
    assert (tmp_path / "ledger.sqlite").read_bytes() == content


def damage(path: Path) -> None:
    """Overwrite the pages after the first two, as a bad disk would."""
    with path.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xde\xad" * (path.stat().st_size // 2 - 4096))


def test_damage_inside_is_found_within_a_day(tmp_path: Path) -> None:
    """The daily check finds pages that went bad; before it is due, opening stays cheap."""
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        ledger.pass_over(session(1), [seen(n, MessageState.NOTED) for n in range(5000)])
    damage(tmp_path / "ledger.sqlite")
    with pytest.raises(LedgerError, match="damaged"):
        Ledger.open(tmp_path, now_ms=NOW + DAY_MS)


def test_an_unclean_end_is_checked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash the next one alone checks; after a clean end nobody does until the day is over."""
    checks: list[int] = []
    real = database.first_fault

    def counted(connection: sqlite3.Connection) -> str:
        checks.append(1)
        return real(connection)

    monkeypatch.setattr(database, "first_fault", counted)
    Ledger.open(tmp_path, now_ms=NOW).close()
    Ledger.open(tmp_path, now_ms=NOW + 1).close()
    assert checks == []
    assert run("Ledger.open(folder, now_ms=NOW).put_session(session(3)); os._exit(9)", tmp_path)[0] == 9
    with Ledger.open(tmp_path, now_ms=NOW + 2) as ledger:
        assert checks == [1]
        assert ledger.sessions() == [session(3)]
        Ledger.open(tmp_path, now_ms=NOW + 3).close()
    assert checks == [1]
    Ledger.open(tmp_path, now_ms=NOW - DAY_MS).close()
    assert checks == [1, 1]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where the folder should be is an error with the path in it."""
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(LedgerError, match="a file stands where a folder belongs"):
        Ledger.open(tmp_path / "state", now_ms=NOW)


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    """When a row is refused in the middle, neither rows nor cursor are stored."""
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        with pytest.raises(LedgerError, match="cannot be stored as pending"):
            ledger.pass_over(session(9), [seen(1, MessageState.SKIPPED), seen(2)])
        assert ledger.sessions() == []
        assert ledger.counts().total == 0


@pytest.mark.report("R082")
def test_no_room_changes_nothing(tmp_path: Path) -> None:
    """When the disk is full at a commit, the error says so, the cursor stays, and work resumes with room."""
    row = batch("aa000001", 1, 3)
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        ledger.adopt(Adoption(NOW, NOW), [session(0)])
        ledger.plan(row)
        ledger.store_answer("aa000001", answer("One"), ids(row))
    code = """
        import resource
        with Ledger.open(folder, now_ms=NOW) as ledger:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
            try:
                ledger.pass_over(session(99), [seen(n, MessageState.SKIPPED) for n in range(100, 20_000)])
            except LedgerError as error:
                print(error.hint)
            print(ledger.session("s1").cursor.position)
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            ledger.commit("aa000001", now_ms=NOW)
    """
    done, out, err = run(code, tmp_path)
    assert done == 0, err
    assert "that disk" in out
    assert out.splitlines()[-1] == "0"
    with Ledger.open(tmp_path, now_ms=NOW) as ledger:
        assert ledger.counts().by_state == {MessageState.NOTED: 3}
        assert ledger.sessions()[0].cursor.position == 40
