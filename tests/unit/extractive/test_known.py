"""What is recorded already, and what changed."""

from __future__ import annotations

import pytest

from tests.unit.extractive.talk import THURSDAY, assistant, compress, texts, user
from totalrecall.domain.note import Note, NoteType, Priority


def _known(text: str, kind: NoteType = NoteType.FACT) -> Note:
    return Note(Priority.MEDIUM, THURSDAY.date(), "09:00", text, kind)


@pytest.mark.report("R072")
@pytest.mark.parametrize(
    ("said", "recorded"),
    [
        ("Our staging host is stage-2, port 8443.", "Staging host: stage-2, port 8443"),
        ("I prefer short answers.", "User prefers short answers"),
        (
            "Wir nehmen Hetzner für das Hosting.",
            "Hosting läuft bei Hetzner (entschieden: wir nehmen Hetzner)",
        ),
        ("以后都用中文回复我", "以后用中文回复用户"),
    ],
)
def test_what_is_recorded_is_not_noted_again(said: str, recorded: str) -> None:
    """The same in other words is left out, with the reason; it counts as noted, not as nothing notable."""
    answer = compress(user(said), known=[_known(recorded)])
    assert answer.notes == ()
    assert not answer.nothing_notable
    assert [one.reason for one in answer.dropped] == ["known"]


@pytest.mark.report("R072")
def test_four_batches_of_one_talk_give_one_note_each() -> None:
    """The same talk observed four times over gives its notes once."""
    known: list[Note] = []
    for wording in ("The NAS is a Synology DS920 on nas-1.", "our NAS is a Synology DS920, it is nas-1",
                    "Nas-1 is the Synology DS920 NAS", "The NAS on nas-1 is the Synology DS920"):  # fmt: skip
        known += [one.note for one in compress(user(wording), known=known).notes]
    assert len(known) == 1


@pytest.mark.report("R072")
@pytest.mark.parametrize(
    ("old", "new", "value", "replaced"),
    [
        ("User prefers tabs", "Correction: I now prefer spaces", "spaces", "tabs"),
        ("NAS runs on port 5000", "Correction: the NAS runs on port 5001", "5001", "5000"),
        ("Der Kurier kommt mit Wagen 12", "Korrektur: der Kurier kommt mit Wagen 15", "15", "12"),
        ("服务器是 4 核", "更正：服务器不是 4 核，是 8 核", "8 核", "4 核"),
        (
            "User's staging host is stage-a, port 8443",
            "Our staging host is stage-a, port 9443",
            "9443",
            "8443",
        ),
    ],
)
def test_a_changed_value_names_what_it_replaces(old: str, new: str, value: str, replaced: str) -> None:
    """A correction of a recorded note says the new value, and the old one as replaced."""
    kind = NoteType.PREFERENCE if "prefer" in old else NoteType.FACT
    [draft] = compress(user(new), known=[_known(old, kind)]).notes
    assert value in draft.note.text
    assert f"(replaces: {replaced})" in draft.note.text
    assert draft.note.priority is Priority.HIGH


@pytest.mark.report("R072")
def test_a_correction_within_the_batch_leaves_the_new_value() -> None:
    """The corrected sentence gives no note of its own; the new one names the old value."""
    answer = compress(
        user("I use tabs for indentation."),
        assistant("Tabs it is."),
        user("Correction: I now prefer spaces."),
    )
    assert texts(answer) == ["preference: User now prefers spaces (replaces: tabs for indentation)"]


@pytest.mark.report("R072")
def test_a_recorded_correction_is_not_repeated() -> None:
    """Once a note says both values, the same correction is known."""
    known = [_known("Staging port is 9443 (replaces: 8443)")]
    answer = compress(user("Correction: staging port is 9443, not 8443"), known=known)
    assert answer.notes == ()
    assert [one.reason for one in answer.dropped] == ["known"]


def test_two_different_things_do_not_replace_each_other() -> None:
    """Two facts of one shape about different things both stay."""
    answer = compress(user("The wiki runs on port 8080."), user("The mail relay listens on port 2525."))
    assert len(answer.notes) == 2
    assert "replaces" not in " ".join(texts(answer))
