"""``totalrecall notes --history``: each reflection with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.cli.output import count
from totalrecall.cli.talk import say

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.note_history import Rewrite


def show_history(ctx: AgentContext, limit: int, *, as_json: bool) -> object:
    """The history of the agent's notes for JSON; printed, newest last, unless ``as_json``."""
    from totalrecall.jobs.note_history import left_this_week, note_history

    found, week = note_history(ctx, limit), left_this_week(ctx)
    if not as_json:
        say(f"# {ctx.agent}: {count(len(found), 'reflection')}")
        for one in reversed(found):
            say(_line(one))
        reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(week.items()))
        say(f"left in the last seven days: {reasons or 'nothing'}")
    return {"agent": ctx.agent, "history": found, "left_this_week": week}


def _line(one: Rewrite) -> str:
    if one.status == "refused":
        return (
            f"{one.at:%Y-%m-%d %H:%M}  refused  {one.engine}  {one.words_before:,} words stay: {one.reason}"
        )
    head = f"{one.at:%Y-%m-%d %H:%M}  tr:{one.marker}  {one.status}  {one.engine}"
    said = [f"{one.words_before:,} → {one.words_after:,} words"]
    if one.merged:
        said.append(f"{count(one.merged, 'note')} merged into {one.into}")
    if one.dropped:
        reasons = ", ".join(f"{times:,} {reason}" for reason, times in sorted(one.dropped.items()))
        said.append(f"{sum(one.dropped.values()):,} dropped ({reasons})")
    if one.refused:
        said.append(f"{count(one.refused, 'range')} refused: {one.reason}")
    if one.tokens_in or one.tokens_out:
        price = f", ${one.cost_usd:.4f}" if one.cost_usd is not None else ""
        said.append(f"{one.tokens_in + one.tokens_out:,} tokens{price}")
    if one.undone_at is not None:
        said.append(f"undone {one.undone_at:%Y-%m-%d %H:%M}")
    return f"{head}  {'; '.join(said)}"
