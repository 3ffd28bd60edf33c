"""What stays word for word, and when it may go for something newer."""

from __future__ import annotations

import pytest

from tests.unit.reflection.notes import CONTEXT, EVENT, FACT, GREEN, RED, TODAY, YELLOW, items, note
from totalrecall.domain.note import Note, NoteType
from totalrecall.llm.reflection.future import names_coming_day
from totalrecall.llm.reflection.protect import Protection, may_give_way, protection
from totalrecall.llm.reflection.subject import is_newer, same_subject, says_done
from totalrecall.llm.reflection.types import DropReason


@pytest.mark.report("R077")
@pytest.mark.parametrize(
    ("one", "why"),
    [
        (note("Never push to main", NoteType.RULE, GREEN, ago=400), Protection.LASTING),
        (note("Deploys go through staging", NoteType.DECISION, GREEN, ago=400), Protection.LASTING),
        (note("Reach B2 in Spanish", NoteType.GOAL, GREEN, ago=40), Protection.LASTING),
        (note("Answers in short sentences", NoteType.PREFERENCE, GREEN, ago=40), Protection.LASTING),
        (note("Renew the certificate", NoteType.TASK, GREEN, ago=400), Protection.LASTING),
        (note("Server moved", EVENT, RED, ago=29), Protection.NEW_HIGH),
        (note("Server moved", EVENT, RED, ago=30), None),
        (note("Lease ends on 2026-07-01", FACT, GREEN, ago=300), Protection.COMING_DAY),
        (note("Lease ended on 2026-06-29", FACT, GREEN, ago=300), None),
        (note("Went for lunch", EVENT, GREEN, ago=3), None),
        (note("Talk", EVENT, children=[note("Never push to main", NoteType.RULE, GREEN)]), Protection.LASTING),
        (note("Talk", EVENT, GREEN, children=[note("Visit on 2026-08-01", FACT, GREEN)]), Protection.COMING_DAY),
        (note("Talk", EVENT, GREEN, ago=5, children=[note("Server moved", FACT, RED)]), Protection.NEW_HIGH),
        (note("Whatever", None, YELLOW, ago=50), None),
    ],
)  # fmt: skip
def test_what_is_protected(one: Note, why: Protection | None) -> None:
    """Lasting types, coming days and young 🔴, also when only a detail below is one."""
    (item,) = items(one)
    assert protection(item, TODAY) is why


def test_a_persons_line_is_protected_whatever_it_says() -> None:
    """A small old note of a person stays, and gives way to nothing of ours."""
    old, new = items(
        note("Importer listens on port 8001", FACT, GREEN, ago=300),
        note("Importer listens on port 9002 (replaces: port 8001)", FACT, RED, ago=3),
        persons=[1],
    )
    assert protection(old, TODAY) is Protection.PERSON
    assert not may_give_way(old, new, DropReason.SUPERSEDED)


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("Dentist on 2026-07-14 at 9", 60),
        ("Dentist on 14 July", 60),
        ("Dentist on July 14th", 60),
        ("Zahnarzt am 14.7.", 60),
        ("Zahnarzt am 14. Juli um 9 Uhr", 60),
        ("Rendez-vous le 14 juillet 2026", 60),
        ("7月14日看牙医", 60),
        ("Dentist today", 0),
        ("Dentist tomorrow", 0),
        ("Dentist in two weeks", 3),
        ("Zahnarzt in drei Wochen", 3),
        ("两周后看牙医", 3),
        ("Visa is valid until 2031", 300),
        ("Lease runs until March 2027", 300),
        ("Lease runs till 03/31/2027", 300),
        ("Review comes in Q3 2026", 60),
        ("Moves next month", 10),
        ("Zieht nächsten Monat um", 10),
        ("Contract ends in August", 60),
        ("Steuer ist bis Ende Juli fällig", 60),
        ("合同在2026年9月到期", 60),
        ("下个月搬家", 3),
        ("Passport expires 2026-09", 60),
        ("Met on 2026-05-02, next visit 2026-07-02", 58),
        ("Trip to Porto next May", 90),
        ("Urlaub im kommenden Mai", 90),
        ("Meets the landlord on 15.04.2027", 90),
        ("4月15日开会", 40),
        ("8月搬家", 90),
        ("合同年底到期", 90),
        ("Moves out by end of 2026", 90),
        ("Contract runs to the end of the year", 90),
        ("Card expires 12/26", 300),
        ("Card expires 09/2026", 300),
        ("Licence 20270415 for the scanner", 300),
        ("Delivery 15-Apr-2027", 300),
        ("Budget is set for Q2/27", 90),
        ("Two years from now the lease ends", 90),
        ("Reviews it in half a year", 90),
        ("La visite est dans 8 mois", 90),
        ("半年后续签", 90),
        ("Flies home by Christmas", 90),
        ("Feiert Silvester in Wien", 90),
        ("Moves next summer", 90),
    ],
)
def test_a_coming_day_is_seen_in_any_form(text: str, ago: int) -> None:
    """Dates, weekdays, months, quarters, years, and relative words counted from the note's own day."""
    assert names_coming_day(note(text, ago=ago), TODAY)


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("Dentist tomorrow", 60),
        ("Dentist on 2026-05-02", 60),
        ("Dentist in two weeks", 60),
        ("Host runs Debian 12, port 8443", 60),
        ("Moved on 14 May", 40),
        ("Build 2026.5.1 is out", 40),
        ("Took 14 days", 40),
        ("Was in Porto in March 2020", 90),
        ("Ran 3/4 of the checks on version 24.12", 90),
        ("Backup 20250415 was restored in three days", 90),
        ("Disk holds 20.5 GB, took 40 minutes", 90),
        ("Last year was good", 400),
    ],
)
def test_past_days_and_plain_numbers_protect_nothing(text: str, ago: int) -> None:
    """The "tomorrow" of two months ago is past."""
    assert not names_coming_day(note(text, ago=ago), TODAY)


SAME = [
    ("User prefers light mode in the editor", "User prefers dark mode in the editor"),
    ("Meeting with Ana moved to Monday", "Meeting with Ana on Friday"),
    ("Deploys go straight to production (replaces: through staging)", "Deploys go through staging first"),
    ("部署改为每周五下午进行", "部署在每周三上午进行"),
    ("Backups sind jetzt 60 Tage auf dem NAS", "Backups bleiben 30 Tage auf dem NAS"),
]
OTHER = [
    ("Ben prefers tea", "Ana prefers tea"),
    ("Backup failed again", "Never deploy on Friday"),
    ("Tests failed on Friday", "Never run the deploy on Friday"),
    ("User wants short answers", "User wants a green theme"),
    ("明天去看电影", "部署在每周三上午进行"),
]


@pytest.mark.parametrize(("new", "old"), SAME)
def test_notes_on_one_subject(new: str, old: str) -> None:
    """Shared names and content words make a subject."""
    assert same_subject(note(new), note(old))


@pytest.mark.parametrize(("new", "old"), OTHER)
def test_small_words_make_no_subject(new: str, old: str) -> None:
    """What only shares small words, weekdays or a verb is about something else."""
    assert not same_subject(note(new), note(old))


def test_newer_needs_a_known_minute_on_the_same_day() -> None:
    """On one day the minute decides; without one nobody is newer."""
    assert is_newer(note("a", ago=3), note("b", ago=4))
    assert is_newer(note("a", time="10:00"), note("b", time="09:59"))
    assert not is_newer(note("a", time=""), note("b", time="09:59"))
    assert not is_newer(note("a"), note("b"))


@pytest.mark.parametrize(
    ("old", "new", "reason", "yes"),
    [
        (NoteType.RULE, NoteType.RULE, DropReason.SUPERSEDED, True),
        (NoteType.RULE, NoteType.EVENT, DropReason.SUPERSEDED, False),
        (NoteType.RULE, None, DropReason.SUPERSEDED, False),
        (NoteType.DECISION, NoteType.FACT, DropReason.SUPERSEDED, False),
        (NoteType.PREFERENCE, NoteType.RULE, DropReason.SUPERSEDED, True),
        (NoteType.GOAL, NoteType.CONTEXT, DropReason.SUPERSEDED, False),
        (NoteType.RULE, NoteType.RULE, DropReason.RESOLVED, False),
        (NoteType.RULE, NoteType.RULE, DropReason.NOISE, False),
        (NoteType.RULE, NoteType.RULE, DropReason.AGED, False),
    ],
)
def test_only_what_binds_as_much_takes_a_protected_place(
    old: NoteType, new: NoteType | None, reason: DropReason, *, yes: bool
) -> None:
    """An event never replaces a rule, and no other reason moves one."""
    before, after = items(
        note("Deploys go through staging host first", old, YELLOW, ago=40),
        note("Deploys go to the staging host at night", new, YELLOW, ago=4),
    )
    assert may_give_way(before, after, reason) is yes
    assert not may_give_way(after, before, reason)


def test_an_open_task_leaves_when_a_later_note_says_it_is_done() -> None:
    """Done, on its subject, and later; tried, planned or another task is not done."""
    (task,) = items(note("Renew the TLS certificate of quarry", NoteType.TASK, ago=20))
    for text, yes in (
        ("TLS certificate of quarry renewed", True),
        ("Renewing the TLS certificate of quarry failed", False),
        ("TLS certificate of quarry will be renewed", False),
        ("TLS certificate of quarry is not renewed yet", False),
        ("Mail queue of kestrel renewed", False),
        ("Talked about the TLS certificate of quarry", False),
    ):
        (done,) = items(note(text, EVENT, ago=2))
        assert may_give_way(task, done, DropReason.RESOLVED) is yes, text
    (early,) = items(note("TLS certificate of quarry renewed", EVENT, ago=30))
    assert not may_give_way(task, early, DropReason.RESOLVED)


def test_a_small_note_does_not_replace_a_high_one() -> None:
    """🟢 never takes the place of 🔴."""
    old, new = items(
        note("Importer of quarry listens on host stage-2", FACT, RED, ago=10),
        note("Importer of quarry listens on host stage-3", FACT, GREEN, ago=2),
    )
    assert not may_give_way(old, new, DropReason.SUPERSEDED)


@pytest.mark.parametrize(
    ("text", "done"),
    [("Fixed the login bug", True), ("登录问题已修复", True), ("Bericht ist fertig", True), ("Bericht ist noch nicht fertig", False), ("still to be fixed", False), ("修复失败", False), ("Report in progress", False)],
)  # fmt: skip
def test_done_is_told_from_not_done(text: str, *, done: bool) -> None:
    """Negations and conditions undo a word of success."""
    assert says_done(note(text, CONTEXT)) is done


@pytest.mark.parametrize(
    ("task", "new"),
    [
        ("Send invoice 212 to Farid", "Invoice 213 sent to Farid"),
        ("Send the invoice for March to Farid", "Invoice for April sent to Farid"),
        ("Migrate ledgerline to Postgres 16", "Is the migration of ledgerline to Postgres 16 done?"),
        (
            "Migrate ledgerline to Postgres 16",
            "User hopes ledgerline is on Postgres 16, migration done by Mei",
        ),
        ("Migrate ledgerline to Postgres 16", "Asked Mei whether ledgerline on Postgres 16 is done"),
    ],
)
def test_a_task_is_not_done_by_what_only_sounds_like_it(task: str, new: str) -> None:
    """Another number, another month, a question, a hope."""
    old, later = items(note(task, NoteType.TASK, ago=40), note(new, EVENT, ago=10))
    assert not may_give_way(old, later, DropReason.RESOLVED)


def test_a_task_is_done_by_what_names_it() -> None:
    """The same number, and done."""
    old, new = items(
        note("Send invoice 212 to Farid", NoteType.TASK, ago=40), note("Invoice 212 sent to Farid", EVENT)
    )
    assert may_give_way(old, new, DropReason.RESOLVED)


@pytest.mark.parametrize(
    ("rule", "new"),
    [
        ("Lösch nie etwas aus dem Ordner Steuern", "frag mich, bevor du etwas löschst"),
        (
            "Never delete customer data of marigold from the archive host",
            "Ask before data is deleted",
        ),
    ],
)
def test_a_rule_gives_way_only_to_one_on_its_whole_subject(rule: str, new: str) -> None:
    """A milder rule that shares a word or two does not take the place of a prohibition."""
    old, later = items(note(rule, NoteType.RULE, RED, ago=40), note(new, NoteType.RULE, RED, ago=10))
    assert not may_give_way(old, later, DropReason.SUPERSEDED)
