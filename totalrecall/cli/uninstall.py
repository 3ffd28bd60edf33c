"""``totalrecall setup --uninstall``: everything but the memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.cli.invocation import here, interactive, tell, worst
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.uninstall import Program
    from totalrecall.service.host import ServiceHost


def uninstall(*, ask: bool, dry_run: bool) -> int:
    """Take away the OpenClaw part, the service and the program, in this order; say what is left and where."""
    import click

    from totalrecall.cli.service import service_host
    from totalrecall.jobs.setup import data_folder
    from totalrecall.jobs.uninstall import find_program, remove_program
    from totalrecall.service.host import supervisor_of

    host = service_host()
    data_dir = data_folder(host.env, host.home_dir)
    program = find_program(data_dir, host.home_dir, Path(sys.prefix))
    supervisor = supervisor_of(host)
    if dry_run:
        _would(supervisor.status().path if supervisor.status().installed else None, program)
        return ExitCode.OK
    question = "Remove the service, the OpenClaw part and the program? Notes and settings stay."
    if ask and interactive() and not click.confirm(question, default=False, err=True):
        say("Nothing was removed.")
        return ExitCode.OK
    codes = [_beside_openclaw()]
    left = [*_left(host), *_crontab(host), *_by_hand(program)]
    removed: list[Path] = []
    try:
        removed += supervisor.uninstall().removed
        removed += remove_program(program, data_dir)
    except TotalRecallError as error:
        codes.append(tell(error))
    # From here on nothing may be imported: the environment of this very program is gone.
    _tell(removed, left)
    return worst(codes)


def _tell(removed: list[Path], left: list[str]) -> None:
    say("Removed:" if removed else "Nothing to remove.")
    for path in removed:
        say(f"  {path}")
    for line in left:
        say(line)


def _would(unit: Path | None, program: Program) -> None:
    for path in (*((unit,) if unit else ()), *program.parts):
        say(f"{path} would be removed.")
    say("What of ours stands in OpenClaw's folders shows: totalrecall openclaw uninstall --dry-run")


def _left(host: ServiceHost) -> list[str]:
    """What stays, and how to remove that too."""
    from totalrecall.places.own import config_folder, state_folder

    memories, logs, copies = _of_agents()
    folders = {
        config_folder(host.env, host.home_dir): "settings, and the key if one was stored",
        state_folder(host.env, host.home_dir): "what was read already; a new installation goes on from there",
    }
    there = [path for path in folders if path.exists()]
    lines = [f"  {path}   (the notes)" for path in memories]
    lines += [f"  {path}   ({folders[path]})" for path in there]
    lines += [f"  {path}   (a log: numbers and names)" for path in logs]
    lines += [f"  {path}   (OpenClaw's configuration before a change of ours)" for path in copies]
    if there or logs or copies:
        words = " ".join(_shell(path) for path in [*there, *logs, *copies])
        lines.append(f"To remove all of this but the notes:  rm -r {words}")
    return ["Left as they are:", *lines] if lines else []


def _of_agents() -> tuple[list[Path], list[Path], list[Path]]:
    """The agents' notes, our logs, and the copies of OpenClaw's configuration that were made beside it."""
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.log import LOG_NAMES

    try:
        seen = here()
        places = [places_of(seen, agent) for agent in seen.agents]
    except TotalRecallError:
        return [], [], []
    notes = {one.memory_dir / "observations.md" for one in places}
    folders = {one.workspace / "logs" for one in places}
    logs = {path for folder in folders for name in LOG_NAMES for path in folder.glob(f"{name}.log*")}
    copies = {path for home in seen.homes for path in home.state_dir.glob("*.total-recall-backup-*")}
    return sorted(path for path in notes if path.exists()), sorted(logs), sorted(copies)


def _crontab(host: ServiceHost) -> list[str]:
    """The lines of the user's crontab that call us; they were put there by hand, and go by hand."""
    seen = host.run(["crontab", "-l"])
    lines = [line for line in seen.out.splitlines() if "totalrecall" in line and not line.startswith("#")]
    if not seen.ok or not lines:
        return []
    return ["Take these lines out of your crontab (crontab -e):", *(f"  {line}" for line in lines)]


def _by_hand(program: Program) -> list[str]:
    if program.venv is not None:
        return []
    tool = (
        "pipx uninstall"
        if "pipx" in Path(sys.prefix).parts
        else f"{_shell(Path(sys.executable))} -m pip uninstall"
    )
    return [f"The program itself was installed another way. To remove it:  {tool} total-recall-agent"]


def _beside_openclaw() -> int:
    """Take out hook, skill, config entries and start-up lines; where there is no agent there are none."""
    import click

    from totalrecall.cli.openclaw import uninstall_command

    if not here().agents:
        return ExitCode.OK
    try:
        return int(click.get_current_context().invoke(uninstall_command, yes=True))
    except TotalRecallError as error:
        return tell(error)


def _shell(path: Path) -> str:
    import shlex

    return shlex.quote(os.fspath(path))
