"""Our block in AGENTS.md comes and goes, and what other people wrote stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.openclaw.marked_block import BEGIN, END, Standing, find, gap_before, put, take_out

BODY = "## Memory\n\n- read the notes"
texts = st.one_of(
    st.text(st.sampled_from("ab #\n-é🔴\ufeff"), max_size=40),
    st.text(st.sampled_from("ab\r\n"), max_size=6),
    st.text(st.sampled_from("ab #-é"), max_size=20).map(lambda text: f"{text}\r\n{text}\r\n"),
)


@given(texts, st.booleans())
@settings(max_examples=100)
def test_putting_in_adds_only_and_taking_out_restores(text: str, twice: bool) -> None:
    """Foreign text stands before the block as it was, also without a last newline, with CRLF or a BOM."""
    after = put(text, BODY)
    if twice:
        assert put(after, BODY) == after
    assert after.startswith(text)
    assert find(after).body == BODY
    assert take_out(after, gap_before(text)) == text


@given(texts, texts)
@settings(max_examples=60)
def test_text_around_the_block_survives_an_update(before: str, after: str) -> None:
    """An update replaces what stands between the marks and nothing else."""
    text = f"{before}\n{BEGIN}\nold\n{END}{after}"
    updated = put(text, BODY)
    assert updated.startswith(f"{before}\n{BEGIN}")
    assert updated.endswith(f"{END}{after}")
    assert find(updated).body == BODY


def test_what_was_written_behind_the_block_stays_apart() -> None:
    """After the block is gone, an empty line still divides what stood before it and behind it."""
    text = put("# Mine\n", BODY) + "\n## Later\n"
    assert take_out(text, "\n") == "# Mine\n\n\n## Later\n"


def test_line_ends_are_the_file_s_own() -> None:
    """In a file with CRLF the block has CRLF, and so its text compares equal to ours."""
    after = put("# Mine\r\n", BODY)
    assert "\n" not in after.replace("\r\n", "")
    assert find(after).body == BODY


@pytest.mark.parametrize(
    "text", [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}", f"{BEGIN}{END}{BEGIN}{END}"]
)
def test_a_damaged_block_is_not_touched(text: str) -> None:
    """With one mark missing or doubled nobody can say what is ours."""
    assert find(text).standing is Standing.DAMAGED
    assert put(text, BODY) == text
    assert take_out(text) == text
