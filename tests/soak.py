"""The service under fire: sessions are written, renamed, reset and rewritten, the model fails, the process is killed.

At the end every message of the user must stand in the notes exactly once, and the recount must add up. The short form is
a test, the long one a part of ``scripts/bench``.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.fakes.model_server import Behaviour, ModelServer, chat, error, model_server
from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.counting import token, tokens_noted
from tests.integration.service_process import ServiceProcess, present, until
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.jobs.verify import Coverage, verify

AWAY = error(503, "later", {"Retry-After": "1"})
STEP_S = 0.1
ROWS_SESSION = "22222222-bbbb-4bbb-8bbb-00000000000a"
ROWS_FROM = 60_000


@dataclass(frozen=True)
class Plan:
    """How long, how much, how often. Times in seconds."""

    lasts_s: float
    sessions: int = 20
    lines_per_s: float = 50.0
    kill_every_s: float = 60.0
    outage_every_s: float = 45.0
    outage_s: float = 8.0
    seed: int = 1


@dataclass
class Outcome:
    """What came of it.

    Attributes:
        said: messages of the user that were written.
        missing: tokens that stand in no note; doubled: those that stand in more than one.
        coverage: the recount of each agent.
        kills: how often the process was killed and started again.
        rss_mb: memory of the service, at the end of each of its lives.
        descriptors: open files at the same moments; threads as well.
        behind: messages that were not noted yet when the service was told to stop.
    """

    said: int = 0
    missing: int = 0
    doubled: int = 0
    coverage: list[Coverage] = field(default_factory=list)
    kills: int = 0
    rss_mb: list[float] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    behind: int = 0

    @property
    def whole(self) -> bool:
        """Nothing lost, nothing twice, nothing pending, all accounted for."""
        pending = sum(one.states.get(MessageState.PENDING, 0) for one in self.coverage)
        return not (self.missing or self.doubled or pending) and all(one.adds_up for one in self.coverage)


class Talkers:
    """Sessions of one agent in files, written as OpenClaw writes them, whatever it does to them in between."""

    def __init__(self, lab: Lab, sessions: int, dice: random.Random) -> None:
        self._lab = lab
        self._dice = dice
        self._live = [str(uuid.UUID(int=dice.getrandbits(128))) for _ in range(sessions)]
        self.count = 0

    def step(self, lines: int) -> None:
        """Some lines in some session, and now and then something worse."""
        for _ in range(lines):
            place = self._dice.randrange(len(self._live))
            self._lab.now = max(self._lab.now, datetime.now(UTC))
            self._talk(self._live[place])
            if self._dice.random() < 0.03:
                self._trouble(place)

    def _talk(self, session: str) -> None:
        if self._dice.random() < 0.7:
            self._lab.say(sentence(self.count), session=session)
            self.count += 1
        else:
            self._lab.reply("So it is.", session=session)

    def _trouble(self, place: int) -> None:
        path = self._lab.path(self._live[place])
        if not path.exists():
            return
        match self._dice.randrange(4):
            case 0:  # /new: the file is renamed, another session begins
                path.rename(path.with_name(f"{path.name}.reset.{_stamp()}"))
                self._live[place] = str(uuid.UUID(int=self._dice.getrandbits(128)))
            case 1:  # a reset that keeps the id
                path.rename(path.with_name(f"{path.name}.reset.{_stamp()}"))
            case 2:  # the same content in a new file
                fresh = path.with_suffix(".tmp")
                fresh.write_bytes(path.read_bytes())
                fresh.replace(path)
            case _:  # emptied and written again in place
                content = path.read_bytes()
                with path.open("r+b") as file:
                    file.truncate(0)
                    time.sleep(0.002)
                    file.write(content)


def soak(root: Path, plan: Plan) -> Outcome:
    """Do it. ``root`` is an empty folder."""
    with model_server() as server:
        run = _Soak(root, plan, server)
        try:
            run.fire()
        finally:
            run.close()
        return run.judged()


class _Soak:
    """One soak over two agents: one writes files, the other a database."""

    def __init__(self, root: Path, plan: Plan, server: ModelServer) -> None:
        self._plan = plan
        self._server = server
        self._files = present(root)
        self._files.env = _settings(server)
        self._rows = Lab(root, engine=None, agent="second", env=self._files.env, now=self._files.now)
        (self._files.state_dir / "workspace-second").mkdir()
        self._db = OpenClawDb(self._files.state_dir / "agents" / "second" / "agent" / "openclaw-agent.sqlite")
        self._db.clock_ms = _now_ms()
        self._talkers = Talkers(self._files, plan.sessions, random.Random(plan.seed))
        self._rows_said = 0
        self._outcome = Outcome()
        self._service = ServiceProcess(self._files)

    def fire(self) -> None:
        """Write, fail, kill and start again until the time is over; then let the service end in order."""
        plan, began_s, written, kills = self._plan, time.monotonic(), 0, 0
        self._db.begin(ROWS_SESSION, "agent:second:main")
        self._service.ready()
        while (gone_s := time.monotonic() - began_s) < plan.lasts_s:
            away = gone_s % plan.outage_every_s > plan.outage_every_s - plan.outage_s
            self._server.answer = _away if away else echo
            lines = int(gone_s * plan.lines_per_s) - written
            self._talkers.step(lines)
            written += lines
            if lines:
                self._db.clock_ms = max(self._db.clock_ms, _now_ms())
                self._db.say(ROWS_SESSION, sentence(ROWS_FROM + self._rows_said))
                self._rows_said += 1
            if gone_s > (kills + 1) * plan.kill_every_s:
                kills += 1
                self._measure()
                self._service.close()
                self._service = ServiceProcess(self._files)
            time.sleep(STEP_S)
        self._server.answer = echo
        self._service.ready()
        self._measure()
        code, took_s = self._service.stop()
        assert (code, took_s < 5.0) == (0, True)
        self._outcome.kills = kills

    def judged(self) -> Outcome:
        """What stands in the notes after a last run, and what the recount says."""
        outcome = self._outcome
        tokens = [*range(self._talkers.count), *range(ROWS_FROM, ROWS_FROM + self._rows_said)]
        outcome.said = len(tokens)
        outcome.behind = outcome.said - len(self._noted())
        for lab in (self._files, self._rows):
            lab.now = datetime.now(UTC)
            # A model that failed is left alone for a while.
            assert until(partial(_is_done, lab), 200, every_s=0.3)
            with lab.context() as ctx:
                outcome.coverage.append(verify(ctx))
        noted = self._noted()
        outcome.missing = sum(1 for number in tokens if token(number) not in noted)
        outcome.doubled = sum(1 for times in noted.values() if times > 1)
        return outcome

    def close(self) -> None:
        """End the service and let go of the database."""
        self._service.close()
        self._db.close()

    def _noted(self) -> Counter[str]:
        folders = (self._files.state_dir / "workspace", self._files.state_dir / "workspace-second")
        texts = [one / "memory" / "observations.md" for one in folders]
        return tokens_noted("".join(one.read_text() for one in texts if one.exists()))

    def _measure(self) -> None:
        self._outcome.rss_mb.append(self._service.rss_mb())
        self._outcome.descriptors.append(self._service.descriptors())
        self._outcome.threads.append(self._service.threads())


def echo(raw: bytes) -> Behaviour:
    """One note for each message with a token."""
    talk = json.loads(raw)["messages"][-1]["content"]
    found = re.findall(r"(?m)^(\d+) \S .*?\btok(\d{5})\b", talk)
    lines = [f"- 🟢 12:00 [fact] {sentence(int(which))} [{number}]" for number, which in found]
    return chat("\n".join(lines) or "NO_OBSERVATIONS")


def sentence(number: int) -> str:
    """What the user says, never twice alike: answers that repeat themselves are taken for a model that loops."""
    digits = hashlib.blake2b(str(number).encode(), digest_size=16).hexdigest()
    words = digits.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst"))
    return f"{words[:8]} {words[8:14]} {words[14:23]} {words[23:]} {token(number)}"


def _away(_raw: bytes) -> Behaviour:
    return AWAY


def _is_done(lab: Lab) -> bool:
    lab.now = datetime.now(UTC)
    report = lab.observe()
    # What was written a moment ago may still be taken for a rewrite in progress.
    return report.blocked is None and not report.waiting


def _settings(server: ModelServer) -> dict[str, str]:
    return {
        "LLM_BASE_URL": f"{server.url}/v1",
        "OBSERVER_MODEL": "maker/one",
        "TOTALRECALL_CALLS_PER_HOUR": "3600",
        "OBSERVER_LINE_THRESHOLD": "40",
        "OBSERVER_COOLDOWN_SECS": "1",
        "REFLECTOR_WORD_THRESHOLD": "1000000",
    }


def _stamp() -> str:
    time.sleep(0.002)
    return datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")[:-3] + "Z"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
