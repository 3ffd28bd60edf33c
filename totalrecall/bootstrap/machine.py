"""What stands on this machine: homes, agents, settings, and where an agent's things are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.config.load import LoadedSettings, load_settings
from totalrecall.config.settings import Settings
from totalrecall.config.sources import Places
from totalrecall.errors import ConfigError, SourceError
from totalrecall.places.agents import (
    Agent,
    find_agents,
    memory_dir_of,
    overrides_for,
    pick_agent,
    workspace_of,
)
from totalrecall.places.openclaw_home import OpenClawHome, find_homes
from totalrecall.places.own import agent_state_folder, config_folder, state_folder
from totalrecall.places.problem import Problem
from totalrecall.places.stores import DATABASE_NAME
from totalrecall.transcripts.choice import AgentTranscripts
from totalrecall.transcripts.jsonl import JsonlStore
from totalrecall.transcripts.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from totalrecall.config.zone import ResolvedZone


@dataclass(frozen=True, slots=True)
class Machine:
    """What comes from outside.

    Attributes:
        env: the environment.
        home_dir: the home folder.
        now_ms: the clock, milliseconds since 1970 UTC.
        flags: settings given on the command line.
        agent: whom MEMORY_DIR and its neighbours mean.
        retry_wait_s: how long a model that failed is left alone before it is asked again; doubles.
        should_stop: asked often while a model is called; True ends the call at once, and no new one is made.
    """

    env: Mapping[str, str] = field(repr=False)
    home_dir: Path
    now_ms: Callable[[], int]
    flags: Mapping[str, str] = field(default_factory=dict)
    agent: str = "main"
    retry_wait_s: float = 2.0
    should_stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Installation:
    """What stands on this machine: homes, agents, settings. Nothing is opened yet."""

    machine: Machine
    homes: tuple[OpenClawHome, ...]
    agents: tuple[Agent, ...]
    loaded: LoadedSettings
    config_dir: Path
    state_root: Path

    def pick(self, wanted: str | None) -> tuple[Agent, ...]:
        """The agents that a command means: the one asked for, or all.

        Raises:
            ConfigError: no agent of that name; or there is none at all, and where was looked.
        """
        if not self.agents:
            places = ", ".join(str(home.state_dir) for home in self.homes) or "~/.openclaw"
            raise ConfigError(
                f"No OpenClaw agent was found (looked in {places}).",
                "Start OpenClaw once, or set OPENCLAW_STATE_DIR to its state folder. 'totalrecall doctor' "
                "shows every place that was looked at; 'totalrecall setup' tries it on a sample agent.",
            )
        if wanted is None:
            return self.agents
        agent = pick_agent(self.agents, wanted)
        if agent is None:
            names = ", ".join(one.name for one in self.agents)
            raise ConfigError(f"There is no agent {wanted!r}.", f"Known agents: {names}.")
        return (agent,)


@dataclass(frozen=True, slots=True)
class AgentPlaces:
    """Where one agent's things are, its transcripts, and its settings, which its ``.env`` may change."""

    agent: Agent
    workspace: Path
    memory_dir: Path
    state_dir: Path
    loaded: LoadedSettings
    zone_for: Callable[[], ResolvedZone]
    transcripts: AgentTranscripts = field(repr=False)

    @property
    def zone(self) -> ResolvedZone:
        """The time zone, looked up when somebody asks."""
        return self.zone_for()

    @property
    def settings(self) -> Settings:
        """Its settings."""
        return self.loaded.settings

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with its settings and its time zone."""
        return self.loaded.problems + ((self.zone.problem,) if self.zone.problem else ())


def look_around(machine: Machine) -> Installation:
    """What stands on this machine just now. Reads configs, opens no transcript."""
    env, home_dir = machine.env, machine.home_dir
    config_dir = config_folder(env, home_dir)
    homes = find_homes(env, home_dir)
    openclaw = homes[0].config if homes else None
    places = Places(env, home_dir, config_dir, flags=machine.flags, openclaw=openclaw)
    loaded = load_settings(places)
    agents = find_agents(homes, home_dir, loaded.settings.overrides(machine.agent))
    return Installation(machine, homes, agents, loaded, config_dir, state_folder(env, home_dir))


def places_of(here: Installation, agent: Agent) -> AgentPlaces:
    """Where the agent's workspace, memory and state are, with the settings that hold for it."""
    machine = here.machine
    overrides = overrides_for(agent, here.agents, here.loaded.settings.overrides(machine.agent))
    # One object for the look at the headers and for the jobs: it remembers the headers it has read.
    transcripts = transcripts_of(agent, machine.now_ms)
    cwd = "" if overrides and overrides.workspace else _header_cwd(transcripts)
    workspace = workspace_of(agent, machine.home_dir, overrides, cwd)
    places = Places(
        machine.env, machine.home_dir, here.config_dir, workspace, machine.flags, agent.home.config
    )
    loaded = load_settings(places)
    overrides = overrides_for(agent, here.agents, loaded.settings.overrides(machine.agent))
    user_zone = agent.home.config.user_timezone if agent.home.config else ""
    return AgentPlaces(
        agent=agent,
        workspace=workspace,
        memory_dir=memory_dir_of(workspace, overrides),
        state_dir=agent_state_folder(machine.env, machine.home_dir, agent.name),
        loaded=loaded,
        zone_for=cache(lambda: _zone(loaded.settings.timezone, user_zone, machine.env)),
        transcripts=transcripts,
    )


def transcripts_of(agent: Agent, now_ms: Callable[[], int]) -> AgentTranscripts:
    """All transcripts of an agent, files and rows behind one face."""
    files = JsonlStore(agent.agent_id, agent.sessions_dir, now_ms=now_ms)
    database = agent.database or agent.agent_dir / "agent" / DATABASE_NAME
    return AgentTranscripts(files, SqliteStore(agent.agent_id, database, now_ms=now_ms), agent.sessions_dir)


def _zone(setting: str, user_timezone: str, env: Mapping[str, str]) -> ResolvedZone:
    from totalrecall.config.zone import resolve_zone

    return resolve_zone(setting, user_timezone, env)


def _header_cwd(transcripts: AgentTranscripts) -> str:
    """The workspace that the newest session's header names, "" when none does."""
    try:
        sessions = transcripts.sessions()
    except SourceError:
        return ""
    return next((one.cwd for one in reversed(sessions) if one.cwd), "")
