"""Asking a model the three questions about notes. It sorts; it never writes a word of what is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from totalrecall.domain.distilled import Judged, Level, Theme
from totalrecall.domain.note import NoteType
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.line_ask import LineAsk
from totalrecall.llm.prompt_files import DISTILL
from totalrecall.llm.reply import json_in, without_reasoning

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
        ask = LineAsk(self.access, self.agent, DISTILL, "notes", ANSWER_TOKENS)
        done: list[Judged] = []
        for part, answer in ask.answers(by_rules, self._lines):
            done += part if answer is None else read_levels(answer, part)
        return done

    def _lines(self, part: Sequence[Judged]) -> str:
        return "\n".join(_line(one, self.screen) for one in part)


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
