"""The agent is never harmed (invariant 4): its folder and its database are as they were, byte for byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.crashing import crash, outcome, start
from tests.lab import SESSION, Lab
from totalrecall.jobs.context import Step
from totalrecall.jobs.observe import ObserveOptions
from totalrecall.jobs.recover import recover
from totalrecall.jobs.verify import verify
from totalrecall.jobs.why import why


def _picture(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    return {
        str(one.relative_to(folder)): (
            one.stat().st_mtime_ns,
            one.stat().st_ino,
            one.stat().st_mode,
            hashlib.sha256(one.read_bytes()).hexdigest() if one.is_file() else "",
        )
        for one in sorted(folder.rglob("*"))
    }


def _everything(lab: Lab) -> None:
    crash(lab, Step.NOTES_WRITTEN)
    assert outcome(start(lab, away=True))[0] == 0
    lab.observe()
    lab.observe(ObserveOptions(session=SESSION))
    with lab.context() as ctx:
        recover(ctx)
        verify(ctx)
        assert why(ctx, "the port is 8443")


@pytest.mark.report("R124")
def test_session_files_are_left_as_they_are(lab: Lab) -> None:
    """Also a lock file of the agent that was left behind: it is neither waited for nor removed."""
    lab.say("the port is 8443")
    lab.path("55555555-aaaa-4aaa-8aaa-000000000001").write_bytes(b"{broken\n\xff\xfe\n")
    lab.path().with_name(f"{SESSION}.jsonl.lock").write_text('{"pid": 1}')
    lab.path().with_name("x.jsonl.deleted.2026-03-02T12-00-00.000Z").write_text("gone")
    agents = lab.state_dir / "agents"
    before = _picture(agents)
    _everything(lab)
    assert _picture(agents) == before


@pytest.mark.parametrize("running", [True, False])
def test_a_database_is_left_as_it_is(lab: Lab, running: bool) -> None:
    """With the gateway up no byte of the file or its write-ahead log changes; with it down no file appears."""
    folder = lab.state_dir / "agents" / "main" / "agent"
    gateway = OpenClawDb(folder / "openclaw-agent.sqlite")
    gateway.begin(SESSION)
    gateway.say(SESSION, "the port is 8443")
    if not running:
        gateway.close()
    before = {name: one for name, one in _picture(folder).items() if not name.endswith("-shm")}
    names = sorted(one.name for one in folder.iterdir())
    _everything(lab)
    after = {name: one for name, one in _picture(folder).items() if not name.endswith("-shm")}
    assert after == before
    assert sorted(one.name for one in folder.iterdir()) == names
    gateway.close()
