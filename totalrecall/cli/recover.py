"""``totalrecall recover``: for the agent's start-up instruction and for cron."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import BusyError, TotalRecallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.observe import ObserveReport


@click.command("recover")
@agent_option
@json_option
def recover_command(agent: str | None, as_json: bool) -> int:
    """Finish sessions that ended before they were observed, and say in one line what was done.

    Where the model does not answer within 20 seconds, provisional notes by the built-in engine stand in until
    it does. With nothing to do it takes less than two seconds.
    """
    from totalrecall.jobs.recover import MODEL_S

    ends_s = time.monotonic() + MODEL_S
    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        name = places.agent.name
        try:
            report = _recovered(installation, places, lambda: time.monotonic() >= ends_s)
        except BusyError as error:
            # The service is doing it just now: for the agent that starts up this is good news.
            results.append({"agent": name, "error": error})
            if not as_json:
                say(f"{name}: the observer is at work just now; nothing to recover.")
            codes.append(ExitCode.BUSY)
            continue
        except TotalRecallError as error:
            results.append({"agent": name, "error": error})
            codes.append(tell(error, name))
            continue
        results.append(report)
        if not as_json:
            say(f"{name}: {_line(report)}")
        codes.append(_code(report))
    if as_json:
        emit_json(results)
    return worst(codes)


def _recovered(
    installation: Installation, places: AgentPlaces, time_is_up: Callable[[], bool]
) -> ObserveReport:
    from totalrecall.jobs.recover import recover

    hurried = replace(installation, machine=replace(installation.machine, should_stop=time_is_up))
    with opened(hurried, places) as ctx:
        report = recover(ctx, time_is_up=time_is_up)
        if not report.idle or report.boundaries:
            from totalrecall.jobs.aftermath import after_observe

            # Under the same deadline: whoever starts up does not wait for what is only tidied.
            after_observe(ctx, report, hurried=True)
    return report


def _code(report: ObserveReport) -> int:
    if report.blocked is not None:
        return tell(report.blocked, report.agent)
    return ExitCode.PARTIAL if report.unreadable or report.set_aside or report.out_of_time else ExitCode.OK


def _line(report: ObserveReport) -> str:
    """What was done, in one line."""
    said = []
    if report.messages:
        said.append(f"recovered {count(report.messages, 'message')} into {count(report.notes, 'note')}")
    if report.set_aside:
        said.append(f"{count(report.set_aside, 'message')} set aside")
    if report.blocked is not None:
        said.append(_waiting(report))
    elif report.out_of_time:
        said.append("time was up, the rest is left to the next run")
    if report.unreadable:
        said.append(f"{count(len(report.unreadable), 'session')} could not be read")
    return "; ".join(said or [f"nothing to recover ({count(report.sessions, 'session')} checked)"]) + "."


def _waiting(report: ObserveReport) -> str:
    if report.provisional:
        verb = "stands" if report.provisional == 1 else "stand"
        return f"{count(report.provisional, 'provisional note')} {verb} in until the model answers"
    return "unread messages wait until the model answers"
