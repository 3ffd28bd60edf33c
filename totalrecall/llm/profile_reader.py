"""Asking a model what the user said about themselves: only their own words are sent, never the profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.line_ask import LineAsk
from totalrecall.llm.profile_grounding import stands_in
from totalrecall.llm.prompt_files import PROFILE
from totalrecall.llm.reply import json_in, without_reasoning

ANSWER_TOKENS = 1_000
LINE_CHARS = 600
FACTS = 60


@dataclass(frozen=True, slots=True)
class ModelProfileReader:
    """What the notes' own words say about the user, read by a model.

    Attributes:
        access: whom to ask.
        agent: whom the call is booked to.
        screen: removes secrets from what is sent.
    """

    access: ModelAccess
    agent: str
    screen: Callable[[str], str]

    def facts_in(self, notes: Sequence[OwnNote]) -> list[ProfileFact]:
        """The facts that stand in the words they cite; made-up ones are left out.

        Raises:
            ModelUnreachableError, CeilingError, ConfigError, BatchRefusedError: as ``ModelChain.ask``.
        """
        ask = LineAsk(self.access, self.agent, PROFILE, "own", ANSWER_TOKENS)
        found: list[ProfileFact] = []
        for part, answer in ask.answers(notes, self._lines):
            found += [] if answer is None else read_facts(answer, part)
        return list(dict.fromkeys(found))[:FACTS]

    def _lines(self, notes: Sequence[OwnNote]) -> str:
        return "\n".join(
            f"{one.number} {' '.join(self.screen(words).split())[:LINE_CHARS]}"
            for one in notes
            for words in one.said
        )


def read_facts(text: str, notes: Sequence[OwnNote]) -> list[ProfileFact]:
    """The facts of an answer that name a line and stand in its words; whatever else it holds is left out."""
    said = {one.number: "\n".join(one.said) for one in notes}
    data = json_in(without_reasoning(text))
    items = data.get("facts", [data]) if isinstance(data, dict) else data
    found = []
    for item in items if isinstance(items, list) else []:
        fact = _fact(item)
        if fact is not None and fact.number in said and stands_in(fact, said[fact.number]):
            found.append(fact)
    return found


def _fact(item: Any) -> ProfileFact | None:
    if not isinstance(item, dict):
        return None
    words = {name: " ".join(value.split()) for name, value in item.items() if isinstance(value, str)}
    words |= {name: str(value) for name, value in item.items() if isinstance(value, int)}
    line = words.get("line", "")
    number = int(line) if line.isdecimal() and len(line) < 6 else 0
    if words.get("kind") == FactKind.CONTACT and words.get("name"):
        given = {name: words.get(name, "") for name in ("name", "relationship", "alias", "notes")}
        return ProfileFact(FactKind.CONTACT, number, **given)
    if words.get("kind") == FactKind.FIELD and words.get("field") and words.get("value"):
        return ProfileFact(FactKind.FIELD, number, field=words["field"], value=words["value"])
    return None
