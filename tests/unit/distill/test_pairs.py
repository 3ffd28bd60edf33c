"""The same fact in other words, and facts that contradict, on labelled pairs in English, German and Chinese."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from totalrecall.llm.extractive.contradiction import taken_by
from totalrecall.llm.extractive.restating import restates

PATH = Path(__file__).parents[2] / "data" / "distill" / "pairs.jsonl"


@dataclass(frozen=True)
class Pair:
    language: str
    label: str
    old: str
    new: str


def pairs() -> list[Pair]:
    """The labelled pairs."""
    return [Pair(**json.loads(line)) for line in PATH.read_text(encoding="utf-8").splitlines()]


def found(pair: Pair) -> str:
    """What the comparison says, in the order in which merging asks."""
    if taken_by(pair.new, pair.old):
        return "changed"
    return "same" if restates(pair.new, pair.old) else "different"


@pytest.mark.report("R072")
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_repeated_and_contradicting_facts_are_told_apart(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Most repetitions are seen, all contradictions of one value, and not one pair is merged that differs."""
    table = Counter((one.label, found(one)) for one in pairs() if one.language == language)
    hits, total = table["same", "same"], sum(many for (label, _), many in table.items() if label == "same")
    false = table["different", "same"] + table["different", "changed"] + table["changed", "same"]
    with capsys.disabled():
        sys.stdout.write(
            f"\n{language}: same {hits}/{total}, contradicting {table['changed', 'changed']}/6, "
            f"false merges {false}/{table.total() - total}\n"
        )
    assert false == 0
    assert hits >= total - 1
    assert table["changed", "changed"] == 6


def test_there_are_enough_pairs_of_each_language() -> None:
    """At least sixty, evenly spread."""
    assert len(pairs()) >= 60
    assert len(set(Counter(one.language for one in pairs()).values())) == 1


@pytest.mark.parametrize(
    ("new", "old", "value"),
    [
        ("Robin lives in Lisbon", "Robin lives in Porto", "Porto"),
        ("The API listens on port 7171", "The API listens on port 7070", "7070"),
        ("Deploys go to eu-west (replaces: us-east)", "Deploys go to us-east", "us-east"),
        ("Robin lives in Porto", "Tom lives in Lisbon", ""),
        ("The server is not reachable", "The server is stage-2", ""),
        ("Robin is a developer", "Robin is in Porto", ""),
        ("Backups go to eu-west (replaces: us-east)", "The office is in us-east", ""),
        (
            "the staging server is now stage-3 (replaces: stage-2)",
            "The code is at ~/crumb, the staging server is stage-2",
            "",
        ),
    ],
)
def test_the_replaced_value_is_named_as_it_was_written(new: str, old: str, value: str) -> None:
    """And nothing is replaced where both can be true."""
    assert taken_by(new, old) == value


@pytest.mark.report("R072")
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_what_only_looks_the_same_is_not_merged(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names that look alike, changed sides, values of another kind, numbers that are names: none is merged."""
    path = PATH.with_name("hostile_pairs.jsonl")
    every = [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    wrong = [one for one in every if one.language == language and found(one) != one.label]
    with capsys.disabled():
        sys.stdout.write(
            f"\n{language}: {sum(one.language == language for one in every)} hostile pairs, {len(wrong)} wrong\n"
        )
    assert not wrong
