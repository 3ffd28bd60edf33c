"""Honest notes are not taken for inventions, and inventions are found, over a corpus."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path

import pytest

from tests.unit.llm.conftest import ZONE
from totalrecall.llm.grounding import unfounded

CORPUS = Path(__file__).parents[2] / "data" / "grounding"
AT = [datetime(2026, 2, 14, 14, 5, tzinfo=ZONE)]


def marked(name: str) -> tuple[int, list[dict[str, str]]]:
    """How many pairs there are, and those of which the note is marked."""
    rows = [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return len(rows), [row for row in rows if unfounded(row["note"], row["say"], AT)]


def show(
    capsys: pytest.CaptureFixture[str], honest: list[dict[str, str]], of_honest: int,
    invented: list[dict[str, str]], of_invented: int,
) -> None:  # fmt: skip
    """Prints the figures, also when all is well: the number of marked notes is what the corpus is for."""
    with capsys.disabled():
        sys.stdout.write(
            f"\n  marked: honest {len(honest)}/{of_honest}, invented {len(invented)}/{of_invented}\n"
        )


@pytest.mark.report("R067")
def test_the_corpus_of_honest_and_invented_notes(capsys: pytest.CaptureFixture[str]) -> None:
    """At most one honest note in twenty is marked, at least nine inventions in ten are."""
    honest, honest_marked = marked("honest")
    invented, invented_marked = marked("invented")
    show(capsys, honest_marked, honest, invented_marked, invented)
    assert honest >= 80
    assert invented >= 80
    assert len(honest_marked) <= honest * 0.05, honest_marked
    assert len(invented_marked) >= invented * 0.9


@pytest.mark.report("R067")
def test_the_held_out_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    """Pairs that were written after the rules and never used to tune them stay within wider bounds."""
    honest, honest_marked = marked("held_out_honest")
    invented, invented_marked = marked("held_out_invented")
    show(capsys, honest_marked, honest, invented_marked, invented)
    assert len(honest_marked) <= honest * 0.2, honest_marked
    assert len(invented_marked) >= invented * 0.75


@pytest.mark.report("R067")
def test_a_note_needs_a_source() -> None:
    """A note on empty messages is unfounded, whatever it says."""
    assert unfounded("Anything", "  ", AT)
