"""Task snapshots: what an agent resumes from after its talk was cut."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from totalrecall.domain.boundary import Boundary
from totalrecall.jobs.context import AgentContext
from totalrecall.memory.snapshots import StoredSnapshot


class SnapshotResult(StrEnum):
    """What became of it."""

    SAVED = "saved"
    NOTHING_TO_KEEP = "nothing_to_keep"
    NOTHING_NEW = "nothing_new"
    TOO_SOON = "too_soon"


@dataclass(frozen=True, slots=True)
class SnapshotOutcome:
    """How a snapshot went.

    Attributes:
        result: what became of it.
        stored: where it stands, when it was saved.
        engine: ``llm``, ``extractive`` or "" when nothing had to be made.
        fallback: why the rules worked instead of the model, "" when they did not.
    """

    result: SnapshotResult
    stored: StoredSnapshot | None = None
    engine: str = ""
    fallback: str = ""


def snapshot_at(ctx: AgentContext, boundary: Boundary) -> SnapshotOutcome:
    """A snapshot of the task as it was where the talk was cut, if there is a task."""
    del ctx, boundary
    return SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP)


def snapshot_before_compaction(ctx: AgentContext) -> SnapshotOutcome:
    """A snapshot of the task as it is now, because the agent is about to compact its context."""
    del ctx
    return SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP)
