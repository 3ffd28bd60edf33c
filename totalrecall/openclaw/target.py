"""What an installation works on: one OpenClaw home with its agents, and our own program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from totalrecall.places.openclaw_home import OpenClawHome


@dataclass(frozen=True, slots=True)
class TargetAgent:
    """One agent of the home.

    Attributes:
        name: our unique name, which ``--agent`` takes.
        agent_id: OpenClaw's id.
        workspace: where its AGENTS.md is.
        notes: its ``observations.md``.
        has_rows: its transcripts are in SQLite.
    """

    name: str
    agent_id: str
    workspace: Path
    notes: Path
    has_rows: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """One home.

    Attributes:
        home: the home.
        agents: those that are meant.
        home_dir: the user's home folder.
        state_root: our state folder, with one folder for each agent.
        command: how to start our program: absolute.
        env: what the hook sets for it (None: takes away), so that it finds the same places as now.
        home_agents: the ids of all its agents, also of those that are not meant.
        on_usual_path: ``totalrecall`` stands where a gateway's PATH leads.
        openclaw_version: the number of the installed OpenClaw, "" when unknown.
        zone: the user's time zone, for cron entries.
    """

    home: OpenClawHome
    agents: tuple[TargetAgent, ...]
    home_dir: Path
    state_root: Path
    command: tuple[str, ...]
    env: Mapping[str, str | None] = field(default_factory=dict)
    home_agents: tuple[str, ...] = ()
    on_usual_path: bool = False
    openclaw_version: str = ""
    zone: str = "UTC"

    @property
    def only_some(self) -> bool:
        """The home has agents that are not meant."""
        return bool(set(self.home_agents) - {one.agent_id for one in self.agents})
