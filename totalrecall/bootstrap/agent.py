"""Everything that the jobs of one agent need."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.bootstrap.machine import AgentPlaces, Installation
from totalrecall.bootstrap.model import engine_of, extractive_engine, model_access
from totalrecall.bootstrap.reflection import reflector_of
from totalrecall.bootstrap.screens import screen_for
from totalrecall.jobs.context import AgentContext, mirror_of
from totalrecall.ledger.database import FILE_NAME
from totalrecall.ledger.ledger import Ledger
from totalrecall.memory.log_file import ObservationFile

if TYPE_CHECKING:
    from totalrecall.log import Logs
    from totalrecall.memory.profile.file import ProfileFile


@contextlib.contextmanager
def open_agent(here: Installation, places: AgentPlaces) -> Iterator[AgentContext]:
    """Everything a job of this agent needs, closed again at the end.

    Raises:
        LedgerError: the ledger is damaged, or gone while notes of ours exist.
    """
    now_ms = here.machine.now_ms
    notes = notes_of(here, places)
    screen = screen_for(here, places)
    context = AgentContext(
        agent=places.agent.name,
        workspace=places.workspace,
        memory_dir=places.memory_dir,
        state_dir=places.state_dir,
        zone_for=lambda: places.zone.zone,
        settings=places.settings,
        transcripts=places.transcripts,
        ledger=_ledger(places, notes, now_ms),
        notes=notes,
        profile_for=cache(lambda: profile_of(here, places)),
        engine_for=cache(lambda: engine_of(here, places)),
        emergency_for=cache(extractive_engine),
        reflector_for=cache(lambda: reflector_of(here, places)),
        model_for=cache(lambda job: model_access(here, places, job)),
        screen=screen,
        log_for=cache(lambda: logs_of(here, places).event_log("observer").bind(agent=places.agent.name)),
        now_ms=now_ms,
    )
    with context.ledger:
        yield context


def profile_of(here: Installation, places: AgentPlaces) -> ProfileFile:
    """The user's profile in the home of the agent, with the lock that all its agents share."""
    from totalrecall.memory.profile.file import FILE_NAME as PROFILE_NAME
    from totalrecall.memory.profile.file import ProfileFile

    folder = places.agent.home.state_dir / "memory"
    return ProfileFile(folder / PROFILE_NAME, workspace_lock(here, folder))


def workspace_lock(here: Installation, memory_dir: Path) -> Path:
    """The lock of a memory folder; agents that share the folder share it, by whatever path they reach it."""
    real = os.path.realpath(memory_dir).encode("utf-8", "surrogateescape")
    return here.state_root / "locks" / f"{hashlib.blake2b(real, digest_size=8).hexdigest()}.lock"


def logs_of(here: Installation, places: AgentPlaces) -> Logs:
    """The log files of the agent's workspace, screened; a one-shot command talks to the terminal itself."""
    from totalrecall.log import LogOptions, configure

    now_ms = here.machine.now_ms
    return configure(
        LogOptions(
            screen=screen_for(here, places),
            level=places.settings.log_level,
            folder=places.workspace / "logs",
            stream=None,
            now=lambda: datetime.fromtimestamp(now_ms() / 1000, UTC),
        )
    )


def demand_ledger(places: AgentPlaces, notes: ObservationFile) -> None:
    """Nothing happens while the ledger stands, or was never made.

    Raises:
        LedgerError: it is gone or empty, and was here before.
    """
    if _has_bytes(places.state_dir / FILE_NAME) and notes.path.exists():
        return
    from totalrecall.ledger.health import demand_usable, diagnose
    from totalrecall.memory.observations import markers_in

    ours = bool(markers_in(notes.read())) and not _others_write_here(places)
    mirror = mirror_of(places.memory_dir, places.agent.name)
    demand_usable(diagnose(places.state_dir, mirror, notes_exist=ours), places.state_dir)


def _others_write_here(places: AgentPlaces) -> bool:
    """Whether another agent has its mirror beside the notes: they may all be its own, and this one is new."""
    mine = mirror_of(places.memory_dir, places.agent.name)
    return any(one != mine for one in places.memory_dir.glob(".total-recall*.json"))


def notes_of(here: Installation, places: AgentPlaces) -> ObservationFile:
    """The agent's observation log."""
    return ObservationFile(places.memory_dir / "observations.md", workspace_lock(here, places.memory_dir))


def _ledger(places: AgentPlaces, notes: ObservationFile, now_ms: Callable[[], int]) -> Ledger:
    demand_ledger(places, notes)
    return Ledger.open(places.state_dir, now_ms=now_ms())


def _has_bytes(path: Path) -> bool:
    """Whether something stands there; after a power cut a file may be there with nothing in it."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
