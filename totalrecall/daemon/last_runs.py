"""When the service did what last, kept in ``<state>/schedule.json`` over restarts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from totalrecall.daemon.cadence import Days, Ticks
from totalrecall.errors import TotalRecallError
from totalrecall.files.atomic import read_state, replace

FILE_NAME = "schedule.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class LastRuns:
    """What is kept.

    Attributes:
        ticks: of the schedules and of the daily work.
        threshold: when the line threshold started a run last, by agent.
    """

    ticks: Ticks = field(default_factory=Ticks)
    threshold: Mapping[str, datetime] = field(default_factory=dict)


def read_last_runs(state_root: Path) -> LastRuns:
    """What was kept; nothing without a file that can be understood: then all counts from now."""
    try:
        content = read_state(state_root / FILE_NAME).content
        found = json.loads(content or b"")
        if found["format"] != VERSION:
            return LastRuns()
        days = {
            str(agent): Days(_moment(one["last_ms"]), tuple(date.fromisoformat(day) for day in one["days"]))
            for agent, one in found["daily"].items()
        }
        return LastRuns(Ticks(_moments(found["ticks"]), days), _moments(found["threshold"]))
    except (TotalRecallError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return LastRuns()


def write_last_runs(state_root: Path, runs: LastRuns) -> None:
    """Keep it. Raises MemoryFileError when it cannot be written."""
    daily = {
        agent: {"last_ms": _ms(one.last), "days": [day.isoformat() for day in one.done]}
        for agent, one in runs.ticks.days.items()
    }
    found = {
        "format": VERSION,
        "ticks": {name: _ms(at) for name, at in runs.ticks.last.items()},
        "daily": daily,
        "threshold": {agent: _ms(at) for agent, at in runs.threshold.items()},
    }
    content = json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n"
    # Ours alone: whoever runs holds the service's lock.
    replace(state_root / FILE_NAME, content, expected=None)


def _moments(found: Mapping[str, int]) -> dict[str, datetime]:
    return {str(name): _moment(at) for name, at in found.items()}


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
