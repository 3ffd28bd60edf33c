"""No detail lost, none invented, none in another's place."""

from __future__ import annotations

import pytest

from tests.unit.reflection.notes import EVENT, note
from totalrecall.domain.note import Note
from totalrecall.llm.reflection.details import invented_details, lost_details, names_in, swapped, unheard


def sources(*texts: str) -> list[Note]:
    """Events of one day, ten minutes apart."""
    return [note(text, EVENT, time=f"10:{at}0") for at, text in enumerate(texts)]


HONEST = [
    ("Importer crashed on row 212; Jonas fixed it", ["Importer crashed on row 212", "Jonas fixed the importer"]),
    ("quarry: branch rel/4.2 on port 8443, path ~/src/quarry", ["Branch of quarry is rel/4.2", "quarry listens on port 8443, path ~/src/quarry"]),
    ("Three tests failed, then none", ["3 tests failed", "No test failed"]),
    ("Umzug am 14.8., Lena hilft", ["Der Umzug ist am 14.8.", "Lena hilft beim Umzug"]),
    ("Migration ran 40 min and moved 1,200 rows", ["Migration took 40 minutes", "Migration moved 1200 rows"]),
    ("Dentist on 2026-07-14, Priya drives", ["Dentist on 14 July 2026", "Priya drives to the dentist"]),
    ("王芳负责导入程序，端口是8443", ["王芳负责导入程序", "导入程序的端口是8443"]),
    ("Alpha on port 8001, Beta on port 9002", ["Alpha listens on port 8001", "Beta listens on port 9002"]),
    ("Ports: Alpha 8001, Beta 9002", ["Alpha listens on port 8001", "Beta listens on port 9002"]),
    ("Ana owns the API and Ben owns the mailer", ["Ana owns the API", "Ben owns the mailer"]),
    ("8001 is Alpha, 9002 is Beta", ["Alpha listens on port 8001", "Beta listens on port 9002"]),
]  # fmt: skip
LOST = [
    ("Importer crashed; Jonas fixed it", ["Importer crashed on row 212", "Jonas fixed the importer"]),
    ("Importer crashed on row 212 and was fixed", ["Importer crashed on row 212", "The fix came from Jonas"]),
    ("quarry listens on port 8443", ["quarry listens on port 8443, path ~/src/quarry"]),
    ("Dentist in July, Priya drives", ["Dentist on 14 July 2026", "Priya drives to the dentist"]),
    ("Der Umzug ist im August, Lena hilft", ["Der Umzug ist am 14.8.", "Lena hilft beim Umzug"]),
    ("Umzug am 14.8. mit Hilfe", ["Der Umzug ist am 14.8.", "Lena hilft beim Umzug"]),
    ("Rows of quarry are deleted", ["Rows of quarry are not deleted"]),
    ("导入程序的端口是8443", ["王芳负责导入程序", "导入程序的端口是8443"]),
]  # fmt: skip
INVENTED = [
    ("Importer crashed on row 213; Jonas fixed it", ["Importer crashed on row 212", "Jonas fixed the importer"]),
    ("Importer crashed on row 212; Mallory fixed the importer with Jonas", ["Importer crashed on row 212", "Jonas fixed the importer"]),
    ("Migration took 40 seconds", ["Migration took 40 minutes"]),
    ("Rent is 900 € a month", ["Rent is 900 $ a month"]),
    ("Dentist on 2026-07-15", ["Dentist on 14 July 2026"]),
    ("Report of marigold is finished", ["Report of marigold is in progress"]),
    ("Cache for the report page was decided", ["Assistant suggested a cache for the report page"]),
    ("Rows of quarry are never deleted", ["Rows of quarry are deleted"]),
    ("Yard had -5 degrees", ["Yard had 5 degrees"]),
    ("Branch of quarry is rel/4.3", ["Branch of quarry is rel/4.2"]),
    ("User enjoys sailing with friends on Sundays", ["User bought a boat"]),
]  # fmt: skip
SWAPPED = [
    (
        "Alpha listens on port 9002, Beta on port 8001",
        ["Alpha listens on port 8001", "Beta listens on port 9002"],
    ),
    ("Ports: Alpha 9002, Beta 8001", ["Alpha listens on port 8001", "Beta listens on port 9002"]),
    ("Ben owns the API and Ana owns the mailer", ["Ana owns the API", "Ben owns the mailer"]),
    ("Timeout is 8443 and port is 30", ["Port is 8443", "Timeout is 30"]),
    ("Rent 80, gas 900", ["Rent is 900", "Gas is 80"]),
]


@pytest.mark.parametrize(("text", "old"), HONEST)
def test_honest_rewriting_passes(text: str, old: list[str]) -> None:
    """Fewer words, other order, dates written out: nothing is wrong."""
    new, said = note(text, EVENT, time="10:50"), sources(*old)
    assert lost_details(new, said, names_in(said)) == ()
    assert invented_details(new, said) == ()
    assert swapped(new, said) is None
    assert unheard(new, said) == ()


@pytest.mark.parametrize(("text", "old"), LOST)
def test_a_lost_detail_is_noticed(text: str, old: list[str]) -> None:
    """Numbers, days, paths, names, negations."""
    said = sources(*old)
    assert lost_details(note(text, EVENT), said, names_in(said))


@pytest.mark.parametrize(("text", "old"), INVENTED)
def test_an_invented_detail_is_noticed(text: str, old: list[str]) -> None:
    """Numbers, units, days, people, and claims that something is done or decided."""
    assert invented_details(note(text, EVENT, time="10:50"), sources(*old))


@pytest.mark.parametrize(("text", "old"), SWAPPED)
def test_details_in_each_others_place_are_noticed(text: str, old: list[str]) -> None:
    """Every word occurs, and the note is wrong."""
    assert swapped(note(text, EVENT), sources(*old)) is not None


def test_a_day_that_moves_with_the_note_is_lost() -> None:
    """A "tomorrow" said on Monday is another day when the note is Tuesday's."""
    old = [note("Dentist tomorrow", EVENT, ago=11), note("Dentist has parking", EVENT, ago=10)]
    assert lost_details(note("Dentist tomorrow, has parking", EVENT, ago=10), old, frozenset())
