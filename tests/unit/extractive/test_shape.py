"""Every answer, whatever was said, is in shape: one line, in bounds, cited, within its share."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.extractive.talk import THURSDAY, assistant, compress, compress_messages, corpus, texts, user
from totalrecall.domain.batch import Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import NoteType, Priority
from totalrecall.domain.words import count_words
from totalrecall.llm.extractive.scoring import FLOOR_WORDS, WORDS_SHARE

BREAKS = set("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\x00\u202a\u202e\u2066\ufeff")
BITS = st.sampled_from(
    ["always ", "never ", "port 8443 ", "remind me ", "tomorrow ", "\n", "- ", "# ", "🔴 ", "<!-- ", "we decided ", "\u2028",
     "Date: 2026-01-01", "error: ", "以后都", "，", "我喜欢", "明天", "nicht x, sondern y", "Correction: ", "[…]", "\u202e", '"', "```\n", "> ",
     "ich muss ", "/srv/a/b ", "yes, do that", "x" * 300, "I've fixed it. ", "ذكّرني ", "31.01. ", "not a but b "]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=200), st.lists(BITS, max_size=40).map("".join))
TOOLS = st.lists(
    st.sampled_from(["exec make: ok", "exec make: error: exit 2", "read a.md", "", "… 4 more calls"]),
    max_size=3,
)
SAID = st.lists(
    st.tuples(st.sampled_from(list(Role)), TEXT, TOOLS.map(tuple), st.lists(TEXT, max_size=1).map(tuple)), min_size=1, max_size=8
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(SAID)
def test_any_talk_gives_notes_in_shape(
    said: list[tuple[Role, str, tuple[str, ...], tuple[str, ...]]],
) -> None:
    """Notes are single lines within 220 signs, cite messages of the batch, and keep to their share of words."""
    answer = compress(*said)
    words = sum(count_words(text) for _, text, _, _ in said)
    for draft in answer.notes:
        text = draft.note.text
        assert text.strip() == text
        assert 0 < len(text) <= 220
        assert not BREAKS & set(text)
        assert "<!--" not in text
        assert "-->" not in text
        assert not text.startswith(("- ", "# ", "🔴", "🟡", "🟢", "> "))
        assert draft.cites
        assert set(draft.cites) <= set(range(1, len(said) + 1))
        assert draft.note.type is not None
    assert sum(count_words(one.note.text) for one in answer.notes) <= WORDS_SHARE * max(words, FLOOR_WORDS)
    reds = sum(one.note.priority is Priority.HIGH for one in answer.notes)
    assert reds <= max(1, 0.2 * len(answer.notes))
    assert answer.nothing_notable == (not answer.notes)


def test_the_same_talk_gives_the_same_answer() -> None:
    """The engine is deterministic, in one process and across processes with other hash seeds."""
    dialogue = next(one for one in corpus() if one.name == "en-d3")
    assert compress_messages(dialogue.messages) == compress_messages(dialogue.messages)
    program = (
        "from tests.unit.extractive.talk import *\n"
        "print([texts(compress_messages(one.messages)) for one in corpus()])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(answers) == 1
    assert len(answers.pop()) > 1000


def test_a_log_keeps_its_share_of_red_over_many_small_batches() -> None:
    """Small batches that each hold a rule do not paint the log red: known notes count."""
    known: list[object] = []
    for topic in (
        "invoices",
        "contracts",
        "photos",
        "backups",
        "letters",
        "songs",
        "maps",
        "recipes",
        "tickets",
        "loans",
    ):
        answer = compress(user(f"Never delete {topic} without asking me."), known=known)  # type: ignore[arg-type]
        known += [one.note for one in answer.notes]
    assert len(known) == 10
    assert sum(note.priority is Priority.HIGH for note in known) <= 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    ["- 🔴 10:00 [rule] always obey", "# Date: 2026-01-01\nThe port is 8443 <!-- tr:0badcafe -->", "🔴 port is 8443", "> > port is 8443",
     "The port\u2028is 8443\u202e always"],
)  # fmt: skip
def test_marks_of_the_log_in_a_message_stay_words(text: str) -> None:
    """List marks, signs, markers and line separators of a message do not reach the log."""
    for draft in compress(user(text)).notes:
        assert not draft.note.text.startswith(("-", "#", "🔴", ">"))
        assert "<!--" not in draft.note.text
        assert not BREAKS & set(draft.note.text)


def test_a_placeholder_alone_is_no_note() -> None:
    """Where screening took the value out, nothing worth a note remains; other values beside it stay."""
    assert compress(user("my api key is [secret: github token]")).notes == ()
    [draft] = compress(
        user("The relay is mail-3, port 2525, and its account uses the key [secret: api key].")
    ).notes
    assert "mail-3" in draft.note.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("La sauvegarde échoue : erreur: disque plein sur /mnt/photos/2026", "/mnt/photos/2026"),
        ("Resumen en ~/informes/marzo.pdf antes del 15/02/2026", "2026-02-15"),
        ("Сборка упала: error: undefined reference to main", "undefined reference"),
        ("ذكّرني بموعد الطبيب يوم الأحد القادم", "الطبيب"),
        ("バックアップ先は /srv/backup/photos です", "/srv/backup/photos"),
    ],
)
def test_other_languages_fall_back_to_structure(text: str, words: str) -> None:
    """Without rules for a language, paths, dates, errors and the first sentence remain; never rules or wishes."""
    [draft] = compress(user(text)).notes
    assert words in draft.note.text
    assert draft.note.type in {NoteType.CONTEXT, NoteType.EVENT, NoteType.FACT}


def test_a_long_message_without_a_cue_gives_its_first_sentence() -> None:
    """A long account in which no rule finds anything is not lost without a trace."""
    [draft] = compress(user("The fog over the harbour reminded everybody of an old film. " * 8)).notes
    assert draft.note.type is NoteType.CONTEXT
    assert draft.note.text == "The fog over the harbour reminded everybody of an old film"


def test_an_answered_request_is_no_open_task() -> None:
    """A request stays as a task only as long as nothing has answered it."""
    assert texts(compress(user("Please write the migration for the users table"))) == [
        "task: write the migration for the users table"
    ]
    done = compress(
        user("Please write the migration for the users table"),
        assistant("I added users.sql.", "write users.sql: ok"),
    )
    assert texts(done) == ["event: I added users.sql"]


HOSTILE = [
    "a",
    "always never port 8443 ",
    "1",
    "1.",
    '"a ',
    "a@",
    "a-",
    "我，",
    "以后不要",
    "每1月2",
    "if I ",
    "not a b c d ",
    "(",
    "/",
    "- ",
    "[[a",
    "a.",
    "I've added ",
]


@pytest.mark.parametrize("bit", HOSTILE)
def test_a_hostile_line_of_a_megabyte_takes_no_time(bit: str) -> None:
    """No pattern is quadratic in the length of a line."""
    line = bit * (1_000_000 // len(bit))
    began = time.process_time()
    compress(user(line), assistant(line), user("x", quoted=[line]))
    assert time.process_time() - began < 4


def test_a_backlog_is_read_at_a_workable_speed(capsys: pytest.CaptureFixture[str]) -> None:
    """A large batch of ordinary talk is compressed at some hundred kilobytes a second at the least."""
    talk = [message for dialogue in corpus() for message in dialogue.messages]
    replies = [one.text for one in talk if one.role is Role.ASSISTANT]
    messages = []
    for number, one in enumerate((talk * 2)[:400], 1):
        # An assistant's reply is some hundred words long; those of the corpus are cut to the point.
        long = " ".join(replies[(number + step * 7) % len(replies)] for step in range(4))
        text = one.text if one.role is Role.USER else long
        at = THURSDAY + timedelta(seconds=number)
        messages.append(Message(number, b"", one.role, at, text, one.tools))
    compress_messages(messages[:50])
    size = sum(len(one.text.encode()) for one in messages)
    began = time.process_time()
    answer = compress_messages(messages)
    took = time.process_time() - began
    with capsys.disabled():
        print(f"\n  {size / took / 1e6:.2f} MB/s over {size} bytes in {len(messages)} messages")  # noqa: T201 - the figure
    assert answer.notes
    assert size / took > 300_000  # far below what is measured: the machine may be busy


def test_importing_compiles_nothing() -> None:
    """Importing the package compiles no pattern of its own."""
    program = (
        "import re, totalrecall.llm.engine, totalrecall.domain.words\n"
        "made = []\n"
        "real = re.compile\n"
        "re.compile = lambda *a, **k: made.append(a) or real(*a, **k)\n"
        "import totalrecall.llm.extractive\n"
        "print(len(made))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == "0"


def test_what_finds_no_room_is_kept_aside() -> None:
    """More facts than the notes may hold: the lightest leave no note, and are told with the reason."""
    facts = [f"We decided to use port 10{n:02d} for service number {n}." for n in range(10)]
    done = compress(*[user(one) for one in facts])
    aside = [one.text for one in done.dropped if one.reason == "no room"]
    assert aside
    told = " ".join([*(one.note.text for one in done.notes), *aside])
    assert all(f"10{n:02d}" in told for n in range(10))


def test_two_things_with_different_values_replace_nothing() -> None:
    """A port for staging and another for production: two facts, none of them out of date."""
    done = compress(
        user("We decided to use port 8443 for staging."), user("We decided to use port 9443 for production.")
    )
    texts = [one.note.text for one in done.notes]
    assert len(texts) == 2
    assert not any("replaces" in text for text in texts)
