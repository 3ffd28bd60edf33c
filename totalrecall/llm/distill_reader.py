"""Asking a model the three questions about notes. It sorts; it never writes a word of what is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from totalrecall.domain.distilled import Judged, Level, Theme
from totalrecall.domain.note import NoteType
from totalrecall.errors import BatchTooLargeError
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.ask import Ask
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.prompt import OWN_CALL_MARKER
from totalrecall.llm.prompt_files import DISTILL, load_prompt
from totalrecall.llm.reply import json_in, without_reasoning

NOTES_PER_CALL = 40
ANSWER_TOKENS = 1_500
LINE_CHARS = 300
# Whatever a model says: what the user laid down stays, unless it is plainly temporary.
_NEVER_DROPPED = frozenset({NoteType.RULE, NoteType.DECISION, NoteType.PREFERENCE, NoteType.GOAL})


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Levels and themes by a model.

    Attributes:
        access: whom to ask.
        agent: whom the call is booked to.
        screen: removes secrets from what is sent.
    """

    access: ModelAccess
    agent: str
    screen: Callable[[str], str]

    def judged(self, by_rules: Sequence[Judged]) -> list[Judged]:
        """The candidates with the model's level and theme where it gave usable ones, else with the rules'.

        Raises:
            ModelUnreachableError, CeilingError, ConfigError, BatchRefusedError: as ``ModelChain.ask``.
        """
        done: list[Judged] = []
        for begin in range(0, len(by_rules), NOTES_PER_CALL):
            done += self._asked(by_rules[begin : begin + NOTES_PER_CALL])
        return done

    def _asked(self, part: Sequence[Judged]) -> list[Judged]:
        system = load_prompt(DISTILL, self.access.prompt_folders).text
        ask = Ask(system, self._user_text(part), ANSWER_TOKENS, self.agent, self.access.job, "")
        try:
            answer = self.access.chain.ask(ask, _usable)
        except BatchTooLargeError:
            if len(part) == 1:
                return list(part)
            half = len(part) // 2
            return self._asked(part[:half]) + self._asked(part[half:])
        return read_levels(answer.completion.text, part)

    def _user_text(self, part: Sequence[Judged]) -> str:
        content = "\n".join(_line(one, self.screen) for one in part)
        name = hashlib.blake2b(content.encode(), key=self.access.salt[:64], digest_size=5).hexdigest()
        fence = f"notes-{name}"
        return f"{OWN_CALL_MARKER}\n<{fence}>\n{content.replace(fence, 'notes')}\n</{fence}>\n"


def read_levels(text: str, part: Sequence[Judged]) -> list[Judged]:
    """The candidates as an answer sorts them; one that it does not name, or wrongly, stays as it was."""
    data = json_in(without_reasoning(text))
    items = data.get("notes", []) if isinstance(data, dict) else data
    answers = [_said(item) for item in items] if isinstance(items, list) else []
    said = {one[0]: one for one in answers if one is not None}
    return [_sorted(one, said.get(one.candidate.number)) for one in part]


def _sorted(judged: Judged, said: tuple[int, Level, Theme | None] | None) -> Judged:
    if said is None:
        return judged
    _, level, theme = said
    if level is Level.TEMPORARY and judged.candidate.type in _NEVER_DROPPED:
        return replace(judged, sure=judged.level is Level.TEMPORARY)
    sure = judged.sure or level is judged.level
    return replace(judged, level=level, theme=theme or judged.theme, sure=sure)


def _usable(completion: Completion) -> Failure | None:
    if isinstance(json_in(without_reasoning(completion.text)), list | dict):
        return None
    return Failure(FailureKind.PROSE, f"{completion.model}: the answer holds no JSON.")


def _said(item: Any) -> tuple[int, Level, Theme | None] | None:
    if not isinstance(item, dict):
        return None
    number, level, theme = item.get("n"), item.get("level"), item.get("theme")
    if not isinstance(number, int) or isinstance(number, bool) or level not in set(Level):
        return None
    return number, Level(level), Theme(theme) if theme in set(Theme) else None


def _line(judged: Judged, screen: Callable[[str], str]) -> str:
    one = judged.candidate
    kind = f"[{one.type}] " if one.type else ""
    sign = f"{one.priority} " if one.priority else ""
    words = " ".join(screen(one.text).split())[:LINE_CHARS]
    return f"{one.number} {one.day.isoformat()} {sign}{kind}{words}"
