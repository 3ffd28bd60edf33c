"""Recovery: sessions that ended with unread messages are finished, whatever their age."""

from __future__ import annotations

from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import ObserveOptions, ObserveReport, observe

DEADLINE_MS = 90_000
BUSY_WAIT_S = 1.5


def recover(ctx: AgentContext, *, deadline_ms: int = DEADLINE_MS) -> ObserveReport:
    """Read on from every cursor, newest state of every session included; what is equal costs nothing.

    Which sessions need it is told by their cursors, never by name, age or a window: one whose hash stands as
    it stood is passed by without reading it. Where the model does not answer, provisional notes stand in.
    """
    options = ObserveOptions(stand_in=True, deadline_ms=ctx.now_ms() + deadline_ms, wait_s=BUSY_WAIT_S)
    return observe(ctx, options)
