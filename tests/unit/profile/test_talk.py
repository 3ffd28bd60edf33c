"""Talk that states nothing about the user for good, in English, German and Chinese: precision goes first."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from totalrecall.domain.profile_fact import OwnNote
from totalrecall.llm.extractive.profile_facts import facts_in
from totalrecall.llm.extractive.tool_names import is_tool

PATH = Path(__file__).parents[2] / "data" / "profile" / "no_facts.txt"


def sentences() -> list[list[str]]:
    """Language and sentence."""
    return [line.split("\t") for line in PATH.read_text(encoding="utf-8").splitlines()]


@pytest.mark.report("R066", "R067")
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_what_is_said_once_or_of_others_is_no_fact(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of speech, stories, reports, single occasions, what was: not one fact is learnt from them."""
    texts = [text for tongue, text in sentences() if tongue == language]
    false = {text: facts for text in texts if (facts := facts_in([OwnNote(1, "", (text,))]))}
    with capsys.disabled():
        sys.stdout.write(f"\n{language}: false facts {len(false)} in {len(texts)} sentences\n")
    assert not false


def test_there_are_enough_sentences_of_each_language() -> None:
    """At least forty."""
    assert min(Counter(language for language, _ in sentences()).values()) >= 40


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I work from 9 to 5.", {"start": "09:00", "end": "17:00"}),
        ("I work from 22 to 6.", {"start": "22:00", "end": "06:00"}),
        ("No calls after 6, please.", {"protected_hours": "18:00–24:00"}),
        ("Keine Termine nach 17 Uhr.", {"protected_hours": "17:00–24:00"}),
        ("I always use VSCode.", {"tools": "VSCode"}),
        ("我总是用 USB 充电。", {}),
    ],
)
def test_values_are_what_was_meant(text: str, facts: dict[str, str]) -> None:
    """Nine to five ends in the afternoon, after six is the evening, and a tool is certainly one."""
    found = facts_in([OwnNote(1, "", (text,))])
    assert {one.field.rpartition(".")[2]: one.value for one in found} == facts


@pytest.mark.parametrize(
    ("words", "tool"),
    [("tea", False), ("Friday", False), ("git", True), ("go", False), ("Go", True), ("k9s", True)],
)
def test_only_what_is_certainly_a_tool_is_one(words: str, tool: bool) -> None:
    """Known by name or by the way it is written."""
    assert is_tool(words) is tool
