"""What ``setup`` says about an agent, and about what can be done next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from totalrecall.cli.output import count
from totalrecall.cli.talk import say

if TYPE_CHECKING:
    from pathlib import Path

    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.setup import SetupReport


def tell_sample(installation: Installation, *, found: bool) -> None:
    """Why the sample agent is used."""
    if not found:
        looked = ", ".join(str(home.state_dir) for home in installation.homes) or "~/.openclaw and its like"
        say(f"No OpenClaw agent was found on this machine (looked at {looked}).")
        say("Everything below is done on a sample agent that comes with Total Recall.\n")
    else:
        say("This is the sample agent that comes with Total Recall; your agents are not touched.\n")


def show(report: SetupReport) -> None:
    """Where the agent stands."""
    say(f"Agent {report.agent}")
    say(f"  engine  {report.engine}: {report.engine_reason}")
    say(f"  notes   {report.notes_path}")
    if report.first is None:
        say("  It was observed before; nothing was changed.")
    else:
        said = f"{count(report.first.messages, 'message')} read, {count(report.first.notes, 'note')} written"
        say(f"  First observation: {said}.")
    if report.last_lines:
        say("")
        for line in report.last_lines:
            say(f"    {line}")
    say("")


def next_steps_sample(installation: Installation, command: str) -> None:
    """How to look around in the sample."""
    env = installation.machine.env
    names = ("OPENCLAW_STATE_DIR", "XDG_STATE_HOME")
    where = " ".join(f"{name}={shlex.quote(env[name])}" for name in names)
    say(f"  To look around in it:   {where} {command} status")
    say("  When OpenClaw is there: run this again.")


def next_steps(report: SetupReport, command: str) -> None:
    """What was said before, and how to note that too."""
    if not report.last_lines and report.first is not None and not report.first.blocked:
        say("  There is no note yet: nothing notable was said within the look-back window.")
    if report.older:
        say(f"  {count(report.older, 'message')} were said before that. To note them too:")
        say(f"    {command} backfill --since all --agent {report.agent}")


def tell_going_on(installation: Installation, command: str) -> None:
    """How to go on noting while there is no service."""
    from totalrecall.service.cron import cron_lines

    say(f"  To go on noting:  {command} service install")
    say("  or add to your crontab (crontab -e):")
    for line in cron_lines(command, installation.machine.env):
        say(f"    {line}")


def tell_startup(places: AgentPlaces, command: str) -> None:
    """How the agent comes to read the notes while the OpenClaw part is not installed."""
    from totalrecall.jobs.setup import startup_lines

    say(f"  So that the agent reads the notes:  {command} openclaw install")
    say(f"  or add to {places.workspace / 'AGENTS.md'}:")
    for line in startup_lines(command, places.memory_dir, places.workspace):
        say(f"    {line}")


def tell_key(places: AgentPlaces, env_file: Path) -> None:
    """How to have a model write the notes, or where its settings have to stand."""
    from totalrecall.config.table import Source

    settings = places.settings
    if not settings.uses_model:
        say(f"  For notes by a language model, put OPENROUTER_API_KEY=… into {env_file}")
        say("  (chmod 600). What it would be sent shows 'totalrecall observe --dry-run'.")
        return
    names = ("LLM_API_KEY", "LLM_BASE_URL", "OPENROUTER_API_KEY")
    shell_only = [name for name in names if settings.origin(name).source is Source.ENVIRONMENT]
    for name in shell_only:
        say(f"  {name} stands in your shell only; cron and the service do not see it.")
    if shell_only:
        say(f"  What they are to see belongs into {env_file} (chmod 600).")
