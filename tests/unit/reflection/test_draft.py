"""The bookkeeping of a reflection in several steps."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.reflection.notes import items, note
from totalrecall.domain.note import Usage
from totalrecall.llm.reflection.draft import draft_of
from totalrecall.llm.reflection.drops import settled
from totalrecall.llm.reflection.types import Dropped, DropReason, Merged

LOG = items(*(note(f"Note {at}") for at in range(8)))


def test_numbers_lead_through_several_steps() -> None:
    """What is merged twice stands for all; what left for a merged note still points to a number of it."""
    draft = draft_of(LOG).applied([], [Dropped(1, DropReason.SUPERSEDED, 2)])
    draft = draft.applied([Merged(note("two and three"), (2, 3))], [])
    draft = draft.applied([Merged(note("two to four"), (3, 4))], [Dropped(5, DropReason.NOISE)])
    outcome = draft.reflection("llm", Usage(), ())
    assert [one.stands_for for one in outcome.merged] == [(2, 3, 4)]
    assert outcome.dropped == (Dropped(1, DropReason.SUPERSEDED, 2), Dropped(5, DropReason.NOISE))
    assert outcome.kept == (6, 7, 8)


def test_a_note_that_stands_for_one_that_left_does_not_leave_for_nothing() -> None:
    """Neither by itself nor merged; its mere duplicates leave for its reason."""
    draft = draft_of(LOG).applied(
        [], [Dropped(1, DropReason.RESOLVED, 2), Dropped(3, DropReason.DUPLICATE, 4)]
    )
    draft = draft.applied([Merged(note("two and five"), (2, 5)), Merged(note("four and six"), (4, 6))], [])
    draft = draft.applied([], [Dropped(5, DropReason.NOISE), Dropped(6, DropReason.NOISE)])
    outcome = draft.reflection("llm", Usage(), ())
    assert [one.stands_for for one in outcome.merged] == [(2, 5)]
    assert outcome.dropped == (
        Dropped(1, DropReason.RESOLVED, 2),
        Dropped(3, DropReason.NOISE),
        Dropped(4, DropReason.NOISE),
        Dropped(6, DropReason.NOISE),
    )
    assert settled(outcome.dropped) == outcome.dropped


_STEP = st.tuples(
    st.sampled_from(["merge", "noise", "superseded", "duplicate"]), st.integers(0, 7), st.integers(0, 7)
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_STEP, max_size=10))
def test_after_any_steps_every_number_is_somewhere_once_and_no_trail_ends_nowhere(
    steps: list[tuple[str, int, int]],
) -> None:
    """Kept, merged and dropped partition the log; each "by" ends at a note that stays."""
    draft = draft_of(LOG)
    for what, one, other in steps:
        pieces = sorted(piece.number for piece in draft.pieces)
        if one >= len(pieces) or other >= len(pieces) or one == other:
            continue
        low, high = sorted((pieces[one], pieces[other]))
        if what == "merge":
            draft = draft.applied([Merged(note("both"), (low, high))], [])
        elif what == "noise":
            draft = draft.applied([], [Dropped(low, DropReason.NOISE)])
        else:
            draft = draft.applied([], [Dropped(low, DropReason(what), high)])
    outcome = draft.reflection("llm", Usage(), ())
    merged = [number for one in outcome.merged for number in one.stands_for]
    dropped = [one.number for one in outcome.dropped]
    assert sorted([*outcome.kept, *merged, *dropped]) == list(range(1, 9))
    assert settled(outcome.dropped) == outcome.dropped


def test_what_a_note_leans_on_at_second_hand_stays() -> None:
    """The first left for the second, and that as a duplicate of the third: the third is no noise."""
    draft = draft_of(LOG)
    draft = draft.applied([], [Dropped(1, DropReason.SUPERSEDED, 2)])
    draft = draft.applied([], [Dropped(2, DropReason.DUPLICATE, 3)])
    draft = draft.applied([], [Dropped(3, DropReason.NOISE)])
    assert 3 in {piece.number for piece in draft.pieces}
    assert settled(draft.dropped) == draft.dropped
