"""SESSION_STATE.md as people write it: read, changed in one place, and everything else left byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from totalrecall.domain.session_state import FIELDS, SessionState
from totalrecall.memory.session_state_format import (
    Document,
    Unreadable,
    changed,
    parse_document,
    state_of,
)
from totalrecall.memory.session_state_scalar import scalar

LIKED = """---
# kept by Odile
project: 'Kiln Room'
owner: Odile   # unknown to us
task: Fire the vases  # by Friday
status: active
next_steps:   # in this order
  # the door first
  - Repair the door   # Dana has the part
  - 'Start at 1240'
extra:
    nested: [1, 2,   3]
    text: |
      several

      lines
last_action: "Wrote plans/tall.md"
updated: 2026-02-14T10:00:00Z
# the end
---

## Context
- a rule follows

---

trailing  \t
no newline at the end"""


def document(text: str | bytes) -> Document:
    """The parts of a readable file."""
    found = parse_document(text.encode() if isinstance(text, str) else text)
    assert isinstance(found, Document), found
    return found


def state(text: str | bytes) -> SessionState:
    """What a readable file says."""
    return state_of(document(text))


def after(text: str, **changes: Any) -> str:
    """The file with these fields changed."""
    return changed(document(text), changes).decode("utf-8", "surrogateescape")


def trouble(text: str | bytes) -> Unreadable:
    """What is wrong with a file that cannot be read."""
    found = parse_document(text.encode() if isinstance(text, str) else text)
    assert isinstance(found, Unreadable), found
    return found


def test_everything_but_the_changed_field_stays_byte_for_byte() -> None:
    """Comments, order, quotes, unknown keys, alignment and the body are somebody's work."""
    assert after(LIKED, status="blocked") == LIKED.replace("status: active", "status: blocked")
    assert after(LIKED, project="Kiln's") == LIKED.replace("'Kiln Room'", "'Kiln''s'")
    assert after(LIKED, task="Fire: all") == LIKED.replace("Fire the vases  #", '"Fire: all"  #')
    assert after(LIKED, last_action="x") == LIKED.replace('"Wrote plans/tall.md"', '"x"')
    stamp = "2026-03-01T00:00:00Z"
    assert after(LIKED, updated=stamp) == LIKED.replace("2026-02-14T10:00:00Z", stamp)
    assert after(LIKED) == LIKED


def test_steps_that_stay_keep_their_lines() -> None:
    """Comments on and above the steps survive a change of the others."""
    found = after(LIKED, next_steps=["Start at 1240", "Call: Odile"])
    assert found == LIKED.replace(
        "  - Repair the door   # Dana has the part\n  - 'Start at 1240'\n",
        "  - 'Start at 1240'\n  - \"Call: Odile\"\n",
    )
    none = after(LIKED, next_steps=[])
    assert "next_steps: []   # in this order\n  # the door first\nextra:" in none
    assert state(none).next_steps == ()


@pytest.mark.report("R084")
def test_what_people_write_is_read_as_they_wrote_it() -> None:
    """NO, on and 007 are texts; a rule in the body is body; notes without front matter are all body."""
    found = state("---\nproject: NO\nstatus: on\ntask: 007\nlast_action: ~\nupdated: 2026-01-01\n---\n")
    assert (found.project, found.status, found.task, found.last_action) == ("NO", "on", "007", "")
    assert found.updated == "2026-01-01"
    assert state("---\ntask: x\n---\nover\n\n---\n\nunder").body == "over\n\n---\n\nunder"
    assert state("my own notes\n") == SessionState(body="my own notes\n")
    assert state("") == SessionState()
    assert state("---\n---\n") == SessionState()
    assert state("\n---\ntask: x\n...\nb") == SessionState(task="x", body="b")
    assert state("---\nnext_steps:\n- a\n- retry: yes\n-\n- 3\n---\n").next_steps == ("a", "retry: yes", "3")
    assert state("---\nnext_steps: just one\n---\n").next_steps == ("just one",)


@pytest.mark.report("R084")
@pytest.mark.parametrize(
    ("text", "why", "line", "column"),
    [
        ("---\ntask: fix: it breaks at 10:30\nstatus: active\n---\n\nkeep\n", "colon", 2, 10),
        ("---\nproject: x\ntask:\ty\n---\n", "tab", 3, 6),
        ("---\nnext_steps:\n\t- a\n---\n", "tab", 3, 1),
        ("---\ntask: x\n\n## Context\nkeep\n", "no line '---'", 1, 1),
        ("---\na: 1\ntask: !!python/object/apply:os.system ['true']\n---\n", "python/object", 3, 7),
        ("---\nx:\n  y: !evil z\n---\n", "!evil", 3, 6),
        ("---\ntask: x\ntask: y\n---\n", "twice", 3, 1),
        ("---\njust words\n---\n", "fields", 2, 1),
        ("---\n{task: x}\n---\n", "braces", 2, 1),
        ("---\ntask: [a\n---\n", "", 3, 1),
        ("---\ntask: *nowhere\n---\n", "alias", 2, 7),
        ("---\ntask: x\x07\n---\n", "sign", 2, 8),
        ("---\na: " + "[" * 5000 + "\n---\n", "deep", 2, 1),
        ("---\na: '" + "x" * 70_000 + "'\n---\n", "long", 2, 1),
        (b"\xff\xfe-\0-\0-\0", "UTF-8", 1, 1),
        (b"---\ntask: \xff\n---\n", "sign", 2, 7),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_line_and_column(
    text: str | bytes, why: str, line: int, column: int
) -> None:
    """A person finds the place; nothing is guessed, and no tag is obeyed."""
    found = trouble(text)
    assert why in found.why
    assert (found.line, found.column) == (line, column)


@pytest.mark.report("R084")
def test_an_alias_bomb_is_no_bomb() -> None:
    """Aliases are never unfolded."""
    text = "---\na: &a [x, x, x, x, x, x, x, x, x]\n"
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        text += f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    found = state(text + "task: ok\n---\n")
    assert found.task == "ok"


@pytest.mark.report("R022")
def test_crlf_and_a_byte_order_mark_stay() -> None:
    """New lines are written as the others are."""
    text = "\ufeff---\r\ntask: x\r\nkeep: 'y'\r\n---\r\nbody\r\n"
    assert state(text) == SessionState(task="x", body="body\r\n")
    found = after(text, task="y", next_steps=["a", "b"])
    assert found == (
        '\ufeff---\r\ntask: "y"\r\nnext_steps:\r\n  - "a"\r\n  - "b"\r\nkeep: \'y\'\r\n---\r\nbody\r\n'
    )
    assert after("\ufeffnotes\r\n", task="x").startswith('\ufeff---\r\nproject: ""\r\n')


def test_new_fields_take_their_place_in_the_order() -> None:
    """Behind the field that comes before them; a file without front matter gets one above its text."""
    assert after("---\nupdated: x\n---\n", task="y") == '---\nupdated: x\ntask: "y"\n---\n'
    assert after("---\ntask: a\nz: 1\n---\n", status="done") == '---\ntask: a\nstatus: "done"\nz: 1\n---\n'
    assert after("notes", task="y", next_steps=["a"]) == (
        '---\nproject: ""\ntask: "y"\nstatus: ""\nlast_action: ""\nnext_steps:\n  - "a"\nupdated: ""\n---\nnotes'
    )
    assert after("---\ntask: a\n---", body="new") == "---\ntask: a\n---\nnew"


def test_values_of_every_shape_give_way() -> None:
    """Block texts, lists in brackets, nothing at all, aliases: the field is changed and its neighbours are not."""
    text = "---\ntask: >\n  folded\n  text\n\nproject: &p 'x'\nlast_action: *p\nnext_steps: [a, b] # c\nz: 1\n---\n"
    assert after(text, task="t", next_steps=["n"], last_action="l") == (
        "---\ntask: \"t\"\n\nproject: &p 'x'\nlast_action: 'l'\nnext_steps:\n  - \"n\" # c\nz: 1\n---\n"
    )
    assert after("---\ntask:   # later\nz: 1\n---\n", task="t") == "---\ntask: t   # later\nz: 1\n---\n"
    assert (
        after("---\nnext_steps:\nz: 1\n---\n", next_steps=["n"]) == '---\nnext_steps:\n  - "n"\nz: 1\n---\n'
    )


texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["NO", "on", "~", "null", "007", "1e3", "- a", "# c", "a: b", "a #b", "'", '"', "\\", "[x", "{", "&a", "*a",
         "!x", "|", ">", "%", "@", "`", "---", "...", "\u2028", "\x85", "\ufeff", "决定 🔴", "a\nb", "\t", "\x7f", " x ", "？"]
    ),
)  # fmt: skip
fields = st.fixed_dictionaries(
    {},
    optional={
        **{name: texts for name in FIELDS if name != "next_steps"},
        "next_steps": st.lists(texts.filter(bool), max_size=4),
    },
)
QUIRKS = (
    LIKED, LIKED.replace("\n", "\r\n"), "", "notes\n", "---\n---\n",
    "---\ntask: |\n  a\n\n  b\nnext_steps: []\n# x\n---\n\n\n",
    "---\nnext_steps:\n- a\n-\n- 'b'  # c\n\n# d\nproject:\n---\nbody",
    "---\nproject: >-\n   x\n   y\nnext_steps:\n   - one\n     two\n   - k: v\n     l: w\nupdated:\n# e\n---\n",
    "---\nnext_steps: [a, 'b',\n  c]   # f\nstatus: \"x\\\n  y\"\nlast_action: 'it''s\n\n  so'\n---\n",
)  # fmt: skip


KEPT = (
    "# kept by Odile",
    "owner: Odile   # unknown to us",
    "nested: [1, 2,   3]",
    "# the end",
    "# by Friday",
    "# d",
    "# e",
)


@settings(deadline=None)  # the YAML library takes its time when it is loaded
@given(st.sampled_from(QUIRKS), fields, fields)
def test_any_change_is_read_back_and_leaves_the_rest(
    text: str, one: dict[str, Any], two: dict[str, Any]
) -> None:
    """Whatever stands there and whatever is written: the fields are as wanted, the others as they were."""
    before, original = state(text), text
    for changes in (one, two):
        text = after(text, **changes)
        wanted = {name: tuple(value) if name == "next_steps" else value for name, value in changes.items()}
        found = state(text)
        for name in (*FIELDS, "body"):
            assert getattr(found, name) == wanted.get(name, getattr(before, name))
        before = found
    for line in KEPT:
        assert text.count(line) == original.count(line)


@settings(deadline=None)
@given(texts, st.sampled_from(["", "'", '"']))
def test_a_scalar_is_one_line_and_reads_back(text: str, style: str) -> None:
    """Also what older YAML would take for a boolean, a number or nothing."""
    line = scalar(text, style)
    assert len(f"{line}x".splitlines()) == 1
    assert state(f"---\ntask: {line}\n---\n").task == text
