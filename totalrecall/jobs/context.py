"""What a job works with for one agent. Built by ``bootstrap``, and by tests with what they want to watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from totalrecall.config.settings import Settings
from totalrecall.domain.session import SessionKind
from totalrecall.ledger.ledger import Ledger
from totalrecall.memory.log_file import ObservationFile
from totalrecall.transcripts.store import TranscriptStore

if TYPE_CHECKING:
    from totalrecall.llm.access import ModelAccess
    from totalrecall.llm.engine import Engine
    from totalrecall.llm.reflection.types import Reflector
    from totalrecall.log import Log
    from totalrecall.memory.profile.file import ProfileFile


class Step(IntEnum):
    """The numbered steps of a batch. A crash right after any of them loses nothing and doubles nothing."""

    RANGE_READ = 1
    PLANNED = 2
    MODEL_ASKED = 3
    ANSWER_STORED = 4
    WRITING_MARKED = 5
    NOTES_WRITTEN = 6
    MIRRORED = 7
    COMMITTED = 8


@dataclass(frozen=True, slots=True)
class AgentContext:
    """One agent with everything that its jobs need.

    Attributes:
        agent: its unique name.
        workspace: the folder with its memory files.
        memory_dir: where ``observations.md`` stands.
        state_dir: our own folder for it.
        zone_for: the user's time zone, looked up when somebody asks.
        settings: see config.
        transcripts: all its stores behind one face.
        ledger: its bookkeeping.
        notes: the observation log.
        profile_for: what is known about the user, shared by all agents of the home.
        engine_for: what compresses, made at the first call: a run with nothing new loads no engine.
        model_for: the models for a job by its name, beyond compressing; None with the built-in engine.
        emergency_for: the extractive engine, for recovery and flush while the model is away.
        reflector_for: what consolidates the notes, made at the first call.
        screen: removes secrets from a text.
        log_for: what the jobs say about their work, numbers and names only.
        now_ms: the clock, milliseconds since 1970 UTC.
        passed: told each step of a batch; tests crash the process in it.
    """

    agent: str
    workspace: Path
    memory_dir: Path
    state_dir: Path
    zone_for: Callable[[], tzinfo]
    settings: Settings
    transcripts: TranscriptStore
    ledger: Ledger
    notes: ObservationFile
    profile_for: Callable[[], ProfileFile]
    engine_for: Callable[[], Engine]
    emergency_for: Callable[[], Engine]
    reflector_for: Callable[[], Reflector]
    model_for: Callable[[str], ModelAccess | None]
    screen: Callable[[str], str]
    log_for: Callable[[], Log]
    now_ms: Callable[[], int]
    passed: Callable[[Step], None] = field(default=lambda _step: None)

    @property
    def mirror_path(self) -> Path:
        """The small mirror of the ledger beside the notes."""
        return mirror_of(self.memory_dir, self.agent)

    @property
    def profile(self) -> ProfileFile:
        """What is known about the user; most runs never ask."""
        return self.profile_for()

    @property
    def tombstones_path(self) -> Path:
        """What was forgotten, as salted marks; one file for all agents of this user."""
        return self.state_dir.parent / "tombstones.json"

    @property
    def zone(self) -> tzinfo:
        """The user's time zone."""
        return self.zone_for()

    @property
    def log(self) -> Log:
        """Where the jobs say what they do."""
        return self.log_for()

    def now(self) -> datetime:
        """The present time in the user's zone."""
        return datetime.fromtimestamp(self.now_ms() / 1000, self.zone)


def mirror_of(memory_dir: Path, agent: str) -> Path:
    """The mirror of an agent's ledger; agents that share a memory folder have one each."""
    return memory_dir / (".total-recall.json" if agent == "main" else f".total-recall.{agent}.json")


OBSERVED_KINDS = frozenset({SessionKind.MAIN, SessionKind.DIRECT})
