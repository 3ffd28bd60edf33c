"""One thing that was looked at: how it stands, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from totalrecall.errors import TotalRecallError
from totalrecall.places.problem import Level, Problem


class Grade(IntEnum):
    """How much a finding matters; the lowest number is the worst."""

    BROKEN = 0
    WARNING = 1
    FINE = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it stands in one sentence, and what to do about it."""

    grade: Grade
    what: str
    remedy: str = ""


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """The findings by how much they matter, in the order they were found otherwise."""
    return sorted(findings, key=lambda one: one.grade)


def from_problem(problem: Problem) -> Finding:
    """A problem of the settings or places as a finding."""
    grade = Grade.BROKEN if problem.level is Level.ERROR else Grade.WARNING
    return Finding(grade, str(problem).removesuffix(f" {problem.remedy}"), problem.remedy)


def from_error(error: TotalRecallError) -> Finding:
    """An error of a part as a finding."""
    return Finding(Grade.BROKEN, error.title, error.hint)
