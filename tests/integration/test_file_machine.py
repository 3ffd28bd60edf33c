"""Any order of what an agent, a person or a crash does to session files: each message noted once, none lost.

The model: every message holds a word that stands in no other one. It may be noted at most once, and must have
been noted once if it could still be read when the observer ran last.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.integration.counting import echo, recount, token, tokens_noted
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.errors import BatchRefusedError, BatchTooLargeError, ModelUnreachableError
from totalrecall.jobs.context import Step
from totalrecall.jobs.observe import ObserveOptions

NAMES = st.sampled_from(
    ["11111111-aaaa-4aaa-8aaa-00000000000a", "11111111-aaaa-4aaa-8aaa-00000000000b", "hand-named"]
)
FAILURES = st.sampled_from(
    [ModelUnreachableError("away"), BatchTooLargeError("too large"), BatchRefusedError("refused")]
)


class Crash(BaseException):
    """The process ends here."""


class SessionFiles(RuleBasedStateMachine):
    """One agent's sessions folder, and a model of what its files hold."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.lab = Lab(self.root, env={"OPENROUTER_API_KEY": "k" * 30})
        self.lab.adopt()
        self.count = 0
        self.held: dict[str, list[bytes]] = {}
        self.torn: dict[str, bytes] = {}
        self.due: set[str] = set()

    def teardown(self) -> None:
        """At the end everything that can be read is noted, and the recount adds up."""
        try:
            echo(self.lab).failures.clear()
            for name in sorted(self.torn):
                self.finish_line(name)
            self.run_observe()
            found = recount(self.lab)
            assert found.adds_up, found
            assert not found.states.get(MessageState.PENDING), found
            assert not found.unaccounted
        finally:
            shutil.rmtree(self.root)

    def path(self, name: str) -> Path:
        """The live file."""
        return self.lab.path(name)

    def new_line(self, *, with_id: bool = True) -> bytes:
        """The next message as a line."""
        self.count += 1
        entry: dict[str, Any] = self.lab.entry("user", f"remember {token(self.count)}")
        if not with_id:
            del entry["id"]
        return json.dumps(entry).encode() + b"\n"

    def put(self, name: str, lines: list[bytes]) -> None:
        """Write a whole file anew in place."""
        header = json.dumps(self.lab.header(name)).encode() + b"\n"
        with self.path(name).open("wb") as file:
            file.write(header + b"".join(lines))
        self.held[name] = list(lines)
        self.torn.pop(name, None)

    def readable(self) -> set[str]:
        """The words of all whole lines in files that may be read."""
        files = [
            one
            for one in self.lab.sessions.iterdir()
            if ".deleted." not in one.name
            and one.name.endswith((".jsonl", "Z"))
            and ".checkpoint" not in one.name
        ]
        found: set[str] = set()
        for one in files:
            for line in one.read_bytes().split(b"\n")[:-1]:
                found |= set(tokens_noted(line.decode()))
        return found

    @rule(name=NAMES, number=st.integers(1, 3), with_id=st.booleans())
    def append(self, name: str, number: int, with_id: bool) -> None:
        """Whole lines at the end of a file, or a new file."""
        self.finish_line(name)
        if name not in self.held:
            self.put(name, [])
        lines = [self.new_line(with_id=with_id) for _ in range(number)]
        with self.path(name).open("ab") as file:
            file.write(b"".join(lines))
        self.held[name] += lines

    @rule(name=NAMES, share=st.floats(0.1, 0.9))
    def half_a_line(self, name: str, share: float) -> None:
        """The first part of a line; the rest comes later."""
        if name not in self.held or name in self.torn:
            return
        line = self.new_line()
        cut = max(1, int(len(line) * share))
        with self.path(name).open("ab") as file:
            file.write(line[:cut])
        self.torn[name] = line[cut:]
        self.held[name].append(line)

    @rule(name=NAMES)
    def finish_line(self, name: str) -> None:
        """The rest of a torn line."""
        if rest := self.torn.pop(name, b""):
            with self.path(name).open("ab") as file:
                file.write(rest)

    @rule(name=NAMES, look=st.booleans())
    def rewrite_same(self, name: str, look: bool) -> None:
        """Emptied and written again in place, as OpenClaw does after nearly every turn."""
        if name not in self.held:
            return
        self.finish_line(name)
        content = self.path(name).read_bytes()
        with self.path(name).open("r+b") as file:
            file.truncate(0)
            if look:
                self.lab.observe()
            file.write(content)

    @rule(name=NAMES, keep=st.integers(0, 4))
    def compact(self, name: str, keep: int) -> None:
        """Rewritten shorter: a summary, and the last lines."""
        if name not in self.held:
            return
        self.finish_line(name)
        summary = {"type": "compaction", "id": f"c{self.count}", "summary": "earlier talk", "tokensBefore": 9}
        tail = self.held[name][len(self.held[name]) - min(keep, len(self.held[name])) :]
        self.put(name, [json.dumps(summary).encode() + b"\n", *tail])

    @rule(name=NAMES, again=st.booleans())
    def close_by_reset(self, name: str, again: bool) -> None:
        """``/new``: the file is renamed; a new one under the same id comes, or none."""
        if name not in self.held:
            return
        self.finish_line(name)
        self.lab.now += timedelta(seconds=1)
        stamp = self.lab.now.strftime("%Y-%m-%dT%H-%M-%S.000Z")
        self.path(name).rename(self.path(name).with_name(f"{name}.jsonl.reset.{stamp}"))
        del self.held[name]
        if again:
            self.put(name, [self.new_line()])

    @rule(name=NAMES, gone=st.booleans())
    def delete(self, name: str, gone: bool) -> None:
        """The user deletes a session: renamed, or gone."""
        if name not in self.held:
            return
        path = self.path(name)
        path.unlink() if gone else path.rename(
            path.with_name(f"{name}.jsonl.deleted.2026-03-02T12-00-00.000Z")
        )
        del self.held[name]
        self.torn.pop(name, None)

    @rule(name=NAMES, kind=st.sampled_from([".bak", ".checkpoint"]))
    def copy_aside(self, name: str, kind: str) -> None:
        """A backup or a checkpoint beside it, which nobody reads."""
        if name in self.held:
            path = self.path(name)
            target = f"{name}.checkpoint.1.jsonl" if kind == ".checkpoint" else f"{name}.jsonl.bak"
            shutil.copyfile(path, path.with_name(target))

    @rule(name=NAMES, renamed=st.booleans())
    def fork(self, name: str, renamed: bool) -> None:
        """A copy with the same entries: a fork with a header of its own, or the same file under another name."""
        if name not in self.held or name in self.torn or any(b'"id"' not in one for one in self.held[name]):
            return
        self.count += 1
        other = f"fork-{self.count}"
        if renamed:
            shutil.copyfile(self.path(name), self.path(other))
        else:
            self.put(other, self.held[name])
            del self.held[other]

    @rule()
    def observe(self) -> None:
        """A run in a new process, as far as anything remembers."""
        self.run_observe()

    @rule(step=st.sampled_from(list(Step)), nth=st.integers(1, 2))
    def crash(self, step: Step, nth: int) -> None:
        """A run that ends at a step."""
        left = [nth]

        def passed(now: Step) -> None:
            left[0] -= now is step
            if now is step and left[0] == 0:
                raise Crash

        try:
            self.lab.observe(passed=passed)
        except Crash:
            return

    @rule(error=FAILURES, stand_in=st.booleans())
    def observe_with_failure(self, error: Exception, stand_in: bool) -> None:
        """The engine fails once."""
        echo(self.lab).failures[:] = [error]
        self.lab.observe(ObserveOptions(stand_in=stand_in))
        echo(self.lab).failures.clear()

    def run_observe(self) -> None:
        """A whole run; what could be read is due from now on, but for as many as the engine failed on alone."""
        self.lab.observe()
        self.due |= self.readable()
        missing = self.due - set(tokens_noted(self.final_notes()))
        with self.lab.context() as ctx:
            aside = ctx.ledger.counts().by_state.get(MessageState.SET_ASIDE, 0)
        assert len(missing) <= aside, missing

    def final_notes(self) -> str:
        """The notes without provisional blocks, which stand in for messages that are still pending."""
        kept, skip = [], False
        for line in self.lab.notes.split("\n"):
            if line.startswith("Date: "):
                skip = "provisional" in line
            kept += [] if skip else [line]
        return "\n".join(kept)

    @invariant()
    def at_most_once(self) -> None:
        """No message is noted twice."""
        twice = [one for one, times in tokens_noted(self.final_notes()).items() if times > 1]
        assert not twice


SessionFiles.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestSessionFiles = SessionFiles.TestCase
