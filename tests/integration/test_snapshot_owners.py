"""Each session gets its own snapshot, once, whatever other sessions, processes, crashes and clocks do."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.integration.working import call, close, compaction, cuts, work
from tests.lab import SESSION, Lab
from totalrecall.jobs.aftermath import after_observe
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import observe
from totalrecall.jobs.passed import due_boundaries
from totalrecall.jobs.snapshot import SnapshotResult, snapshot_at, snapshot_before_compaction
from totalrecall.jobs.snapshot_handover import handover_path
from totalrecall.jobs.task_picture import draw
from totalrecall.memory.snapshots import StoredSnapshot, all_snapshots

OTHER = "22222222-bbbb-4bbb-8bbb-000000000002"
MAIN, PHONE = "agent:main:main", "agent:main:telegram:direct:7"


def index(lab: Lab, **sessions: str) -> None:
    """OpenClaw's index: whose key a session has."""
    entries = {key: {"sessionId": name} for key, name in ((MAIN, SESSION), (PHONE, OTHER))}
    (lab.sessions / "sessions.json").write_text(json.dumps({**entries, **sessions}))


def results(lab: Lab) -> list[tuple[str, SnapshotResult]]:
    """Whose cuts a run passed, and what became of them."""
    return [(one.key, done.result) for one, done in cuts(lab)]


def ready(lab: Lab) -> str:
    """For whom a snapshot lies ready, "nobody" when none does."""
    with lab.context() as ctx:
        path = handover_path(ctx)
    if not path.exists():
        return "nobody"
    head = path.read_text().partition(" -->\n")[0].removeprefix("<!-- totalrecall:snapshot ")
    return str(json.loads(head)["sessionKey"])


def goals(lab: Lab) -> list[str]:
    """Of the snapshots, newest first."""
    with lab.context() as ctx:
        return [one.snapshot.picture.goal for one in all_snapshots(ctx.memory_dir, zone=ctx.zone)]


def letter(lab: Lab) -> None:
    """Another task in the other session, which leaves something open."""
    lab.say("Please write a letter to the landlord into letter.md.", session=OTHER)
    call(lab, "write", "letter.md", session=OTHER)
    lab.reply("I wrote half of it.\n\nStill open:\n- the heating", session=OTHER)


def test_a_session_is_not_handed_the_task_of_another(lab: Lab) -> None:
    """Within ten minutes there is no second snapshot, and the first is not for everybody."""
    index(lab)
    work(lab)
    compaction(lab)
    assert results(lab) == [(MAIN, SnapshotResult.SAVED)]
    lab.now += timedelta(minutes=3)
    letter(lab)
    compaction(lab, OTHER)
    assert results(lab) == [(PHONE, SnapshotResult.TOO_SOON)]
    assert ready(lab) == MAIN
    with lab.context() as ctx:
        assert snapshot_before_compaction(ctx).result is SnapshotResult.TOO_SOON
    assert ready(lab) == MAIN
    lab.now += timedelta(minutes=11)
    lab.say("Please add the heating to letter.md now.", session=OTHER)
    compaction(lab, OTHER)
    assert results(lab) == [(PHONE, SnapshotResult.SAVED)]
    assert ready(lab) == PHONE
    assert len(goals(lab)) == 2


def test_what_ends_well_takes_only_its_own_away(lab: Lab) -> None:
    """Also right after a snapshot; the other session's stays ready."""
    index(lab)
    work(lab)
    compaction(lab)
    results(lab)
    lab.say("Please write a haiku into haiku.txt.", session=OTHER)
    call(lab, "write", "haiku.txt", session=OTHER)
    lab.reply("I wrote the haiku.", session=OTHER)
    lab.say("Thanks!", session=OTHER)
    close(lab, OTHER)
    assert [result for _, result in results(lab)] == [SnapshotResult.NOTHING_TO_KEEP]
    assert ready(lab) == MAIN
    lab.say("Something else: write a haiku into haiku.txt please.")
    call(lab, "write", "haiku.txt")
    lab.reply("I wrote the haiku.")
    lab.say("Thanks!")
    close(lab)
    assert [result for _, result in results(lab)] == [SnapshotResult.NOTHING_TO_KEEP]
    assert ready(lab) == "nobody"


def test_an_end_that_is_found_late_is_not_hidden_by_a_later_snapshot(lab: Lab) -> None:
    """An idle session is over when another takes its key; what another chat did meanwhile is not its task."""
    index(lab)
    letter(lab)
    stamp = lab.now.timestamp()
    os.utime(lab.path(OTHER), (stamp, stamp))
    lab.observe()
    lab.now += timedelta(minutes=40)
    work(lab)
    compaction(lab)
    assert results(lab) == [(MAIN, SnapshotResult.SAVED)]
    lab.now += timedelta(minutes=1)
    third = OTHER.replace("2", "3")
    index(lab, **{PHONE: {"sessionId": third}})  # type: ignore[arg-type]
    lab.say("Good morning.", session=third)
    os.utime(lab.path(third), (lab.now.timestamp(), lab.now.timestamp()))
    assert results(lab) == [(PHONE, SnapshotResult.SAVED)]
    assert goals(lab) == [
        "Port the config parser in src/config.py to TOML, because INI cannot hold lists",
        "Write a letter to the landlord into letter.md",
    ]
    assert ready(lab) == PHONE


@pytest.mark.parametrize("stamp", ["2026-03-02T23:30:00", "2026-03-02T13:30:00+01:00"])
def test_an_agent_that_writes_times_of_another_zone_stops_no_snapshot(lab: Lab, stamp: str) -> None:
    """A time that lies ahead hides nothing; one with an offset is turned into the user's zone."""
    folder = lab.workspace / "memory"
    folder.mkdir(exist_ok=True)
    (folder / "2026-03-02.md").write_text(
        "## Task Snapshot -- 23:30\n\n<!-- BIG-MEMORY-SNAPSHOT v1 -->\n"
        f"<!-- timestamp: {stamp} -->\n<!-- snapshot-id: 2026-03-02-01 -->\n\n"
        "### [SNAPSHOT] Active Goal\nSomething\n\n### [SNAPSHOT] Next Steps\nnone\n\n<!-- /BIG-MEMORY-SNAPSHOT -->\n"
    )
    lab.now += timedelta(hours=1)
    work(lab)
    compaction(lab)
    assert [result for _, result in results(lab)] == [SnapshotResult.SAVED]
    with lab.context() as ctx:
        taken = [f"{one.snapshot.taken:%H:%M}" for one in all_snapshots(ctx.memory_dir, zone=ctx.zone)]
    assert min(taken) in {"12:30", f"{lab.now:%H:%M}"}


def test_a_crash_after_the_run_loses_no_snapshot(lab: Lab) -> None:
    """What a run told is due until something was done about it, also when the next run finds nothing new."""
    work(lab)
    compaction(lab)
    with lab.context() as ctx:
        observe(ctx)
    with lab.context() as ctx:
        assert len(due_boundaries(ctx)) == 1
        assert after_observe(ctx, observe(ctx)) == ()
        assert due_boundaries(ctx) == []
        after_observe(ctx, observe(ctx))
    assert len(goals(lab)) == 1


def test_a_log_that_cannot_be_written_is_told_and_tried_again(lab: Lab) -> None:
    """One failure keeps no other boundary from its snapshot, and none is lost."""
    work(lab)
    compaction(lab)
    log = lab.workspace / "memory" / "2026-03-02.md"
    log.mkdir(parents=True)
    with lab.context() as ctx:
        assert after_observe(ctx, observe(ctx))
    log.rmdir()
    with lab.context() as ctx:
        assert after_observe(ctx, observe(ctx)) == ()
    assert len(goals(lab)) == 1


def test_two_processes_at_one_cut_leave_one_snapshot(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's flush and the service may both be waiting for a model."""
    work(lab)
    compaction(lab)
    (boundary,) = lab.observe().boundaries

    def slowly(ctx: AgentContext, *rest: Any) -> Any:
        monkeypatch.setattr("totalrecall.jobs.snapshot.draw", draw)
        assert snapshot_at(ctx, boundary).result is SnapshotResult.SAVED
        return draw(ctx, *rest)

    monkeypatch.setattr("totalrecall.jobs.snapshot.draw", slowly)
    with lab.context() as ctx:
        assert snapshot_at(ctx, boundary).result is SnapshotResult.TOO_SOON
    assert len(goals(lab)) == 1


def test_a_clock_that_was_set_back_stops_no_snapshot(lab: Lab) -> None:
    """The last automatic one lies ahead then."""
    lab.now += timedelta(hours=1)
    work(lab)
    compaction(lab)
    assert [result for _, result in results(lab)] == [SnapshotResult.SAVED]
    lab.now -= timedelta(minutes=30)
    lab.say("Please write the manual into manual.md.", session=OTHER)
    call(lab, "write", "manual.md", session=OTHER)
    compaction(lab, OTHER)
    assert [result for _, result in results(lab)] == [SnapshotResult.SAVED]


def test_a_busy_agent_leaves_few(lab: Lab) -> None:
    """Whatever compacts and however often: ten minutes apart, and nothing twice."""
    folder: Path = lab.workspace / "memory"
    work(lab)
    for hour in range(4):
        for _ in range(8):
            lab.now += timedelta(minutes=4)
            if hour % 2:
                lab.say(f"Please add option {lab.now:%H%M} to src/options.py.")
            compaction(lab)
        cuts(lab)
    stored: list[StoredSnapshot] = []
    with lab.context() as ctx:
        stored = all_snapshots(ctx.memory_dir, zone=ctx.zone)
    times = sorted(one.snapshot.taken for one in stored)
    apart = [later - earlier for earlier, later in pairwise(times)]
    assert min(apart) >= timedelta(minutes=10)
    assert 6 <= len(stored) <= 9
    assert sum(one.stat().st_size for one in folder.glob("20*.md")) < 30_000
