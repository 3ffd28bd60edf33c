"""When the service distils: by the user's own schedule, looked at after each of the observer's runs."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from totalrecall.config.cron import CronError, parse_cron
from totalrecall.daemon.cadence import Ticks, due_schedules
from totalrecall.daemon.cron_times import next_time
from totalrecall.errors import ConfigError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.distill.config import load_distill_settings
from totalrecall.jobs.distill.plan import territory_of
from totalrecall.jobs.distill.run import distil_by_schedule

DISTIL = "distill"
LAST = "distill:scheduled"


def distil_if_due(ctx: AgentContext) -> bool:
    """Whether a time of the schedule has passed since the last look; then a report, or the write, was made.

    Raises:
        ConfigError: ``distill-config.json`` cannot be used.
        MemoryFileError: a file cannot be read or written.
    """
    territory = territory_of(ctx)
    settings = load_distill_settings(territory).settings
    try:
        cron = parse_cron(settings.schedule)
    except CronError as error:
        raise ConfigError(
            f"schedule in {territory.settings} makes no sense: {error}.", "It takes such as 0 22 * * *."
        ) from error
    known = ctx.ledger.get(LAST)
    before = Ticks({DISTIL: datetime.fromisoformat(known)} if known else {})
    due, after = due_schedules(before, {DISTIL: partial(next_time, cron, ctx.zone)}, ctx.now())
    if due or not known:
        ctx.ledger.set(LAST, after.last[DISTIL].astimezone(UTC).isoformat())
    if due:
        distil_by_schedule(ctx)
    return bool(due)
