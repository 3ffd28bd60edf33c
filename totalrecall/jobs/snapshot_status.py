"""How things stand with the snapshots: how many, the newest, and whether the task has moved on since."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from totalrecall.domain.task_talk import TaskTalk
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.task_talk import Where, recent_talk
from totalrecall.memory.snapshots import StoredSnapshot, all_snapshots, unreadable_logs

# So many new files or tool calls say that work went on.
MOVED = 2


@dataclass(frozen=True, slots=True)
class SnapshotStatus:
    """What ``snapshot status`` shows.

    Attributes:
        memory_dir: where was looked.
        today: snapshots of the local day.
        total: all of them.
        newest: the newest one.
        moved_on: the task is no longer where that one left it, or there is none and there is talk of a task.
        reasons: why, in words.
        unreadable: daily logs that could not be read.
    """

    memory_dir: Path
    today: int
    total: int
    newest: StoredSnapshot | None
    moved_on: bool
    reasons: tuple[str, ...]
    unreadable: tuple[Path, ...]


def snapshot_status(ctx: AgentContext) -> SnapshotStatus:
    """The state of the snapshots just now. Nothing is written."""
    found = all_snapshots(ctx.memory_dir, zone=ctx.zone)
    newest = found[0] if found else None
    day = ctx.now().date()
    reasons = _since(ctx, newest)
    return SnapshotStatus(
        memory_dir=ctx.memory_dir,
        today=sum(one.snapshot.taken.date() == day for one in found),
        total=len(found),
        newest=newest,
        moved_on=bool(reasons),
        reasons=reasons,
        unreadable=tuple(unreadable_logs(ctx.memory_dir)),
    )


def _since(ctx: AgentContext, newest: StoredSnapshot | None) -> tuple[str, ...]:
    from totalrecall.llm.extractive.task_state import picture_by_rules

    if newest is None:
        talk = recent_talk(ctx)
        worth = talk.messages and (talk.calls or picture_by_rules(talk).worth_keeping)
        return ("there is work in the talk, and no snapshot of it",) if worth else ()
    taken = newest.snapshot.taken.replace(tzinfo=ctx.zone)
    talk = recent_talk(ctx, Where(since_ms=int(taken.timestamp() * 1000) + 999))
    return tuple(_moves(talk, newest))


def _moves(talk: TaskTalk, newest: StoredSnapshot) -> list[str]:
    from totalrecall.llm.extractive.task_goal import goal_of, same_task

    known = newest.snapshot.picture
    reasons = []
    goal = goal_of(talk.messages, plainly=True)
    if goal and known.goal and not same_task(goal, known.goal):
        reasons.append(f"another goal: {goal}")
    files = {one.path for one in talk.touches} - {one.path for one in known.files}
    if len(files) >= MOVED:
        reasons.append(f"{len(files)} new files")
    if talk.calls >= MOVED:
        reasons.append(f"{talk.calls} tool calls")
    return reasons
