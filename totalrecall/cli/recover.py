"""``totalrecall recover``: for the agent's start-up instruction and for cron."""

from __future__ import annotations

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import BusyError, TotalRecallError


@click.command("recover")
@agent_option
@json_option
def recover_command(agent: str | None, as_json: bool) -> int:
    """Finish sessions that ended before they were observed, and say in one line what was done.

    Where the model does not answer, provisional notes by the built-in engine stand in until it does.
    """
    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        name = places.agent.name
        try:
            with opened(installation, places) as ctx:
                from totalrecall.jobs.recover import recover

                report = recover(ctx)
        except BusyError:
            # The service is doing it just now: for the agent that starts up this is good news.
            if not as_json:
                say(f"{name}: the observer is at work just now; nothing to recover.")
            codes.append(ExitCode.BUSY)
            continue
        except TotalRecallError as error:
            codes.append(tell(error, name))
            continue
        results.append(report)
        if not as_json:
            say(f"{name}: {_line(report.messages, report.notes, report.provisional, report.sessions)}")
        codes.append(tell(report.blocked, name) if report.blocked else ExitCode.OK)
    if as_json:
        emit_json(results)
    return worst(codes)


def _line(messages: int, notes: int, provisional: int, sessions: int) -> str:
    if not messages and not provisional:
        return f"nothing to recover ({count(sessions, 'session')} checked)."
    if provisional:
        return f"recovered {count(messages, 'message')}; {count(provisional, 'provisional note')} stand in."
    return f"recovered {count(messages, 'message')} into {count(notes, 'note')}."
