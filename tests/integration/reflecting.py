"""Reflections for tests: a log of many messages, reflectors that do what a test says, and crashes at a step.

``python -m tests.integration.reflecting ROOT SPEC`` runs one reflection or undo in a process of its own that ends
at a step of the rewrite; see ``crash``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path

from tests.lab import Lab
from totalrecall.domain.note import Note, NoteType, Priority
from totalrecall.jobs.close_rewrite import RewriteStep
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.reflect import ReflectOptions, ReflectReport, reflect
from totalrecall.jobs.undo import UndoOptions, UndoReport, undo
from totalrecall.llm.reflection.types import (
    Author,
    Dropped,
    DropReason,
    Merged,
    Reflection,
    ReflectionRefused,
    ReflectionRequest,
)
from totalrecall.memory.archive import ArchivedNote, archive_folder, read_archive

CRASHED = 9
ROOT = Path(__file__).parents[2]
TOKEN = re.compile(r"\bv\d{4}\b")
FORCED = ReflectOptions(force=True)
Decide = Callable[[ReflectionRequest], Reflection | ReflectionRefused]


@dataclass
class Scripted:
    """A reflector that answers as the test decides."""

    decide: Decide
    name: str = "llm"

    def reflect(self, request: ReflectionRequest) -> Reflection | ReflectionRefused:
        """The test's answer."""
        return self.decide(request)


def fill(lab: Lab, days: int = 6, each: int = 3, *, then_days: int = 40, at_once: bool = False) -> None:
    """Some days of messages, each with a value of its own, noted by the echo engine; then some days pass.

    ``at_once``: noted in one run at the end.
    """
    number = 0
    for _ in range(days):
        lab.now += timedelta(days=1)
        lab.say(*[f"the value is v{number + place:04}" for place in range(each)])
        number += each
        if not at_once:
            lab.observe()
    if at_once:
        lab.observe()
    lab.now += timedelta(days=then_days)


def by_days(request: ReflectionRequest) -> Reflection:
    """The first two old notes of a day of ours become one with all their words; the third leaves as old."""
    kept: list[int] = []
    merged: list[Merged] = []
    dropped: list[Dropped] = []
    days: dict[date, list[int]] = {}
    items = {one.number: one for one in request.items}
    for one in request.items:
        old = (request.today - one.note.day).days > 30
        if one.author is Author.OURS and old and not one.note.children:
            days.setdefault(one.note.day, []).append(one.number)
        else:
            kept.append(one.number)
    for day, numbers in days.items():
        if len(numbers) > 1:
            first, second = items[numbers[0]].note, items[numbers[1]].note
            note = Note(Priority.LOW, day, first.time, f"{first.text}; {second.text}", NoteType.EVENT)
            merged.append(Merged(note, (numbers[0], numbers[1])))
        else:
            kept += numbers
        dropped += [Dropped(number, DropReason.AGED) for number in numbers[2:]]
    return Reflection(tuple(sorted(kept)), tuple(merged), tuple(dropped), engine="llm")


@contextmanager
def scripted(lab: Lab, decide: Decide = by_days) -> Iterator[AgentContext]:
    """What a job works with, with a reflector that does as told."""
    with lab.context() as ctx:
        yield replace(ctx, reflector_for=lambda: Scripted(decide))


def run_reflect(lab: Lab, decide: Decide = by_days, options: ReflectOptions = FORCED) -> ReflectReport:
    """One reflection, forced."""
    with scripted(lab, decide) as ctx:
        return reflect(ctx, options)


def run_undo(lab: Lab, options: UndoOptions | None = None) -> UndoReport:
    """One undo."""
    with lab.context() as ctx:
        return undo(ctx, options)


def archived(lab: Lab) -> list[ArchivedNote]:
    """What is in the archive and not back."""
    return list(read_archive(archive_folder(lab.notes_path.parent)))


def values(text: str) -> Counter[str]:
    """How often each value stands in a text."""
    return Counter(TOKEN.findall(text))


def crash(lab: Lab, step: RewriteStep, *, back: bool = False) -> None:
    """A reflection (``back``: an undo) in a process of its own that ends right after ``step``."""
    spec = {"now": lab.now.isoformat(), "step": int(step), "back": back}
    command = [sys.executable, "-m", "tests.integration.reflecting", str(lab.root), json.dumps(spec)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == CRASHED, done.stderr


def _main(root: Path, spec: dict[str, object]) -> int:
    def passed(step: RewriteStep) -> None:
        if int(step) == spec["step"]:
            os._exit(CRASHED)

    lab = Lab(root, now=datetime.fromisoformat(str(spec["now"])))
    if spec["back"]:
        run_undo(lab, UndoOptions(passed=passed))
    else:
        run_reflect(lab, options=ReflectOptions(force=True, passed=passed))
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1]), json.loads(sys.argv[2])))
