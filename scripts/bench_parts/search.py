"""How long a question to 20,000 notes takes."""

from __future__ import annotations

import random
import statistics
import time

from scripts.bench_parts._part import Row
from totalrecall.memory.passages import Passage, note_passages
from totalrecall.memory.ranking import Ranker

NOTES, DAYS, ROUNDS, LIMIT_MS = 20_000, 200, 5, 300
QUESTIONS = {"half of them": "deploy staging", "none of them": "zeppelin", "half, Chinese": "数据库迁移"}


def rows() -> list[Row]:
    """Reading the log and ranking it, for questions that half of the notes or none of them answer."""
    text = _log()
    found = []
    for name, question in QUESTIONS.items():
        took_ms = statistics.median(_asked_ms(text, question) for _ in range(ROUNDS))
        found.append(
            Row(f"{NOTES:,} notes, {name}: ms of {LIMIT_MS}", took_ms, LIMIT_MS, took_ms / LIMIT_MS, "< 1")
        )
    return found


def _asked_ms(text: str, question: str) -> float:
    begin = time.perf_counter()
    ranker = Ranker[Passage](question)
    ranker.add_all(note_passages(text))
    ranker.best(20)
    return (time.perf_counter() - begin) * 1000


def _log() -> str:
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(3, 9))) for _ in range(8000)]
    ends = ("deploy staging", "数据库迁移 周五")
    lines: list[str] = []
    for day in range(DAYS):
        lines.append(f"\nDate: 2026-{1 + day // 28:02d}-{1 + day % 28:02d}")
        lines += [
            f"- 🟡 {number % 24:02d}:05 [fact] {' '.join(dice.choices(words, k=14))} {ends[number % 2]}"
            for number in range(NOTES // DAYS)
        ]
    return "\n".join(lines)
