"""The reader of answers takes notes in every shape and nothing that is none."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.domain.note import NoteType, Priority
from totalrecall.llm.reply import MAX_LINE_CHARS, MAX_NOTES, json_in, read_reply


@pytest.mark.report("R060")
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "- 🔴 14:05 [decision] Ship it [3,5]",
            (Priority.HIGH, "14:05", NoteType.DECISION, "Ship it", (3, 5)),
        ),
        ("* 🔴\ufe0f 14:05 Ship it [3][5]", (Priority.HIGH, "14:05", None, "Ship it", (3, 5))),
        ("• 🟡 Ship it (messages 3-5)", (Priority.MEDIUM, "", None, "Ship it", (3, 4, 5))),
        ("1. 🟢 [fact] Ship it [#3].", (Priority.LOW, "", NoteType.FACT, "Ship it", (3,))),
        ("🔴 14:05 Ship it 【3】", (Priority.HIGH, "14:05", None, "Ship it", (3,))),
        ("-🟡 9:05 Ship it", (Priority.MEDIUM, "09:05", None, "Ship it", ())),
        ("- **🔴 14:05** [Task] Ship it [msg 2]", (Priority.HIGH, "14:05", NoteType.TASK, "Ship it", (2,))),
        ("- 14:05 🔴 Ship it [1]", (Priority.HIGH, "14:05", None, "Ship it", (1,))),
        (
            "- [high] [14:05] [rule] Ship it (cites: 1, 2)",
            (Priority.HIGH, "14:05", NoteType.RULE, "Ship it", (1, 2)),
        ),
        ("- High: Ship it [1]", (Priority.HIGH, "", None, "Ship it", (1,))),
        ("- 🟡 2:05 pm [todo] Ship it", (Priority.MEDIUM, "14:05", NoteType.TASK, "Ship it", ())),
        ("- Ship it", (None, "", None, "Ship it", ())),
        ("14:05 [fact] Ship it [1]", (None, "14:05", NoteType.FACT, "Ship it", (1,))),
        ("- 🟡 array[3] is [wrong]", (Priority.MEDIUM, "", None, "array[3] is [wrong]", ())),
        ("- 🟡 Paid in [2026]", (Priority.MEDIUM, "", None, "Paid in [2026]", ())),
        ("- 🟡 发布推迟到周五 [消息 2、3]", (Priority.MEDIUM, "", None, "发布推迟到周五", (2, 3))),
    ],
)
def test_a_line_in_many_shapes(line: str, wanted: tuple[object, ...]) -> None:
    """Bullets, signs, times, types and citations are read in the shapes that models use."""
    (note,) = read_reply(line).notes
    assert (note.priority, note.time, note.type, note.text, note.cites) == wanted


@pytest.mark.report("R060")
def test_everything_around_the_notes_is_taken_off() -> None:
    """BOM, CRLF, fence, chatter and rulers go; headings give the day; children go under their note."""
    text = (
        "\ufeffSure!\r\n```markdown\r\n## Notes\r\n**Date: 2026-02-14**\r\n- 🔴 14:05 Parent [1]\r\n"
        "  - 🟡 14:06 Child [2]\r\n      - 🟢 Grandchild\r\n- 🟢 Next\r\n  goes on [3]\r\n---\r\n```\r\nAnything else?\r\n"
    )
    reply = read_reply(text)
    parent, following = reply.notes
    assert [child.text for child in parent.children] == ["Child", "Grandchild"]
    assert parent.day == date(2026, 2, 14)
    assert (following.text, following.cites) == ("Next goes on", (3,))
    assert [(one.text, one.reason) for one in reply.dropped] == [
        ("Sure!", "prose"),
        ("Anything else?", "prose"),
    ]


@pytest.mark.report("R060")
@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Here you are:\n{}\nBye"])
def test_json_answers_are_read(wrap: str) -> None:
    """A JSON answer, bare, fenced or within chatter, gives the same notes as lines do."""
    data = [{"priority": "🔴", "time": "14:05", "type": "fact", "text": "Port 8443 {new}", "messages": [1]}]
    (note,) = read_reply(wrap.replace("{}", json.dumps(data, ensure_ascii=False))).notes
    assert (note.priority, note.time, note.text, note.cites) == (
        Priority.HIGH,
        "14:05",
        "Port 8443 {new}",
        (1,),
    )


def test_json_is_found_wherever_it_stands() -> None:
    """The JSON reader that other jobs use finds an object in fences and chatter, and None in prose."""
    assert json_in('ok: {"a": "```x```"} done') == {"a": "```x```"}
    assert json_in("no [3] json {here}") is None


@pytest.mark.report("R071")
@pytest.mark.parametrize(
    "text", ["NO_OBSERVATIONS", " no_observations.\n", "```\nNO_OBSERVATIONS\n```", "- 🟢 NO_OBSERVATIONS", "**NO_OBSERVATIONS**", "[]"],
)  # fmt: skip
def test_the_sentinel_alone_means_nothing_notable(text: str) -> None:
    """The word as the whole answer, however decorated, says that nothing was notable."""
    assert read_reply(text).nothing


@pytest.mark.report("R071")
@pytest.mark.parametrize(
    "text", ["- 🟢 The mail says NO_OBSERVATIONS [1]", "NO_OBSERVATIONS\n- 🔴 Rent is due [1]", "I would say NO_OBSERVATIONS here", ""],
)  # fmt: skip
def test_the_sentinel_within_an_answer_means_nothing(text: str) -> None:
    """The word anywhere else throws nothing away and is not an answer of its own."""
    reply = read_reply(text)
    assert not reply.nothing
    assert len(reply.notes) == text.count("🟢") + text.count("🔴")


@pytest.mark.report("R065")
def test_a_long_loop_leaves_its_distinct_lines() -> None:
    """A block repeated 140 times, with running clocks or counters, leaves each distinct line and no swarm."""
    block = [f"- 🟢 09:0{n} step {word}" for n, word in enumerate("abcdef")]
    assert len(read_reply("\n".join(block * 140)).notes) == 6
    clock = "\n".join(f"- 🟢 {n // 60:02d}:{n % 60:02d} pump on" for n in range(600))
    assert len(read_reply(clock).notes) == 3
    counter = "\n".join(f"- 🟢 09:00 item {n} done" for n in range(600))
    assert len(read_reply(counter).notes) == 12
    stammer = "- 🟡 09:00 The pump " + "is on again and " * 300
    (note,) = read_reply(stammer).notes
    assert len(note.text) < 60


@pytest.mark.report("R065")
def test_an_honest_repetitive_summary_survives() -> None:
    """Ten lines of one shape about ten things are no loop."""
    lines = "\n".join(f"- 🟢 09:{n:02d} Test suite {n} passed [{n}]" for n in range(1, 11))
    assert len(read_reply(lines).notes) == 10


@pytest.mark.report("R053")
def test_a_cut_answer_loses_only_its_unfinished_line() -> None:
    """The line that the token cap cut is left out and kept aside; a finished last line stays."""
    reply = read_reply("- 🔴 One [1]\n- 🟡 Tw", cut=True)
    assert [note.text for note in reply.notes] == ["One"]
    assert reply.dropped[0].reason == "cut"
    assert len(read_reply("- 🔴 One [1]\n- 🟡 Two [1]\n", cut=True).notes) == 2


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=600))
def test_any_answer_is_read(text: str) -> None:
    """No text breaks the reader or passes its bounds, and a note never has two lines."""
    reply = read_reply(text)
    assert len(reply.notes) <= MAX_NOTES
    for note in reply.notes:
        assert len(note.text) <= MAX_LINE_CHARS
        assert "\n" not in note.text


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "- 🔴 a [1]",
                "```",
                "x",
                "  - 🟢 b",
                "{",
                "[",
                '"a": 1}',
                "<think>",
                "</think>",
                "NO_OBSERVATIONS",
            ]
        ),
        max_size=12,
    )
)
def test_odd_mixtures_are_read(parts: list[str]) -> None:
    """Pieces of notes, fences, JSON and reasoning in any order are read without an error."""
    reply = read_reply("\n".join(parts))
    assert all("<think>" not in note.text for note in reply.notes)
