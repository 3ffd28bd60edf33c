"""``totalrecall verify``: every message counted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json, plain
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.verify import Coverage


@click.command("verify")
@agent_option
@json_option
def verify_command(agent: str | None, as_json: bool) -> int:
    """Recount the sources against the ledger: each message is in exactly one state, or this exits with 3."""
    from totalrecall.jobs.verify import verify

    codes: list[int] = []
    results: dict[str, Coverage] = {}
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                coverage = results[ctx.agent] = verify(ctx)
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
            continue
        codes.append(ExitCode.OK if coverage.adds_up else ExitCode.PARTIAL)
        if not as_json:
            _show(places.agent.name, coverage)
    if as_json:
        emit_json({name: {**plain(one), "adds_up": one.adds_up} for name, one in results.items()})
    return worst(codes)


def _show(agent: str, coverage: Coverage) -> None:
    from totalrecall.domain.state import MessageState

    say(f"{agent}: {count(coverage.messages, 'message')} in the transcripts")
    for state in MessageState:
        if number := coverage.states.get(state, 0):
            reasons = ""
            if state is MessageState.SKIPPED:
                parts = sorted(coverage.reasons.items(), key=lambda one: -one[1])
                reasons = "  (" + ", ".join(f"{times:,} {reason}" for reason, times in parts) + ")"
            say(f"  {number:>9,}  {state.value.replace('_', ' ')}{reasons}")
    if coverage.copies:
        say(f"  {coverage.copies:>9,}  further copies of these, each counted once")
    if coverage.gone:
        say(f"  {coverage.gone:>9,}  in the ledger whose transcript is gone")
    for name, reason in coverage.unreadable.items():
        say(f"  session {name} could not be read: {reason}", err=True)
    for marker in coverage.doubled:
        say(f"  block tr:{marker} stands more than once in observations.md", err=True)
    if coverage.unaccounted:
        say(f"  {coverage.unaccounted:>9,}  UNACCOUNTED FOR: please report this", err=True)
    say("  adds up" if coverage.adds_up else "  DOES NOT ADD UP")
