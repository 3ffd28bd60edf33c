"""Any order of what a gateway does to its database: each message noted once, none lost."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.counting import echo, recount, token, tokens_noted
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.errors import ModelUnreachableError
from totalrecall.jobs.context import Step
from totalrecall.jobs.observe import ObserveOptions

IDS = st.sampled_from(["22222222-bbbb-4bbb-8bbb-00000000000a", "22222222-bbbb-4bbb-8bbb-00000000000b"])


class Crash(BaseException):
    """The process ends here."""


class Rows(RuleBasedStateMachine):
    """One agent in its SQLite era."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.lab = Lab(self.root)
        self.lab.adopt()
        folder = self.lab.state_dir / "agents" / "main" / "agent"
        self.db = OpenClawDb(folder / "openclaw-agent.sqlite")
        self.sessions: set[str] = set()
        self.gone: set[str] = set()
        self.count = 0
        self.due: set[str] = set()

    def teardown(self) -> None:
        """At the end everything is noted, and the recount adds up."""
        try:
            self.observe()
            found = recount(self.lab)
            assert found.adds_up, found
            assert not found.states.get(MessageState.PENDING), found
        finally:
            self.db.close()
            shutil.rmtree(self.root)

    @rule(session=IDS, number=st.integers(1, 3))
    def say(self, session: str, number: int) -> None:
        """New rows, in a new session if need be."""
        if session in self.gone:
            return  # OpenClaw gives no id twice
        if session not in self.sessions:
            self.db.begin(session, f"agent:main:dashboard:{session}")
            self.sessions.add(session)
        for _ in range(number):
            self.count += 1
            self.db.say(session, f"remember {token(self.count)}")

    @rule(session=IDS, mark=st.booleans(), keep=st.integers(1, 9))
    def rewrite(self, session: str, mark: bool, keep: int) -> None:
        """The history replaced by its header and its last rows."""
        if session in self.sessions:
            entries = [json.loads(one) for one in self.db.texts(session)]
            self.db.rewrite(session, [entries[0], *entries[1:][-keep:]], mark=mark)

    @rule(session=IDS)
    def reset(self, session: str) -> None:
        """``/new``: one more entry."""
        if session in self.sessions:
            self.db.reset(session)

    @rule(session=IDS, keep=st.integers(1, 5))
    def fork(self, session: str, keep: int) -> None:
        """A child with the first rows, ids kept."""
        if session in self.sessions and len(self.db.texts(session)) > 1:
            self.count += 1
            new = f"33333333-cccc-4ccc-8ccc-{self.count:012d}"
            self.db.fork(session, new, f"agent:main:dashboard:{new}", keep)

    @rule(session=IDS)
    def delete(self, session: str) -> None:
        """The user deletes the session."""
        if session in self.sessions:
            self.db.delete(session)
            self.sessions.discard(session)
            self.gone.add(session)

    @rule()
    def observe(self) -> None:
        """A run; what could be read is due from now on."""
        self.lab.observe()
        for (session,) in self.db.connection.execute(
            "SELECT DISTINCT session_id FROM transcript_events"
        ).fetchall():
            for text in self.db.texts(session):
                self.due |= set(tokens_noted(text))
        assert self.due <= set(tokens_noted(self.lab.notes))

    @rule(step=st.sampled_from(list(Step)))
    def crash(self, step: Step) -> None:
        """A run that ends at a step."""

        def passed(now: Step) -> None:
            if now is step:
                raise Crash

        try:
            self.lab.observe(passed=passed)
        except Crash:
            return

    @rule()
    def model_away(self) -> None:
        """The engine fails once."""
        echo(self.lab).failures[:] = [ModelUnreachableError("away")]
        self.lab.observe(ObserveOptions())
        echo(self.lab).failures.clear()

    @invariant()
    def at_most_once(self) -> None:
        """No message is noted twice."""
        assert not [one for one, times in tokens_noted(self.lab.notes).items() if times > 1]


Rows.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestRows = Rows.TestCase
