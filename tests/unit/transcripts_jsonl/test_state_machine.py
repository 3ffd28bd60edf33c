"""Any order of what an agent, a crash or a person does to session files: every message arrives.

The model is a list: what was ever written whole and could be seen by a look. The reader is a plain job: it
keeps one cursor per session id, reads what the store says, and knows messages by their id.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.contracts.store_contract import entry_ids, header_entry, message_entry
from tests.unit.transcripts_jsonl.agent import Agent, lines
from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Record
from totalrecall.domain.session import Session
from totalrecall.transcripts.filenames import family_id
from totalrecall.transcripts.store import Start

NAMES = st.sampled_from(["a", "b"])
PADDING = st.sampled_from(["", " pad" * 30, " long" * 2500])


class SessionFiles(RuleBasedStateMachine):
    """Files that change under a reader."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.agent = Agent(self.root)
        self.store = self.agent.store()
        self.cursors: dict[str, Cursor] = {}
        self.counter = 0
        self.readable: set[str] = set()
        self.copied: dict[str, set[str]] = {}
        self.held: dict[str, list[bytes]] = {}
        self.torn: dict[str, tuple[bytes, bytes]] = {}
        self.delivered: list[str] = []

    def teardown(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.root)

    def new_line(self, padding: str) -> bytes:
        """The next message as a line."""
        self.counter += 1
        return lines(
            [message_entry(f"m{self.counter:04}", f"number {self.counter}{padding} end {self.counter}")]
        )

    def id_of(self, line: bytes) -> str:
        """The id of a line made by ``new_line``."""
        return line.partition(b'"id":"')[2].partition(b'"')[0].decode()

    def path(self, name: str) -> Path:
        """The live file."""
        return self.root / f"{name}.jsonl"

    def put(self, name: str, kept: list[bytes]) -> None:
        """Write the file anew in place."""
        self.held[name] = kept
        self.torn.pop(name, None)
        self.agent.write(f"{name}.jsonl", lines([header_entry(name)]) + b"".join(kept))

    @rule(name=NAMES, padding=PADDING)
    def append(self, name: str, padding: str) -> None:
        """A whole line; a line that was torn before is finished first."""
        self.finish_line(name)
        if not self.path(name).exists():
            self.put(name, [])
        line = self.new_line(padding)
        self.held[name].append(line)
        self.agent.append(f"{name}.jsonl", line)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), padding=PADDING)
    def half_a_line(self, data: st.DataObject, padding: str) -> None:
        """The first part of a line; the rest may come much later."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.finish_line(name)
        line = self.new_line(padding)
        cut = data.draw(st.integers(1, len(line) - 1))
        self.torn[name] = line[:cut], line[cut:]
        self.agent.append(f"{name}.jsonl", line[:cut])

    @rule(name=NAMES)
    def finish_line(self, name: str) -> None:
        """The second part of a torn line."""
        if name in self.torn:
            first, rest = self.torn.pop(name)
            self.held[name].append(first + rest)
            self.agent.append(f"{name}.jsonl", rest)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), zeros=st.sampled_from([0, 1, 300]))
    def crash_while_writing(self, data: st.DataObject, zeros: int) -> None:
        """Power loss: the torn line stays torn for ever, zeros behind it, and the next line is glued to it."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        if name not in self.torn:
            self.half_a_line(data, "")
        if name in self.torn and len(self.torn[name][1]) > 3:
            del self.torn[name]
            line = self.new_line("")
            self.held[name].append(line)
            self.agent.append(f"{name}.jsonl", b"\0" * zeros + line)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def rewrite(self, data: st.DataObject) -> None:
        """Emptied and written anew in place: the same, or a tail of it and a new message, seen halfway or not."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.finish_line(name)
        kept = self.held[name][data.draw(st.integers(0, len(self.held[name]))) :]
        if data.draw(st.booleans()):
            self.put(name, [])
            self.path(name).write_bytes(b"")
            self.look()
        self.put(name, kept)
        if data.draw(st.booleans()):
            self.append(name, "")

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def replace_atomically(self, data: st.DataObject) -> None:
        """Another file takes the name: same content plus one message."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.finish_line(name)
        line = self.new_line("")
        self.held[name].append(line)
        spare = self.agent.write("spare", lines([header_entry(name)]) + b"".join(self.held[name]))
        spare.replace(self.path(name))

    @precondition(lambda self: self.held)
    @rule(data=st.data(), again=st.booleans())
    def reset(self, data: st.DataObject, again: bool) -> None:
        """``/new``: the file gets its ``.reset.`` name, and perhaps a new one begins under the old name."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.finish_line(name)
        self.counter += 1
        stamp = f"2026-02-14T09-{self.counter // 60 % 60:02}-{self.counter % 60:02}.000Z"
        self.readable |= {self.id_of(line) for line in self.held.pop(name)}
        self.path(name).rename(self.root / f"{name}.jsonl.reset.{stamp}")
        if again:
            self.put(name, [])

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """The user deletes a live session: what was not read yet may be lost, nothing else."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        del self.held[name]
        self.torn.pop(name, None)
        self.path(name).rename(self.root / f"{name}.jsonl.deleted.{self.counter}")

    @precondition(lambda self: self.held)
    @rule(data=st.data(), suffix=st.sampled_from([".jsonl.bak", "-topic-7.jsonl", " copy.jsonl", "2.jsonl"]))
    def copy(self, data: st.DataObject, suffix: str) -> None:
        """A copy under another name, read or not: its messages are known ones."""
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.finish_line(name)
        if suffix.endswith("7.jsonl"):
            self.copied[name] = {self.id_of(line) for line in self.held[name]}
        self.agent.touch(Path(shutil.copyfile(self.path(name), self.root / f"{name}{suffix}")))

    @rule()
    def restart(self) -> None:
        """A new process: only the cursors are left."""
        self.store = self.agent.store()

    @rule()
    def time_passes(self) -> None:
        """Everything is quiet."""
        self.agent.settle()

    @rule(batch=st.integers(1, 4))
    def look(self, batch: int = 1000) -> None:
        """The job: open each session, read up to ``batch`` records, move its cursor."""
        for session in self.store.sessions():
            self.read_some(session, batch)

    def read_some(self, session: Session, batch: int) -> None:
        """One batch of one session."""
        cursor = self.cursors.get(session.session_id) or self.cursors.get(family_id(session.session_id))
        opening = self.store.open(session, cursor)
        if opening.start in {Start.NOTHING, Start.WAIT}:
            return
        records: list[Record] = []
        reading = self.store.read(session, opening.position)
        for record in reading:
            # Records glued into one line share their end: a cut between them would lose the later ones.
            glued = bool(records) and record.end == records[-1].end
            if len(records) >= batch and not glued and opening.start is not Start.RESCAN:
                break
            records.append(record)
        reading.close()  # type: ignore[attr-defined]  # a generator
        self.delivered += entry_ids(records)
        if records:
            at = self.store.cursor_at(session, records[-1].end, "")
            self.cursors[session.session_id] = at

    @invariant()
    def everything_arrives(self) -> None:
        """After quiet looks every message that stands in a readable file was delivered, and none was made up."""
        if self.counter % 4:
            return
        self.agent.settle()
        for _ in range(3):
            self.look()
        standing = self.readable | {self.id_of(line) for held in self.held.values() for line in held}
        standing |= set().union(*self.copied.values())
        assert standing <= set(self.delivered)
        assert len(set(self.delivered)) <= self.counter


SessionFiles.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestSessionFiles = SessionFiles.TestCase
