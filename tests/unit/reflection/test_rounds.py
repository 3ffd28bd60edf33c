"""Twenty reflections in a row with a model that wants to lose something each time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from tests.fakes.reflector import TODAY, LosingReflector, ScriptedChain, honest_answer, long_log
from totalrecall.domain.note import Note, NoteType
from totalrecall.llm.prompt_files import REFLECTOR, load_prompt
from totalrecall.llm.reflection.model import ModelReflector
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Author, DropReason, Item, Reflection, ReflectionRequest
from totalrecall.llm.reflection.whole import broken

ROUNDS = 20


def _losing(chance: Random) -> Iterator[str]:
    """Answers that drop about 2 % of the notes shown, the protected ones too, with any excuse."""
    while True:
        yield chance.choice(
            ["noise", "aged", "superseded by {other}", "resolved by {other}", "duplicate of {other}"]
        )


@pytest.mark.report("R077")
def test_nothing_that_must_stay_is_lost_in_twenty_rounds() -> None:
    """Each text that must stay is there word for word at the end, whatever the model dropped on the way."""
    chance = Random(5)
    excuses = _losing(chance)

    def answer(user: str) -> str:
        """Honest work with a few drops among it that are not."""
        honest = honest_answer(user)
        numbers = re.findall(r"^(\d+)!? [🔴🟡🟢]", user, re.MULTILINE)
        named = set(re.findall(r"\d+", " ".join(re.findall(r"\[[\d,]+\]|^drop \d+", honest, re.MULTILINE))))
        free = [number for number in numbers if number not in named]
        gone = chance.sample(free, min(len(free), max(1, len(numbers) // 50)))
        lines = [f"drop {number} {next(excuses).format(other=chance.choice(numbers))}" for number in gone]
        return "\n".join([honest, *lines]) if honest != "KEEP ALL" else "\n".join(lines) or honest

    reflector = ModelReflector(ScriptedChain(answer).access(), load_prompt(REFLECTOR), lambda text: text)
    must, gave_way = set[str](), set[str]()
    items: tuple[Item, ...] = ()
    left = accepted = 0
    for at in range(ROUNDS):
        today = TODAY + timedelta(days=5 * at)
        log = long_log(words=260, days=5, today=today, start=at * 11)
        must |= {_key(item.note) for item in log.items if _lasts(item)}
        items = _numbered([*items, *log.items])
        request = ReflectionRequest(items, today, "main", word_limit=1_200)
        outcome = reflector.reflect(request)
        if not isinstance(outcome, Reflection):
            continue
        assert broken(request, outcome) == ()
        left += len(outcome.dropped)
        accepted += bool(outcome.merged)
        by_number = {item.number: item for item in items}
        gave_way |= {
            _key(by_number[one.number].note)
            for one in outcome.dropped
            if one.reason in {DropReason.SUPERSEDED, DropReason.RESOLVED}
        }
        items = _after(items, outcome)
    assert left > 100
    assert accepted >= ROUNDS // 2
    assert len(gave_way) <= 5
    assert must - gave_way - {_key(item.note) for item in items} == set()


@pytest.mark.report("R077")
def test_the_last_look_refuses_a_reflector_that_loses_protected_notes() -> None:
    """Whoever made the outcome: a partition that drops what must stay is found out."""
    log = long_log(words=2_000, days=60)
    request = ReflectionRequest(log.items, TODAY, "main")
    losing = LosingReflector(share=0.2)
    assert broken(request, losing.reflect(request))
    everything = tuple(item.number for item in log.items)
    assert broken(request, Reflection(everything)) == ()
    assert broken(request, Reflection(everything[1:]))
    assert broken(request, Reflection((*everything, everything[0])))


def _after(items: tuple[Item, ...], outcome: Reflection) -> tuple[Item, ...]:
    """The log of the next round."""
    kept = [item for item in items if item.number in outcome.kept]
    return (*kept, *(Item(one.stands_for[-1], one.note) for one in outcome.merged))


def _numbered(items: Sequence[Item]) -> tuple[Item, ...]:
    """By day, numbered anew."""
    found = sorted(items, key=lambda item: (item.note.day, item.note.time))
    return tuple(replace(item, number=number) for number, item in enumerate(found, 1))


def _lasts(item: Item) -> bool:
    """What has to be there for good, whatever its age."""
    return item.author is Author.PERSON or item.note.type in {
        NoteType.RULE,
        NoteType.DECISION,
        NoteType.TASK,
    }


def _key(note: Note) -> str:
    """Equal for the same words."""
    return " ".join(said(note).casefold().split()).rstrip(".!")
