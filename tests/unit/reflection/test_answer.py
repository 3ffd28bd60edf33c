"""Reading answers in the many shapes that models give them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.llm.reflection.answer import DropLine, read_answer
from totalrecall.llm.reflection.types import DropReason


@pytest.mark.parametrize(
    ("line", "drop"),
    [
        ("drop 4 noise", DropLine((4,), DropReason.NOISE)),
        ("Drop 4: aged.", DropLine((4,), DropReason.AGED)),
        ("- drop 4, 5 and 7 duplicate of 9", DropLine((4, 5, 7), DropReason.DUPLICATE, 9)),
        ("drop 3-6 routine", DropLine((3, 6, 4, 5), DropReason.NOISE)),
        ("* dropped [12] - superseded by note 17", DropLine((12,), DropReason.SUPERSEDED, 17)),
        ("remove #2 (replaced by #8)", DropLine((2,), DropReason.SUPERSEDED, 8)),
        ("drop 8 resolved by 14", DropLine((8,), DropReason.RESOLVED, 14)),
        ("drop 8 -> duplicate of 3", DropLine((8,), DropReason.DUPLICATE, 3)),
        ("drop 8", DropLine((8,), None)),
        ("drop 8 because I say so", DropLine((8,), None)),
        ("drop 1-999999999 noise", DropLine((1, 999999999), DropReason.NOISE)),
    ],
)
def test_drops_in_many_shapes(line: str, drop: DropLine) -> None:
    """Lists, ranges, brackets and other words; a reason that is not of the list is none."""
    (found,) = read_answer(line).drops
    assert (set(found.numbers), found.reason, found.by) == (set(drop.numbers), drop.reason, drop.by)


def test_a_note_about_dropping_is_a_note() -> None:
    """Its sign tells it from a drop."""
    answer = read_answer("- 🟡 [event] Drop 4 tables of quarry [3]")
    assert answer.drops == ()
    assert answer.notes[0].cites == (3,)


def test_details_stand_under_their_note_unless_they_cite() -> None:
    """An indented line without numbers belongs to the note above; with numbers it stands alone."""
    answer = read_answer("- 🟡 A [1]\n  - 🟢 detail\n  - 🟢 B [2]")
    assert [len(one.children) for one in answer.notes] == [1, 0]
    assert [one.cites for one in answer.notes] == [(1,), (2,)]


@given(
    st.text(
        alphabet=st.sampled_from("🔴🟡🟢-* []{}(),0123456789dropnisebyaged\n\r<>think/`#= "), max_size=300
    )
)
def test_any_text_is_read_without_a_crash(text: str) -> None:
    """Whatever comes, it is notes, drops, prose, or nothing."""
    answer = read_answer(text)
    assert all(number >= 0 for drop in answer.drops for number in drop.numbers)


@pytest.mark.parametrize(
    "text",
    ["drop 1," * 40_000, "- 🟡 " + "[1]" * 40_000, "<think>" * 20_000, "drop " + "1 " * 60_000, "{" * 50_000],
)
def test_long_nonsense_is_read_in_no_time(text: str) -> None:
    """No pattern runs away on a hostile line."""
    read_answer(text)
