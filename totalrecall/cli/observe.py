"""``totalrecall observe`` and ``totalrecall flush``."""

from __future__ import annotations

import click

from totalrecall.cli.observing import run_observe
from totalrecall.cli.options import agent_option, json_option, session_option


@click.command("observe")
@agent_option
@session_option
@click.option("--flush", is_flag=True, help="The agent is about to compact: do not wait for a slow model.")
@click.option(
    "--dry-run", is_flag=True, help="Show what would be sent, byte for byte, and what it would cost."
)
@json_option
def observe_command(agent: str | None, session: str, flush: bool, dry_run: bool, as_json: bool) -> int:
    """Note what is new in the transcripts, from where the last run stopped."""
    return run_observe(agent, session, flush=flush, dry_run=dry_run, as_json=as_json)


@click.command("flush")
@agent_option
@session_option
@json_option
def flush_command(agent: str | None, session: str, as_json: bool) -> int:
    """The same as observe --flush: notes now, by the built-in engine if the model does not answer."""
    return run_observe(agent, session, flush=True, dry_run=False, as_json=as_json)
