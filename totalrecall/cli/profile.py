"""``totalrecall profile``: what is known about the user, shown, corrected and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from totalrecall.cli.invocation import here, interactive, opened
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.profile import ProfileDesk

yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would go.")


@click.group("profile")
def profile_command() -> None:
    """What is known about the user: shown, corrected, forgotten."""


@profile_command.command("show")
@click.option("--relevant", metavar="TASK", default="", help="Only what matters for this task.")
@agent_option
@json_option
def show_command(relevant: str, agent: str | None, as_json: bool) -> int:
    """The profile in sentences; as JSON with --json, and always so with --relevant."""
    from totalrecall.jobs.profile import shown
    from totalrecall.memory.profile.relevant import relevant as part_for
    from totalrecall.memory.profile.summary import questions, summary

    data = shown(_desk(agent))
    if relevant:
        emit_json(part_for(data, relevant))
    elif as_json:
        emit_json(data)
    else:
        for line in [*summary(data), *questions(data, _talks(agent))]:
            say(line)
    return ExitCode.OK


@profile_command.command("set")
@click.argument("field")
@click.argument("value", nargs=-1, required=True)
@agent_option
def set_command(field: str, value: tuple[str, ...], agent: str | None) -> int:
    """Set FIELD (its dotted path, or the last part of it) to VALUE; a list gets one more item."""
    from totalrecall.jobs.profile import set_field

    set_field(_desk(agent), field, " ".join(value))
    say(f"{field} is set.")
    return ExitCode.OK


@dataclass(frozen=True, slots=True)
class _Person:
    """The options of ``profile contact``."""

    name: str
    relationship: str
    alias: str
    notes: str


@profile_command.command("contact")
@click.argument("name")
@click.option("--relationship", default="", help="boss, colleague, client, friend or family.")
@click.option("--alias", default="", help="Another name for them.")
@click.option("--notes", default="", help="How to talk with them, in a sentence.")
@click.option("--which", type=click.IntRange(1), help="Which one, where several have that name.")
@agent_option
def contact_command(which: int | None, agent: str | None, **person: str) -> int:
    """Add a person the user knows, or what is new about them."""
    from totalrecall.jobs.profile import set_contact
    from totalrecall.memory.profile.contacts import Contact

    given = _Person(**person)
    set_contact(_desk(agent), Contact(given.name, given.relationship, given.alias, given.notes), which)
    say(f"{given.name} is in the profile.")
    return ExitCode.OK


@profile_command.command("episode")
@click.argument("summary", nargs=-1, required=True)
@click.option("--outcome", default="", help="How it ended.")
@click.option("--tag", "tags", multiple=True, help="A word to find it by; 'important' keeps it for good.")
@agent_option
def episode_command(summary: tuple[str, ...], outcome: str, tags: tuple[str, ...], agent: str | None) -> int:
    """Note a piece of work of several steps, in one or two sentences."""
    from totalrecall.jobs.profile import add_episode
    from totalrecall.memory.profile.contacts import Episode

    add_episode(_desk(agent), Episode("", " ".join(summary), outcome, tags))
    say("It is in the profile.")
    return ExitCode.OK


@profile_command.command("forget")
@click.argument("text", nargs=-1)
@click.option("--everything", is_flag=True, help="Empty the whole profile.")
@yes_option
@dry_run_option
@agent_option
def forget_command(
    text: tuple[str, ...], everything: bool, yes: bool, dry_run: bool, agent: str | None
) -> int:
    """Take TEXT out of the profile: shows what would go, asks, and changes nothing else."""
    from totalrecall.jobs.profile import forget, forget_everything, found_in

    wanted, desk = " ".join(text), _desk(agent)
    if everything == bool(wanted):
        raise click.UsageError("Give a text to forget, or --everything.")
    if everything:
        return _confirmed("The whole profile will be emptied.", lambda: forget_everything(desk), yes, dry_run)
    found = found_in(desk, wanted)
    if not found:
        say(f"Nothing in the profile holds {wanted!r}.", err=True)
        return ExitCode.OK
    for one in found:
        say(f"{one.path}: {one.shown}")
    return _confirmed("This will be removed.", lambda: forget(desk, wanted), yes, dry_run)


@profile_command.command("conflicts")
@agent_option
@json_option
def conflicts_command(agent: str | None, as_json: bool) -> int:
    """What contradicts what is known, and waits for an answer."""
    from totalrecall.jobs.profile import shown
    from totalrecall.memory.profile.changes import conflicts

    waiting = conflicts(shown(_desk(agent)))
    if as_json:
        emit_json(waiting)
        return ExitCode.OK
    if not waiting:
        say("Nothing contradicts what is known.")
    for one in waiting:
        say(f"{one.get('id')}  {one.get('field')}")
        for name in ("old", "new"):
            said = one.get(f"{name}_said") or {}
            note = f", see: totalrecall why {said['note']!r}" if said.get("note") else ""
            say(f"    {name}: {one.get(name)}  (said {said.get('at') or 'at an unknown time'}{note})")
        say(f"    totalrecall profile accept {one.get('id')}    or    reject {one.get('id')}")
    return ExitCode.OK


@profile_command.command("accept")
@click.argument("number", metavar="ID")
@agent_option
def accept_command(number: str, agent: str | None) -> int:
    """Take the new value of a contradiction."""
    from totalrecall.jobs.profile import settle

    settle(_desk(agent), number, take_new=True)
    say("The new value is in the profile.")
    return ExitCode.OK


@profile_command.command("reject")
@click.argument("number", metavar="ID")
@agent_option
def reject_command(number: str, agent: str | None) -> int:
    """Keep the old value of a contradiction; the new one is not asked about again."""
    from totalrecall.jobs.profile import settle

    settle(_desk(agent), number, take_new=False)
    say("The old value stays.")
    return ExitCode.OK


@profile_command.command("recover")
@click.option("--leave", is_flag=True, help="Go on with the fresh one; the damaged file is kept.")
@agent_option
def recover_command(agent: str | None, leave: bool) -> int:
    """Put back what can still be understood of a damaged profile."""
    from totalrecall.jobs.profile import leave_damaged, recover

    if leave:
        leave_damaged(_desk(agent))
        say("The fresh profile goes on; the damaged file is kept beside it.")
        return ExitCode.OK
    restored = recover(_desk(agent))
    say(f"{restored} value{'' if restored == 1 else 's'} put back.")
    return ExitCode.OK


def _desk(agent: str | None) -> ProfileDesk:
    """The profile of the agent's home; without --agent of the first agent's."""
    import time
    from datetime import datetime

    from totalrecall.bootstrap.agent import profile_of
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.bootstrap.screens import screen_for
    from totalrecall.jobs.profile import ProfileDesk

    installation = here(agent)
    places = places_of(installation, installation.pick(agent)[0])
    now = datetime.fromtimestamp(time.time(), places.zone.zone)
    return ProfileDesk(profile_of(installation, places), screen_for(installation, places), now)


def _talks(agent: str | None) -> int:
    """How many talks the agent has had with the user, as far as they were observed."""
    from totalrecall.bootstrap.machine import places_of
    from totalrecall.jobs.context import OBSERVED_KINDS

    installation = here(agent)
    places = places_of(installation, installation.pick(agent)[0])
    try:
        with opened(installation, places) as ctx:
            return sum(1 for one in ctx.ledger.sessions() if one.kind in OBSERVED_KINDS and one.last_at_ms)
    except TotalRecallError:
        return 0  # the profile can be shown without it


def _confirmed(question: str, work: Callable[[], Any], yes: bool, dry_run: bool) -> int:
    """``work`` done once the user agreed; nothing without a terminal and without --yes."""
    if dry_run:
        say("Nothing was changed (--dry-run).", err=True)
        return ExitCode.OK
    if not yes and not interactive():
        say(f"{question} Nothing was changed: add --yes to do it without being asked.", err=True)
        return ExitCode.USAGE
    if not yes and not click.confirm(question, default=False, err=True):
        say("Nothing was changed.", err=True)
        return ExitCode.OK
    work()
    say("Done.")
    return ExitCode.OK
