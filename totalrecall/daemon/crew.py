"""The agents that stand on this machine, each with a worker. Found anew whenever something came or went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import tzinfo
from pathlib import Path

from totalrecall.bootstrap.machine import Installation, Machine, look_around, places_of
from totalrecall.config.zone import resolve_zone
from totalrecall.daemon.agents import AgentDoor
from totalrecall.daemon.folder_watch import Target
from totalrecall.daemon.service_log import bare_log, workspace_log
from totalrecall.daemon.worker import STOP, AgentWorker
from totalrecall.log import Log
from totalrecall.places.agents import Agent
from totalrecall.places.openclaw_home import candidate_homes
from totalrecall.places.stores import DATABASE_NAME

_Signature = tuple[tuple[int, int, int] | None, ...]


class Crew:
    """The workers by agent, and the machine as it was seen last. ``worker_for`` makes a worker."""

    def __init__(self, machine: Machine, worker_for: Callable[[AgentDoor], AgentWorker]) -> None:
        self._machine = machine
        self._worker_for = worker_for
        self._signature: _Signature = ()
        self._workers: dict[str, AgentWorker] = {}
        self._left: list[AgentWorker] = []
        self.here: Installation = look_around(machine)
        self.log: Log = bare_log()

    @property
    def workers(self) -> Mapping[str, AgentWorker]:
        """By the agent's name."""
        return self._workers

    def refresh(self, *, anew: bool = False) -> list[str]:
        """Look whether agents came or went; the names of the new ones, whose workers have begun.

        Cheap while nothing changed in the places where agents, settings and databases stand; ``anew`` looks
        in any case.
        """
        self._left = [one for one in self._left if one.alive]
        signature = self._seen()
        if signature == self._signature and not anew:
            return []
        self._signature = signature
        self.here = look_around(self._machine)
        names = {agent.name for agent in self.here.agents}
        for gone in self._workers.keys() - names:
            self._leave(gone)
        self.log = self._log()
        new = [name for name in sorted(names) if name not in self._workers]
        for name in new:
            self._begin(name)
        return new

    def replace_dead(self) -> list[str]:
        """The agents whose worker had ended by itself and was replaced: none, unless there is a bug."""
        dead = [name for name, worker in self._workers.items() if not worker.alive]
        for name in dead:
            self._begin(name)
        return dead

    def targets(self) -> Iterator[Target]:
        """What is to be watched: the folder of session files, and the database with its write-ahead log."""
        for agent in self.here.agents:
            database = agent.database or agent.agent_dir / "agent" / DATABASE_NAME
            yield Target(agent.name, agent.sessions_dir)
            yield Target(agent.name, database.parent, frozenset({database.name, f"{database.name}-wal"}))

    def zone(self) -> tzinfo:
        """The user's time zone, of the first agent if there is one."""
        if self.here.agents:
            return places_of(self.here, self.here.agents[0]).zone.zone
        return resolve_zone(self.here.loaded.settings.timezone, "", self._machine.env).zone

    def stop(self) -> list[AgentWorker]:
        """Tell all workers to stop; they are to be waited for."""
        every = [*self._workers.values(), *self._left]
        for worker in every:
            worker.tell(STOP)
        return every

    def _begin(self, name: str) -> None:
        worker = self._workers[name] = self._worker_for(AgentDoor(self._machine, name))
        worker.start()

    def _leave(self, name: str) -> None:
        worker = self._workers.pop(name)
        worker.tell(STOP)
        self._left.append(worker)

    def _log(self) -> Log:
        if not self.here.agents:
            return bare_log()
        return workspace_log(self.here, places_of(self.here, self.here.agents[0]))

    def _seen(self) -> _Signature:
        """What tells that an agent, a setting or a database came or went, without reading anything."""
        env, home_dir = self._machine.env, self._machine.home_dir
        paths = [self.here.config_dir / ".env", self.here.config_dir / "config.toml"]
        for candidate in candidate_homes(env, home_dir):
            paths += [candidate.state_dir.parent, candidate.state_dir, candidate.state_dir / "agents"]
        paths += [home.config.path for home in self.here.homes if home.config]
        for agent in self.here.agents:
            paths += _standing(agent)
        return tuple(_stamp(path) for path in dict.fromkeys(paths))


def _standing(agent: Agent) -> list[Path]:
    database = agent.database or agent.agent_dir / "agent" / DATABASE_NAME
    return [agent.agent_dir, database.parent, agent.sessions_dir.parent]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
