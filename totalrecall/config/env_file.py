"""A ``.env`` file, read by us and never evaluated: no expansion, nothing put into the process's environment.

Parsed by python-dotenv, which is imported only when there is such a file. systemd's EnvironmentFile reads the
same text otherwise (comments stay in the value, ``export`` lines are dropped), so the unit file does not use
it (R112).
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from totalrecall.places.problem import Level, Problem

MAX_BYTES = 1_000_000
_SAVE_AS_UTF8 = "Save it as UTF-8 in a text editor (Notepad: Save as, Encoding UTF-8)."
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class EnvFile:
    """What stands in one file.

    Attributes:
        path: the file.
        found: it stands there, whether or not it could be read.
        values: by name, the last of several; values as written, trimmed.
        lines: the line each value begins on.
        problems: what is wrong with the file.
        open_to_all: every user of the machine can read it.
    """

    path: Path
    found: bool = False
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    lines: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    open_to_all: bool = False


def read_env_file(path: Path) -> EnvFile:
    """The file's values. Whatever is wrong with it is a problem, and the rest of the file counts."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unreadable(path, "Is not a file.", "Replace it with a text file.")
        if status.st_size > MAX_BYTES:
            return _unreadable(path, f"Is larger than {MAX_BYTES} bytes.", "It should hold a few lines.")
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return EnvFile(path)
    except OSError as error:
        return _unreadable(
            path, f"Cannot be read: {error.strerror or error}.", "Run as the user that owns it."
        )
    if content.startswith(_UTF16_MARKS) or b"\0" in content:
        return _unreadable(path, "Is saved as UTF-16, so nothing in it can be read.", _SAVE_AS_UTF8)
    problems: list[Problem] = []
    text = _decoded(content, path, problems)
    values, lines = _parse(text, path, problems)
    return EnvFile(path, True, values, lines, tuple(problems), bool(status.st_mode & stat.S_IROTH))


def _decoded(content: bytes, path: Path, problems: list[Problem]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.append(Problem(Level.WARNING, "A line is not UTF-8.", _SAVE_AS_UTF8, path=path, line=line))
        return content.decode("utf-8-sig", "replace")


def _parse(text: str, path: Path, problems: list[Problem]) -> tuple[dict[str, str], dict[str, int]]:
    import io

    from dotenv.parser import parse_stream

    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for binding in parse_stream(io.StringIO(text)):
        # An entry begins after the empty lines and spaces that the parser counts to it.
        raw = binding.original.string
        line = binding.original.line + raw[: len(raw) - len(raw.lstrip())].count("\n")
        if binding.error:
            problems.append(_bad_line(raw, path, line))
        elif binding.key is not None:
            if binding.key in values:
                what = f"{binding.key} stands here a second time; the last one counts."
                problems.append(Problem(Level.WARNING, what, "Remove one.", binding.key, path, line))
            values[binding.key] = (binding.value or "").strip()
            lines[binding.key] = line
    return values, lines


def _bad_line(raw: str, path: Path, line: int) -> Problem:
    name, equals, value = raw.strip().removeprefix("export ").partition("=")
    name = name.strip() if equals and name.strip().isidentifier() else ""
    if value.strip()[:1] in {'"', "'"}:
        remedy = "Close it, or leave both quotes out."
        return Problem(Level.ERROR, "A quote is not closed; the line is left out.", remedy, name, path, line)
    return Problem(
        Level.ERROR, "The line cannot be read and is left out.", "Write NAME=value.", name, path, line
    )


def _unreadable(path: Path, what: str, remedy: str) -> EnvFile:
    return EnvFile(path, True, problems=(Problem(Level.ERROR, what, remedy, path=path),))
