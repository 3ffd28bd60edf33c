"""``totalrecall backfill``: noting what was said before."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, interactive, opened, tell, worst
from totalrecall.cli.observing import tell_of
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.backfill import BackfillPlan
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.observe import ObserveReport

_SPAN = re.compile(r"^(\d{1,5})([hdw])$")
_HOURS = {"h": 1, "d": 24, "w": 168}
# What is sent of a character of talk, with the prompt's share, by the token estimate of Latin script.
CHARS_PER_TOKEN = 4
# Of a token of talk, what goes in with prompt and known notes, and what comes back as notes.
IN_SHARE, OUT_SHARE = 1.6, 0.2


@click.command("backfill")
@click.option("--since", required=True, metavar="30d|DATE|all", help="From when on.")
@click.option(
    "--budget", type=click.FloatRange(min=0), metavar="USD", help="Stop before this run costs more."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be read and what it would cost.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@agent_option
@json_option
def backfill_command(
    since: str, budget: float | None, dry_run: bool, yes: bool, agent: str | None, as_json: bool
) -> int:
    """Note what was said before Total Recall was adopted, oldest session first.

    Says first what it would cost with a model. The daily and monthly ceilings hold here too; what does not
    fit under them waits and is noted on the following days.
    """
    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                from totalrecall.jobs.backfill import plan_backfill

                plan = plan_backfill(ctx, begin_of(since, ctx.now()))
                _say(ctx, plan)
                if dry_run or not plan.messages:
                    results.append(plan)
                    codes.append(ExitCode.OK)
                    continue
                if not yes and interactive() and not click.confirm("Go on?", err=True):
                    codes.append(ExitCode.OK)
                    continue
                report = _run(installation, places, ctx, (plan, budget))
                results.append(report)
                codes += [tell_of(report), *_followed(ctx, report)]
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    if as_json:
        emit_json(results)
    return worst(codes)


def begin_of(since: str, now: datetime) -> int:
    """The moment that ``30d``, ``12h``, ``8w``, a date or ``all`` means, in milliseconds since 1970.

    Raises UsageError when it is none of these.
    """
    if since == "all":
        return 0
    if match := _SPAN.match(since):
        return int((now - timedelta(hours=int(match[1]) * _HOURS[match[2]])).timestamp() * 1000)
    try:
        day = datetime.strptime(since, "%Y-%m-%d").replace(tzinfo=now.tzinfo)
    except ValueError:
        raise click.UsageError(
            f"--since {since!r} is not 12h, 30d, 8w, a date like 2026-01-31, or all."
        ) from None
    return int(day.timestamp() * 1000)


def _say(ctx: AgentContext, plan: BackfillPlan) -> None:
    what = f"{count(plan.messages, 'message')} in {count(plan.sessions, 'session')}"
    if not plan.messages:
        say(f"{ctx.agent}: nothing was said before the adoption in that time.", err=True)
        return
    if not ctx.settings.uses_model:
        say(f"{ctx.agent}: {what}, for the built-in engine, free of charge.", err=True)
        return
    from totalrecall.llm.endpoint import endpoint_from
    from totalrecall.llm.prices import price_of

    settings = ctx.settings
    tokens = plan.chars // CHARS_PER_TOKEN
    price = price_of(settings.observer_models[0])
    if endpoint_from(settings.llm_base_url, "").local:
        cost = "free of charge, the model runs on this machine"
    elif price is None:
        cost = "the price is not known"
    else:
        usd = tokens * (IN_SHARE * price.usd_in + OUT_SHARE * price.usd_out) / 1e6
        cost = f"about ${usd:.4f}"
    say(f"{ctx.agent}: {what}, about {tokens:,} tokens of talk; {cost}.", err=True)


def _run(
    installation: Installation,
    places: AgentPlaces,
    ctx: AgentContext,
    what: tuple[BackfillPlan, float | None],
) -> ObserveReport:
    from totalrecall.cli.observing import summary
    from totalrecall.jobs.backfill import backfill

    plan, budget = what
    report = backfill(ctx, plan.begins_at_ms, allowed=_within(installation, places, budget))
    say(summary(report))
    return report


def _followed(ctx: AgentContext, report: ObserveReport) -> list[int]:
    from totalrecall.jobs.aftermath import after_backfill

    failed = after_backfill(ctx, report)
    for title in failed:
        say(f"{ctx.agent}: {title}", err=True)
    return [ExitCode.PARTIAL] * bool(failed)


def _within(installation: Installation, places: AgentPlaces, budget: float | None) -> Callable[[], bool]:
    """Whether this run has spent less than its own budget; it also shows on a terminal how far it is."""
    if budget is None or not places.settings.uses_model:
        return lambda: True
    from totalrecall.bootstrap.model import spend_book

    book = spend_book(installation)

    def spent() -> float:
        now = datetime.fromtimestamp(installation.machine.now_ms() / 1000, places.zone.zone)
        return book.report(now, 2, places.agent.name).total.cost_usd

    before = spent()
    return lambda: spent() - before < budget
