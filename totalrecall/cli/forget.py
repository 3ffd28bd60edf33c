"""``totalrecall forget``: found everywhere, shown, and removed once confirmed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, interactive, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import ConfigError, TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.forget.find import Findings

SHOWN = 40


@click.command("forget")
@click.argument("text", nargs=-1)
@click.option(
    "--session", metavar="ID", default="", help="All that was made from these sessions: id, key, glob."
)
@click.option("--everything", is_flag=True, help="All that Total Recall remembers.")
@click.option("--yes", count=True, help="Do not ask; with --everything give it twice.")
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@agent_option
@json_option
def forget_command(
    text: tuple[str, ...],
    session: str,
    everything: bool,
    yes: int,
    dry_run: bool,
    agent: str | None,
    as_json: bool,
) -> int:
    """Remove TEXT from notes, archive, backups, daily logs, snapshots, states, profile, MEMORY.md and ledger.

    It is not learnt again from what was said until now. What is out of reach is named.
    """
    phrase = " ".join(text)
    if bool(phrase) + bool(session) + everything != 1:
        raise click.UsageError("Give a text, or --session, or --everything.")
    if everything:
        return _everything(agent, yes, dry_run=dry_run)
    with ExitStack() as stack:
        found, codes = _find(stack, agent, phrase, session)
        if as_json:
            emit_json([one for _, one in found])
        else:
            _show([one for _, one in found], phrase or session)
        pieces = sum(len(one.pieces) for _, one in found)
        if dry_run or (codes and not found) or not _agreed(pieces, yes, phrase or session, found):
            return worst(codes)
        return worst([*codes, *_remove(found)])


def _find(
    stack: ExitStack, agent: str | None, phrase: str, session: str
) -> tuple[list[tuple[AgentContext, Findings]], list[int]]:
    """What every agent that is meant remembers of it. A session need only be known to one of them."""
    from totalrecall.jobs.forget.find import find, phrase_target, session_target

    found: list[tuple[AgentContext, Findings]] = []
    codes: list[int] = []
    unknown: list[TotalRecallError] = []
    for installation, places in each_agent(agent):
        try:
            ctx = stack.enter_context(opened(installation, places))
            target = phrase_target(phrase) if phrase else session_target(ctx, session)
            found.append((ctx, find(ctx, target)))
        except ConfigError as error:
            unknown.append(error)
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    if unknown and not found:
        codes.append(tell(unknown[0]))
    return found, codes


def _show(found: list[Findings], wanted: str) -> None:
    shown: set[tuple[str, int]] = set()
    for one in found:
        for piece in one.pieces:
            if (piece.where, piece.line) in shown or len(shown) >= SHOWN:
                continue
            shown.add((piece.where, piece.line))
            say(f"{piece.where}{f':{piece.line}' if piece.line else ''}: {piece.text}")
    total = sum(len(one.pieces) for one in found)
    if total > len(shown):
        say(f"{count(total, 'place')} in all; --json shows every one.", err=True)
    if not total:
        say(f"Nothing of ours remembers {wanted!r}.", err=True)
    beyond = dict.fromkeys(line for one in found for line in one.out_of_reach)
    if beyond:
        say("Out of reach:", err=True)
    for line in beyond:
        say(f"  {line}", err=True)


def _agreed(pieces: int, yes: int, wanted: str, found: list[tuple[AgentContext, Findings]]) -> bool:
    if not found:
        return False
    question = (
        f"Remove these {pieces:,} places?"
        if pieces
        else f"Keep {wanted!r} from being learnt from what was said until now?"
    )
    if yes:
        return True
    if not interactive():
        say("Nothing was changed: add --yes to do it without being asked.", err=True)
        return False
    return click.confirm(question, default=False, err=True)


def _remove(found: list[tuple[AgentContext, Findings]]) -> list[int]:
    from totalrecall.jobs.forget.remove import forget

    codes: list[int] = []
    for ctx, one in found:
        try:
            forget(ctx, one.target)
            say(f"{ctx.agent}: forgotten ({count(len(one.pieces), 'place')}).")
        except TotalRecallError as error:
            codes.append(tell(error, ctx.agent))
    return codes


def _everything(agent: str | None, yes: int, *, dry_run: bool) -> int:
    from totalrecall.jobs.forget.everything import forget_everything, what_would_go

    codes: list[int] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                for line in what_would_go(ctx):
                    say(line)
                if dry_run:
                    continue
                if not _agreed_twice(ctx.agent, yes):
                    codes.append(ExitCode.OK if interactive() else ExitCode.USAGE)
                    continue
                forget_everything(ctx)
                say(f"{ctx.agent}: everything is forgotten.")
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    return worst(codes)


def _agreed_twice(agent: str, yes: int) -> bool:
    """Asked twice, or --yes given twice."""
    if yes >= 2:
        return True
    if not interactive():
        say("Nothing was changed: --yes --yes does it without being asked.", err=True)
        return False
    first = click.confirm(f"Forget everything about {agent}?", default=False, err=True)
    return first and click.confirm("This cannot be undone. Really everything?", default=False, err=True)
