"""A ``.env`` file is read as people write it, and what is wrong with it is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.config.env_file import EnvFile, read_env_file
from totalrecall.places.problem import Level


def read(folder: Path, content: str | bytes) -> EnvFile:
    """A ``.env`` with that content, private to its owner."""
    path = folder / ".env"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(0o600)
    return read_env_file(path)


@pytest.mark.report("R111")
@pytest.mark.report("R112")
@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"\xef\xbb\xbfKEY=abc\n", "abc"),
        ("KEY=abc\r\nOTHER=1\r\n", "abc"),
        ('KEY="abc" # my key\n', "abc"),
        ("KEY=abc # my key\n", "abc"),
        ("export KEY=abc\n", "abc"),
        ("KEY=abc#note\n", "abc#note"),
        ("KEY='ab${cd}ef'\n", "ab${cd}ef"),
        ("KEY=$HOME\n", "$HOME"),
        ("KEY=`id`$(id)\n", "`id`$(id)"),
        ("KEY=\n", ""),
        ("KEY = abc  \n", "abc"),
        ("\n\n# comment\n  KEY=abc", "abc"),
        ("KEY=~/mem dir/memory\n", "~/mem dir/memory"),
        ("KEY=a=b==\n", "a=b=="),
    ],
)
def test_forms_of_a_line(tmp_path: Path, content: str | bytes, value: str) -> None:
    """BOM, CRLF, quotes, comments, ``export`` and spaces are read; nothing is expanded or run."""
    file = read(tmp_path, content)
    assert file.values["KEY"] == value
    assert file.problems == ()
    assert "KEY" not in os.environ


@pytest.mark.report("R111")
def test_unclosed_quote_names_its_line_and_costs_only_that_line(tmp_path: Path) -> None:
    """The rest of the file counts."""
    file = read(tmp_path, 'A=1\n\nKEY="abc\nB=2\n')
    assert file.values == {"A": "1", "B": "2"}
    (problem,) = file.problems
    assert (problem.name, problem.line, problem.level) == ("KEY", 3, Level.ERROR)
    assert "abc" not in str(problem)


@pytest.mark.report("R111")
def test_last_of_two_counts_and_is_said(tmp_path: Path) -> None:
    """A second line with the same name is a warning at its line."""
    file = read(tmp_path, "KEY=old\nKEY=new\n")
    assert file.values == {"KEY": "new"}
    assert [(one.line, one.level) for one in file.problems] == [(2, Level.WARNING)]


@pytest.mark.report("R111")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named_with_a_remedy(tmp_path: Path, encoding: str) -> None:
    """With BOM or without, nothing is read and the file says how to save it."""
    file = read(tmp_path, "KEY=abc\n".encode(encoding))
    assert file.values == {}
    (problem,) = file.problems
    assert problem.level is Level.ERROR
    assert "UTF-16" in problem.what
    assert "UTF-8" in problem.remedy
    assert str(tmp_path / ".env") in str(problem)


def test_other_encoding_costs_a_warning(tmp_path: Path) -> None:
    """A Latin-1 comment does not hide the key."""
    file = read(tmp_path, "A=1\n# Schlüssel\nKEY=abc\n".encode("latin-1"))
    assert file.values["KEY"] == "abc"
    assert [(one.level, one.line) for one in file.problems] == [(Level.WARNING, 2)]


def test_what_is_no_text_file(tmp_path: Path) -> None:
    """Missing is normal; a folder, a pipe or a huge file is said, and nothing hangs."""
    assert read_env_file(tmp_path / ".env") == EnvFile(tmp_path / ".env")
    assert read_env_file(tmp_path / "no" / ".env").found is False
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_bytes(b"#" * 1_000_001)
    for name in ("folder", "pipe", "huge"):
        file = read_env_file(tmp_path / name)
        assert file.found
        assert [one.level for one in file.problems] == [Level.ERROR]


def test_file_open_to_all_is_noticed(tmp_path: Path) -> None:
    """By its mode."""
    assert not read(tmp_path, "KEY=a\n").open_to_all
    (tmp_path / ".env").chmod(0o644)
    assert read_env_file(tmp_path / ".env").open_to_all


def test_values_are_not_in_the_repr(tmp_path: Path) -> None:
    """A traceback or a log must not show them."""
    assert "abc" not in repr(read(tmp_path, "KEY=abc\n"))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_crash(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Whatever stands in the file, the outcome is values and problems."""
    file = read(tmp_path_factory.getbasetemp(), content)
    assert file.found
    assert set(file.values) == set(file.lines)
