"""Asking a model what the user said about themselves: only their own words are sent, never the profile."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from totalrecall.domain.profile_fact import FactKind, OwnNote, ProfileFact
from totalrecall.errors import BatchTooLargeError
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.profile_grounding import stands_in
from totalrecall.llm.prompt import OWN_CALL_MARKER
from totalrecall.llm.prompt_files import PROFILE, load_prompt
from totalrecall.llm.reply import json_in, without_reasoning

ANSWER_TOKENS = 1_000
NOTES_PER_CALL = 40
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
        found: list[ProfileFact] = []
        for begin in range(0, len(notes), NOTES_PER_CALL):
            found += self._asked(notes[begin : begin + NOTES_PER_CALL])
        return list(dict.fromkeys(found))[:FACTS]

    def _asked(self, notes: Sequence[OwnNote]) -> list[ProfileFact]:
        if not notes:
            return []
        system = load_prompt(PROFILE, self.access.prompt_folders).text
        ask = Ask(system, self._user_text(notes), ANSWER_TOKENS, self.agent, self.access.job, "")
        try:
            answer = self.access.chain.ask(ask, _usable)
        except BatchTooLargeError:
            if len(notes) == 1:
                return []
            half = len(notes) // 2
            return self._asked(notes[:half]) + self._asked(notes[half:])
        return read_facts(answer.completion.text, notes)

    def _user_text(self, notes: Sequence[OwnNote]) -> str:
        content = "\n".join(
            f"{one.number} {' '.join(self.screen(words).split())[:LINE_CHARS]}"
            for one in notes
            for words in one.said
        )
        name = hashlib.blake2b(content.encode(), key=self.access.salt[:64], digest_size=5).hexdigest()
        fence = f"own-{name}"
        return f"{OWN_CALL_MARKER}\n<{fence}>\n{content.replace(fence, 'own')}\n</{fence}>\n"


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


def _usable(completion: Completion) -> Failure | None:
    data = json_in(without_reasoning(completion.text))
    if isinstance(data, list | dict) or completion.text.strip() == "[]":
        return None
    return Failure(FailureKind.PROSE, f"{completion.model}: the answer holds no JSON.")


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
