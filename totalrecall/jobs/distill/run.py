"""A distillation from the schedule: it only reports, unless the user has switched writing on."""

from __future__ import annotations

from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.config import load_distill_settings
from totalrecall.jobs.distill.plan import Plan, plan_distillation, ran_today, territory_of
from totalrecall.jobs.distill.report import Done, done_lines, keep_report, report_lines
from totalrecall.jobs.distill.write import distil, maintenance_due


def distil_by_schedule(ctx: AgentContext) -> Done | None:
    """What was written; None when there was only a report, nothing new, or a run today already.

    Raises:
        ConfigError: ``distill-config.json`` cannot be used.
        MemoryFileError: a file cannot be read or written.
    """
    settings = load_distill_settings(territory_of(ctx)).settings
    if ran_today(ctx, settings.last_distill):
        return None
    plan = plan_distillation(ctx, maintain=maintenance_due(ctx, settings.maintain_every))
    if nothing_new(plan):
        return None
    if not settings.auto_write:
        keep_report(ctx, report_lines(plan))
        return None
    done = distil(ctx, plan, clean=settings.auto_clean)
    keep_report(ctx, done_lines(plan, done))
    return done


def nothing_new(plan: Plan) -> bool:
    """Whether a run would change nothing at all."""
    return not plan.judged and not plan.withheld and not plan.expired and not plan.first
