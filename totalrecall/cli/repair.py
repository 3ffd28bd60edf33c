"""``totalrecall repair``: how to go on when the ledger or the notes are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, interactive, tell, worst
from totalrecall.cli.options import agent_option
from totalrecall.cli.output import count
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation

_WORDS = {
    "backup": "restore the newest backup, brought up to date by the mirror: nothing read twice",
    "mirror": "rebuild from the mirror: nothing read twice, but 'why' knows nothing of older notes",
    "start_over": "start over: the notes stay, and the look-back window may be noted again",
    "accept_notes": "go on with the notes as they are now: what was removed from them stays removed",
}


@click.command("repair")
@click.option(
    "--way",
    type=click.Choice(["backup", "mirror", "start-over", "accept-notes"]),
    help="Take this way without asking.",
)
@agent_option
def repair_command(way: str | None, agent: str | None) -> int:
    """Show what is wrong with the ledger or the notes and the ways to go on; nothing is ever deleted."""
    codes: list[int] = []
    for installation, places in each_agent(agent):
        try:
            codes.append(_repair(installation, places, way.replace("-", "_") if way else None))
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    return worst(codes)


def _repair(installation: Installation, places: AgentPlaces, way: str | None) -> int:
    from totalrecall.bootstrap.agent import open_agent
    from totalrecall.jobs.context import mirror_of
    from totalrecall.ledger.health import LedgerHealth, diagnose
    from totalrecall.ledger.rebuild import Way, choices, repair
    from totalrecall.memory.observations import markers_in

    name = places.agent.name
    mirror = mirror_of(places.memory_dir, name)
    path = places.memory_dir / "observations.md"
    text = path.read_text("utf-8", "replace") if path.exists() else ""
    health = diagnose(places.state_dir, mirror, notes_exist=bool(markers_in(text)), thorough=True)
    if health in {LedgerHealth.OK, LedgerHealth.FRESH}:
        if health is LedgerHealth.FRESH:
            say(f"{name}: nothing to repair.")
            return ExitCode.OK
        with open_agent(installation, places) as ctx:
            known = ctx.ledger.notes()
            if not known or text.strip("\ufeff \t\r\n\0"):
                say(f"{name}: nothing to repair.")
                return ExitCode.OK
            say(f"{name}: {path} is gone or empty; the ledger knows {count(len(known), 'note')}.")
            if _chosen(["accept_notes"], way) is None:
                return ExitCode.PARTIAL
            ctx.ledger.mark_removed([one.note_id for one in known], ctx.now_ms())
            say(f"{name}: going on with an empty log.")
            return ExitCode.OK
    say(f"{name}: the ledger is {health.value.replace('_', ' ')}.")
    ways = [one.way.value for one in choices(places.state_dir, mirror)]
    chosen = _chosen(ways, way)
    if chosen is None:
        return ExitCode.PARTIAL
    done = repair(places.state_dir, mirror, Way(chosen), now_ms=installation.machine.now_ms())
    aside = f" The old file is {done.aside}." if done.aside else ""
    say(f"{name}: done by {chosen}; {count(done.sessions, 'session')} known.{aside}")
    return ExitCode.OK


def _chosen(ways: list[str], way: str | None) -> str | None:
    for number, one in enumerate(ways, 1):
        say(f"  {number}. {_WORDS[one]}  (--way {one.replace('_', '-')})")
    if way is not None:
        if way not in ways:
            raise click.UsageError(f"That way is not open here; open are: {', '.join(ways)}.")
        return way
    if not interactive():
        say("Choose one with --way.", err=True)
        return None
    answer = click.prompt("Which way (0: none)", type=click.IntRange(0, len(ways)), default=0, err=True)
    return ways[answer - 1] if answer else None
