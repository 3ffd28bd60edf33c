"""The log written anew: what is not ours stays byte for byte, what is ours is tidied, nothing comes twice."""

from __future__ import annotations

from collections import Counter
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.memory.observations import HEADER, LineKind, markers_in, parse, take_out
from totalrecall.memory.reflected_log import Arrival, Change, Key, entries_in, key_of, rewrite

D1, D2, D3 = date(2026, 2, 14), date(2026, 2, 15), date(2026, 2, 16)
NEW = "0badcafe"


def block(day: date, marker: str, *lines: str) -> str:
    """A block as we write it."""
    return f"Date: {day} <!-- tr:{marker} -->\n" + "".join(f"{line}\n" for line in lines)


def log(*blocks: str) -> str:
    """A log of blocks."""
    return f"{HEADER}\n" + "\n".join(blocks)


def change(text: str, *leaving: str, arriving: tuple[Arrival, ...] = (), foreign: str = "MINE") -> Change:
    """A change of a log in which all notes are ours but those that hold ``foreign``."""
    entries = entries_in(text)
    ours = {one.key for one in entries if foreign not in one.raw}
    gone = [one.key for one in entries if any(word in one.raw for word in leaving)]
    return Change(NEW, ours, gone, arriving)


def test_nothing_that_changes_is_not_a_byte() -> None:
    """No note leaves and none comes: the very same text, however untidy."""
    text = log(block(D2, "aaaaaaaa", "- 🟢 10:00 one"), block(D1, "bbbbbbbb", "- 🟢 10:00 two")) + "\n\n  \n"
    assert rewrite(text, change(text)) == text


def test_blocks_of_a_day_become_one_in_the_order_of_days() -> None:
    """A day that came twice and late stands once, its notes by time; a day without changes keeps its block."""
    text = log(
        block(D2, "aaaaaaaa", "- 🟡 10:00 [fact] later day"),
        block(D1, "bbbbbbbb", "- 🟢 14:00 b", "- 🟢 15:00 gone", "  - 🟢 15:01 gone too"),
        block(D1, "cccccccc", "- 🟢 09:00 a"),
    )
    arrival = Arrival(D1, "- 🟢 12:00 new\n  - 🟢 its child", "12:00")
    assert rewrite(text, change(text, "gone", arriving=(arrival,))) == log(
        block(D1, NEW, "- 🟢 09:00 a", "- 🟢 12:00 new", "  - 🟢 its child", "- 🟢 14:00 b"),
        block(D2, "aaaaaaaa", "- 🟡 10:00 [fact] later day"),
    )


def test_what_a_person_wrote_stays_where_it_is() -> None:
    """Prose, own headings and a block with a person's line keep place and bytes; only our note is taken out."""
    own = "Date: 2026-02-15\n- 🟢 MINE without marker\n\n## A heading\n\tand\tprose  \n"
    mixed = block(D3, "cccccccc", "- 🟢 10:00 gone", "- 🟢 11:00 MINE added here", "a thought")
    text = log(
        block(D2, "aaaaaaaa", "- 🟢 10:00 gone"), own, mixed, block(D1, "bbbbbbbb", "- 🟢 10:00 stays")
    )
    assert rewrite(text, change(text, "gone")) == log(
        own, mixed.replace("- 🟢 10:00 gone\n", ""), block(D1, "bbbbbbbb", "- 🟢 10:00 stays")
    )


def test_a_note_comes_into_a_log_without_a_block_that_may_move() -> None:
    """Every block holds a line of a person: the new block goes to the end."""
    mixed = block(D1, "aaaaaaaa", "- 🟢 10:00 gone", "a thought without an end").rstrip("\n")
    text = log(mixed)
    done = rewrite(text, change(text, "gone", arriving=(Arrival(D1, "- 🟢 new"),)))
    assert done == log(mixed.replace("- 🟢 10:00 gone\n", "") + "\n", block(D1, NEW, "- 🟢 new"))


def test_line_ends_stay_what_they_are() -> None:
    """A log with CRLF has CRLF afterwards, in the new lines too."""
    text = log(block(D1, "aaaaaaaa", "- 🟢 10:00 gone", "- 🟢 11:00 stays")).replace("\n", "\r\n")
    done = rewrite(text, change(text, "gone", arriving=(Arrival(D1, "- 🟢 12:00 new", "12:00"),)))
    assert done == log(block(D1, NEW, "- 🟢 11:00 stays", "- 🟢 12:00 new")).replace("\n", "\r\n")


_WORDS = st.sampled_from(["a", "b", "c", "MINE d", "MINE e"])
_NOTES = st.lists(
    st.builds(
        lambda time, words, child: f"- 🟢 {time}{words}" + (f"\n  - 🟡 {words} child" if child else ""),
        st.sampled_from(["", "08:00 ", "09:30 "]), _WORDS, st.booleans(),
    ),
    max_size=4,
)  # fmt: skip
_OTHER = st.sampled_from(["", "prose\n", "## heading\n", "  - 🟢 orphan child\n", "- bullet\n", "\t\n"])
_HEAD = st.sampled_from(
    [" <!-- tr:aaaaaaa{} -->", " <!-- tr:bbbbbbb{} provisional -->", "", " <!-- else -->"]
)
_BLOCKS = st.lists(st.tuples(st.sampled_from([D1, D2, D3]), _HEAD, _NOTES, _OTHER), max_size=7)


def _built(blocks: list[tuple[date, str, list[str], str]], end: str) -> str:
    parts = [
        f"Date: {day}{head.format(place)}\n" + "".join(f"{note}\n" for note in notes) + other
        for place, (day, head, notes, other) in enumerate(blocks)
    ]
    return f"{HEADER}\n" + "\n".join(parts) + end


def _not_ours(text: str, ours: set[Key]) -> list[str]:
    """All lines that are not of a note of ours in a block of ours, blank lines and our headings aside."""
    held = {n for one in entries_in(text) if one.key in ours for n in range(one.start, one.end)}
    return [
        line.raw for number, line in enumerate(parse(text))
        if number not in held and line.raw.strip() and not (line.kind is LineKind.HEADING and line.marker)
    ]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(blocks=_BLOCKS, end=st.sampled_from(["", "\n", "- 🟢 MINE cut"]), data=st.data())
def test_any_log_after_any_change(
    blocks: list[tuple[date, str, list[str], str]], end: str, data: st.DataObject
) -> None:
    """What leaves is gone, what comes is there, all else stands as often as before, and no marker twice a day."""
    text = _built(blocks, end)
    entries = [one for one in entries_in(text) if not one.provisional]
    ours = {one.key for one in entries if "MINE" not in one.raw}
    leaving = [one for one in entries if data.draw(st.booleans())]
    gone = [one.key for one in leaving if one.key in ours]
    days = data.draw(st.lists(st.sampled_from([D1, D2, D3]), max_size=3))
    coming = [Arrival(day, f"- 🟢 10:00 new {place}", "10:00") for place, day in enumerate(days)]
    done = rewrite(text, Change(NEW, ours, gone, coming))
    expected = Counter(one.key for one in entries_in(text))
    expected.subtract(gone)
    expected.update(key_of(one.day, one.line) for one in coming)
    assert Counter(one.key for one in entries_in(done)) == +expected
    new = {key_of(one.day, one.line) for one in coming}
    assert _not_ours(done, ours | new) == _not_ours(text, ours)
    heads = Counter(
        (one.marker, one.day) for one in parse(done) if one.kind is LineKind.HEADING and one.marker
    )
    assert max(heads.values(), default=1) == 1
    assert (NEW in markers_in(done)) >= bool(coming)
    for place, (day, head, notes, _) in enumerate(blocks):
        if "provisional" in head and notes:
            stand_in = f"Date: {day}{head.format(place)}\n" + "".join(f"{one}\n" for one in notes)
            assert take_out(done, [stand_in])[1] == take_out(text, [stand_in])[1]
    again = rewrite(done, Change("feedbeef", ours | new, [], []))
    assert again == done
