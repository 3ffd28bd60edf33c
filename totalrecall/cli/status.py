"""``totalrecall status``: one screen."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.cli.status_screen import Shown
    from totalrecall.jobs.health import Trouble
    from totalrecall.jobs.status import AgentStatus, Around
    from totalrecall.places.problem import Problem

_FROM_THE_TOP = "\x1b[H\x1b[2J"


@click.command("status")
@agent_option
@json_option
@click.option("--watch", is_flag=True, help="Show it again and again, until Ctrl-C.")
@click.option(
    "--every", "every_s", type=click.FloatRange(0.5, 3600), default=5.0, metavar="SECONDS",
    help="With --watch: how often (5).",
)  # fmt: skip
def status_command(*, agent: str | None, as_json: bool, watch: bool, every_s: float) -> int:
    """How far each agent is observed, and what is wrong. Exits with 3 unless all is green."""
    if not watch:
        return _once(agent, as_json=as_json)
    if as_json:
        raise click.UsageError("--watch and --json do not go together.")
    try:
        while True:
            if sys.stdout is not None and sys.stdout.isatty():
                sys.stdout.write(_FROM_THE_TOP)
            _once(agent, as_json=False)
            say(f"\n{time.strftime('%H:%M:%S')}  every {every_s:g} s, Ctrl-C ends it\n")
            time.sleep(every_s)
    except KeyboardInterrupt:
        return ExitCode.OK


def _once(agent: str | None, *, as_json: bool) -> int:
    from totalrecall.cli.status_screen import lines_of, lines_of_error
    from totalrecall.jobs.health import Health

    codes: list[int] = []
    found: list[object] = []
    for installation, places in each_agent(agent):
        try:
            shown = _status(installation, places)
        except TotalRecallError as error:
            codes.append(error.exit_code or ExitCode.PARTIAL)
            found.append(_unknown(places, error))
            if not as_json:
                say("\n".join(lines_of_error(places.agent.name, str(places.workspace), error)))
            continue
        found.append(_plain(shown.status))
        codes.append(ExitCode.OK if shown.status.health is Health.GREEN else ExitCode.PARTIAL)
        if not as_json:
            say("\n".join(lines_of(shown)))
    if as_json:
        emit_json(found)
    return worst(codes)


def _plain(found: AgentStatus) -> dict[str, object]:
    from totalrecall.cli.output import plain

    return {**plain(found), "health": found.health, "behind_ms": found.behind_ms}


def _unknown(places: AgentPlaces, error: TotalRecallError) -> dict[str, object]:
    """What a program that watches us gets of an agent whose books cannot be opened: red as well, and why."""
    from totalrecall.jobs.health import Health, Trouble

    return {
        "agent": places.agent.name,
        "workspace": str(places.workspace),
        "health": Health.RED,
        "troubles": [Trouble(Health.RED, error.title, error.hint)],
        "error": error,
    }


def _status(installation: Installation, places: AgentPlaces) -> Shown:
    from totalrecall.cli.status_screen import Shown
    from totalrecall.jobs.status import status

    around = surroundings(installation, places, tuple(_model_troubles(installation, places)))
    with opened(installation, places) as ctx:
        return Shown(status(ctx, around), _spend(installation, places), ctx.now_ms())


def surroundings(installation: Installation, places: AgentPlaces, known: tuple[Trouble, ...] = ()) -> Around:
    """What stands around the agent: the service, what was written lately, settings that are not in use."""
    from totalrecall import __version__
    from totalrecall.files.service_state import look_at_service
    from totalrecall.jobs.status import Around

    return Around(
        troubles=(*troubles_of((*places.problems, *places.agent.home.problems)), *known),
        service=look_at_service(installation.state_root),
        version=__version__,
        agent_dir=places.agent.agent_dir,
        database=places.agent.database,
    )


def troubles_of(problems: tuple[Problem, ...]) -> tuple[Trouble, ...]:
    """Settings and files that are not in use, as troubles."""
    from totalrecall.jobs.health import Health, Trouble
    from totalrecall.places.problem import Level

    errors = [one for one in problems if one.level is Level.ERROR]
    return tuple(Trouble(Health.YELLOW, str(replace(one, remedy="")), one.remedy) for one in errors)


def _model_troubles(installation: Installation, places: AgentPlaces) -> list[Trouble]:
    """What is known about key, models and ceilings without a call."""
    if not places.settings.uses_model:
        return []
    from totalrecall.bootstrap.model import model_chain, spend_book
    from totalrecall.jobs.health import Health, Trouble
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


def _spend(installation: Installation, places: AgentPlaces) -> str:
    if not places.settings.uses_model:
        return ""
    from totalrecall.bootstrap.model import spend_book

    report, settings = spend_book(installation).report(_now(installation, places)), places.settings
    return (
        f"${report.today_usd:.4f} of ${settings.budget_usd_day:.2f} today, "
        f"${report.month_usd:.4f} of ${settings.budget_usd_month:.2f} this month (all agents)"
    )


def _now(installation: Installation, places: AgentPlaces) -> datetime:
    return datetime.fromtimestamp(installation.machine.now_ms() / 1000, places.zone.zone)
