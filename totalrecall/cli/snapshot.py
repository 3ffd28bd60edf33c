"""``totalrecall snapshot``: the state of the task, saved and found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from totalrecall.cli.options import json_option
from totalrecall.cli.output import count, emit_json, plain
from totalrecall.cli.snapshot_input import picture_from_json, picture_from_options
from totalrecall.cli.talk import say
from totalrecall.cli.which_agent import one_agent
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.snapshot import Phase

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.snapshot import SnapshotOutcome
    from totalrecall.jobs.snapshot_status import SnapshotStatus
    from totalrecall.memory.snapshots import StoredSnapshot

_AGENT_HELP = "This agent; without it, the one in whose workspace you are, or main."
one_agent_option = click.option("--agent", metavar="NAME", help=_AGENT_HELP)
own_agent_option = click.option("--agent", "own_agent", metavar="NAME", help=_AGENT_HELP)
SEARCH_ORDER = (
    "BIG-MEMORY-SNAPSHOT",
    "SNAPSHOT Active Goal Next Steps",
    "the date and 'task snapshot'",
    "the project's name, 'decided', 'working on'",
    "MEMORY.md",
)


@click.group("snapshot", invoke_without_command=True)
@one_agent_option
@click.pass_context
def snapshot_command(context: click.Context, agent: str | None) -> int:
    """Save the state of the task before it is forgotten, and find it again. Without a word: status."""
    context.obj = agent
    if context.invoked_subcommand is not None:
        return ExitCode.OK
    return _status(agent, as_json=False)


@snapshot_command.command("save")
@click.option("--goal", metavar="TEXT", help="One sentence, with the why.")
@click.option("--phase", type=click.Choice([str(one) for one in Phase]))
@click.option("--branch", metavar="NAME")
@click.option("--blocked", metavar="WHAT", help="What keeps the work from going on.")
@click.option("--progress", metavar="TEXT", help="A percentage or a milestone.")
@click.option("--file", "files", metavar="PATH=WHAT", multiple=True, help="A file, and what happens there.")
@click.option("--decision", "decisions", metavar="'TEXT -- WHY'", multiple=True)
@click.option("--code", metavar="TEXT", help="What cannot be read back from a file; under 50 lines.")
@click.option("--name", "names", metavar="'LABEL: VALUE'", multiple=True, help="Env vars: the name only.")
@click.option("--blocker", "blockers", metavar="TEXT", multiple=True)
@click.option("--question", "questions", metavar="TEXT", multiple=True)
@click.option("--next", "next_steps", metavar="TEXT", multiple=True, help="A next step; in order.")
@click.option("--json", "source", metavar="FILE", help="All of it as JSON from a file, or - for stdin.")
@click.option("--dry-run", is_flag=True, help="Show it, write nothing.")
@own_agent_option
@click.pass_obj
def save_command(
    agent: str | None, /, source: str | None, own_agent: str | None, *, dry_run: bool, **given: Any
) -> int:
    """Append a snapshot to today's daily log: of what the options say, else of the newest talk."""
    from totalrecall.jobs.snapshot import snapshot_now, snapshot_of

    picture = picture_from_options(given)
    if source is not None:
        if picture is not None:
            raise click.UsageError("--json holds all of it; leave the other options out.")
        with click.open_file(source, encoding="utf-8", errors="replace") as file:
            picture = picture_from_json(file.read())
    with one_agent(own_agent or agent) as ctx:
        if picture is not None:
            outcome = snapshot_of(ctx, picture, dry_run=dry_run)
        else:
            outcome = snapshot_now(ctx, dry_run=dry_run)
        return _tell_saved(ctx, outcome, dry_run=dry_run)


@snapshot_command.command("recall")
@click.option("--full", is_flag=True, help="Everything that it holds.")
@click.option("--nth", default=1, show_default=True, type=click.IntRange(1), help="2: the one before.")
@json_option
@own_agent_option
@click.pass_obj
def recall_command(agent: str | None, nth: int, own_agent: str | None, *, full: bool, as_json: bool) -> int:
    """Show the newest snapshot of all daily logs: goal, phase, files, next steps."""
    from totalrecall.memory.snapshots import newest_snapshots, unreadable_logs

    with one_agent(own_agent or agent) as ctx:
        found = newest_snapshots(ctx.memory_dir, nth, zone=ctx.zone)
        for path in unreadable_logs(ctx.memory_dir):
            say(f"{path} cannot be read, and was passed by.", err=True)
        one = found[nth - 1] if len(found) >= nth else None
        if as_json:
            emit_json(None if one is None else _as_json(one))
        if one is None:
            _tell_nothing(ctx, len(found), nth)
        elif not as_json:
            _show(one, full=full)
    return ExitCode.OK


@snapshot_command.command("status")
@json_option
@own_agent_option
@click.pass_obj
def status_command(agent: str | None, own_agent: str | None, *, as_json: bool) -> int:
    """Today's snapshots, the newest, and whether the task has moved on since."""
    return _status(own_agent or agent, as_json=as_json)


def _status(agent: str | None, *, as_json: bool) -> int:
    from totalrecall.jobs.snapshot_status import snapshot_status

    with one_agent(agent) as ctx:
        found = snapshot_status(ctx)
    if as_json:
        newest = None if found.newest is None else _as_json(found.newest)
        emit_json({**plain(found), "newest": newest})
        return ExitCode.OK
    _show_status(found)
    return ExitCode.OK


def _tell_saved(ctx: AgentContext, outcome: SnapshotOutcome, *, dry_run: bool) -> int:
    from totalrecall.domain.snapshot import Snapshot
    from totalrecall.memory.snapshot_format import render_snapshot

    if outcome.fallback:
        say(f"No model answered, so the rules did it. {outcome.fallback}", err=True)
    if outcome.picture is None:
        say("Nothing to keep: the newest talk has no file, tool call, decision or open step in it.")
        say("Say it yourself: totalrecall snapshot save --goal '…' --next '…'", err=True)
    elif outcome.stored is None or dry_run:
        say(render_snapshot(Snapshot("not-saved", ctx.now(), outcome.picture)).strip("\n"))
    else:
        say(f"Snapshot saved to memory/{outcome.stored.path.name}")
    return ExitCode.OK


def _tell_nothing(ctx: AgentContext, there: int, nth: int) -> None:
    if there:
        say(f"Number {nth} was asked for; there is no more than {count(there, 'snapshot')}.", err=True)
        return
    say(f"No task snapshot found. Looked through the daily logs in {ctx.memory_dir}.", err=True)
    say("What else may help, in this order: a memory search for", err=True)
    for number, what in enumerate(SEARCH_ORDER, 1):
        say(f"  {number}. {what}", err=True)
    say("Then ask for a brief reminder of the task, and save a snapshot: totalrecall snapshot save", err=True)


def _show(one: StoredSnapshot, *, full: bool) -> None:
    from totalrecall.memory.snapshot_texts import ASK_BACK, full_lines, short_lines, taken_at

    snapshot = one.snapshot
    say(f"Restoring task state from snapshot taken at {taken_at(snapshot)} ({one.path.name}:{one.line})")
    for line in full_lines(snapshot.picture) if full else short_lines(snapshot.picture):
        say(line)
    say(ASK_BACK, err=True)


def _as_json(one: StoredSnapshot) -> dict[str, Any]:
    snapshot = one.snapshot
    return {
        "snapshot_id": snapshot.snapshot_id,
        "timestamp": snapshot.taken.isoformat(),
        "path": str(one.path),
        "line": one.line,
        **plain(snapshot.picture),
    }


def _show_status(found: SnapshotStatus) -> None:
    from totalrecall.memory.snapshot_texts import taken_at

    say(f"{count(found.today, 'snapshot')} today, {found.total} in all ({found.memory_dir})")
    if found.newest is not None:
        picture = found.newest.snapshot.picture
        say(f"Newest: {taken_at(found.newest.snapshot)}  {picture.goal or 'no goal'}")
    for path in found.unreadable:
        say(f"{path} cannot be read, and was passed by.", err=True)
    if found.moved_on:
        say(f"The task has moved on: {'; '.join(found.reasons)}.")
        say("Suggestion: totalrecall snapshot save")
    elif found.newest is None:
        say("Nothing to save yet: the talk holds no file, tool call, decision or open step.")
    else:
        say("The task has not moved on since.")
        say("Suggestion: totalrecall snapshot recall")
