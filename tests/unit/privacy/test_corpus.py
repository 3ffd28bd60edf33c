"""What screening finds, and what it leaves, in a labelled corpus; a part of it was held out from the rules."""

from __future__ import annotations

import re
import sys

import pytest

from tests.data.screening.corpus import Line, lines
from totalrecall.privacy.screening import screen

_PLACEHOLDER = re.compile("⟦removed: [a-z0-9 -]+⟧")


def _leaks(line: Line) -> bool:
    left = _PLACEHOLDER.sub("⟦⟧", screen(line.text).text)
    return any(
        secret[place : place + 5] in left
        for secret in line.secrets
        for place in range(max(1, len(secret) - 4))
    )


@pytest.mark.report("R088")
@pytest.mark.report("R089")
@pytest.mark.parametrize(("name", "least"), [("positive", 0.99), ("positive_heldout", 0.97)])
def test_no_five_characters_of_a_secret_are_left(name: str, least: float) -> None:
    """Recall on the corpus stays at what was measured; the held-out part was never used for tuning."""
    corpus = lines(name)
    missed = sum(_leaks(line) for line in corpus)
    recall = 1 - missed / len(corpus)
    sys.stdout.write(f"\nscreening {name}: recall {recall:.1%} of {len(corpus)} lines, {missed} missed\n")
    assert all(line.secrets for line in corpus)
    assert recall >= least


@pytest.mark.report("R090")
@pytest.mark.parametrize(("name", "most"), [("negative", 0.0), ("negative_heldout", 0.016)])
def test_harmless_lines_survive_byte_for_byte(name: str, most: float) -> None:
    """False alarms on the corpus stay at what was measured."""
    corpus = lines(name)
    alarms = sum(screen(line.text).text != line.text for line in corpus)
    sys.stdout.write(f"\nscreening {name}: {alarms / len(corpus):.1%} false alarms in {len(corpus)} lines\n")
    assert alarms / len(corpus) <= most


def test_the_corpus_is_large_enough() -> None:
    """There are at least 200 lines with secrets and 200 without."""
    assert len(lines("positive")) + len(lines("positive_heldout")) >= 200
    assert len(lines("negative")) + len(lines("negative_heldout")) >= 200


@pytest.mark.parametrize("name", ["positive", "positive_heldout", "negative", "negative_heldout"])
def test_screening_twice_changes_nothing_more(name: str) -> None:
    """Screening is idempotent on every line, and on the whole file as one text."""
    whole = "\n".join(line.text for line in lines(name))
    for text in [*(line.text for line in lines(name)), whole]:
        once = screen(text).text
        assert screen(once).text == once
