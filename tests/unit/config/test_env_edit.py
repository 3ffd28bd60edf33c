"""One value of a .env file changes; everything else stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.config.env_edit import with_value
from totalrecall.errors import ConfigError


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A=1", "A=1\nKEY=new\n"),
        ("A=1\n# about the key\nKEY=old # said\nB=2\n", "A=1\n# about the key\nKEY=new\nB=2\n"),
        ("export KEY='old'\r\nB=1\r\n", "export KEY=new\r\nB=1\r\n"),
        ("A=1\r\n", "A=1\r\nKEY=new\r\n"),
        ("KEY=a\nKEY=b\n\n", "KEY=a\nKEY=new\n\n"),
        ("\ufeffKEY=1\n", "\ufeffKEY=new\n"),
        ("#KEY=1\n", "#KEY=1\nKEY=new\n"),
        ("KEY=\nB=1", "KEY=new\nB=1"),
        ('M="a\nKEY=b"\n  KEY = 5\n# end\n', 'M="a\nKEY=b"\n  KEY=new\n# end\n'),
        ("A='open\nKEY=old\n", "A='open\nKEY=new\n"),
    ],
)
def test_only_the_line_that_counts_changes(before: str, after: str) -> None:
    """The last line of that name counts; without one it is added at the end."""
    assert with_value(before, "KEY", "new") == after


def test_a_new_file_says_what_it_is() -> None:
    """A comment, then the value."""
    first, second = with_value("", "KEY", "new").splitlines()
    assert first.startswith("#")
    assert second == "KEY=new"


def test_what_would_not_be_read_back_is_refused() -> None:
    """A value that the file's format cannot hold as it is changes nothing."""
    with pytest.raises(ConfigError, match="KEY cannot be added"):
        with_value("", "KEY", "two\nlines")


@given(
    st.lists(
        st.sampled_from(["A=1", "# c", "", "KEY=x", " export B='q q'", 'C="m\nn"', "broken", "D='open"]),
        max_size=6,
    ),
    st.from_regex(r"[A-Za-z0-9_-]{1,30}", fullmatch=True),
)
def test_the_other_lines_stay(lines: list[str], value: str) -> None:
    """Whatever stands in the file: the value is read back, and no other line is lost."""
    before = "\n".join(lines)
    try:
        after = with_value(before, "KEY", value)
    except ConfigError:
        return
    assert f"KEY={value}" in after
    for line in lines:
        if not line.startswith("KEY="):
            assert line in after
    assert with_value(after, "KEY", value) == after
