"""``observe --dry-run``: byte for byte what would be sent, and what it would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.cli.talk import say
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.preview import Preview


def preview(ctx: AgentContext, session: str, *, as_json: bool) -> object:
    """Show the requests of the next run; nothing is sent and nothing written."""
    from totalrecall.jobs.preview import previews

    shown: list[Preview] = []
    try:
        for one in previews(ctx, session):
            shown.append(one)
            if not as_json:
                _show(one)
    except TotalRecallError as error:
        say(f"{ctx.agent}: {error.title} {error.hint}", err=True)
    if not as_json:
        _total(ctx.agent, shown)
    return {"agent": ctx.agent, "requests": shown}


def _show(one: Preview) -> None:
    where = one.url or "the built-in engine: nothing leaves this machine"
    say(f"# session {one.session_id}: {one.messages} messages to {where}", err=True)
    say(one.body)


def _total(agent: str, shown: list[Preview]) -> None:
    if not shown:
        say(f"{agent}: nothing new, nothing would be sent.", err=True)
        return
    if not shown[0].url:
        say(f"{agent}: {len(shown)} batches for the built-in engine, free of charge.", err=True)
        return
    tokens = sum(one.tokens_in for one in shown)
    costs = [one.cost_usd for one in shown]
    price = "price unknown" if None in costs else f"at most ${sum(one or 0 for one in costs):.4f}"
    say(f"{agent}: {len(shown)} requests, about {tokens:,} tokens in, {price}.", err=True)
