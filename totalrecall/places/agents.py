"""OpenClaw's agents: every folder under ``agents/``, and those that only its config or registry knows yet.

Asked again at every round, so that an agent created later is found without a restart (R004).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from totalrecall.places.openclaw_home import OpenClawHome, expand_user
from totalrecall.places.stores import DATABASE_NAME, AgentStores, registered_databases, stores_at

MAIN = "main"
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,60}\Z")
MAX_NAME_CHARS = 120
# Folders that file managers, editors and backups leave beside the real ones.
_COPY = r"(?i)(\.(bak|old|orig|backup|tmp|deleted)\b.*|~| copy( \d+)?|\(\d+\))$"


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the settings say about where things are; it concerns one agent.

    Attributes:
        agent: whom they mean: ``--agent``, else ``main``. A name, or an id of the first home that has it.
        workspace: ``OPENCLAW_WORKSPACE``.
        memory_dir: ``MEMORY_DIR``.
        sessions_dir: ``SESSIONS_DIR``.
    """

    agent: str = MAIN
    workspace: Path | None = None
    memory_dir: Path | None = None
    sessions_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent of one home.

    Attributes:
        name: unique over all homes and safe as a folder's name: ``main``, ``main@work``. It names the state
            folder, stands in logs, and is what ``--agent`` takes.
        agent_id: OpenClaw's id, as in session keys.
        home: where it lives.
        agent_dir: ``<state>/agents/<id>``; may not stand yet.
        sessions_dir: where its session files are or would be.
        database: its SQLite file when that stands, with transcripts or without (``stores_of`` tells).
    """

    name: str
    agent_id: str
    home: OpenClawHome
    agent_dir: Path
    sessions_dir: Path
    database: Path | None = None


def find_agents(
    homes: Sequence[OpenClawHome],
    home_dir: Path,
    overrides: Overrides | None = None,
) -> tuple[Agent, ...]:
    """Every agent of every home, by home and id. ``SESSIONS_DIR`` is applied to the agent it means.

    An agent whose sessions that folder already holds is left out, so that no session is read for two agents.
    """
    agents = [agent for home in homes for agent in _agents_of(home, home_dir)]
    if overrides is None or overrides.sessions_dir is None:
        return tuple(agents)
    target = pick_agent(agents, overrides.agent)
    if target is None:
        home = homes[0] if homes else OpenClawHome(home_dir / ".openclaw", "", None)
        target = _agent(home, overrides.agent, home_dir, {})
        agents.insert(0, target)
    moved = _with_sessions(target, overrides.sessions_dir)
    real = os.path.realpath(moved.sessions_dir)
    return tuple(
        moved if agent is target else agent
        for agent in agents
        if agent is target or os.path.realpath(agent.sessions_dir) != real
    )


def pick_agent(agents: Sequence[Agent], wanted: str) -> Agent | None:
    """The agent of that name, else the first of that id; None when there is none."""
    by_name = next((agent for agent in agents if agent.name == wanted), None)
    return by_name or next((agent for agent in agents if agent.agent_id == wanted), None)


def stores_of(agent: Agent) -> AgentStores:
    """Which stores it has just now. Opens its database for a moment, read-only."""
    return stores_at(agent.sessions_dir, agent.database or _database_in(agent.agent_dir))


def overrides_for(agent: Agent, agents: Sequence[Agent], overrides: Overrides) -> Overrides | None:
    """``overrides`` if they mean ``agent``, else None: they concern one agent only."""
    meant = pick_agent(agents, overrides.agent)
    return overrides if meant is not None and meant.name == agent.name else None


def workspace_of(
    agent: Agent,
    home_dir: Path,
    overrides: Overrides | None = None,
    header_cwd: str = "",
) -> Path:
    """The folder that holds the agent's memory; absolute, may not stand yet.

    Order: ``OPENCLAW_WORKSPACE`` (pass what ``overrides_for`` gives), OpenClaw's config, the ``cwd`` of a
    session's header, ``<state>/workspace`` if it stands, ``~/clawd``. ``agents.defaults.workspace`` is the
    default agent's; for any other the header's ``cwd`` and ``<state>/workspace-<id>`` come before it, since
    OpenClaw gives each a folder of its own. A ``cwd`` that does not stand on this machine is passed over.
    """
    if overrides is not None and overrides.workspace is not None:
        return overrides.workspace
    return next(_workspaces(agent, home_dir, header_cwd))


def memory_dir_of(workspace: Path, overrides: Overrides | None = None) -> Path:
    """``MEMORY_DIR`` (pass what ``overrides_for`` gives), else ``<workspace>/memory``."""
    given = overrides.memory_dir if overrides is not None else None
    return given or workspace / "memory"


def agent_name(agent_id: str, profile: str) -> str:
    """``main`` in ``~/.openclaw``, ``main@work`` in a profile. Different pairs never get one name."""
    if _SAFE_ID.match(agent_id):
        return f"{agent_id}@{profile}" if profile else agent_id
    from urllib.parse import quote

    safe = quote(agent_id, safe=" ", errors="surrogatepass").replace("~", "%7E")
    safe = "%2E" + safe[1:] if safe.startswith(".") else safe
    if len(safe) > MAX_NAME_CHARS:
        import hashlib

        digest = hashlib.blake2b(agent_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        safe = f"{safe[: MAX_NAME_CHARS - len(digest)]}{digest}"
    return f"{safe}@{profile}" if profile else safe


def _workspaces(agent: Agent, home_dir: Path, header_cwd: str) -> Iterator[Path]:
    state_dir, config = agent.home.state_dir, agent.home.config
    own = config.entry(agent.agent_id).workspace if config else ""
    default = config.default_workspace if config else ""
    is_default = agent.agent_id == (config.default_agent if config else MAIN)
    if own:
        yield state_dir / expand_user(own, home_dir)
    if default and is_default:
        yield state_dir / expand_user(default, home_dir)
    if header_cwd.startswith("/") and Path(header_cwd).is_dir():
        yield Path(header_cwd)
    if not is_default and (state_dir / f"workspace-{agent.agent_id}").is_dir():
        yield state_dir / f"workspace-{agent.agent_id}"
    if default:
        yield state_dir / expand_user(default, home_dir)
    if (state_dir / "workspace").is_dir():
        yield state_dir / "workspace"
    yield home_dir / "clawd"


def _agents_of(home: OpenClawHome, home_dir: Path) -> Iterator[Agent]:
    registered = registered_databases(home.state_dir)
    known = [entry.agent_id for entry in home.config.agents] if home.config else []
    for agent_id in sorted({*_folders(home.state_dir / "agents"), *known, *registered}):
        yield _agent(home, agent_id, home_dir, registered)


def _agent(home: OpenClawHome, agent_id: str, home_dir: Path, registered: dict[str, Path]) -> Agent:
    agent_dir = home.state_dir / "agents" / agent_id
    config = home.config
    moved = config.entry(agent_id).agent_dir if config else ""
    store = config.session_store if config else ""
    databases = [
        registered.get(agent_id),
        home.state_dir / expand_user(moved, home_dir) / DATABASE_NAME if moved else None,
        _database_in(agent_dir),
    ]
    sessions_dir = agent_dir / "sessions"
    if store:
        sessions_dir = (home.state_dir / expand_user(store.replace("{agentId}", agent_id), home_dir)).parent
    return Agent(
        name=agent_name(agent_id, home.profile),
        agent_id=agent_id,
        home=home,
        agent_dir=agent_dir,
        sessions_dir=sessions_dir,
        database=next((path for path in databases if path is not None and path.is_file()), None),
    )


def _with_sessions(agent: Agent, sessions_dir: Path) -> Agent:
    if os.path.realpath(sessions_dir) == os.path.realpath(agent.sessions_dir):
        return replace(agent, sessions_dir=sessions_dir)
    if sessions_dir.name != "sessions":
        return replace(agent, sessions_dir=sessions_dir)
    # The folder of another agent: its SQLite file goes with its session files.
    database = _database_in(sessions_dir.parent)
    return replace(
        agent,
        sessions_dir=sessions_dir,
        agent_dir=sessions_dir.parent,
        database=database if database.is_file() else None,
    )


def _database_in(agent_dir: Path) -> Path:
    return agent_dir / "agent" / DATABASE_NAME


def _folders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and not re.search(_COPY, entry.name) and entry.is_dir()
            ]
    except OSError:
        # Not there yet, or not ours to read; the latter is the home's problem.
        return []
