"""What an answer is judged against. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from totalrecall.llm.reflection.types import Item


@dataclass(frozen=True, slots=True)
class Case:
    """What an answer is judged against.

    Attributes:
        changeable: the notes that it may change, by their numbers on the sheet.
        fixed: the notes that it may only point to, or propose to replace by newer ones.
        untouchable: those of the fixed notes that never leave.
        today: the present day.
        screen: gives a text back with secrets replaced; a text that it changes holds one.
    """

    changeable: tuple[Item, ...]
    fixed: tuple[Item, ...]
    today: date
    screen: Callable[[str], str]
    untouchable: frozenset[int] = frozenset()
