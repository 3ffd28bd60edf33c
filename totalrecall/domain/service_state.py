"""What the running service says of itself, in ``<state>/service.json``: written by it, read by ``status``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

VERSION = 1
FILE_NAME = "service.json"
LOCK_NAME = "service.lock"

Severity = Literal["red", "yellow"]
WatchMode = Literal["events", "polling", "nothing"]


@dataclass(frozen=True, slots=True)
class ServiceTrouble:
    """One thing that is not well with the service: how bad, what in one sentence, and what to do."""

    severity: Severity
    what: str
    remedy: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job of an agent went the last time.

    Attributes:
        ended_ms: when it ended, milliseconds since 1970 UTC.
        took_ms: how long it took.
        ok: whether it did all it wanted.
        reason: why it did not, "".
        failures: how often in a row it did not.
    """

    ended_ms: int
    took_ms: int
    ok: bool
    reason: str = ""
    failures: int = 0


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent as the service sees it. Times are milliseconds since 1970 UTC, 0 for never.

    Attributes:
        watch: how its sessions are watched; ``nothing`` while neither folder nor database stands.
        last_event_ms: when the system last told of a change.
        last_change_ms: when a change was last seen, told or found by a scan.
        last_scan_ms: when it was last looked through without being told.
        new_entries: unseen entries counted since the last run.
        due_ms: when the observer runs because of them, 0 when nothing waits.
        running: the job at work just now, "".
        running_since_ms: since when.
        skips: ticks in a row that found a job at work beyond its deadline, or the agent busy elsewhere.
        jobs: the last end of each job by its name.
    """

    watch: WatchMode = "nothing"
    last_event_ms: int = 0
    last_change_ms: int = 0
    last_scan_ms: int = 0
    new_entries: int = 0
    due_ms: int = 0
    running: str = ""
    running_since_ms: int = 0
    skips: int = 0
    jobs: Mapping[str, JobState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The service at its last writing. Whether it still runs is told by its lock, not by this.

    Times are milliseconds since 1970 UTC.

    Attributes:
        pid: its process.
        version: of the program.
        started_ms: when it began.
        written_ms: when this was written; at least every ten minutes while it runs.
        stopped: it ended as it was told to.
        next_runs: the next time of each schedule (``observe``, ``reflect``, ``scan``, ``daily``).
        agents: by name.
        troubles: what is not well, worst first.
    """

    pid: int
    version: str
    started_ms: int
    written_ms: int
    stopped: bool = False
    next_runs: Mapping[str, int] = field(default_factory=dict)
    agents: Mapping[str, AgentState] = field(default_factory=dict)
    troubles: tuple[ServiceTrouble, ...] = ()


def encode(state: ServiceState) -> bytes:
    """The file's content."""
    from dataclasses import asdict

    return json.dumps({"format": VERSION, **asdict(state)}, ensure_ascii=False, indent=1).encode() + b"\n"


def decode(content: bytes) -> ServiceState | None:
    """What ``encode`` wrote; None for anything else, and for another version's file."""
    try:
        found = json.loads(content)
        if found["format"] != VERSION:
            return None
        return ServiceState(
            pid=int(found["pid"]),
            version=str(found["version"]),
            started_ms=int(found["started_ms"]),
            written_ms=int(found["written_ms"]),
            stopped=bool(found["stopped"]),
            next_runs={str(name): int(at) for name, at in found["next_runs"].items()},
            agents={str(name): _agent(one) for name, one in found["agents"].items()},
            troubles=tuple(ServiceTrouble(**one) for one in found["troubles"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _agent(found: dict[str, Any]) -> AgentState:
    jobs = {str(name): JobState(**one) for name, one in found["jobs"].items()}
    return AgentState(**{**found, "jobs": jobs})
