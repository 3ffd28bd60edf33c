"""Taking passages out of memory files, however they are written there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.surgery import Build, scrubbed, unescaped
from totalrecall.privacy.phrase import holds

LOG = "# Observations Log\n\n---\n\nDate: 2026-03-02 <!-- tr:3fa9c2d1 -->\n"


def cut(build: Build, text: str, phrase: str = "Project Falcon") -> str:
    """The text without the phrase."""
    return scrubbed(build, text, lambda words: holds(words, phrase)).text


@pytest.mark.parametrize(
    ("build", "before", "after"),
    [
        (Build.LOG, f"{LOG}- 🔴 14:05 [decision] We launch Project\n  Falcon in May\n- 🟢 14:20 cake\n", f"{LOG}- 🟢 14:20 cake\n"),
        (Build.LOG, f"{LOG}my own words about Project\nFalcon\n\n- 🟢 14:20 cake\n", f"{LOG}\n- 🟢 14:20 cake\n"),
        (Build.MARKDOWN, "| a |\n|---|\n| Project Falcon |\n| tea |\n", "| a |\n|---|\n| tea |\n"),
        (Build.MARKDOWN, "```\nx = 'Project Falcon'\n\ny = 1\n```\n", "```\n\ny = 1\n```\n"),
        (Build.STATE, "---\ntask: |\n  Work on Project\n  Falcon\nstatus: done\n---\nbody\n", '---\ntask: ""\nstatus: done\n---\nbody\n'),
        (Build.STATE, '---\nnext_steps: ["a", "Project Falcon"]\n---\n', '---\nnext_steps: ["a"]\n---\n'),
        (Build.STATE, '---\nnext_steps:\n  - "Project\n    Falcon"\n  - cake\n---\n', "---\nnext_steps:\n  - cake\n---\n"),
        (Build.STATE, '---\r\ntask: "Pr\\u006fject Falcon"\r\n---\r\n', '---\r\ntask: ""\r\n---\r\n'),
        (Build.WHOLE, "# Context\nabout project\nfalcon\n", ""),
        (Build.WHOLE, '{"lines": ["x\\nProject\\u0020Falcon"]}\n', ""),
        (Build.JSON_LINES, '{"Project Falcon": 1}\n{"line": "cake"}\n', '{"line": "cake"}\n'),
        (
            Build.OUR_BLOCK,
            "x  \n<!-- totalrecall:memory begin -->\n## Core\n\n- a project\n  falcon thing\n* cake\n\n<!-- totalrecall:memory end -->\n",
            "x  \n<!-- totalrecall:memory begin -->\n## Core\n\n* cake\n\n<!-- totalrecall:memory end -->\n",
        ),
    ],
)  # fmt: skip
def test_only_what_holds_it_goes(build: Build, before: str, after: str) -> None:
    """Broken over lines, in tables, code, lists, blocks and escapes; every other byte stays."""
    assert cut(build, before) == after
    assert cut(build, after) == after


@pytest.mark.parametrize("build", [Build.LOG, Build.MARKDOWN, Build.STATE, Build.WHOLE])
def test_chinese_text_goes_as_well(build: Build) -> None:
    """Characters have no spaces between them."""
    text = f"{LOG if build is Build.LOG else ''}- 我们决定猎鹰项目五月上线\n- 买蛋糕\n"
    assert "猎鹰" not in cut(build, text, "猎鹰项目")


def test_escapes_are_undone_for_looking_only() -> None:
    """Signs beyond the first plane are two escapes."""
    assert unescaped(json.dumps("猎鹰 🚀")) == '"猎鹰 🚀"'


@given(
    st.lists(
        st.sampled_from(
            ["- Project", "Falcon", "  Falcon", "- cake", "", "| Falcon |", "Date: 2026-03-02", "```"]
        )
    )
)
def test_nothing_is_left_of_it_and_doing_it_twice_is_doing_it_once(lines: list[str]) -> None:
    """In the log and in other files."""
    text = "\n".join(lines)
    for build in (Build.LOG, Build.MARKDOWN, Build.WHOLE):
        once = cut(build, text, "Falcon")
        assert not holds(once, "Falcon")
        assert cut(build, once, "Falcon") == once
