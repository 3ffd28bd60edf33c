"""What ``setup`` offers when the notes are there, and what it says where nobody takes the offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.cli import setup_steps as steps
from totalrecall.cli.invocation import interactive, tell
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.cli.setup import Wishes
    from totalrecall.jobs.setup import SetupReport
    from totalrecall.service.status import ServiceStatus


def offers(
    installation: Installation,
    seen: Installation,
    done: list[tuple[AgentPlaces, SetupReport]],
    wishes: Wishes,
    *,
    sample: bool,
) -> list[int]:
    """Install what is wished, ask about the rest where somebody can answer, and say how to do it otherwise.

    ``seen`` is the installation that was observed: the sample's, or ``installation`` itself.
    """
    from totalrecall.cli.service import service_host
    from totalrecall.service.cron import command_path

    host = service_host()
    command = command_path(host.executable, host.home_dir)
    asks = interactive() and not sample
    code, runs = service_offer(wishes, asks=asks)
    codes = [code]
    beside_code, beside = openclaw_offer(installation, wishes, asks=asks)
    codes.append(beside_code)
    for places, report in done:
        if sample:
            steps.next_steps_sample(seen, command)
        else:
            steps.next_steps(report, command)
            if not beside:
                steps.tell_startup(places, command)
        steps.tell_key(places, installation.config_dir / ".env")
    if done and not sample and not runs:
        steps.tell_going_on(installation, command)
    return codes


def service_offer(wishes: Wishes, *, asks: bool) -> tuple[int, bool]:
    """The service, installed where that is wished; exit code, and whether it runs."""
    import click

    from totalrecall.cli.service import install, service_host
    from totalrecall.service.host import supervisor_of
    from totalrecall.service.status import ServiceKind

    host = service_host()
    supervisor = supervisor_of(host)
    status = supervisor.status()
    wanted = wishes.service if wishes.service is not None else wishes.yes
    if wishes.service is None and status.active and not status.outdated:
        say(f"  service {status.detail}")
        return ExitCode.OK, True
    if wishes.service is None and not wanted and asks and status.kind is not ServiceKind.NONE:
        wanted = click.confirm(_question(status), default=True, err=True)
    if not wanted:
        return ExitCode.OK, status.active
    try:
        code = install(host, supervisor, linger=False)
    except TotalRecallError as error:
        return tell(error), False
    return code, code == ExitCode.OK


def _question(status: ServiceStatus) -> str:
    if not status.installed:
        return "Install the service, so that notes are taken in the background?"
    return f"{status.detail} Install it anew?"


def openclaw_offer(installation: Installation, wishes: Wishes, *, asks: bool) -> tuple[int, bool]:
    """The OpenClaw part, installed where that is wished; exit code, and whether it stands."""
    del installation, wishes, asks
    return ExitCode.OK, False
