"""How the service is, judged from what its parts show, and written down for ``status``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from totalrecall import __version__
from totalrecall.daemon.folder_watch import FolderWatch, Mode
from totalrecall.domain.service_state import (
    FILE_NAME,
    AgentState,
    ServiceState,
    ServiceTrouble,
    WatchMode,
    encode,
)
from totalrecall.errors import TotalRecallError
from totalrecall.files.atomic import replace as replace_file

SKIPS_RED = 3
FAILURES_RED = 3
WRITE_GAP_S = 60.0
WRITE_AT_LEAST_S = 600.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What the parts show at one moment; ``folders`` are watched, times in them of a clock that is never set.

    Attributes:
        agents: the workers' states.
        overdue: how many scans in a row found the agent's job beyond its deadline.
        folders: as they are watched.
        next_runs_ms: asked for the next time of each schedule, milliseconds since 1970.
        settings: what is wrong with the settings, "".
    """

    agents: Mapping[str, AgentState]
    overdue: Mapping[str, int]
    folders: Sequence[FolderWatch]
    next_runs_ms: Callable[[], Mapping[str, int]]
    settings: str = ""


def troubles_of(seen: Seen) -> tuple[ServiceTrouble, ...]:
    """What is not well, worst first."""
    found: list[ServiceTrouble] = []
    for name, agent in seen.agents.items():
        skips = max(agent.skips, seen.overdue.get(name, 0))
        if skips >= SKIPS_RED:
            what = (
                f"The job {agent.running or 'observe'} has had no turn or no end for {skips} times in a row."
            )
            found.append(ServiceTrouble("red", what, "Restart the service; see 'totalrecall logs'.", name))
        for job, state in agent.jobs.items():
            if state.failures >= FAILURES_RED:
                what = f"The job {job} failed {state.failures} times in a row: {state.reason}"
                found.append(ServiceTrouble("red", what, "See 'totalrecall doctor'.", name))
    if seen.settings:
        found.append(ServiceTrouble("yellow", seen.settings, "Correct it, then 'totalrecall config show'."))
    found += [
        ServiceTrouble("yellow", f"{one.target.folder} is polled. {one.why}".strip(), agent=one.target.agent)
        for one in seen.folders
        if one.mode is Mode.POLLING
    ]
    return tuple(sorted(found, key=lambda one: one.severity != "red"))


def with_watching(
    agent: AgentState, folders: Sequence[FolderWatch], at_ms: Callable[[float], int]
) -> AgentState:
    """The agent's state with how it is watched; ``at_ms`` gives the time of the clock for a folder's."""
    standing = [one for one in folders if one.mode is not Mode.MISSING]
    watch: WatchMode = "events"
    if not standing:
        watch = "nothing"
    elif any(one.mode is Mode.POLLING for one in standing):
        watch = "polling"
    return replace(
        agent,
        watch=watch,
        last_event_ms=at_ms(max((one.last_event_s for one in folders), default=0.0)),
        last_change_ms=at_ms(max((one.last_change_s for one in folders), default=0.0)),
        last_scan_ms=at_ms(max((one.last_look_s for one in folders), default=0.0)),
    )


@dataclass(slots=True)
class StateFile:
    """``service.json``: written when something changed, once a minute at most, and now and then anyway."""

    folder: Path
    started_ms: int
    now_ms: Callable[[], int]
    now_s: Callable[[], float]
    _last: ServiceState | None = field(default=None, init=False)
    _written_s: float | None = field(default=None, init=False)

    def show(self, seen: Seen, *, stopped: bool = False) -> None:
        """Write it if it is time to; what cannot be written is not worth stopping for."""
        since_s = WRITE_AT_LEAST_S if self._written_s is None else self.now_s() - self._written_s
        urgent = stopped or self._last is None
        if not urgent and since_s < WRITE_GAP_S:
            return
        state = self._state(seen, stopped)
        if not urgent and since_s < WRITE_AT_LEAST_S and _core(state) == _core(self._last):
            return
        self._last, self._written_s = state, self.now_s()
        with contextlib.suppress(TotalRecallError):
            replace_file(self.folder / FILE_NAME, encode(state), expected=None)

    def _state(self, seen: Seen, stopped: bool) -> ServiceState:
        now_ms, now_s = self.now_ms(), self.now_s()

        def at_ms(at_s: float) -> int:
            return now_ms - round((now_s - at_s) * 1000) if at_s else 0

        agents = {
            name: with_watching(agent, [one for one in seen.folders if one.target.agent == name], at_ms)
            for name, agent in seen.agents.items()
        }
        return ServiceState(
            pid=os.getpid(),
            version=__version__,
            started_ms=self.started_ms,
            written_ms=now_ms,
            stopped=stopped,
            next_runs=dict(seen.next_runs_ms()),
            agents=agents,
            troubles=troubles_of(seen),
        )


def _core(state: ServiceState | None) -> ServiceState | None:
    """The state without what changes by itself."""
    if state is None:
        return None
    agents = {
        name: replace(one, last_scan_ms=0, last_event_ms=0, last_change_ms=one.last_change_ms // 60_000)
        for name, one in state.agents.items()
    }
    return replace(state, written_ms=0, next_runs={}, agents=agents)
