"""What the commands share: the machine they run on, the agents they mean, and running a job for each."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.context import AgentContext


def here(agent: str | None = None) -> Installation:
    """This machine as it stands, with the settings that hold for ``--agent`` or main."""
    from totalrecall.bootstrap.machine import Machine, look_around

    machine = Machine(
        env=dict(os.environ), home_dir=Path.home(), now_ms=lambda: time.time_ns() // 1_000_000,
        agent=agent or "main",
    )  # fmt: skip
    return look_around(machine)


@contextmanager
def opened(installation: Installation, places: AgentPlaces) -> Iterator[AgentContext]:
    """The agent's context, for as long as the job runs."""
    from totalrecall.bootstrap.agent import open_agent

    with open_agent(installation, places) as context:
        yield context


def each_agent(wanted: str | None) -> Iterator[tuple[Installation, AgentPlaces]]:
    """The agents that the command means, one after the other, with their settings checked."""
    from totalrecall.bootstrap.machine import places_of

    installation = here(wanted)
    for agent in installation.pick(wanted):
        yield installation, places_of(installation, agent)


def tell(error: TotalRecallError, agent: str = "") -> ExitCode:
    """Say on stderr what happened and what to do; the exit code it stands for."""
    from totalrecall.cli.output import error_lines

    for line in error_lines(error, agent):
        say(line, err=True)
    return ExitCode(error.exit_code)


def worst(codes: list[int]) -> int:
    """The exit code of several agents' runs: the first that is not 0; 3 when they differ in kind."""
    bad = sorted({code for code in codes if code})
    if not bad:
        return ExitCode.OK
    return bad[0] if len(bad) == 1 and len(bad) == len({*codes}) else ExitCode.PARTIAL


def interactive() -> bool:
    """Whether a person sits at both ends: only then is a question asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
