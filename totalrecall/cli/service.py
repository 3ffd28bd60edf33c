"""``totalrecall service``: install, uninstall, status."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import interactive, tell
from totalrecall.cli.options import json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import ConfigError

if TYPE_CHECKING:
    from totalrecall.service.host import ServiceHost, Supervisor
    from totalrecall.service.status import ServiceStatus


@click.group("service")
def service_command() -> None:
    """Run in the background, from boot on: as a systemd user unit, or a launchd agent on macOS."""


@service_command.command("install")
@click.option("--linger", is_flag=True, help="Also let your services run without a login (systemd).")
@click.option("--print", "print_file", is_flag=True, help="Only print the unit or plist.")
@click.option("--cron-lines", is_flag=True, help="Only print lines for crontab, for doing without a service.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written and started.")
def install_command(*, linger: bool, print_file: bool, cron_lines: bool, dry_run: bool) -> int:
    """Install or renew the service, and start it.

    Returns when it is ready. Run again after every upgrade of the program.
    """
    from totalrecall.service.host import supervisor_of

    host = service_host()
    if cron_lines:
        say_cron_lines(host)
        return ExitCode.OK
    supervisor = supervisor_of(host)
    if print_file:
        say(supervisor.render().rstrip("\n"))
        return ExitCode.OK
    if dry_run:
        return _would(host, supervisor.status())
    return install(host, supervisor, linger=linger)


@service_command.command("uninstall")
@click.option("--dry-run", is_flag=True, help="Only say what would be stopped and removed.")
def uninstall_command(*, dry_run: bool) -> int:
    """Stop the service and take it away. Notes, settings and state stay; commands go on working."""
    from totalrecall.service.host import supervisor_of

    supervisor = supervisor_of(service_host())
    if dry_run:
        found = supervisor.status()
        say(f"{found.path} would be stopped and removed." if found.installed else "There is no service.")
        return ExitCode.OK
    done = supervisor.uninstall()
    for path in done.removed:
        say(f"Removed {path}")
    if not done.removed:
        say("There was no service to remove.")
    for path in done.left:
        say(f"Left {path}, which is yours.")
    return ExitCode.OK


@service_command.command("status")
@json_option
def status_command(*, as_json: bool) -> int:
    """Whether the service is installed and runs. Exits with 3 when something is to be done."""
    from totalrecall.service.host import supervisor_of

    found = supervisor_of(service_host()).status()
    if as_json:
        emit_json(found)
    else:
        _show(found)
    return ExitCode.PARTIAL if found.remedy else ExitCode.OK


def service_host() -> ServiceHost:
    """This machine, for its service manager."""
    from totalrecall.service.host import ServiceHost

    return ServiceHost.here(
        dict(os.environ),
        Path.home(),
        platform=sys.platform,
        executable=Path(sys.executable),
        uid=os.getuid(),
    )


def install(host: ServiceHost, supervisor: Supervisor, *, linger: bool) -> int:
    """Install, and say how it went; where nobody runs services, the lines for cron instead (exit 78)."""
    from totalrecall.service.status import ServiceKind

    found = supervisor.status()
    if found.kind is ServiceKind.NONE:
        return _cron_instead(host, found)
    done = supervisor.install()
    say(f"{'Installed' if done.changed else 'Already installed:'} {done.path}")
    status = _linger(host, supervisor, done.status, wanted=linger)
    _show(status)
    _tell_left_behind(host)
    return ExitCode.OK if status.active else ExitCode.PARTIAL


def say_cron_lines(host: ServiceHost) -> None:
    """The lines on stdout, what to do with them on stderr."""
    from totalrecall.service.cron import command_path, cron_lines

    say("Put these lines into your crontab (crontab -e):", err=True)
    for line in cron_lines(command_path(host.executable, host.home_dir), host.env):
        say(line)


def _linger(
    host: ServiceHost, supervisor: Supervisor, status: ServiceStatus, *, wanted: bool
) -> ServiceStatus:
    """The status after the user was asked to let his services run without a login; never done unasked."""
    from totalrecall.service.systemd import LINGER_COMMAND, enable_linger

    if status.linger is not False:
        return status
    if not wanted and interactive():
        say(
            "Without 'linger' your services stop when you log out and do not start at boot. "
            f"'{LINGER_COMMAND}' changes that for your user.",
            err=True,
        )
        wanted = click.confirm("Run it now?", default=True, err=True)
    if not wanted:
        return status
    if trouble := enable_linger(host):
        say(f"{paint('warning:', 'yellow')} {LINGER_COMMAND} failed: {trouble}", err=True)
    return supervisor.status()


def _tell_left_behind(host: ServiceHost) -> None:
    """What stands in this shell and the service does not see."""
    from totalrecall.config.table import SETTINGS
    from totalrecall.places.own import config_folder
    from totalrecall.service.plan import left_out, shell_only

    warning = paint("warning:", "yellow")
    if names := shell_only(host.env, [one.name for one in SETTINGS]):
        where = config_folder(host.env, host.home_dir) / ".env"
        say(f"{warning} {', '.join(names)}: set in this shell only; the service does not see it.", err=True)
        say(f"  Put it into {where} (chmod 600).", err=True)
    for name in left_out(host.env):
        say(f"{warning} {name} holds a password and is not copied into the unit.", err=True)
        say("  To give it to the service: systemctl --user edit total-recall", err=True)


def _cron_instead(host: ServiceHost, found: ServiceStatus) -> int:
    code = tell(ConfigError(found.detail, "cron can do the work instead."))
    say_cron_lines(host)
    return code


def _would(host: ServiceHost, found: ServiceStatus) -> int:
    from totalrecall.service.status import ServiceKind

    if found.kind is ServiceKind.NONE:
        return _cron_instead(host, found)
    if not found.installed:
        say(f"{found.path} would be written, and the service started.")
    elif found.outdated:
        say(f"{found.path} would be written anew, and the service started again.")
    else:
        say(f"{found.path} stands as it should; the service would be started again.")
    return ExitCode.OK


def _show(found: ServiceStatus) -> None:
    yes_no = {True: "yes", False: "no"}
    say(paint(found.detail, "yellow" if found.remedy else "green"))
    if found.remedy:
        say(f"  {found.remedy}")
    facts = [("installed", found.installed), ("enabled", found.enabled), ("active", found.active)]
    if found.linger is not None:
        facts.append(("linger", found.linger))
    say(f"  {found.kind}: " + ", ".join(f"{name} {yes_no[value]}" for name, value in facts))
    if found.path is not None and found.installed:
        say(f"  {found.path}")
