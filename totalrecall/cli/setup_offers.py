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
    from totalrecall.service.host import ServiceHost
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
    code, settled = service_offer(host, wishes, asks=asks)
    beside_code, beside = openclaw_offer(installation, wishes, asks=asks)
    for places, report in done:
        if sample:
            steps.next_steps_sample(seen, command)
        else:
            steps.next_steps(report, command)
            if not beside:
                steps.tell_startup(places, command)
        steps.tell_key(places, installation.config_dir / ".env")
    if done and not sample and not settled:
        steps.tell_going_on(installation, command)
    return [code, beside_code]


def service_offer(host: ServiceHost, wishes: Wishes, *, asks: bool) -> tuple[int, bool]:
    """The service, installed where that is wished; exit code, and whether nothing is left to say about it."""
    import click

    from totalrecall.cli.service import install
    from totalrecall.service.host import supervisor_of
    from totalrecall.service.status import ServiceKind

    supervisor = supervisor_of(host)
    status = supervisor.status()
    wanted = wishes.service if wishes.service is not None else wishes.yes
    if wishes.service is None and status.active and not status.outdated:
        say(f"  service {status.detail}")
        return ExitCode.OK, True
    if wishes.service is None and status.kind is ServiceKind.NONE:
        # Nobody runs services here, and nobody asked for one by name: the lines for cron are shown.
        return ExitCode.OK, False
    if wishes.service is None and not wanted and asks:
        wanted = click.confirm(_question(status), default=True, err=True)
    if not wanted:
        return ExitCode.OK, status.active
    try:
        return install(host, supervisor, linger=False), True
    except TotalRecallError as error:
        return tell(error), True


def _question(status: ServiceStatus) -> str:
    if not status.installed:
        return "Install the service, so that notes are taken in the background?"
    return f"{status.detail} Install it anew?"


def openclaw_offer(installation: Installation, wishes: Wishes, *, asks: bool) -> tuple[int, bool]:
    """The OpenClaw part, installed where that is wished; exit code, and whether it stands.

    On a terminal its own command shows what it would change, and asks.
    """
    import click

    from totalrecall.cli.openclaw import install_command

    wanted = wishes.openclaw if wishes.openclaw is not None else wishes.yes
    if not installation.agents:
        return ExitCode.OK, False
    if _stands_beside(installation, wishes.agent):
        say("  OpenClaw: hook, skill and start-up lines are in place.")
        return ExitCode.OK, True
    if not wanted and (wishes.openclaw is False or not asks):
        return ExitCode.OK, False
    try:
        code = int(click.get_current_context().invoke(install_command, agent=wishes.agent, yes=wanted))
    except TotalRecallError as error:
        return tell(error), False
    return code, _stands_beside(installation, wishes.agent)


def _stands_beside(installation: Installation, agent: str | None) -> bool:
    """Nothing is left that installing would put in; what a person switched off or edited is theirs."""
    from totalrecall.bootstrap.openclaw import openclaw_targets
    from totalrecall.openclaw.inspect import PartState, inspect

    missing = {PartState.ABSENT, PartState.OUTDATED, PartState.BROKEN}
    try:
        found = [inspect(target) for target in openclaw_targets(installation, agent)]
    except TotalRecallError:
        return False
    # The context file is made by the first observation that finds notes.
    parts = [part for one in found for part in one.parts if part.name not in {"context", "other skill"}]
    return bool(found) and all(part.state not in missing for part in parts)
