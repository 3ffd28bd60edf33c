"""``totalrecall config``: the settings, and where each comes from."""

from __future__ import annotations

import click

from totalrecall.cli.invocation import here
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json, table
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode


@click.group("config")
def config_command() -> None:
    """Show the settings and where each comes from."""


@config_command.command("show")
@click.option("--origin", is_flag=True, help="Also say where each value comes from.")
@agent_option
@json_option
def show_command(origin: bool, agent: str | None, as_json: bool) -> int:
    """The settings in use, secrets masked. Exits with 78 when a value makes no sense."""
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.config.show import as_json as settings_json
    from totalrecall.config.show import rows

    installation = here(agent)
    loaded = installation.loaded
    if installation.agents:
        wanted = agent or next((one.name for one in installation.agents if one.name == "main"), None)
        picked = installation.pick(wanted or installation.agents[0].name)
        loaded = places_of(installation, picked[0]).loaded
    shown = rows(loaded.settings)
    if as_json:
        problems = [str(one) for one in loaded.problems]
        emit_json({"settings": settings_json(shown), "problems": problems})
    else:
        heads = ["setting", "value", *(["from"] if origin else [])]
        lines = [[one.name, one.value or "-", *([one.place] if origin else [])] for one in shown]
        say(table(lines, heads))
    for problem in loaded.problems:
        say(f"{problem.level}: {problem}", err=True)
    return ExitCode.CONFIG if loaded.errors else ExitCode.OK
