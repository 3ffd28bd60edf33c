"""``totalrecall why``: from a note to the messages behind it."""

from __future__ import annotations

import click

from totalrecall.cli.invocation import each_agent, opened
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import say
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
        say("No note of ours holds that text.", err=True)
        say(
            "  Lines written by a person or by another program have no record of where they came from.",
            err=True,
        )
        return ExitCode.OK
    for reason in found:
        note = reason.note
        made = f"{reason.engine} {reason.model}".strip()
        doubt = "" if note.verified else ", not verified"
        say(f"{note.priority} {note.day} {note.time} {note.text}  [{made}{doubt}]")
        for message in reason.messages:
            when = f"{message.at:%Y-%m-%d %H:%M}" if message.at else "no time"
            who = message.role or "?"
            said = message.text or "(the transcript is gone)"
            say(f"    {when} {who}: {said}")
            say(f"      {message.location or message.session_id}")
    return ExitCode.OK
