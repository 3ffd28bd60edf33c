"""What follows an observer's run: the same for the service, for cron and by hand."""

from __future__ import annotations

from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import ObserveReport


def after_observe(ctx: AgentContext, report: ObserveReport) -> None:
    """Everything that depends on what was just noted; a step that fails does not keep the others from it."""
    if not report.idle:
        ctx.log.info("observed", messages=report.messages, notes=report.notes)
