"""``totalrecall setup``."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from totalrecall.cli import setup_steps as steps
from totalrecall.cli.invocation import opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import ConfigError, TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.setup import SetupReport


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line says; ``service`` and ``openclaw`` None when it does not."""

    agent: str | None
    sample: bool
    yes: bool
    service: bool | None
    openclaw: bool | None
    key_stdin: bool
    key_env: bool
    uninstall: bool
    dry_run: bool
    as_json: bool

    @property
    def installs(self) -> bool:
        """Whether more is asked for than a look and a first observation."""
        return self.yes or bool(self.service or self.openclaw or self.key_stdin or self.key_env)


@click.command("setup")
@agent_option
@click.option("--sample", is_flag=True, help="The sample agent, even if there are real ones.")
@click.option("--yes", is_flag=True, help="Ask nothing; install the service and the OpenClaw part.")
@click.option("--service/--no-service", default=None, help="Install the service, or do not ask about it.")
@click.option("--openclaw/--no-openclaw", default=None, help="The same for hook, skill and start-up line.")
@click.option("--key-stdin", is_flag=True, help="Read the model's key from stdin, check it and keep it.")
@click.option("--key-env", is_flag=True, help="The same with the key that stands in the environment.")
@click.option("--uninstall", is_flag=True, help="Take all of it away again, but for the memory.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@json_option
def setup_command(**given: Any) -> int:
    """First steps: find the agents, observe once, show the notes, and offer what is missing.

    On a terminal it asks for the model's key, and whether to install the service and the OpenClaw part.
    Without one it asks nothing and installs only what the options name. Run again, it changes nothing that
    is as it should be. Without an OpenClaw agent it tries all of this on a sample agent.
    """
    wishes = Wishes(**given)
    if wishes.as_json and (wishes.installs or wishes.uninstall):
        raise click.UsageError("--json only reports; it goes with no option that installs or removes.")
    if wishes.uninstall:
        from totalrecall.cli.uninstall import uninstall

        return uninstall(ask=not wishes.yes, dry_run=wishes.dry_run)
    installation = _look(wishes.agent)
    codes = []
    if not wishes.dry_run:
        from totalrecall.cli.setup_key import key_step

        code, stored = key_step(installation, from_stdin=wishes.key_stdin, from_env=wishes.key_env)
        codes.append(code)
        installation = _look(wishes.agent) if stored else installation
    codes += _first(installation, wishes)
    return worst([code for code in codes if code != ExitCode.OK])


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


def _first(installation: Installation, wishes: Wishes) -> list[int]:
    """The first observation of each agent, and the offers; their exit codes."""
    sample = wishes.sample or not installation.agents
    if sample and not wishes.as_json:
        steps.tell_sample(installation, found=bool(installation.agents))
    if sample and wishes.dry_run:
        say(f"It would be copied to {_sample_folder(installation)}.")
        return [ExitCode.OK]
    seen = _sample(installation) if sample else installation
    done, codes = _each(seen, None if sample else wishes.agent, wishes, sample=sample)
    if wishes.as_json or wishes.dry_run:
        return [worst(codes)]
    from totalrecall.cli.setup_offers import offers

    return [worst(codes), *offers(installation, seen, done, wishes, sample=sample)]


def _each(
    installation: Installation, agent: str | None, wishes: Wishes, *, sample: bool
) -> tuple[list[tuple[AgentPlaces, SetupReport]], list[int]]:
    from totalrecall.bootstrap.machine import places_of

    codes: list[int] = []
    results: list[object] = []
    done: list[tuple[AgentPlaces, SetupReport]] = []
    for one in installation.pick(agent):
        places = places_of(installation, one)
        try:
            places.loaded.require("OPENROUTER_API_KEY", "TOTALRECALL_ENGINE")
            if wishes.dry_run:
                say(f"{one.name}: notes would be in {places.memory_dir / 'observations.md'}")
                continue
            report = _first_steps(installation, places, everything=sample)
        except TotalRecallError as error:
            codes.append(tell(error, one.name))
            results.append({"agent": one.name, "error": error})
            continue
        results.append(report)
        done.append((places, report))
        if not wishes.as_json:
            steps.show(report)
        blocked = report.first.blocked if report.first else None
        codes.append(tell(blocked, one.name) if blocked else ExitCode.OK)
    if wishes.as_json:
        emit_json(results)
    return done, codes


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
