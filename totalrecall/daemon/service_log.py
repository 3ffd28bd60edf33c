"""The service's own log: ``observer-watcher.log`` of an agent's workspace, and stderr."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from totalrecall.bootstrap.machine import AgentPlaces, Installation
from totalrecall.bootstrap.screens import screen_for
from totalrecall.log import Log, LogOptions, configure

NAME = "observer-watcher"


def agent_log(here: Installation, places: AgentPlaces) -> Log:
    """The log for what the service does for an agent."""
    return workspace_log(here, places).bind(agent=places.agent.name)


def workspace_log(here: Installation, places: AgentPlaces) -> Log:
    """The log in an agent's workspace for what concerns the service as a whole."""
    now_ms = here.machine.now_ms
    options = LogOptions(
        screen=screen_for(here, places),
        level=places.settings.log_level,
        folder=places.workspace / "logs",
        stream=sys.stderr,
        now=lambda: datetime.fromtimestamp(now_ms() / 1000, UTC),
    )
    return configure(options).event_log(NAME)


def bare_log() -> Log:
    """Events on stderr alone, while there is no agent."""
    from totalrecall.privacy.screening import Screen

    return configure(LogOptions(screen=Screen().text, stream=sys.stderr)).event_log(NAME)
