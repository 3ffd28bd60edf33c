"""Which notes go to the model together."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.reflection.notes import CONTEXT, EVENT, FACT, GREEN, TODAY, items, note
from totalrecall.domain.note import NoteType
from totalrecall.domain.words import count_words
from totalrecall.llm.budget import worst_case_tokens
from totalrecall.llm.reflection.prompt import Sheet, fence_name, user_text
from totalrecall.llm.reflection.ranges import (
    Range,
    Room,
    answer_tokens,
    halves,
    newest,
    plan_ranges,
    room_for,
    tokens_of,
)
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.tokens import estimate_chat_tokens

SENTENCE = "Nightly job {} of marigold went through the queue and found nothing odd"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=120), st.integers(60, 2_000), st.integers(1, 40))
def test_every_note_is_in_one_range_and_each_range_fits(agos: list[int], tokens: int, most: int) -> None:
    """No note twice, none forgotten but those too long for any call, oldest first."""
    log = items(*(note(SENTENCE.format(at), EVENT, ago=ago) for at, ago in enumerate(agos)))
    room = Room(tokens, most)
    ranges = plan_ranges(log, (), room)
    found = [item for part in ranges for item in part.changeable]
    limit = int(tokens * 0.65)
    assert sorted(item.number for item in found) == [one.number for one in log if tokens_of(one) <= limit]
    assert found == sorted(found, key=lambda one: (one.note.day, one.number))
    for part in ranges:
        assert len(part.changeable) <= most
        assert sum(map(tokens_of, part.changeable)) <= limit


def test_a_single_long_day_is_cut_too() -> None:
    """A day of a thousand notes becomes several ranges of about one size."""
    log = items(
        *(note(SENTENCE.format(at), EVENT, ago=5, time=f"{at // 60:02d}:{at % 60:02d}") for at in range(1000))
    )
    ranges = plan_ranges(log, (), Room(4_000))
    sizes = [len(part.changeable) for part in ranges]
    assert sum(sizes) == 1000
    assert max(sizes) <= 60
    assert min(sizes) >= 20


def test_whole_days_stay_together_where_they_fit() -> None:
    """A day is not torn apart only to fill a call."""
    log = items(*(note(SENTENCE.format(at), EVENT, ago=20 - at // 25) for at in range(100)))
    ranges = plan_ranges(log, (), Room(4_000))
    days = [{item.note.day for item in part.changeable} for part in ranges]
    assert len(ranges) <= 4
    assert sum(map(len, days)) == 4


def test_request_and_answer_fit_the_tokens_of_a_call() -> None:
    """The worst case of the request with the whole answer stays under the ceiling, whatever the notes."""
    system = "rule " * 900
    for limit in (4_000, 12_000, 60_000):
        log = items(*(note(SENTENCE.format(at), EVENT, ago=at % 9 + 4) for at in range(700)))
        room = room_for(estimate_chat_tokens(system, ""), limit)
        for part in plan_ranges(log[::2], log[1::2], room):
            sheet = Sheet(part.changeable, part.context, TODAY, ("Too long, too vague, too much. " * 8,) * 4)
            user = user_text(sheet, fence_name(sheet, b"salt"))
            asked = worst_case_tokens(estimate_chat_tokens(system, user))
            assert asked + answer_tokens(part) <= limit


def test_the_newest_days_stay_up_to_half_of_the_limit() -> None:
    """Three days are left alone, unless they alone fill the log."""
    log = items(*(note(SENTENCE.format(at), EVENT, ago=at) for at in range(10)))
    assert newest(log, TODAY, 8_000) == {1, 2, 3}
    full = items(*(note(SENTENCE.format(at), EVENT, ago=0, time=f"10:{at:02d}") for at in range(50)))
    few = newest(full, TODAY, 240)
    assert 0 < len(few) < 50
    assert sum(count_words(said(item.note)) for item in full if item.number in few) <= 120
    assert max(few) == 50


def test_context_is_what_shares_the_subjects_before_what_shares_the_days() -> None:
    """A newer decision about the same thing is shown beside an old note, from whatever day."""
    log = items(
        note("Kiln room rent is 310 guilders", FACT, ago=40),
        note("Odile owns the yard", NoteType.RULE, ago=40),
        note("Kiln room rent is 335 guilders now", NoteType.DECISION, ago=4),
        note("Cellar is dry", NoteType.DECISION, ago=4),
    )
    (part,) = plan_ranges(log[:1], log[1:], Room(400))
    assert [item.number for item in part.context] == [2, 3, 4]
    (narrow,) = plan_ranges(log[:1], log[1:], Room(60))
    assert [item.number for item in narrow.context] == [3]


def test_halves_of_halves_come_to_an_end() -> None:
    """A range that fits no model is cut until it is one note."""
    log = items(*(note(SENTENCE.format(at), CONTEXT, GREEN, ago=5) for at in range(5)))
    left, right = halves(Range(log, log))
    assert left.changeable + right.changeable == log
    assert halves(Range(log[:1])) == ()


def test_an_empty_log_has_no_ranges() -> None:
    """Nothing to ask, nothing asked."""
    assert plan_ranges((), (), Room(4_000)) == ()


def test_a_single_note_that_does_not_fit_goes_with_less_context_until_none_is_left() -> None:
    """The note itself may be small enough: only then it is given up."""
    one, *others = items(*(note(SENTENCE.format(at), EVENT) for at in range(6)))
    part = Range((one,), tuple(others))
    sizes = []
    while smaller := halves(part):
        (part,) = smaller
        assert part.changeable == (one,)
        sizes.append(len(part.context))
    assert sizes == [2, 0]
