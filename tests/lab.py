"""A home with an OpenClaw agent for tests: transcripts are written as OpenClaw writes them, jobs run for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.engine import EchoEngine
from totalrecall.bootstrap.agent import open_agent
from totalrecall.bootstrap.machine import Machine, look_around, places_of
from totalrecall.jobs.context import AgentContext, Step
from totalrecall.jobs.observe import ObserveOptions, ObserveReport, observe
from totalrecall.llm.engine import Engine

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"


def iso(at: datetime) -> str:
    """As OpenClaw writes times."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


@dataclass
class Lab:
    """One agent ``main`` under ``root``.

    ``now`` is the clock of every run; ``engine`` None leaves the one that the settings name. The agent is adopted an hour before its first message, unless a test says otherwise.
    """

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    engine: Engine | None = field(default_factory=EchoEngine)
    emergency: Engine = field(default_factory=lambda: EchoEngine("echo-emergency"))
    now: datetime = START
    agent: str = "main"
    should_stop: Callable[[], bool] = lambda: False
    _ids: int = 0

    @property
    def state_dir(self) -> Path:
        """OpenClaw's folder."""
        return self.root / ".openclaw"

    @property
    def sessions(self) -> Path:
        """The folder of session files."""
        return self.state_dir / "agents" / self.agent / "sessions"

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.state_dir / "workspace"

    @property
    def notes_path(self) -> Path:
        """The notes."""
        return self.workspace / "memory" / "observations.md"

    @property
    def notes(self) -> str:
        """The notes' text, "" when there are none."""
        return self.notes_path.read_text(encoding="utf-8") if self.notes_path.exists() else ""

    def path(self, session: str = SESSION) -> Path:
        """A session's file."""
        return self.sessions / f"{session}.jsonl"

    def header(self, session: str = SESSION) -> dict[str, Any]:
        """A session's first line."""
        return {"type": "session", "version": 3, "id": session, "timestamp": iso(self.now), "cwd": "/nowhere"}

    def entry(self, role: str, content: Any, *, entry_id: str = "", **fields: Any) -> dict[str, Any]:
        """A message, one second after the one before."""
        self._ids += 1
        self.now += timedelta(seconds=1)
        message = {"role": role, "content": content, "timestamp": int(self.now.timestamp() * 1000), **fields}
        return {
            "type": "message",
            "id": entry_id or f"{self._ids:08x}",
            "parentId": None,
            "timestamp": iso(self.now),
            "message": message,
        }

    def append(self, *entries: dict[str, Any], session: str = SESSION) -> None:
        """Write entries at the end of a session's file, with a header when it is new."""
        path = self.path(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [] if path.exists() else [self.header(session)]
        with path.open("ab") as file:
            file.write("".join(f"{json.dumps(one)}\n" for one in [*lines, *entries]).encode())

    def say(self, *texts: str, session: str = SESSION) -> None:
        """Messages of the user."""
        self.append(
            *[self.entry("user", [{"type": "text", "text": text}]) for text in texts], session=session
        )

    def reply(self, *texts: str, session: str = SESSION) -> None:
        """Answers of the assistant."""
        self.append(
            *[self.entry("assistant", [{"type": "text", "text": text}]) for text in texts], session=session
        )

    def adopt(self) -> None:
        """A first run on an agent without a word: everything from now on counts."""
        self.sessions.mkdir(parents=True, exist_ok=True)
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.observe()

    @contextmanager
    def context(self, passed: Callable[[Step], None] | None = None) -> Iterator[AgentContext]:
        """What a job works with, built as the program builds it, with the test's engine."""
        machine = Machine(
            env=self.environment(), home_dir=self.root, now_ms=lambda: int(self.now.timestamp() * 1000),
            agent=self.agent, retry_wait_s=0.01, should_stop=self.should_stop,
        )  # fmt: skip
        here = look_around(machine)
        (agent,) = here.pick(self.agent)
        with open_agent(here, places_of(here, agent)) as built:
            ctx = replace(built, emergency_for=lambda: self.emergency)
            if (engine := self.engine) is not None:
                ctx = replace(ctx, engine_for=lambda: engine)
            yield replace(ctx, passed=passed) if passed else ctx

    def environment(self) -> Mapping[str, str]:
        """What the program sees of the environment."""
        return {"TZ": "UTC", "TOTALRECALL_TIMEZONE": "UTC", **self.env}

    def observe(
        self, options: ObserveOptions | None = None, passed: Callable[[Step], None] | None = None
    ) -> ObserveReport:
        """One run of the observer."""
        with self.context(passed) as ctx:
            return observe(ctx, options)
