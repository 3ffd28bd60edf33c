"""Twenty reflections in a row with a model that wants to lose something each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from random import Random

import pytest

from tests.fakes.model_server import Reply, chat
from tests.fakes.reflector import TODAY, LosingReflector, long_log
from tests.unit.reflection.conftest import Desk
from totalrecall.domain.note import Note
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.prompt_files import REFLECTOR, load_prompt
from totalrecall.llm.reflection.model import ModelReflector
from totalrecall.llm.reflection.subject import said
from totalrecall.llm.reflection.types import Item, Reflection, ReflectionRequest
from totalrecall.llm.reflection.whole import broken

ROUNDS = 20


def _losing(chance: Random) -> Iterator[str]:
    """Answers that drop about 2 % of the notes shown, the protected ones too, with any excuse."""
    while True:
        yield chance.choice(
            ["noise", "aged", "superseded by {other}", "resolved by {other}", "duplicate of {other}"]
        )


@pytest.mark.report("R077")
def test_nothing_that_must_stay_is_lost_in_twenty_rounds(desk: Desk) -> None:
    """Each text that must stay is there word for word at the end, whatever the model dropped on the way."""
    log = long_log(words=2_500, days=60)
    chance = Random(5)
    excuses = _losing(chance)

    def answer(body: bytes) -> Reply:
        numbers = re.findall(r"^(\d+)!? ", json.loads(body)["messages"][1]["content"], re.MULTILINE)
        gone = chance.sample(numbers, max(1, len(numbers) // 50))
        lines = [f"drop {number} {next(excuses).format(other=chance.choice(numbers))}" for number in gone]
        return chat("\n".join(lines))

    desk.server.answer = answer
    must = {
        " ".join(said(item.note).casefold().split()) for item in log.items if item.number in log.must_stay
    }
    items, left = log.items, 0
    for at in range(ROUNDS):
        access = ModelAccess("reflect", desk.rig.chain(), b"salt", ())
        reflector = ModelReflector(access, load_prompt(REFLECTOR), lambda text: text)
        request = ReflectionRequest(items, TODAY + timedelta(days=at // 7), "main", word_limit=1_200)
        outcome = reflector.reflect(request)
        if not isinstance(outcome, Reflection):
            continue
        assert broken(request, outcome) == ()
        left += len(outcome.dropped)
        items = _after(items, outcome)
    texts = {" ".join(said(item.note).casefold().split()) for item in items}
    lost = {one.rstrip(".") for one in must} - {one.rstrip(".") for one in texts}
    assert left > 30
    assert lost == set()


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
    """The log of the next round, numbered anew."""
    kept = [(item.note, item.author) for item in items if item.number in outcome.kept]
    authors = {item.number: item.author for item in items}
    new: list[tuple[Note, object]] = [(one.note, authors[one.stands_for[0]]) for one in outcome.merged]
    found = sorted([*kept, *new], key=lambda one: (one[0].day, one[0].time))
    return tuple(Item(number, note, author) for number, (note, author) in enumerate(found, 1))  # type: ignore[arg-type]
