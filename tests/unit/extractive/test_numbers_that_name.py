"""A number that names a thing is not its value: two rules stay two rules, and nothing leaves without a trace."""

from __future__ import annotations

import pytest

from tests.unit.extractive.talk import compress, texts, user


@pytest.mark.report("R072")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Never order from supplier 4.", "Never order from supplier 7."),
        ("We decided to ship order 17 on Monday.", "We decided to ship order 18 on Monday."),
        ("We decided to move shelf 12 to room 3.", "We decided to move shelf 14 to room 3."),
        ("Von jetzt an nie bei Lieferant 4 bestellen.", "Von jetzt an nie bei Lieferant 7 bestellen."),
        ("以后不要向4号供应商订货。", "以后不要向7号供应商订货。"),
    ],
)
def test_two_numbered_things_are_two_notes(first: str, second: str) -> None:
    """Neither takes the other's place, in one talk or over two."""
    together = texts(compress(user(first), user(second)))
    assert len(together) == 2
    assert not any("replaces" in one for one in together)
    known = [one.note for one in compress(user(first)).notes]
    (later,) = compress(user(second), known=known).notes
    assert "replaces" not in later.note.text


def test_the_other_half_of_a_corrected_fact_stays() -> None:
    """The port was not corrected, only the host."""
    notes = texts(
        compress(
            user("Our staging server is stage-2, port 8443."),
            user("Correction: the staging server is now stage-3."),
        )
    )
    assert any("8443" in one and "since replaced" in one for one in notes)
    assert any("stage-3" in one for one in notes)


def test_what_a_correction_replaces_in_whole_is_kept_aside() -> None:
    """Every line that leaves is told, with the reason."""
    answer = compress(
        user("The API listens on port 7070."), user("Correction: the API listens on port 7171.")
    )
    assert [one.reason for one in answer.dropped] == ["corrected"]
    assert "7070" in answer.dropped[0].text
    (note,) = texts(answer)
    assert "7171" in note


def test_what_is_said_twice_in_one_talk_is_kept_aside_too() -> None:
    """Once as a note, once with the reason."""
    answer = compress(
        user("From now on never deploy on Fridays."), user("From now on never deploy on Fridays!")
    )
    assert len(answer.notes) == 1
    assert [one.reason for one in answer.dropped] == ["said again"]


def test_a_short_talk_has_room_for_what_was_said() -> None:
    """Some sentences of plain facts are all noted."""
    answer = compress(
        user("The file is at ~/stock/stock.db."), user("My wife is called Nora, she is a teacher."),
        user("We decided to count the stock on Mondays."), user("The shop opens at 9 and closes at 18."),
    )  # fmt: skip
    assert not [one for one in answer.dropped if one.reason == "no room"]
