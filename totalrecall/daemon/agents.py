"""Opening an agent for a job or a look, as the machine stands at that moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from totalrecall.bootstrap.agent import open_agent
from totalrecall.bootstrap.machine import (
    AgentPlaces,
    Installation,
    Machine,
    look_around,
    places_of,
    transcripts_of,
)
from totalrecall.daemon.service_log import agent_log, bare_log
from totalrecall.daemon.triggers import Rules
from totalrecall.jobs.context import AgentContext
from totalrecall.log import Log
from totalrecall.transcripts.store import TranscriptStore

# What makes no sense here stops an agent's jobs: its messages wait.
NEEDED = ("OPENROUTER_API_KEY", "TOTALRECALL_ENGINE")


@dataclass(frozen=True, slots=True)
class Found:
    """An agent as it was found last."""

    here: Installation
    places: AgentPlaces
    log: Log
    rules: Rules


class AgentDoor:
    """One agent by its name, opened anew each time: changed settings and paths count from the next job on.

    For one thread. Looks keep what is known of the transcripts between them: they come often.
    """

    def __init__(self, machine: Machine, name: str) -> None:
        self._machine = machine
        self.name = name
        self._found: Found | None = None
        self._transcripts: TranscriptStore | None = None

    def find(self) -> Found:
        """The agent as it stands now.

        Raises:
            ConfigError: it is gone, or its settings make no sense.
        """
        here = look_around(self._machine)
        (agent,) = here.pick(self.name)
        places = places_of(here, agent)
        places.loaded.require(*NEEDED)
        before = self._found
        if before is None or before.places.agent != agent:
            self._transcripts = None
        self._found = Found(here, places, agent_log(here, places), rules_of(places))
        return self._found

    def forget(self) -> None:
        """Have it found anew at the next look: its settings may have changed."""
        self._found = None

    @property
    def found(self) -> Found:
        """The agent as it was found last, found now if it never was. Raises ConfigError as ``find`` does."""
        return self._found or self.find()

    @property
    def log(self) -> Log:
        """Where to say what is done for it; stderr alone as long as it was never found."""
        return self._found.log if self._found else bare_log().bind(agent=self.name)

    @contextmanager
    def for_job(self) -> Iterator[AgentContext]:
        """Everything a job needs, as the machine stands now."""
        found = self.find()
        with open_agent(found.here, found.places) as ctx:
            yield ctx

    @contextmanager
    def for_look(self) -> Iterator[AgentContext]:
        """The same with what was found last, and quick."""
        found = self.found
        if self._transcripts is None:
            self._transcripts = transcripts_of(found.places.agent, self._machine.now_ms)
        with open_agent(found.here, found.places) as ctx:
            yield replace(ctx, transcripts=self._transcripts)


def rules_of(places: AgentPlaces) -> Rules:
    """When the observer runs, by the agent's settings."""
    settings = places.settings
    return Rules(settings.line_threshold, float(settings.cooldown_s), settings.quiet_min * 60.0)
