"""``totalrecall spend``: what the model has cost."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import here
from totalrecall.cli.options import json_option
from totalrecall.cli.output import emit_json, plain, table
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from totalrecall.config.settings import Settings
    from totalrecall.domain.spend import SpendReport, SpendRow

BAR_CHARS = 30


@click.command("spend")
@click.option("--days", default=30, show_default=True, help="How many days back.")
@click.option("--agent", default="", metavar="NAME", help="Only this agent; without it, all together.")
@json_option
def spend_command(days: int, agent: str, as_json: bool) -> int:
    """What the model has cost, by day, job, model and session, against the ceilings."""
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.bootstrap.model import spend_book

    installation = here(agent or None)
    zone = places_of(installation, installation.agents[0]).zone.zone if installation.agents else None
    now = datetime.fromtimestamp(installation.machine.now_ms() / 1000, zone).astimezone(zone)
    report = spend_book(installation).report(now, days, agent)
    settings = installation.loaded.settings
    if as_json:
        ceilings = {"usd_day": settings.budget_usd_day, "usd_month": settings.budget_usd_month}
        emit_json({**plain(report), "ceilings": ceilings})
        return ExitCode.OK
    _show(report, settings)
    return ExitCode.OK


def _show(report: SpendReport, settings: Settings) -> None:
    say(f"today       ${report.today_usd:.4f} of ${settings.budget_usd_day:.2f}")
    say(f"this month  ${report.month_usd:.4f} of ${settings.budget_usd_month:.2f}")
    say(f"at this rate a month costs ${report.projected_month_usd:.4f}")
    if report.open_calls:
        say(f"{report.open_calls} calls run just now or were cut; their worst case counts.")
    if report.total.unpriced_calls:
        say(f"{report.total.unpriced_calls} calls have no known price and are not in these sums.")
    if not report.total.calls:
        say("No model was called.")
        return
    top = max((row.cost_usd for row in report.by_day), default=0.0) or 1.0
    say("")
    for row in report.by_day:
        bar = "█" * round(BAR_CHARS * row.cost_usd / top)
        say(f"{row.name}  ${row.cost_usd:.4f}  {row.calls:>4} calls  {bar}")
    for title, rows in (("job", report.by_job), ("model", report.by_model), ("session", report.by_session)):
        say("")
        say(table(_lines(rows), [title, "calls", "tokens in", "tokens out", "usd"]))


def _lines(rows: Sequence[SpendRow]) -> list[list[str]]:
    return [
        [row.name, str(row.calls), f"{row.tokens_in:,}", f"{row.tokens_out:,}", f"{row.cost_usd:.4f}"]
        for row in rows
    ]
