"""``totalrecall why``: from a note to the messages behind it."""

from __future__ import annotations

import click

from totalrecall.cli.invocation import agent_option, each_agent, json_option, opened
from totalrecall.cli.output import emit_json
from totalrecall.domain.outcome import ExitCode


@click.command("why")
@click.argument("text", nargs=-1, required=True)
@agent_option
@json_option
def why_command(text: tuple[str, ...], agent: str | None, as_json: bool) -> int:
    """Show the messages that the notes holding TEXT were made from. A line of the file may be pasted."""
    from totalrecall.jobs.why import Reason, why

    found: list[Reason] = []
    for installation, places in each_agent(agent):
        with opened(installation, places) as ctx:
            found += why(ctx, " ".join(text))
    if as_json:
        emit_json(found)
        return ExitCode.OK
    if not found:
        click.echo("No note of ours holds that text.", err=True)
        click.echo(
            "  Lines written by a person or by another program have no record of where they came from.",
            err=True,
        )
        return ExitCode.OK
    for reason in found:
        note = reason.note
        made = f"{reason.engine} {reason.model}".strip()
        doubt = "" if note.verified else ", not verified"
        click.echo(f"{note.priority} {note.day} {note.time} {note.text}  [{made}{doubt}]")
        for message in reason.messages:
            when = f"{message.at:%Y-%m-%d %H:%M}" if message.at else "no time"
            who = message.role or "?"
            said = message.text or "(the transcript is gone)"
            click.echo(f"    {when} {who}: {said}")
            click.echo(f"      {message.location or message.session_id}")
    return ExitCode.OK
