"""Logs are screened, bounded and private, cost nothing when silent, and never raise."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import Popen, run

import pytest

from totalrecall.log import LogOptions, Scalar, append_line, configure

NOW = datetime(2026, 2, 14, 14, 5, tzinfo=UTC)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def hide(text: str) -> str:
    """A screening that knows one secret."""
    return text.replace("hunter2", "[SECRET]")


def lines(path: Path) -> list[dict[str, object]]:
    """The events of a log file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The logs of a workspace, not yet made."""
    return tmp_path / "logs"


def test_event_goes_to_its_file_and_to_stderr_as_json(folder: Path) -> None:
    """With time, level, log, event, bound values and numbers; file and folder are private."""
    stream = io.StringIO()
    log = configure(LogOptions(folder=folder, stream=stream, now=lambda: NOW)).event_log("observer")
    log.bind(agent="main", batch=7).info("batch_committed", notes=3, path=Path("/x"), ok=True, none=None)
    expected = {
        "timestamp": "2026-02-14T14:05:00.000+00:00", "level": "info", "log": "observer", "event": "batch_committed",
        "agent": "main", "batch": 7, "notes": 3, "path": "/x", "ok": True, "none": None,
    }  # fmt: skip
    assert lines(folder / "observer.log") == [expected]
    assert json.loads(stream.getvalue()) == expected
    assert (folder / "observer.log").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_terminal_gets_a_readable_line() -> None:
    """No JSON for people."""
    stream = Terminal()
    configure(LogOptions(stream=stream)).event_log("observer").info("batch_committed", notes=3)
    assert "batch_committed" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_everything_is_screened(folder: Path) -> None:
    """Values, the event, bound values and exceptions with their causes, in both places."""
    stream = io.StringIO()
    log = configure(LogOptions(screen=hide, folder=folder, stream=stream)).event_log("observer")

    def inner() -> None:
        raise ValueError("inner hunter2")

    def fail() -> None:
        try:
            inner()
        except ValueError as error:
            raise RuntimeError("outer hunter2") from error

    try:
        fail()
    except RuntimeError as error:
        log.bind(a="hunter2").error("failed hunter2", error=error, path=Path("/hunter2"))
    text = (folder / "observer.log").read_text() + stream.getvalue()
    assert "hunter2" not in text
    assert text.count("[SECRET]") == 10
    assert "RuntimeError [test_log.py:" in text
    assert "ValueError" in text


def test_text_that_cannot_be_screened_is_not_written(folder: Path) -> None:
    """A screening that fails costs the value, not the secret and not the work."""

    def broken(text: str) -> str:
        raise RuntimeError(text)

    log = configure(LogOptions(screen=broken, folder=folder, stream=None)).event_log("observer")
    log.info("batch_committed", text="hunter2", notes=3)
    (line,) = lines(folder / "observer.log")
    assert (line["text"], line["notes"]) == ("[could not be screened]", 3)


def test_no_source_lines_and_no_locals_of_an_exception(folder: Path) -> None:
    """They may hold what somebody said."""
    said = "my cat is called " + "Oboe"
    log = configure(LogOptions(folder=folder, stream=None)).event_log("observer")
    try:
        _ = int(said[:0] or "x")
    except ValueError as error:
        log.error("batch_failed", error=error)  # noqa: TRY400 -- our log, not the standard one
    assert "Oboe" not in (folder / "observer.log").read_text()
    assert "said[" not in (folder / "observer.log").read_text()


def test_control_characters_and_long_values_are_tamed(folder: Path) -> None:
    """No escape sequence reaches a terminal, no value fills a log."""
    stream = Terminal()
    log = configure(LogOptions(folder=folder, stream=stream)).event_log("observer")
    log.info("odd", name="a\x1b[31m\nb\u202e", long="x" * 10_000)
    assert "\x1b[31m\nb" not in stream.getvalue()
    assert "\u202e" not in stream.getvalue()
    (line,) = lines(folder / "observer.log")
    assert len(str(line["long"])) == 501


def test_levels(folder: Path) -> None:
    """What is below the level is not written."""
    log = configure(LogOptions(level="warning", folder=folder, stream=None)).event_log("observer")
    log.debug("a")
    log.info("b")
    log.warning("c")
    log.error("d")
    assert [line["event"] for line in lines(folder / "observer.log")] == ["c", "d"]


def test_silent_run_imports_no_structlog(tmp_path: Path) -> None:
    """Neither configuring nor an event below the level does; the first written event does."""
    code = (
        "import sys; from pathlib import Path; from totalrecall.log import LogOptions, configure;"
        f"log = configure(LogOptions(folder=Path({str(tmp_path / 'logs')!r}), stream=None)).event_log('observer');"
        "log.debug('x', n=1); assert 'structlog' not in sys.modules and 'logging' not in sys.modules;"
        "log.info('x'); assert 'structlog' in sys.modules"
    )
    run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "logs" / "observer.log").exists()


def closed() -> io.StringIO:
    """A stream that was closed."""
    stream = io.StringIO()
    stream.close()
    return stream


class Bad:
    """A value that cannot be shown."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError


@pytest.mark.parametrize(
    ("prepare", "value"),
    [
        (lambda root: LogOptions(folder=root / "gone" / "logs", stream=None), 1),
        (lambda root: LogOptions(folder=root / "file" / "logs", stream=None), 1),
        (lambda root: LogOptions(folder=root / "taken", stream=None), 1),
        (lambda root: LogOptions(folder=Path("/dev/null/logs"), stream=None), 1),
        (lambda _root: LogOptions(stream=closed()), 1),
        (lambda root: LogOptions(folder=root, stream=None), Bad()),
    ],
    ids=["no workspace", "file as workspace", "folder as log", "no folder", "closed stderr", "odd value"],
)
def test_never_raises(tmp_path: Path, prepare: Callable[[Path], LogOptions], value: Scalar) -> None:
    """A line that cannot be written is counted, and nothing is made for it."""
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "observer.log").mkdir(parents=True)
    logs = configure(prepare(tmp_path))
    logs.event_log("observer").info("x", value=value)
    assert logs.lost == 1
    assert not (tmp_path / "gone").exists()


def test_full_disk_does_not_raise() -> None:
    """ENOSPC costs the line: stderr to a full device."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        logs = configure(LogOptions(stream=full))
        logs.event_log("observer").info("x")
        assert logs.lost == 1
        # The device is full for the close as well; what is buffered goes elsewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())


def test_unknown_log_has_no_file(folder: Path) -> None:
    """A name cannot make files."""
    stream = io.StringIO()
    configure(LogOptions(folder=folder, stream=stream)).event_log("../evil").info("x")
    assert not folder.exists()
    assert stream.getvalue()


def test_files_are_turned_over_and_bounded(tmp_path: Path) -> None:
    """Three files of the given size at most, newest lines in the first, none cut."""
    path = tmp_path / "observer.log"
    for number in range(200):
        append_line(path, f"{number:04d} {'x' * 20}\n".encode(), max_bytes=500)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "observer.log",
        "observer.log.1",
        "observer.log.2",
    ]
    assert all(one.stat().st_size <= 500 for one in tmp_path.iterdir())
    kept = [
        line
        for name in ("observer.log.2", "observer.log.1", "observer.log")
        for line in (tmp_path / name).read_text().splitlines()
    ]
    assert [int(line[:4]) for line in kept] == list(range(200 - len(kept), 200))


def test_pipe_in_place_of_the_log_does_not_hang(tmp_path: Path) -> None:
    """Nobody reads it; the line is lost."""
    os.mkfifo(tmp_path / "observer.log")
    logs = configure(LogOptions(folder=tmp_path, stream=None))
    logs.event_log("observer").info("x")
    assert logs.lost == 1


def test_several_processes_and_threads_share_a_log(tmp_path: Path) -> None:
    """While it is turned over, no line is cut, doubled or mixed with another."""
    path = tmp_path / "observer.log"
    code = (
        "import sys; from pathlib import Path; from totalrecall.log import append_line\n"
        "for n in range(300): append_line(Path(sys.argv[1]), f'{sys.argv[2]}-{n:04d}-end\\n'.encode(), 4000, 99)"
    )
    processes = [Popen([sys.executable, "-c", code, str(path), name]) for name in ("a", "b")]

    def write() -> None:
        for number in range(300):
            append_line(path, f"c-{number:04d}-end\n".encode(), 4000, 99)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert [process.wait(30) for process in processes] == [0, 0]
    written = sorted(line for one in tmp_path.iterdir() for line in one.read_text().splitlines())
    assert written == sorted(f"{name}-{number:04d}-end" for name in "abc" for number in range(300))
