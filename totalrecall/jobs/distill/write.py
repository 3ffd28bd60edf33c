"""Writing what was planned: a copy first, then ``MEMORY.md``, the daily logs, one line of record."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from totalrecall.domain.distilled import Candidate, Level
from totalrecall.errors import MemoryFileError
from totalrecall.files.append import append
from totalrecall.files.atomic import ABSENT, Conflict, FileState, read_state
from totalrecall.files.atomic import replace as replace_file
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.config import load_distill_settings, remember_run
from totalrecall.jobs.distill.expired import move_expired
from totalrecall.jobs.distill.plan import (
    JOB,
    LAST_DAY,
    Plan,
    likeness,
    memory_in,
    refuse_if_emptied,
    territory_of,
)
from totalrecall.jobs.distill.report import Done, record_line
from totalrecall.jobs.distill.written import remember_written
from totalrecall.jobs.new_notes import looked_at
from totalrecall.memory.context_view import units
from totalrecall.memory.daily import append_to_day, daily_path
from totalrecall.memory.long_term.block import Entry, render_long_term
from totalrecall.memory.long_term.merging import fitted, merge
from totalrecall.memory.long_term.territory import Territory

# What OpenClaw takes of one bootstrap file, in UTF-16 units.
HOST_LIMIT = 20_000
WRITE_TRIES = 5
RUNS = "distill:runs"
BACKUPS = 30
_COPY = re.compile(r"MEMORY-\d{8}(?:-\d+)?\.md")
_HEADING = {"en": "Memory Distill", "zh": "记忆蒸馏"}


def distil(ctx: AgentContext, plan: Plan, *, clean: bool) -> Done:
    """What was written; after a crash another run doubles nothing. ``clean`` also moves old daily logs.

    Raises:
        MemoryFileError: a file cannot be written; what was written stands, the rest comes with the next run.
    """
    started_ms, territory = ctx.now_ms(), territory_of(ctx)
    done = replace(_long_term(ctx, territory, plan), withheld=plan.withheld)
    done = replace(done, daily=_daily(ctx, territory, plan))
    if clean:
        done = replace(done, moved=move_expired(territory, plan.expired))
    _record(ctx, territory, plan, done)
    looked_at(ctx, JOB, plan.notes)
    # Read anew: a person may have changed it while the report was read.
    remember_run(territory, load_distill_settings(territory), ctx.now().date())
    ctx.ledger.set(LAST_DAY, ctx.now().date().isoformat())
    runs = int(ctx.ledger.get(RUNS) or 0) + 1
    ctx.ledger.set(RUNS, "0" if plan.maintained else str(runs))
    numbers = {"added": done.added, "merged": done.merged, "daily": done.daily, "withheld": done.withheld}
    ctx.ledger.record_run(JOB, started_ms, ok=True, numbers=numbers, ended_ms=ctx.now_ms())
    return done


def maintenance_due(ctx: AgentContext, every: int) -> bool:
    """Whether the next run goes through the last seven days again."""
    return int(ctx.ledger.get(RUNS) or 0) >= every


def _long_term(ctx: AgentContext, territory: Territory, plan: Plan) -> Done:
    """``MEMORY.md`` with the entries in our block. What others write meanwhile is kept (R078)."""
    path = territory.allowed(territory.long_term)
    state, memory = plan.memory_state, plan.memory
    for _ in range(WRITE_TRIES):
        merged = merge(memory.entries, plan.new, likeness())
        grown, left = fitted(replace(memory, entries=merged.entries), plan.language, HOST_LIMIT, units)
        text = render_long_term(grown, plan.language)
        content = text.encode("utf-8", "surrogateescape")
        gone = [*left, *(old for old, _ in merged.superseded)]
        done = Done(
            added=len(merged.added) - len(merged.superseded),
            merged=len(merged.repeated) + len(merged.superseded),
            left=len(left),
            over_limit=units(text) > HOST_LIMIT,
        )
        unchanged = content == state.content or (memory.present and grown.entries == memory.entries)
        if unchanged:
            return done
        backup = _back_up(ctx, territory, state)
        _archive(ctx, territory, gone)
        result = replace_file(path, content, expected=state)
        if not isinstance(result, Conflict):
            remember_written(ctx, [one.text for one in grown.entries], [one.text for one in gone])
            return replace(done, backup=backup)
        state = result.current
        refuse_if_emptied(ctx, territory, state)
        memory = memory_in(territory, state)
    raise MemoryFileError(
        f"{path} is being changed all the time by another program.", "Nothing was written into it; try again."
    )


def _back_up(ctx: AgentContext, territory: Territory, state: FileState) -> str:
    """The copy of ``MEMORY.md`` as it stood before; the first of a day keeps the plain name."""
    if state.content is None:
        return ""
    stem = f"MEMORY-{ctx.now():%Y%m%d}"
    number = 1
    while True:
        path = territory.archive / f"{stem}{'' if number == 1 else f'-{number}'}.md"
        made = replace_file(territory.allowed(path), state.content, expected=ABSENT)
        if not isinstance(made, Conflict) or made.current.content == state.content:
            break
        number += 1
    copies = [one for one in territory.archive.glob("MEMORY-*.md") if _COPY.fullmatch(one.name)]
    old = sorted(copies, key=lambda one: (one.stat().st_mtime, one.name))
    for leftover in old[:-BACKUPS]:
        territory.allowed(leftover).unlink(missing_ok=True)
    return str(path)


def _archive(ctx: AgentContext, territory: Territory, entries: Sequence[Entry]) -> None:
    """What leaves ``MEMORY.md``, with the date; in a file that the agent does not index."""
    if not entries:
        return
    now = ctx.now()
    lines = [
        {
            "left": now.isoformat(timespec="seconds"),
            "theme": one.theme,
            "line": one.text,
            "day": one.since.isoformat() if one.since else None,
        }
        for one in entries
    ]
    text = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)
    append(
        territory.allowed(territory.archive / f"memory-{now:%Y-%m}.jsonl"), text.encode("utf-8", "replace")
    )


def _daily(ctx: AgentContext, territory: Territory, plan: Plan) -> int:
    """The lines of the day level, each in the log of its own day, once; how many there were."""
    days: dict[date, list[Candidate]] = {}
    for one in plan.of_level(Level.DAILY):
        if one.candidate.priority is not None:  # a line of a daily log stands there already
            days.setdefault(one.candidate.day, []).append(one.candidate)
    written = 0
    for day, candidates in sorted(days.items()):
        path = territory.allowed(daily_path(ctx.memory_dir, day))
        held = _text(path).splitlines()
        lines = [_daily_line(one) for one in candidates if not _stands_in(one, held)]
        if lines:
            body = "\n".join(lines)
            append_to_day(
                ctx.memory_dir, day, f"\n## {_HEADING[plan.language]} -- {ctx.now():%H:%M}\n\n{body}\n"
            )
            written += len(lines)
    return written


def _stands_in(candidate: Candidate, held: Sequence[str]) -> bool:
    """Whether a line of the log is this one, from wherever it was taken then."""
    line = _daily_line(replace(candidate, source=""))
    bare = f"- {candidate.text}"
    return any(one in (bare, line) or one.startswith(f"{line} (session ") for one in held)


def _daily_line(candidate: Candidate) -> str:
    time = f"{candidate.time} " if candidate.time else ""
    kind = f"[{candidate.type}] " if candidate.type else ""
    source = f" (session {candidate.source[:8]})" if candidate.source else ""
    return f"- {time}{kind}{candidate.text}{source}"


def _record(ctx: AgentContext, territory: Territory, plan: Plan, done: Done) -> None:
    """One line in today's log: what this run changed."""
    day = ctx.now().date()
    path = territory.allowed(daily_path(ctx.memory_dir, day))
    line = record_line(plan, done, f"{ctx.now():%Y-%m-%d %H:%M}")
    heading = f"## {_HEADING[plan.language]} -- {ctx.now():%H:%M}"
    begun = heading in _text(path)
    append_to_day(ctx.memory_dir, day, f"{line}\n" if begun else f"\n{heading}\n\n{line}\n")


def _text(path: Path) -> str:
    return (read_state(path).content or b"").decode("utf-8", "surrogateescape")
