"""What the service's own words and its lock say about an agent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from totalrecall.domain.service_state import AgentState, ServiceState
from totalrecall.files.service_state import ServiceLook
from totalrecall.jobs.health import Health, Trouble

# It writes its state at least every few minutes; whoever is silent for longer hangs.
SILENT_MS = 900_000
# A change is looked at within a minute or two, told by the system or not, and the state says so soon after …
UNSEEN_MS = 300_000
# … and while nothing is new, the state is up to five minutes old.
UNLOOKED_MS = 900_000
# What it does just now is told only by a state of just now.
FRESH_MS = 5_000
START = "'totalrecall service install' installs and starts it; a cron job does the same work."
AGAIN = "Start it again: 'totalrecall service install', or 'totalrecall run' where it was started by hand."


@dataclass(frozen=True, slots=True)
class ServiceView:
    """The service as one agent sees it.

    Attributes:
        running: a process holds its lock.
        pid: whose, as it wrote itself; 0 when unknown.
        version: of the running program, "".
        started_ms: when it began, 0 when unknown.
        watch: how the agent's sessions are watched, "" when they are not.
        looked_ms: when it last saw the agent's sessions, told of a change or by a scan.
        running_job: what it does for the agent just now, "".
        next_runs: the next time of each schedule.
        troubles: what is not well with it.
    """

    running: bool = False
    pid: int = 0
    version: str = ""
    started_ms: int = 0
    watch: str = ""
    looked_ms: int = 0
    running_job: str = ""
    next_runs: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()


def view_service(look: ServiceLook, agent: str, newest_ms: int, now: tuple[str, int]) -> ServiceView:
    """The service for ``agent``, whose transcripts changed at ``newest_ms``.

    ``now`` is this program's version and the time. One that does not run is no trouble by itself: cron may do
    the work. One that died is.
    """
    version, now_ms = now
    state = look.state
    if not look.running:
        return ServiceView(troubles=tuple(_gone(state)))
    if state is None:
        return ServiceView(running=True)
    mine = state.agents.get(agent, AgentState())
    troubles = [
        _from(one.severity, one.what, one.remedy) for one in state.troubles if one.agent in {"", agent}
    ]
    if state.version != version:
        what = f"The running service is version {state.version}, the program is {version}."
        troubles.append(Trouble(Health.YELLOW, what, AGAIN))
    looked_ms = max(mine.last_event_ms, mine.last_change_ms, mine.last_scan_ms)
    if now_ms - state.written_ms > SILENT_MS:
        what = f"The service runs, and has said nothing for {(now_ms - state.written_ms) // 60_000} minutes."
        troubles.append(Trouble(Health.RED, what, AGAIN))
    elif _is_blind(state, newest_ms, looked_ms, now_ms):
        what = "The service runs, and has not looked at this agent since it last spoke."
        troubles.append(Trouble(Health.RED, what, AGAIN))
    return ServiceView(
        running=True,
        pid=state.pid,
        version=state.version,
        started_ms=state.started_ms,
        watch=mine.watch,
        looked_ms=looked_ms,
        running_job=mine.running if now_ms - state.written_ms < FRESH_MS else "",
        next_runs=state.next_runs,
        troubles=tuple(troubles),
    )


def _is_blind(state: ServiceState, newest_ms: int, looked_ms: int, now_ms: int) -> bool:
    """Whether the agent spoke and nobody has looked since, for longer than that can be."""
    if newest_ms <= looked_ms or now_ms - state.started_ms <= UNSEEN_MS:
        return False
    return now_ms - newest_ms > UNSEEN_MS or now_ms - looked_ms > UNLOOKED_MS


def _gone(state: ServiceState | None) -> list[Trouble]:
    """A service that was not told to stop and is not there any more."""
    if state is None or state.stopped:
        return []
    return [
        Trouble(Health.YELLOW, "The service ended without being told to, and was not started again.", AGAIN)
    ]


def _from(severity: str, what: str, remedy: str) -> Trouble:
    return Trouble(Health.RED if severity == "red" else Health.YELLOW, what, remedy)
