"""Whoever edits the log while it is consolidated loses no edit, at whatever moment it comes."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.engine import EchoEngine
from tests.fakes.model_server import Behaviour, chat, model_server
from tests.fakes.reflector import honest_answer
from tests.integration.reflecting import FORCED, archived, by_days, fill, run_reflect, run_undo, values
from tests.lab import Lab
from totalrecall.jobs.close_rewrite import RewriteStep
from totalrecall.jobs.reflect import ReflectOptions, Result, reflect
from totalrecall.jobs.undo import UndoOptions
from totalrecall.jobs.verify import verify
from totalrecall.llm.prompt import OWN_CALL_MARKER

MOMENTS = [*RewriteStep]
KINDS = ["add a line", "add a note", "edit", "delete", "delete a block", "observe"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A home with a log, to be copied."""
    lab = Lab(tmp_path_factory.mktemp("home"))
    lab.adopt()
    fill(lab, days=3)
    lab.engine = EchoEngine()
    return lab


@contextmanager
def copy_of(lab: Lab) -> Iterator[Lab]:
    """The same home once more: one for each example."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(lab.root, folder, dirs_exist_ok=True)
        yield replace(lab, root=Path(folder), engine=EchoEngine())


class Person:
    """Edits the log as an editor does, and remembers what must be true of it for ever."""

    def __init__(self, lab: Lab, chance: random.Random) -> None:
        self.lab = lab
        self.chance = chance
        self.own: list[str] = []
        self.taken_out: set[str] = set()
        self.acts = 0

    def act(self, kind: str, *, locked: bool) -> None:
        """One edit. ``locked``: our own lock is held just now, and the observer would have to wait for it."""
        path = self.lab.notes_path
        if kind == "observe":
            if not locked:
                self.acts += 1
                self.lab.say(f"the value is v{9000 + self.acts}")
                self.own.append(f"v{9000 + self.acts}")
                self.lab.observe()
            return
        lines = path.read_text(encoding="utf-8").split("\n")
        self.acts += 1
        name = f"my own words {self.acts}."
        notes = [place for place, line in enumerate(lines) if "v0" in line]
        if kind.startswith("add") or not notes:
            line = name if kind == "add a line" else f"- 🟡 07:00 [fact] {name}"
            lines.insert(self.chance.randrange(6, len(lines) + 1), line)
            self.own.append(line)
        else:
            place = self.chance.choice(notes)
            count = 2 if kind == "delete a block" else 1
            gone = lines[place : place + count]
            self.taken_out |= values("\n".join(gone)).keys()
            self.own = [line for line in self.own if line not in gone]
            lines[place : place + count] = [f"- 🟢 12:00 [event] {name}"] if kind == "edit" else []
            if kind == "edit":
                self.own.append(f"- 🟢 12:00 [event] {name}")
        # As editors save: in place, or a new file that takes the name.
        if self.chance.random() < 0.5:
            path.write_text("\n".join(lines), encoding="utf-8")
        else:
            new = path.with_suffix(".new")
            new.write_text("\n".join(lines), encoding="utf-8")
            new.replace(path)

    def assert_respected(self, every: set[str]) -> None:
        """Each own line is there, nothing that was taken out is back, and no value is lost or doubled."""
        there = self.lab.notes
        for line in self.own:
            assert there.count(line) == 1, (line, there)
        found = values(there)
        assert self.taken_out.isdisjoint(found)
        assert max(found.values(), default=1) == 1, there
        left = {value for one in archived(self.lab) for value in values(one.line)}
        assert every <= found.keys() | left | self.taken_out


@pytest.mark.report("R078")
@settings(max_examples=30, deadline=None)
@given(
    edits=st.lists(st.tuples(st.sampled_from(MOMENTS), st.sampled_from(KINDS)), min_size=1, max_size=4),
    back=st.lists(st.tuples(st.sampled_from(MOMENTS[1:]), st.sampled_from(KINDS)), max_size=2),
    seed=st.integers(0, 2**32),
)
def test_edits_at_random_moments_of_a_run_are_all_kept(
    filled: Lab, edits: list[tuple[RewriteStep, str]], back: list[tuple[RewriteStep, str]], seed: int
) -> None:
    """During the call, before and after the swap, and in the undo that follows: real files, real edits."""
    with copy_of(filled) as lab:
        person = Person(lab, random.Random(seed))
        every = set(values(lab.notes))

        def acting(wanted: list[tuple[RewriteStep, str]], step: RewriteStep) -> None:
            locked = step in {RewriteStep.PLANNED, RewriteStep.BACKED_UP}
            # The steps under the lock come again when the file was changed: an edit happens once.
            for one in [one for one in wanted if one[0] is step]:
                wanted.remove(one)
                person.act(one[1], locked=locked)

        todo = list(edits)
        run_reflect(lab, options=ReflectOptions(force=True, passed=lambda step: acting(todo, step)))
        person.assert_respected(every)
        again = list(back)
        run_undo(lab, UndoOptions(passed=lambda step: acting(again, step)))
        person.assert_respected(every)
        with lab.context() as ctx:
            assert verify(ctx).adds_up
        run_reflect(lab, by_days, FORCED)
        person.assert_respected(every)


@pytest.mark.report("R078")
def test_notes_and_a_line_that_came_during_a_slow_call_are_there(lab: Lab) -> None:
    """f16: while the model thinks, the observer appends three notes and a person a line; all four stay."""
    # Old enough to change, too young to leave by age.
    fill(lab, days=2, each=12, then_days=7)
    with model_server() as server:

        def slowly(raw: bytes) -> Behaviour:
            if len(server.requests) == 1:
                lab.say("the value is v0100", "the value is v0101", "the value is v0102")
                assert lab.observe().notes == 3
                with lab.notes_path.open("a", encoding="utf-8") as file:
                    file.write("\nmy line\n")
            user = json.loads(raw)["messages"][-1]["content"]
            assert user.startswith(OWN_CALL_MARKER)
            return chat(honest_answer(user))

        server.answer = slowly
        lab.env = {"LLM_BASE_URL": f"{server.url}/v1", "OBSERVER_MODEL": "maker/one"}
        with lab.context() as ctx:
            report = reflect(ctx, FORCED)
    assert (report.result, report.engine) == (Result.REWRITTEN, "llm")
    assert {"v0100", "v0101", "v0102"} <= values(lab.notes).keys()
    assert lab.notes.count("my line\n") == 1
