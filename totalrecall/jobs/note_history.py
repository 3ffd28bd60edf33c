"""Every rewrite of the log with its numbers, and how much has left it lately."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from totalrecall.jobs.context import AgentContext
from totalrecall.ledger.reflection_rows import ReflectionRow, ReflectionStatus

WEEK_MS = 7 * 24 * 3_600_000
_DROPPED = "dropped_"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One reflection.

    Attributes:
        at: when it began, in the user's zone.
        marker: of the blocks that it wrote.
        status: committed, refused, undone, or under way.
        engine: what consolidated.
        words_before, words_after: words in the log.
        merged, into: so many notes became so many.
        dropped: notes that left, by reason.
        refused: ranges of the log whose answers were refused, and ``reason`` why.
        tokens_in, tokens_out, cost_usd: what its calls took; None: nobody knows the price.
        backup: the name of the log's backup before it, "" when none was made.
        undone_at: when it was taken back.
    """

    at: datetime
    marker: str
    status: ReflectionStatus
    engine: str
    words_before: int
    words_after: int
    merged: int
    into: int
    dropped: Mapping[str, int]
    refused: int
    reason: str
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    backup: str
    undone_at: datetime | None


def note_history(ctx: AgentContext, limit: int) -> list[Rewrite]:
    """The newest reflections, newest first, with those that were refused or taken back."""
    return [_rewrite(ctx, row) for row in ctx.ledger.reflections(limit)]


def left_this_week(ctx: AgentContext) -> dict[str, int]:
    """How many notes left the log in the last seven days and are not back, by reason (R077)."""
    return ctx.ledger.left_since(ctx.now_ms() - WEEK_MS)


def _rewrite(ctx: AgentContext, row: ReflectionRow) -> Rewrite:
    said = row.numbers
    cost = said.get("cost_usd")
    return Rewrite(
        at=datetime.fromtimestamp(row.started_ms / 1000, ctx.zone),
        marker=row.marker,
        status=row.status,
        engine=row.engine,
        words_before=int(said.get("words_before", 0)),
        words_after=int(said.get("words_after", said.get("words_before", 0))),
        merged=int(said.get("merged", 0)),
        into=int(said.get("into", 0)),
        dropped={
            name.removeprefix(_DROPPED): int(times)
            for name, times in said.items()
            if name.startswith(_DROPPED)
        },
        refused=int(said.get("refused", row.status is ReflectionStatus.REFUSED)),
        reason=str(said.get("refusals", "")),
        tokens_in=int(said.get("tokens_in", 0)),
        tokens_out=int(said.get("tokens_out", 0)),
        cost_usd=float(cost) if cost is not None else None,
        backup=row.backup,
        undone_at=datetime.fromtimestamp(row.undone_ms / 1000, ctx.zone) if row.undone_ms else None,
    )
