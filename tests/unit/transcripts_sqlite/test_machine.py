"""Any order of what a gateway does, against a model: each message is noted exactly once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.fakes.openclaw_db import WriterProcess
from tests.unit.transcripts_sqlite.follower import Follower, store_of

LOCK_S = 0.05


class GatewayMachine(RuleBasedStateMachine):
    """A gateway in a process of its own, a follower that looks now and then, and what must have been noted."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.database = Path(self.folder.name) / "agent" / "openclaw-agent.sqlite"
        self.follower = Follower(store_of(self.database))
        self.writer: WriterProcess | None = None
        self.schema = 19
        self.rows: dict[str, list[str]] = {}
        """Texts of each session in order; "" for rows that are no messages."""
        self.due: set[str] = set()
        """Texts that exist in some session and were not seen by the follower yet."""
        self.names = 0

    def ask(self, do: str, **arguments: object) -> object:
        """A command to the gateway, which is started if it is down."""
        if self.writer is None:
            self.writer = WriterProcess(self.database, self.schema)
        return self.writer.ask(do, **arguments)

    def name(self, prefix: str) -> str:
        """A name that was not used yet."""
        self.names += 1
        return f"{prefix}{self.names}"

    def pick(self, data: st.DataObject) -> str:
        """One of the sessions."""
        return data.draw(st.sampled_from(sorted(self.rows)))

    @initialize()
    def begin(self) -> None:
        """A first session."""
        self.new_session()

    @rule()
    def new_session(self) -> None:
        """Somebody else writes."""
        session = self.name("s")
        self.ask("begin", session_id=session, key=f"agent:main:{session}")
        self.rows[session] = [""]

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), size=st.sampled_from([1, 3000]), count=st.integers(1, 3))
    def say(self, data: st.DataObject, size: int, count: int) -> None:
        """Messages, short ones and such as are compressed."""
        session = self.pick(data)
        for _ in range(count):
            text = self.name("words ") + " and more" * (size // 8)
            self.ask("say", session_id=session, text=text)
            self.rows[session].append(text)
            self.due.add(text)

    @precondition(lambda self: any(any(texts) for texts in self.rows.values()))
    @rule(data=st.data())
    def steer(self, data: st.DataObject) -> None:
        """A message is touched in place."""
        spots = [(name, seq) for name, texts in self.rows.items() for seq, text in enumerate(texts) if text]
        session, seq = data.draw(st.sampled_from(spots))
        self.ask("steer", session_id=session, seq=seq)

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), kind=st.sampled_from(["fork", "rewind"]))
    def copy(self, data: st.DataObject, kind: str) -> None:
        """A session that begins with rows of another."""
        session, new = self.pick(data), self.name("s")
        keep = data.draw(st.integers(0, len(self.rows[session]) - 1))
        extra = {"new_key": f"agent:main:dashboard:{new}"} if kind == "fork" else {}
        self.ask(kind, session_id=session, new_id=new, keep=keep, **extra)
        self.rows[new] = ["", *self.rows[session][1 : keep + 1]] + ([""] if kind == "rewind" else [])

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), reason=st.sampled_from(["new", "reset", "idle"]))
    def reset(self, data: st.DataObject, reason: str) -> None:
        """/new and its kin."""
        session = self.pick(data)
        self.ask("reset", session_id=session, reason=reason)
        self.rows[session].append("")

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def rollover(self, data: st.DataObject) -> None:
        """The idle reset."""
        session, new = self.pick(data), self.name("s")
        self.ask("rollover", session_id=session, new_id=new)
        self.rows[new] = [""]

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """The user deletes a session; what stands nowhere else is no longer due."""
        session = self.pick(data)
        self.ask("delete", session_id=session)
        del self.rows[session]
        self.due &= {text for texts in self.rows.values() for text in texts}

    @precondition(lambda self: self.schema == 19)
    @rule()
    def upgrade(self) -> None:
        """OpenClaw 2026.8 becomes 2026.9."""
        self.ask("upgrade")
        self.schema = 23

    @precondition(lambda self: self.writer is not None)
    @rule(how=st.sampled_from(["kill", "stop"]))
    def go_down(self, how: str) -> None:
        """SIGKILL or a clean stop; the next command starts the gateway again."""
        assert self.writer is not None
        getattr(self.writer, how)()
        self.writer = None

    @precondition(lambda self: self.writer is not None)
    @rule()
    def look_during_an_exclusive_lock(self) -> None:
        """The follower is patient longer than the lock."""
        assert self.writer is not None
        self.writer.send("lock", seconds=LOCK_S)
        self.writer.wait_for_lock()
        self.look()
        self.writer.result()

    @rule()
    def look(self) -> None:
        """Everything that is due is noted now, and nothing else."""
        new = self.follower.run()
        assert sorted(new) == sorted(self.due)
        self.due = set()

    @rule()
    def restart_of_ours(self) -> None:
        """A new store object with the cursors and identities that were kept."""
        self.follower.store = store_of(self.database)

    @invariant()
    def nothing_is_noted_twice(self) -> None:
        """No message was news two times."""
        assert len(self.follower.noted) == len(set(self.follower.noted))

    def teardown(self) -> None:
        """Look a last time, twice: the second look finds nothing."""
        self.look()
        assert self.follower.run() == []
        if self.writer is not None:
            self.writer.kill()
        self.folder.cleanup()


GatewayMachine.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


TestGatewayMachine = pytest.mark.report("R025")(pytest.mark.report("R027")(GatewayMachine.TestCase))
