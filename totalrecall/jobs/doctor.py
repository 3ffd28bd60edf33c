"""Everything that can be wrong, worst first, each with what to do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from totalrecall.domain.session import Session
from totalrecall.errors import TotalRecallError
from totalrecall.places.problem import Level, Problem
from totalrecall.transcripts.choice import StoreActivity

SILENT_MS = 600_000


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


def transcripts_findings(
    sessions: Sequence[Session], activity: Sequence[StoreActivity], now_ms: int
) -> list[Finding]:
    """What the stores show: how many sessions, how new, and whether nothing arrives from an active agent."""
    findings = []
    for store in activity:
        if store.trouble:
            findings.append(
                Finding(Grade.BROKEN, f"{store.location}: {store.trouble}", "See above; try again.")
            )
        elif store.sessions:
            newest = _age(store.newest_ms, now_ms)
            what = f"{store.location}: {store.sessions} sessions ({store.store}), newest {newest}."
            findings.append(Finding(Grade.FINE, what))
    newest_ms = max((one.newest_ms for one in activity), default=0)
    changed_ms = max((one.changed_ms for one in activity), default=0)
    if not sessions:
        what = "No session was found, so there is nothing to observe."
        remedy = "If the agent has talked already, set OPENCLAW_STATE_DIR to OpenClaw's state folder."
        findings.append(Finding(Grade.WARNING, what, remedy))
    elif changed_ms - newest_ms > SILENT_MS and now_ms - changed_ms < SILENT_MS:
        what = f"The store was written just now, and the newest talk in it is from {_age(newest_ms, now_ms)}."
        remedy = "If you are talking to the agent just now, nothing arrives: update Total Recall."
        findings.append(Finding(Grade.WARNING, what, remedy))
    return findings


def folder_finding(folder: Path, what: str) -> Finding:
    """Whether our files can be written to a folder, which need not exist yet."""
    stands = folder
    while not stands.exists() and stands != stands.parent:
        stands = stands.parent
    if not stands.is_dir():
        return Finding(Grade.BROKEN, f"{what} {folder}: {stands} is no folder.", "Move that file away.")
    if not os.access(stands, os.W_OK | os.X_OK):
        return Finding(
            Grade.BROKEN, f"{what} {folder} cannot be written.", f"Give this user rights on {stands}."
        )
    made = "" if folder.exists() else " (made at the first run)"
    return Finding(Grade.FINE, f"{what} {folder}{made}.")


def _age(at_ms: int, now_ms: int) -> str:
    minutes = max(0, now_ms - at_ms) // 60_000
    if not at_ms:
        return "never"
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 2880 else f"{minutes // 1440} d ago"
