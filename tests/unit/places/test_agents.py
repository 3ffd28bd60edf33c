"""Agents, their stores and their workspaces are found, each under a name of its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.places.agents import (
    Agent,
    Overrides,
    agent_name,
    find_agents,
    memory_dir_of,
    overrides_for,
    pick_agent,
    stores_of,
    workspace_of,
)
from totalrecall.places.openclaw_home import find_homes


def make_agent(home_dir: Path, agent_id: str, state: str = ".openclaw") -> Path:
    """An agent with a session folder."""
    sessions = home_dir / state / "agents" / agent_id / "sessions"
    sessions.mkdir(parents=True)
    return sessions


def configure(home_dir: Path, config: object, state: str = ".openclaw") -> None:
    """OpenClaw's config of a home."""
    (home_dir / state).mkdir(exist_ok=True)
    (home_dir / state / "openclaw.json").write_text(json.dumps(config))


def found(home_dir: Path, overrides: Overrides | None = None, **env: str) -> tuple[Agent, ...]:
    """The agents of every home."""
    return find_agents(find_homes(env, home_dir), home_dir, overrides)


@pytest.mark.report("R004")
def test_every_agent_folder_is_an_agent(tmp_path: Path) -> None:
    """Not only ``main``; files, hidden folders and copies are none."""
    for agent_id in ("main", "sales", "ops_2"):
        make_agent(tmp_path, agent_id)
    agents = tmp_path / ".openclaw" / "agents"
    (agents / "notes.txt").touch()
    for name in (".cache", "main.bak", "main copy", "main (1)", "sales.bak-2026"):
        (agents / name).mkdir()
    assert [agent.agent_id for agent in found(tmp_path)] == ["main", "ops_2", "sales"]


@pytest.mark.report("R004")
def test_agents_under_a_named_state_dir(tmp_path: Path) -> None:
    """Sessions under ``$OPENCLAW_STATE_DIR/agents/sales/sessions`` are found."""
    sessions = make_agent(tmp_path / "data", "sales", "oc")
    (agent,) = found(tmp_path, OPENCLAW_STATE_DIR=str(tmp_path / "data" / "oc"))
    assert (agent.agent_id, agent.sessions_dir) == ("sales", sessions)


@pytest.mark.report("R004")
def test_agent_created_later_is_found_by_the_next_call(tmp_path: Path) -> None:
    """The folder may come after the service was started."""
    make_agent(tmp_path, "main")
    assert len(found(tmp_path)) == 1
    make_agent(tmp_path, "second")
    assert [agent.agent_id for agent in found(tmp_path)] == ["main", "second"]


@pytest.mark.report("R004")
def test_configured_agent_without_folder_is_known(tmp_path: Path) -> None:
    """From ``agents.list`` and ``agents.entries``, in a home that has no ``agents`` folder yet."""
    configure(tmp_path, {"agents": {"list": [{"id": "Ops"}], "entries": {"sales": {}}}})
    assert [agent.agent_id for agent in found(tmp_path)] == ["ops", "sales"]


def test_same_id_in_two_homes_gets_two_names(tmp_path: Path) -> None:
    """Their ledgers must not be one."""
    for state in (".openclaw", ".openclaw-work", ".clawdbot"):
        make_agent(tmp_path, "main", state)
    assert [agent.name for agent in found(tmp_path)] == ["main", "main@work", "main@clawdbot"]


any_id = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=200).filter(
    lambda name: name not in {".", ".."}
)


@given(
    st.tuples(any_id, st.sampled_from(["", "work", "dev"])),
    st.tuples(any_id, st.sampled_from(["", "work", "dev"])),
)
def test_names_are_safe_and_tell_agents_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Whatever an agent is called, its name can be a folder and is nobody else's."""
    name = agent_name(*one)
    assert "/" not in name
    assert "\0" not in name
    assert not name.startswith(".")
    assert len(name.encode()) <= 200
    assert (name == agent_name(*other)) == (one == other)


def test_database_and_moved_stores(tmp_path: Path) -> None:
    """``agentDir`` and ``session.store`` move things; the default place is looked at too."""
    make_agent(tmp_path, "main")
    database = tmp_path / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE transcript_events (seq)")
    moved = tmp_path / "ops" / "openclaw-agent.sqlite"
    moved.parent.mkdir()
    moved.touch()
    configure(
        tmp_path,
        {
            "agents": {"list": [{"id": "ops", "agentDir": "~/ops"}]},
            "session": {"store": "~/s/{agentId}/sessions.json"},
        },
    )
    main, ops = found(tmp_path)
    assert (main.database, ops.database) == (database, moved)
    assert main.sessions_dir == tmp_path / "s" / "main"
    assert stores_of(main).database == database
    assert stores_of(ops).database is None


def test_workspace_of_the_config_comes_first(tmp_path: Path) -> None:
    """Own entry, else the defaults; ``~`` is the home folder that was given."""
    make_agent(tmp_path, "main")
    make_agent(tmp_path, "sales")
    configure(
        tmp_path,
        {
            "agents": {
                "defaults": {"workspace": "~/w"},
                "list": [{"id": "sales", "workspace": "/srv/s"}, {"id": "main"}],
            }
        },
    )
    main, sales = found(tmp_path)
    assert workspace_of(main, tmp_path, None, str(tmp_path)) == tmp_path / "w"
    assert workspace_of(sales, tmp_path, None, str(tmp_path)) == Path("/srv/s")


def test_second_agent_does_not_write_into_the_default_agents_workspace(tmp_path: Path) -> None:
    """Its sessions' ``cwd``, then its own folder in the state folder, come before ``agents.defaults``."""
    make_agent(tmp_path, "sales")
    configure(
        tmp_path, {"agents": {"defaults": {"workspace": "~/w"}, "list": [{"id": "main"}, {"id": "sales"}]}}
    )
    sales = found(tmp_path)[1]
    own = tmp_path / ".openclaw" / "workspace-sales"
    assert workspace_of(sales, tmp_path) == tmp_path / "w"
    own.mkdir()
    assert workspace_of(sales, tmp_path) == own
    assert workspace_of(sales, tmp_path, None, str(tmp_path)) == tmp_path


def test_workspace_without_config(tmp_path: Path) -> None:
    """The header's ``cwd`` if it stands here, ``<state>/workspace`` if it stands, ``~/clawd``."""
    make_agent(tmp_path, "main")
    (main,) = found(tmp_path)
    assert workspace_of(main, tmp_path, None, "/home/of/another/machine") == tmp_path / "clawd"
    (tmp_path / ".openclaw" / "workspace").mkdir()
    assert workspace_of(main, tmp_path, None, "relative") == tmp_path / ".openclaw" / "workspace"
    assert workspace_of(main, tmp_path, None, str(tmp_path)) == tmp_path


def test_overrides_mean_one_agent(tmp_path: Path) -> None:
    """``OPENCLAW_WORKSPACE`` and ``MEMORY_DIR`` mean ``main`` of the first home, or the agent asked for."""
    for agent_id, state in (("main", ".openclaw"), ("sales", ".openclaw"), ("main", ".openclaw-work")):
        make_agent(tmp_path, agent_id, state)
    overrides = Overrides(workspace=Path("/w"), memory_dir=Path("/m"))
    agents = found(tmp_path)
    assert [one.name for one in agents if overrides_for(one, agents, overrides)] == ["main"]
    other = replace(overrides, agent="main@work")
    assert [one.name for one in agents if overrides_for(one, agents, other)] == ["main@work"]
    assert workspace_of(agents[0], tmp_path, overrides) == Path("/w")
    assert memory_dir_of(Path("/w"), overrides) == Path("/m")
    assert memory_dir_of(Path("/w"), None) == Path("/w/memory")
    assert pick_agent(agents, "nobody") is None


@pytest.mark.report("R004")
def test_sessions_dir_without_any_home(tmp_path: Path) -> None:
    """A folder of sessions is enough to have an agent."""
    (agent,) = found(tmp_path, Overrides(sessions_dir=tmp_path / "s"))
    assert (agent.name, agent.sessions_dir, agent.database) == ("main", tmp_path / "s", None)


def test_sessions_dir_of_another_agent_is_not_read_twice(tmp_path: Path) -> None:
    """The agent whose folder it is steps back, and its database goes along."""
    make_agent(tmp_path, "main")
    sales = make_agent(tmp_path, "sales")
    database = sales.parent / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir()
    database.touch()
    (agent,) = found(tmp_path, Overrides(sessions_dir=sales))
    assert (agent.name, agent.sessions_dir, agent.database) == ("main", sales, database)


def test_sessions_dir_at_its_usual_place_keeps_the_database(tmp_path: Path) -> None:
    """A setting from the days of files does not hide the database of a newer OpenClaw."""
    sessions = make_agent(tmp_path, "main")
    database = sessions.parent / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir()
    database.touch()
    (agent,) = found(tmp_path, Overrides(sessions_dir=sessions))
    assert agent.database == database
