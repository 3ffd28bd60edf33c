"""``totalrecall openclaw``: the hook, the skill, the flush prompt and the start-up lines."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, here, interactive, opened
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.openclaw.changes import Change, Plan
    from totalrecall.openclaw.inspect import HomeInspection
    from totalrecall.openclaw.target import Target

yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
_SIGNS = {"create": "+", "change": "~", "remove": "-"}
_COLOURS = {"+": "green", "-": "red"}


@click.group("openclaw")
def openclaw_command() -> None:
    """Live beside OpenClaw: its hook, its skill, its configuration, and the agent's start-up lines."""


@openclaw_command.command("install")
@agent_option
@yes_option
@dry_run_option
@click.option("--print", "only_print", is_flag=True, help="Print everything for those who do it by hand.")
@click.option("--without-state-section", is_flag=True, help="No rules for SESSION_STATE.md in AGENTS.md.")
@click.option(
    "--openclaw-version", metavar="VERSION", default="", help="The installed OpenClaw, if not found."
)
def install_command(
    agent: str | None, yes: bool, dry_run: bool, only_print: bool, without_state_section: bool,
    openclaw_version: str,
) -> int:  # fmt: skip
    """Install the hook and the skill, and tell OpenClaw and the agent about them.

    Shows what it will change and asks. What it changes is kept beside or in the state folder, and 'uninstall'
    undoes it. Run again, it brings an older installation up to date.
    """
    from totalrecall.openclaw.install import Options, plan_install

    targets = _targets(agent)
    if only_print:
        from totalrecall.cli.openclaw_print import print_all

        for target in targets:
            print_all(target, openclaw_version, state_section=not without_state_section)
        return ExitCode.OK
    options = Options(_stamp(), not without_state_section, openclaw_version)
    plans = [plan_install(target, options) for target in targets]
    code = _carry_out(plans, yes=yes, dry_run=dry_run, done=_tell_installed)
    if code == ExitCode.OK and not dry_run:
        _prepare_views(agent)
    return code


@openclaw_command.command("uninstall")
@agent_option
@yes_option
@dry_run_option
def uninstall_command(agent: str | None, yes: bool, dry_run: bool) -> int:
    """Take out what 'install' put in. What was edited since stays, and is told; the memory is not touched."""
    from totalrecall.openclaw.uninstall import plan_uninstall

    plans = [plan_uninstall(target, _stamp()) for target in _targets(agent)]
    return _carry_out(plans, yes=yes, dry_run=dry_run, done=_tell_uninstalled)


@openclaw_command.command("status")
@agent_option
@json_option
def status_command(agent: str | None, as_json: bool) -> int:
    """How the installation stands. Exits with 3 when something of it is not as it should be."""
    from totalrecall.openclaw.inspect import inspect

    found = [inspect(target) for target in _targets(agent)]
    if as_json:
        emit_json(found)
    else:
        for one in found:
            _show(one)
    return ExitCode.OK if all(one.complete for one in found) else ExitCode.PARTIAL


def _targets(agent: str | None) -> tuple[Target, ...]:
    from totalrecall.bootstrap.openclaw import openclaw_targets

    return openclaw_targets(here(agent), agent)


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S")


def _carry_out(plans: list[Plan], *, yes: bool, dry_run: bool, done: Callable[[list[Plan]], None]) -> int:
    from totalrecall.openclaw.changes import carry_out

    for plan in plans:
        _show_plan(plan)
    if not any(plan.changes for plan in plans):
        say("Nothing is to be changed.")
        if not dry_run:
            for plan in plans:
                carry_out(plan)
        return ExitCode.OK
    if dry_run:
        say("Nothing was changed: this is what would be.", err=True)
        return ExitCode.OK
    if not yes and not interactive():
        say("Nothing was changed: say --yes, or run it at a terminal.", err=True)
        return ExitCode.USAGE
    if not yes and not click.confirm("Make these changes?", err=True):
        say("Nothing was changed.", err=True)
        return ExitCode.OK
    failed = [said for plan in plans for said in carry_out(plan)]
    for said in failed:
        say(said, err=True)
    done(plans)
    return ExitCode.PARTIAL if failed else ExitCode.OK


def _prepare_views(agent: str | None) -> None:
    """What the hook hands over lies ready at once; an agent that cannot be opened is told by its next run."""
    from totalrecall.jobs.context_view import prepare

    for installation, places in each_agent(agent):
        with contextlib.suppress(TotalRecallError), opened(installation, places) as ctx:
            prepare(ctx)


def _show_plan(plan: Plan) -> None:
    say(f"OpenClaw home {plan.home}")
    for change in plan.changes:
        say(f"  {_SIGNS[change.verb]} {change.verb} {change.path} ({change.what})")
        for line in change.diff():
            say("      " + paint(line, _COLOURS[line[0]]) if line[:1] in _COLOURS else f"      {line}")
        if change.backup is not None:
            say(f"    the old one is kept as {change.backup}")
    for note in plan.notes:
        say(f"  ! {note}")
    for text in plan.by_hand:
        say("  To do by hand: " + text.replace("\n", "\n    "))


def _tell_installed(plans: list[Plan]) -> None:
    changes = [change for plan in plans for change in plan.changes]
    say(f"Installed: {count(len(changes), 'file')} written.")
    if _concerns_gateway(changes):
        say("OpenClaw reads hooks when its gateway starts: run 'openclaw gateway restart' now.")
    say("The flush prompt and the skill are taken up by a running gateway by itself.")


def _tell_uninstalled(plans: list[Plan]) -> None:
    changes = [change for plan in plans for change in plan.changes]
    say(f"Taken out: {count(len(changes), 'file')} changed or removed. The memory files are as they were.")
    if _concerns_gateway(changes):
        say("Run 'openclaw gateway restart', so that the hook is forgotten.")


def _concerns_gateway(changes: list[Change]) -> bool:
    return any(change.path.name in {"HOOK.md", "handler.js"} or change.shown for change in changes)


def _show(found: HomeInspection) -> None:
    host = found.host
    version = f"OpenClaw {host.version}" if host.version else "OpenClaw of an unknown version"
    kept = {"files": "session files", "rows": "SQLite", "unknown": "unknown"}[host.era]
    say(f"{found.home}: {version} (transcripts: {kept}{f'; told by {host.source}' if host.source else ''})")
    for part in found.parts:
        fine = part.state == "fine"
        colour = "green" if fine else "red" if part.state == "broken" else "yellow"
        whose = f" of {part.agent}" if part.agent else ""
        say(f"  {paint(part.state.ljust(8), colour)}  {part.name}{whose}  {part.path}")
        if part.what:
            say(f"            {part.what} {part.remedy}".rstrip())
