"""The one agent that a command means, where its answer is one document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.cli.invocation import here, opened
from totalrecall.errors import ConfigError

if TYPE_CHECKING:
    from totalrecall.bootstrap.machine import AgentPlaces, Installation
    from totalrecall.jobs.context import AgentContext


@contextmanager
def one_agent(wanted: str | None) -> Iterator[AgentContext]:
    """The agent of ``--agent``, else the one in whose workspace we are, else the only one, else main.

    Raises:
        ConfigError: several agents, and none of these.
    """
    installation, places = _find(wanted)
    with opened(installation, places) as context:
        yield context


def _find(wanted: str | None) -> tuple[Installation, AgentPlaces]:
    from totalrecall.bootstrap.machine import places_of

    installation = here(wanted)
    found = [(installation, places_of(installation, one)) for one in installation.pick(wanted)]
    if len(found) == 1:
        return found[0]
    cwd = Path.cwd()
    around = [one for one in found if cwd.is_relative_to(one[1].workspace.resolve())]
    if around:
        return max(around, key=lambda one: len(one[1].workspace.parts))
    main = next((one for one in found if one[1].agent.name == "main"), None)
    if main is None:
        names = ", ".join(places.agent.name for _, places in found)
        raise ConfigError("Several agents are here.", f"Say which one with --agent: {names}.")
    return main
