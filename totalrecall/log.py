"""What the program says about its work: one event per line, numbers and names, never anybody's words.

Events go to stderr (readable on a terminal, JSON elsewhere) and to bounded files in the workspace's
``logs/``. structlog renders them and is imported with the first event: a silent run does without it.
Logging never raises and never waits; what could not be written is counted.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TextIO

Level = Literal["debug", "info", "warning", "error"]
LEVELS: dict[str, int] = {"debug": 10, "info": 20, "warning": 30, "error": 40}
LOG_NAMES = ("observer", "reflector", "session-recovery", "observer-watcher")
MAX_FILE_BYTES = 1_000_000
KEPT_FILES = 3
MAX_VALUE_CHARS = 500
MAX_LINE_BYTES = 16_384
MAX_FRAMES = 12
APPEND_TRIES = 3
TURN_WAIT_S = 0.001
UNSCREENED = "[could not be screened]"

Scalar = str | int | float | bool | None | Path | BaseException


def _as_it_is(text: str) -> str:
    return text


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How a program or an agent logs.

    Attributes:
        screen: applied to every text, messages of exceptions included, before it is written anywhere.
        level: the least level that is written.
        folder: ``<workspace>/logs``; None writes to stderr only. It is made (0700) if its parent stands.
        stream: where people see it; None writes to files only.
        as_json: None decides by whether ``stream`` is a terminal.
        now: the clock, aware.
    """

    screen: Callable[[str], str] = _as_it_is
    level: Level = "info"
    folder: Path | None = None
    stream: TextIO | None = field(default_factory=lambda: sys.stderr)
    as_json: bool | None = None
    now: Callable[[], datetime] = _utc_now


class Logs:
    """The logs of one agent, or of the program. Made by ``configure``; safe to use from several threads.

    Attributes:
        lost: how many lines could not be written to one of their places (disk full, closed stderr).
    """

    def __init__(self, options: LogOptions) -> None:
        self._options = options
        self._render: Callable[[dict[str, Any]], str] | None = None
        self._least = LEVELS[options.level]
        self.lost = 0

    def event_log(self, name: str) -> Log:
        """The log called ``name``; one of ``LOG_NAMES`` also has a file, ``<folder>/<name>.log``."""
        return Log(self, name)

    def wants(self, level: Level) -> bool:
        """Whether events of that level are written."""
        return LEVELS[level] >= self._least

    def write(self, level: Level, name: str, event: str, values: dict[str, Scalar]) -> None:
        """Write one event to both places. Never raises."""
        try:
            screened = {key: self._plain(value) for key, value in values.items()}
            stamp = self._options.now().isoformat(timespec="milliseconds")
            line = {"timestamp": stamp, "level": level, "log": name, "event": self._plain(event), **screened}
            self._to_file(name, _render_json(line))
            self._to_stream(line)
        except Exception:  # noqa: BLE001 -- logging never raises
            # It must not end the work it reports on: an odd value or a broken clock costs a line, no more.
            self.lost += 1

    def _to_file(self, name: str, text: str) -> None:
        folder = self._options.folder
        if folder is None or name not in LOG_NAMES:
            return
        try:
            append_line(folder / f"{name}.log", _bounded(text))
        except OSError:
            self.lost += 1

    def _to_stream(self, line: dict[str, Any]) -> None:
        stream = self._options.stream
        if stream is None:
            return
        try:
            if self._render is None:
                self._render = _renderer(stream, self._options.as_json)
            stream.write(self._render(dict(line)) + "\n")
            stream.flush()
        except (OSError, ValueError):
            # A closed or broken stderr: ValueError is what a closed file raises.
            self.lost += 1

    def _plain(self, value: object) -> str | int | float | bool | None:
        if value is None or isinstance(value, bool | int | float):
            return value
        text = _told(value) if isinstance(value, BaseException) else str(value)
        try:
            screened = self._options.screen(text)
        except Exception:  # noqa: BLE001 -- logging never raises
            # A text that cannot be screened may hold a secret, so it is not written.
            return UNSCREENED
        visible = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in screened)
        return visible if len(visible) <= MAX_VALUE_CHARS else f"{visible[:MAX_VALUE_CHARS]}…"


@dataclass(frozen=True, slots=True)
class Log:
    """A log with values bound to every event (``run_id``, ``agent``, ``session``, ``batch``).

    Events are named in snake_case (``batch_committed``). Values are numbers, names, paths and exceptions;
    never the words of a message, a key, or the environment.
    """

    logs: Logs
    name: str
    bound: dict[str, Scalar] = field(default_factory=dict)

    def bind(self, **values: Scalar) -> Log:
        """The same log with these values on every event."""
        return replace(self, bound={**self.bound, **values})

    def debug(self, event: str, **values: Scalar) -> None:
        """For whoever looks for a fault."""
        self._emit("debug", event, values)

    def info(self, event: str, **values: Scalar) -> None:
        """Something was done."""
        self._emit("info", event, values)

    def warning(self, event: str, **values: Scalar) -> None:
        """Something should be looked at, and work goes on."""
        self._emit("warning", event, values)

    def error(self, event: str, **values: Scalar) -> None:
        """Something could not be done. An exception among the values is told with its place."""
        self._emit("error", event, values)

    def _emit(self, level: Level, event: str, values: dict[str, Scalar]) -> None:
        if self.logs.wants(level):
            self.logs.write(level, self.name, event, {**self.bound, **values})


def configure(options: LogOptions) -> Logs:
    """The logs by ``options``. Opens nothing: files and structlog come with the first event."""
    return Logs(options)


def _told(error: BaseException) -> str:
    """Type, message and where it happened; no source lines and no locals, which may hold what was said."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    where = f" [{' < '.join(reversed(frames[-MAX_FRAMES:]))}]" if frames else ""
    cause = error.__cause__
    because = f" from {type(cause).__name__}: {cause}" if cause is not None else ""
    # The place comes first: a long message must not push it over the limit.
    return f"{type(error).__name__}{where}: {error}{because}"


def _bounded(text: str) -> bytes:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= MAX_LINE_BYTES:
        return raw + b"\n"
    return raw[:MAX_LINE_BYTES].decode("utf-8", "ignore").encode() + "…\n".encode()


def _render_json(line: dict[str, Any]) -> str:
    from structlog.processors import JSONRenderer

    return str(JSONRenderer(ensure_ascii=False)(None, "", line))


def _renderer(stream: TextIO, as_json: bool | None) -> Callable[[dict[str, Any]], str]:
    if not stream.isatty() if as_json is None else as_json:
        return _render_json
    from structlog.dev import ConsoleRenderer, plain_traceback

    console = ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain_traceback, pad_event_to=28)
    return lambda line: str(console(None, "", line))


def append_line(path: Path, line: bytes, max_bytes: int = MAX_FILE_BYTES, kept: int = KEPT_FILES) -> None:
    """Append ``line``, which ends with a newline, in one write; the file stays small.

    A file that would grow over ``max_bytes`` becomes ``<name>.1`` first; with it, ``kept`` files stand at
    most. The folder is made if its parent stands: a workspace that is gone is not brought back by its log.
    The lock is on the file itself and lasts for one write: the service and one-shot commands share a log.
    Who does not get it waits for a moment where the file is full, and then appends without turning over; an
    append is whole all the same.

    Raises:
        OSError: disk full, no folder, no permission.
    """
    with contextlib.suppress(FileExistsError):
        path.parent.mkdir(mode=0o700)
    waits = APPEND_TRIES
    for _ in range(2 * APPEND_TRIES):
        descriptor = os.open(
            path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600
        )
        try:
            locked = _locked(descriptor)
            if locked and not _is_still(path, descriptor):
                # Another process turned it over between our open and our lock.
                continue
            size = os.fstat(descriptor).st_size
            if size and size + len(line) > max_bytes:
                if locked:
                    _turn_over(path, kept)
                    continue
                if waits:
                    # Whoever has it turns it over just now: many writers at once must not outgrow the bound.
                    waits -= 1
                    time.sleep(TURN_WAIT_S)
                    continue
            os.write(descriptor, line)
            return
        finally:
            os.close(descriptor)
    raise BlockingIOError(f"{path.name} is being turned over")


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Held by another process, or a file system without locks.
        return False
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _turn_over(path: Path, kept: int) -> None:
    """Move ``x.log`` to ``x.log.1`` and so on; the oldest is overwritten."""
    for number in range(kept - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        newer = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
        with contextlib.suppress(FileNotFoundError):
            newer.replace(older)
    if kept == 1:
        path.unlink(missing_ok=True)
