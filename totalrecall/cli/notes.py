"""``totalrecall notes``: what is remembered, set aside, left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext


@click.command("notes")
@agent_option
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many, newest last."
)
@click.option(
    "--set-aside", "view", flag_value="set_aside", help="Batches that the model fails on every time, and why."
)
@click.option("--retry", is_flag=True, help="With --set-aside: make their messages pending again.")
@click.option("--dropped", "view", flag_value="dropped", help="Lines of answers that were left out, and why.")
@click.option(
    "--unverified",
    "view",
    flag_value="unverified",
    help="Only notes whose details occur in no message they cite.",
)
@click.option("--history", "view", flag_value="history", help="Each reflection with its numbers.")
@json_option
def notes_command(agent: str | None, limit: int, view: str | None, retry: bool, as_json: bool) -> int:
    """Show the notes as they stand in the file."""
    if retry and view != "set_aside":
        raise click.UsageError("--retry goes with --set-aside.")
    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                if view == "set_aside":
                    results.append(_set_aside(ctx, limit, retry=retry, as_json=as_json))
                else:
                    show = {"dropped": _dropped, "unverified": _unverified, "history": _history}
                    results.append(show.get(view or "", _in_file)(ctx, limit, as_json=as_json))
            codes.append(ExitCode.OK)
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    if as_json:
        emit_json(results)
    return worst(codes)


def _in_file(ctx: AgentContext, limit: int, *, as_json: bool) -> object:
    from totalrecall.memory.observations import notes_in, parse, render_note

    # Blocks stand in the order of their commit: a backfill comes late.
    every = sorted(notes_in(parse(ctx.notes.read())), key=lambda one: (one[2].day, one[2].time))
    found = every[-limit:]
    if not as_json:
        say(f"# {ctx.agent}: {ctx.notes.path}")
        day = None
        for _, _, note in found:
            if note.day != day:
                day = note.day
                say(f"{day}")
            say(render_note(note))
    return {
        "agent": ctx.agent,
        "path": ctx.notes.path,
        "notes": [{"line": line, "marker": place.marker, "note": note} for line, place, note in found],
    }


def _unverified(ctx: AgentContext, limit: int, *, as_json: bool) -> object:
    found = [one for one in ctx.ledger.notes() if not one.verified][:limit]
    if not as_json:
        say(f"# {ctx.agent}: {count(len(found), 'unverified note')}")
        for one in reversed(found):
            say(f"{one.priority} {one.day} {one.time} {one.text}")
    return {"agent": ctx.agent, "unverified": found}


def _dropped(ctx: AgentContext, limit: int, *, as_json: bool) -> object:
    found = ctx.ledger.dropped(limit)
    if not as_json:
        say(f"# {ctx.agent}: {count(len(found), 'line')} left out")
        for one in reversed(found):
            say(f"{one.reason:>8}  {' '.join(one.text.split())[:200]}")
    return {"agent": ctx.agent, "dropped": found}


def _history(ctx: AgentContext, limit: int, *, as_json: bool) -> object:
    from totalrecall.cli.note_history import show_history

    return show_history(ctx, limit, as_json=as_json)


def _set_aside(ctx: AgentContext, limit: int, *, retry: bool, as_json: bool) -> object:
    from totalrecall.files.lock import hold
    from totalrecall.ledger.rows import BatchStatus

    found = [one for one in ctx.ledger.batches(10_000) if one.status is BatchStatus.SET_ASIDE][:limit]
    if not as_json:
        say(f"# {ctx.agent}: {count(len(found), 'batch')} set aside")
        for one in reversed(found):
            say(f"tr:{one.marker}  {one.session.session_id}  {one.error}")
    released = 0
    if retry and found:
        with hold(ctx.state_dir / "job.lock", wait_s=5.0):
            released = len(ctx.ledger.release_set_aside([one.marker for one in found]))
        say(f"{count(released, 'entry')} pending again; the next 'totalrecall observe' tries them.", err=True)
    return {
        "agent": ctx.agent,
        "released": released,
        "set_aside": [
            {"marker": one.marker, "session": one.session.session_id, "why": one.error} for one in found
        ],
    }
