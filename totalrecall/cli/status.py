"""``totalrecall status``: one screen."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import ago, count, emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.status import AgentStatus, Trouble
    from totalrecall.places.problem import Problem

_COLOURS = {"green": "green", "yellow": "yellow", "red": "red"}


@click.command("status")
@agent_option
@json_option
def status_command(agent: str | None, as_json: bool) -> int:
    """How far each agent is observed, and what is wrong. Exits with 3 unless all is green."""
    from totalrecall.jobs.status import Health, status

    codes: list[int] = []
    found: list[AgentStatus] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                troubles = (*troubles_of(places.problems), *_model_troubles(installation, places))
                one = status(ctx, troubles)
                now_ms = ctx.now_ms()
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name) or ExitCode.PARTIAL)
            continue
        found.append(one)
        codes.append(ExitCode.OK if one.health is Health.GREEN else ExitCode.PARTIAL)
        if not as_json:
            _show(one, now_ms)
            _show_spend(installation, places)
    if as_json:
        from totalrecall.cli.output import plain

        emit_json([{**plain(one), "health": one.health} for one in found])
    return worst(codes)


def troubles_of(problems: tuple[Problem, ...]) -> tuple[Trouble, ...]:
    """Settings and files that are not in use, as troubles."""
    from totalrecall.jobs.status import Health, Trouble
    from totalrecall.places.problem import Level

    errors = [one for one in problems if one.level is Level.ERROR]
    return tuple(Trouble(Health.YELLOW, one.what, one.remedy) for one in errors)


def _model_troubles(installation: Installation, places: AgentPlaces) -> list[Trouble]:
    """What is known about key, models and ceilings without a call."""
    if not places.settings.uses_model:
        return []
    from totalrecall.bootstrap.model import model_chain, spend_book
    from totalrecall.jobs.status import Health, Trouble
    from totalrecall.llm.findings import model_findings

    try:
        settings = model_chain(installation, places).settings
    except TotalRecallError as error:
        return [Trouble(Health.RED, error.title, error.hint)]
    now = _now(installation, places)
    found = model_findings(settings, spend_book(installation).pauses(), now)
    troubles = [Trouble(Health.RED, one.text) for one in found if one.broken]
    report = spend_book(installation).report(now)
    for used, limit, what in (
        (report.today_usd, settings.limits.usd_day, "today"),
        (report.month_usd, settings.limits.usd_month, "this month"),
    ):
        if used >= limit > 0:
            said = f"The budget of {what} is used up (${used:.4f} of ${limit:.2f}): the queue waits."
            troubles.append(Trouble(Health.YELLOW, said, "It goes on by itself when the next one begins."))
    return troubles


def _show_spend(installation: Installation, places: AgentPlaces) -> None:
    if not places.settings.uses_model:
        return
    from totalrecall.bootstrap.model import spend_book

    report, settings = spend_book(installation).report(_now(installation, places)), places.settings
    say(
        f"    spend         ${report.today_usd:.4f} of ${settings.budget_usd_day:.2f} today, "
        f"${report.month_usd:.4f} of ${settings.budget_usd_month:.2f} this month (all agents)"
    )


def _now(installation: Installation, places: AgentPlaces) -> datetime:
    return datetime.fromtimestamp(installation.machine.now_ms() / 1000, places.zone.zone)


def _show(one: AgentStatus, now_ms: int) -> None:
    light = paint("●", _COLOURS[one.health])
    say(f"{light} {one.agent}  {one.health}  ({one.workspace})")
    waiting = f"{one.pending:,}{'+' if one.pending_more else ''}"
    run = one.last_ok.get("observe")
    say(f"    transcripts   {count(one.sessions, 'session')}, newest change {ago(one.newest_ms, now_ms)}")
    say(f"    observed      to a message {ago(one.noted_to_ms, now_ms)}; {waiting} pending")
    say(f"    last run      {ago(run.ended_ms if run else None, now_ms)}")
    say(f"    notes         {count(one.notes, 'note')}, {count(one.words, 'word')}")
    say(f"    engine        {one.engine}: {one.engine_reason}")
    states = ", ".join(f"{n:,} {state.value.replace('_', ' ')}" for state, n in sorted(one.states.items()))
    say(f"    messages      {states or 'none yet'}")
    if one.unverified or one.dropped:
        say(f"    judged        {one.unverified:,} notes not verified, {one.dropped:,} lines left out")
    if one.bad_records:
        say(f"    unreadable    {count(one.bad_records, 'record')} passed by")
    if one.unknown_types:
        types = ", ".join(f"{name} ×{times}" for name, times in sorted(one.unknown_types.items()))
        say(f"    unknown types {types}")
    for trouble in one.troubles:
        say(f"    {paint('!', _COLOURS[trouble.health])} {trouble.what}")
        if trouble.remedy:
            say(f"      {trouble.remedy}")
