"""``totalrecall setup``."""

from __future__ import annotations

import os
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import ConfigError, TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.setup import SetupReport


@click.command("setup")
@agent_option
@click.option("--sample", is_flag=True, help="The sample agent, even if there are real ones.")
@click.option(
    "--dry-run", is_flag=True, help="Only say which agents there are and where their notes would be."
)
@json_option
def setup_command(agent: str | None, sample: bool, dry_run: bool, as_json: bool) -> int:
    """First steps: find the agents, observe once, show the notes and what to do next.

    Without an OpenClaw agent it tries all of this on a sample agent. Run again, it changes nothing.
    """
    installation = _look(agent)
    sample = sample or not installation.agents
    if sample and not as_json:
        _tell_sample(installation, found=bool(installation.agents))
    if sample and not dry_run:
        installation = _sample(installation)
    elif sample:
        say(f"It would be copied to {_sample_folder(installation)}.")
        return ExitCode.OK
    return _each(installation, None if sample else agent, sample=sample, dry_run=dry_run, as_json=as_json)


def _look(agent: str | None) -> Installation:
    from totalrecall.bootstrap.machine import Machine, look_around
    from totalrecall.places.problem import Level

    installation = look_around(
        Machine(dict(os.environ), Path.home(), lambda: time.time_ns() // 1_000_000, agent=agent or "main")
    )
    wrong = [one for home in installation.homes for one in home.problems if one.level is Level.ERROR]
    if not installation.agents and wrong:
        raise ConfigError(wrong[0].what, wrong[0].remedy)
    return installation


def _each(
    installation: Installation, agent: str | None, *, sample: bool, dry_run: bool, as_json: bool
) -> int:
    from totalrecall.bootstrap.machine import places_of

    codes: list[int] = []
    results: list[object] = []
    for one in installation.pick(agent):
        places = places_of(installation, one)
        try:
            places.loaded.require("OPENROUTER_API_KEY", "TOTALRECALL_ENGINE")
            if dry_run:
                say(f"{one.name}: notes would be in {places.memory_dir / 'observations.md'}")
                continue
            report = _first_steps(installation, places, everything=sample)
        except TotalRecallError as error:
            codes.append(tell(error, one.name))
            results.append({"agent": one.name, "error": error})
            continue
        results.append(report)
        if not as_json:
            _show(report)
            _next_steps(installation, places, report, sample=sample)
        blocked = report.first.blocked if report.first else None
        codes.append(tell(blocked, one.name) if blocked else ExitCode.OK)
    if as_json:
        emit_json(results)
    return worst(codes)


def _first_steps(installation: Installation, places: AgentPlaces, *, everything: bool) -> SetupReport:
    from totalrecall.jobs.setup import set_up

    with opened(installation, places) as ctx:
        return set_up(ctx, everything=everything)


def _sample(installation: Installation) -> Installation:
    """The installation as it would be on a machine whose only agent is the sample.

    Its state is kept beside it, but for money: a sample run with a key counts against the real budget.
    """
    from totalrecall.bootstrap.machine import look_around
    from totalrecall.jobs.setup import place_sample, sample_env, sample_flags

    machine, folder = installation.machine, _sample_folder(installation)
    home = place_sample(folder)
    env = sample_env(machine.env, folder, home)
    seen = look_around(replace(machine, env=env, flags=sample_flags(home), agent="main"))
    return replace(seen, state_root=installation.state_root) if seen.loaded.settings.uses_model else seen


def _sample_folder(installation: Installation) -> Path:
    from totalrecall.jobs.setup import data_folder

    machine = installation.machine
    return data_folder(machine.env, machine.home_dir) / "sample"


def _tell_sample(installation: Installation, *, found: bool) -> None:
    if not found:
        looked = ", ".join(str(home.state_dir) for home in installation.homes) or "~/.openclaw and its like"
        say(f"No OpenClaw agent was found on this machine (looked at {looked}).")
        say("Everything below is done on a sample agent that comes with Total Recall.\n")
    else:
        say("This is the sample agent that comes with Total Recall; your agents are not touched.\n")


def _show(report: SetupReport) -> None:
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


def _next_steps(
    installation: Installation, places: AgentPlaces, report: SetupReport, *, sample: bool
) -> None:
    from totalrecall.jobs.setup import command_path, cron_lines, startup_lines

    machine = installation.machine
    command = command_path(Path(sys.executable), machine.home_dir)
    if sample:
        env = machine.env
        names = ("OPENCLAW_STATE_DIR", "XDG_STATE_HOME")
        where = " ".join(f"{name}={shlex.quote(env[name])}" for name in names)
        say(f"  To look around in it:   {where} {command} status")
        say("  When OpenClaw is there: run this again.")
        _tell_key(installation, places)
        return
    if not report.last_lines and report.first is not None and not report.first.blocked:
        say("  There is no note yet: nothing notable was said within the look-back window.")
    if report.older:
        say(f"  {count(report.older, 'message')} were said before that. To note them too:")
        say(f"    {command} backfill --since all --agent {report.agent}")
    say("  To go on noting, add to your crontab (crontab -e):")
    for line in cron_lines(command, machine.env):
        say(f"    {line}")
    say(f"  So that the agent reads the notes, add to {places.workspace / 'AGENTS.md'}:")
    for line in startup_lines(command, places.memory_dir, places.workspace):
        say(f"    {line}")
    _tell_key(installation, places)


def _tell_key(installation: Installation, places: AgentPlaces) -> None:
    from totalrecall.config.table import Source

    settings, env_file = places.settings, installation.config_dir / ".env"
    if not settings.uses_model:
        say(f"  For notes by a language model, put OPENROUTER_API_KEY=… into {env_file}")
        say("  (chmod 600). What it would be sent shows 'totalrecall observe --dry-run'.")
        return
    names = ("LLM_API_KEY", "LLM_BASE_URL", "OPENROUTER_API_KEY")
    shell_only = [name for name in names if settings.origin(name).source is Source.ENVIRONMENT]
    if shell_only:
        say(f"  {' and '.join(shell_only)} stands in your shell only; cron does not see it.")
        say(f"  Put it into {env_file} (chmod 600).")
