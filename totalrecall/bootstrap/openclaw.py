"""What an installation beside OpenClaw works on, found on this machine."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from totalrecall.bootstrap.machine import AgentPlaces, Installation, places_of
from totalrecall.openclaw.host import installed_version
from totalrecall.openclaw.target import Target, TargetAgent
from totalrecall.places.agents import stores_of
from totalrecall.service.cron import command_path
from totalrecall.service.plan import LOCATING

# Folders that a gateway's PATH holds when it runs as a service.
USUAL_FOLDERS = ("/usr/local/bin", "/usr/bin", "/opt/homebrew/bin")


def openclaw_targets(here: Installation, wanted: str | None) -> tuple[Target, ...]:
    """One target for each home with an agent that is meant; all agents for None.

    Raises:
        ConfigError: there is no agent, or none of that name.
    """
    meant = here.pick(wanted)
    homes = {agent.home.state_dir: agent.home for agent in meant}
    return tuple(
        _target(here, [places_of(here, agent) for agent in meant if agent.home.state_dir == state_dir])
        for state_dir in homes
    )


def _target(here: Installation, places: list[AgentPlaces]) -> Target:
    machine, home = here.machine, places[0].agent.home
    return Target(
        home=home,
        agents=tuple(_agent(one) for one in places),
        home_dir=machine.home_dir,
        state_root=here.state_root,
        command=tuple(shlex.split(command_path(Path(sys.executable), machine.home_dir))),
        env={name: machine.env.get(name) or None for name in LOCATING},
        home_agents=tuple(agent.agent_id for agent in here.agents if agent.home.state_dir == home.state_dir),
        on_usual_path=_on_usual_path(machine.home_dir),
        openclaw_version=installed_version(machine.env),
        zone=places[0].zone.name,
    )


def _agent(places: AgentPlaces) -> TargetAgent:
    return TargetAgent(
        name=places.agent.name,
        agent_id=places.agent.agent_id,
        workspace=places.workspace,
        notes=places.memory_dir / "observations.md",
        has_rows=stores_of(places.agent).database is not None,
    )


def _on_usual_path(home_dir: Path) -> bool:
    folders = [home_dir / ".local" / "bin", *map(Path, USUAL_FOLDERS)]
    return any(os.access(folder / "totalrecall", os.X_OK) for folder in folders)
