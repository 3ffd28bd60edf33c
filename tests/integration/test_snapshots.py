"""From a session that is compacted to the agent that goes on from the snapshot."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer, chat, error, model_server
from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.working import call, close, compaction, cuts, work
from tests.lab import SESSION, Lab
from totalrecall.domain.boundary import Boundary, BoundaryKind
from totalrecall.domain.session import SessionKind
from totalrecall.domain.snapshot import Decision, Phase
from totalrecall.jobs.forget.find import phrase_target
from totalrecall.jobs.forget.remove import forget
from totalrecall.jobs.snapshot import (
    SnapshotOutcome,
    SnapshotResult,
    snapshot_at,
    snapshot_before_compaction,
    snapshot_now,
)
from totalrecall.jobs.snapshot_handover import handover_path
from totalrecall.jobs.snapshot_status import snapshot_status
from totalrecall.memory.snapshots import all_snapshots

SAVED, NOTHING, OLD, SOON = (
    SnapshotResult.SAVED, SnapshotResult.NOTHING_TO_KEEP, SnapshotResult.NOTHING_NEW, SnapshotResult.TOO_SOON,
)  # fmt: skip
OTHER = "22222222-bbbb-4bbb-8bbb-000000000002"


def log(lab: Lab) -> str:
    """Today's daily log, "" without one."""
    path = lab.workspace / "memory" / f"{lab.now:%Y-%m-%d}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def handed(lab: Lab) -> tuple[dict[str, Any], str]:
    """The facts and the text of the prepared file; ({}, "") without one."""
    with lab.context() as ctx:
        path = handover_path(ctx)
    if not path.exists():
        return {}, ""
    head, _, text = path.read_text(encoding="utf-8").partition(" -->\n")
    facts: dict[str, Any] = json.loads(head.removeprefix("<!-- totalrecall:snapshot "))
    return facts, text


def results(lab: Lab) -> list[SnapshotResult]:
    """What became of each cut of a run."""
    return [outcome.result for _, outcome in cuts(lab)]


def test_an_agent_goes_on_after_a_compaction_where_it_was(lab: Lab) -> None:
    """The cut is seen, the picture is kept in the daily log, and lies ready for the next run of the agent."""
    lab.workspace.joinpath("memory").mkdir(exist_ok=True)
    daily = lab.workspace / "memory" / "2026-03-02.md"
    daily.write_text("# 2026-03-02\n\n- the agent's own line\n")
    work(lab)
    compaction(lab)
    cut_at = lab.now
    lab.say("Go on.")
    ((boundary, outcome),) = cuts(lab)
    assert (boundary.kind, outcome.result, outcome.engine) == (BoundaryKind.COMPACTION, SAVED, "extractive")
    assert daily.read_text().startswith(
        "# 2026-03-02\n\n- the agent's own line\n\n---\n\n## Task Snapshot -- 12:"
    )
    with lab.context() as ctx:
        (one,) = all_snapshots(ctx.memory_dir)
    snapshot = one.snapshot
    assert snapshot.taken == cut_at.replace(tzinfo=None, microsecond=0)
    assert snapshot.snapshot_id == "2026-03-02-01"
    picture = snapshot.picture
    assert picture.goal == "Port the config parser in src/config.py to TOML, because INI cannot hold lists"
    assert (picture.phase, picture.branch, picture.blocked) == (Phase.DEBUGGING, "toml-config", True)
    assert {one.path for one in picture.files} == {"src/config.py", "tests/test_config.py"}
    assert picture.decisions == (Decision("Let's drop INI completely", "nobody uses it"),)
    assert picture.next_steps[1:] == ("Handle the missing hosts", "Update the README")
    facts, text = handed(lab)
    assert facts["expiresAt"] == f"{cut_at + timedelta(hours=24):%Y-%m-%dT%H:%M:%SZ}"
    assert facts["path"] == str(daily)
    assert f"at {cut_at:%Y-%m-%d %H:%M}" in text
    assert (
        "I detected context was compacted. Restoring task state from snapshot taken at 2026-03-02 12:" in text
    )
    assert "Does this match where we left off? Anything to update before I continue?" in text
    for words in (picture.goal, "Handle the missing hosts", "src/config.py", "Let's drop INI completely"):
        assert words in text


def test_nothing_new_and_ten_minutes_bound_the_growth(lab: Lab) -> None:
    """However often the host compacts."""
    work(lab)
    compaction(lab)
    assert results(lab) == [SAVED]
    lab.now += timedelta(minutes=2)
    lab.say("And add a changelog line in CHANGES.md.")
    compaction(lab)
    assert results(lab) == [SOON]
    lab.now += timedelta(minutes=9)
    compaction(lab)
    assert results(lab) == [SAVED]
    for _ in range(3):
        lab.now += timedelta(minutes=11)
        compaction(lab)
        assert results(lab) == [OLD]
    assert log(lab).count("<!-- BIG-MEMORY-SNAPSHOT v1 -->") == 2


def test_talk_without_state_leaves_none(lab: Lab) -> None:
    """Questions and answers, and a session in which nothing happened."""
    lab.say("What is the capital of France?")
    lab.reply("Paris.")
    compaction(lab)
    assert results(lab) == [NOTHING]
    with lab.context() as ctx:
        assert snapshot_now(ctx).result is NOTHING
        assert snapshot_before_compaction(ctx).result is NOTHING
    assert log(lab) == ""
    assert handed(lab) == ({}, "")


def _ended_well(lab: Lab) -> None:
    lab.say("Write a haiku into haiku.txt please.")
    call(lab, "write", "haiku.txt")
    lab.reply("I wrote the haiku.")
    lab.say("Thanks!")
    lab.reply("You are welcome.")


def _failing(lab: Lab) -> None:
    lab.say("Build the release please.")
    call(lab, "exec", "make release", error="No rule to make target")
    lab.reply("Hm.")


def _unanswered(lab: Lab) -> None:
    lab.reply("Good morning.")
    lab.say("Please move the backups of the kiln server to the new disk.")


def _open_step(lab: Lab) -> None:
    lab.say("Write a haiku into haiku.txt please.")
    call(lab, "write", "haiku.txt")
    lab.reply("I wrote the first two lines.\n\nStill open:\n- the third line")


@pytest.mark.parametrize(
    ("talk", "expected"),
    [(_ended_well, NOTHING), (_failing, SAVED), (_unanswered, SAVED), (_open_step, SAVED)],
)
def test_the_end_of_a_session_leaves_one_when_something_is_open(
    lab: Lab, talk: Any, expected: SnapshotResult
) -> None:
    """An open next step, a failing last command or an unanswered request."""
    talk(lab)
    lab.observe()
    close(lab)
    found = cuts(lab)
    assert [(one.kind, done.result) for one, done in found] == [(BoundaryKind.ENDED, expected)]
    assert bool(handed(lab)[1]) == (expected is SAVED)


def test_a_finished_task_is_not_handed_on(lab: Lab) -> None:
    """What lay ready after a compaction goes when the session ends with nothing open."""
    work(lab)
    compaction(lab)
    cuts(lab)
    assert handed(lab)[1]
    lab.now += timedelta(minutes=30)
    lab.say("Forget the parser; write a haiku into haiku.txt please.")
    call(lab, "write", "haiku.txt")
    lab.reply("I wrote the haiku.")
    lab.say("Thanks!")
    lab.reply("You are welcome.")
    close(lab)
    assert results(lab) == [NOTHING]
    assert handed(lab) == ({}, "")


def test_only_the_talk_of_that_session_up_to_the_cut_counts(lab: Lab) -> None:
    """What was said later, or elsewhere, is no part of the picture."""
    work(lab)
    compaction(lab)
    lab.say("By the way, plan the summer party in party.md.")
    lab.say("Translate the manual into Latin please.", session=OTHER)
    cuts(lab)
    assert "config parser" in log(lab)
    assert "party" not in log(lab)
    assert "Latin" not in log(lab)


@pytest.mark.parametrize(
    "kind", [SessionKind.GROUP, SessionKind.CRON, SessionKind.SUBAGENT, SessionKind.MACHINE]
)
def test_cuts_of_groups_and_machines_leave_none(lab: Lab, kind: SessionKind) -> None:
    """Private sessions only."""
    work(lab)
    with lab.context() as ctx:
        boundary = Boundary(BoundaryKind.COMPACTION, SESSION, "", kind, int(lab.now.timestamp() * 1000))
        assert snapshot_at(ctx, boundary).result is NOTHING
    assert log(lab) == ""


@pytest.mark.parametrize(
    ("key", "env"),
    [
        ("agent:main:telegram:group:-100", {"TOTALRECALL_GROUPS": "notes"}),
        ("agent:main:telegram:group:-100", {"TOTALRECALL_INCLUDE": "agent:main:telegram:*"}),
        ("agent:main:cron:job", {}),
        ("agent:main:subagent:1", {}),
        ("agent:main:secret", {"TOTALRECALL_EXCLUDE": "agent:main:secret"}),
    ],
)
def test_the_newest_talk_is_never_that_of_a_group_or_an_excluded_session(
    tmp_path: Path, key: str, env: dict[str, str]
) -> None:
    """Also where groups are observed for the notes."""
    lab = Lab(tmp_path, env=env)
    lab.adopt()
    work(lab)
    (lab.sessions / "sessions.json").write_text(json.dumps({key: {"sessionId": SESSION, "updatedAt": 1}}))
    with lab.context() as ctx:
        assert snapshot_now(ctx).result is NOTHING


def test_off_the_record_stays_off(lab: Lab) -> None:
    """Neither the words nor the answer to them."""
    work(lab)
    lab.say("Prepare the sale of the company in sale.md #offtherecord")
    call(lab, "write", "sale.md")
    lab.reply("I prepared the sale of the company.")
    compaction(lab)
    assert results(lab) == [SAVED]
    assert "sale" not in log(lab)


def test_what_was_forgotten_stays_so(lab: Lab) -> None:
    """The transcript still holds it."""
    work(lab)
    lab.say("Please prepare the sale of the company in sale.md.")
    lab.observe()
    with lab.context() as ctx:
        forget(ctx, phrase_target("sale of the company"))
        assert _saved(snapshot_now(ctx))
    assert "sale of" not in log(lab)
    assert "config parser" in log(lab)


@pytest.mark.report("R088")
@pytest.mark.report("R089")
def test_secrets_are_in_no_snapshot_no_request_and_no_log(lab: Lab) -> None:
    """Not from the words, not from a command, not when somebody gives them; names of variables may stay."""
    secret = "sk-or-v1-" + "0a1b" * 16
    password = "hunter" + "2-and-more"
    with model_server() as server:
        server.answer = lambda raw: chat(
            json.dumps({"goal": f"Use {secret}", "next_steps": [f"Set password: {password}"]})
        )
        _with_model(lab, server)
        work(lab)
        lab.say(f"The API_KEY={secret} and the password is {password}, deploy it please.")
        call(
            lab,
            "exec",
            f"curl -H 'Authorization: Bearer {secret}' https://x.example",
            error=f"401 for {secret}",
        )
        compaction(lab)
        assert results(lab) == [SAVED]
        assert server.raw
        with lab.context() as ctx:
            shown = str(snapshot_status(ctx))
        logs = "".join(one.read_text() for one in (lab.workspace / "logs").iterdir())
        everything = log(lab) + handed(lab)[1] + shown + logs + "".join(raw.decode() for raw in server.raw)
    assert secret not in everything
    assert password not in everything


@pytest.mark.report("R090")
def test_what_only_looks_like_a_secret_stays(lab: Lab) -> None:
    """File names with sk-, hashes, ids and versions are what a task is resumed by."""
    digest = "3fa9c2d1" * 5
    lab.say(f"Please fix the task-scheduler in risk-report.md and sk_model.py at commit {digest}.")
    call(lab, "write", "desk-check/sk_model.py")
    lab.reply("Next steps:\n- Compare 9374f789-f00a-4365-8690-c9665762e067 with disk-usage v2.14.3")
    with lab.context() as ctx:
        assert _saved(snapshot_now(ctx))
    for kept in ("task-scheduler", "risk-report.md", "`desk-check/sk_model.py`", digest,
                 "9374f789-f00a-4365-8690-c9665762e067", "disk-usage v2.14.3"):  # fmt: skip
        assert kept in log(lab)


def _with_model(lab: Lab, server: ModelServer) -> None:
    lab.env |= {"LLM_BASE_URL": f"{server.url}/v1", "LLM_API_KEY": "k" * 20, "TOTALRECALL_ENGINE": "llm"}


ANSWER = {
    "goal": "Port src/config.py from INI to TOML, because INI cannot hold lists",
    "phase": "testing",
    "branch": "toml-config",
    "files": [
        {"path": "src/config.py", "what": "loader rewritten"},
        {"path": "invented/file.py", "what": "x"},
    ],
    "decisions": [{"text": "Drop INI completely", "why": "nobody uses it"}],
    "blockers": ["pytest -q: exit 1: KeyError: 'hosts'"],
    "next_steps": ["Handle the missing hosts", "Call 0555 1234567"],
}


def test_a_model_draws_the_picture_and_invents_nothing(lab: Lab) -> None:
    """What no message says is left out of it."""
    with model_server() as server:
        _with_model(lab, server)
        server.will(chat(json.dumps(ANSWER)))
        work(lab)
        compaction(lab)
        ((_, outcome),) = cuts(lab)
        (request,) = server.requests
    assert (outcome.result, outcome.engine, outcome.fallback) == (SAVED, "llm", "")
    assert request["messages"][1]["content"].startswith("[total-recall:own-call]\n")
    assert (
        "You are the part of Total Recall that keeps a task from being forgotten"
        in request["messages"][0]["content"]
    )
    picture = outcome.picture
    assert picture is not None
    assert picture.goal == ANSWER["goal"]
    assert [one.path for one in picture.files] == ["src/config.py"]
    assert picture.next_steps == ("Handle the missing hosts",)


@pytest.mark.parametrize(
    "reply", [error(500, "down"), chat("I would rather chat."), chat("{"), error(401, "no")]
)
def test_without_a_model_that_answers_the_rules_do_it(lab: Lab, reply: Any) -> None:
    """A snapshot cannot wait for a model to come back."""
    with model_server() as server:
        _with_model(lab, server)
        server.will(reply)
        work(lab)
        compaction(lab)
        ((_, outcome),) = cuts(lab)
    assert (outcome.result, outcome.engine) == (SAVED, "extractive")
    assert outcome.fallback
    assert "config parser" in log(lab)


def test_a_cut_that_is_found_days_later_is_history(lab: Lab) -> None:
    """The newest snapshot shall not be of a task of last week."""
    work(lab)
    compaction(lab)
    lab.now += timedelta(hours=25)
    assert results(lab) == [SnapshotResult.TOO_LATE]


def test_a_snapshot_before_the_compaction_saves_the_one_after_it(lab: Lab) -> None:
    """The host's flush and its compaction are one cut."""
    work(lab)
    with lab.context() as ctx:
        assert snapshot_before_compaction(ctx).result is SAVED
    assert handed(lab)[1]
    lab.now += timedelta(seconds=20)
    compaction(lab)
    assert results(lab) == [SOON]
    assert log(lab).count("BIG-MEMORY-SNAPSHOT v1") == 1


def test_a_long_transcript_is_read_from_its_end(lab: Lab) -> None:
    """Megabytes of images and old talk before it cost nothing and are not in the picture."""
    lab.say("Please write the old ancient plan into ancient.md.")
    picture = {"type": "image", "data": "A" * 2_000_000, "mimeType": "image/png"}
    lab.append(lab.entry("toolResult", [picture], toolName="read", toolCallId="x"))
    for number in range(100):
        lab.say(f"note number {number}")
        lab.reply("Noted.")
    work(lab)
    with lab.context() as ctx:
        outcome = snapshot_now(ctx)
    assert outcome.picture is not None
    assert "config parser" in outcome.picture.goal
    assert "ancient" not in log(lab)


@pytest.mark.parametrize("schema", [19, 23])
def test_rows_are_read_as_files_are(lab: Lab, schema: int) -> None:
    """An agent that keeps its transcripts in SQLite; what was before its last reset is another task."""
    gateway = OpenClawDb(lab.state_dir / "agents" / "main" / "agent" / "openclaw-agent.sqlite", schema)
    try:
        gateway.begin(SESSION)
        gateway.say(SESSION, "Please write the ancient plan into ancient.md, because Odile asked for it.")
        gateway.say(SESSION, "I wrote it.", role="assistant")
        gateway.reset(SESSION)
        for _ in range(700):
            gateway.say(SESSION, "ok")
        gateway.say(SESSION, "Please port the config parser to TOML, because INI cannot hold lists.")
        gateway.say(SESSION, "Done with half.\n\nNext steps:\n1. Handle the missing hosts", role="assistant")
        lab.now = datetime.fromtimestamp(gateway.clock_ms / 1000, UTC) + timedelta(seconds=1)
        with lab.context() as ctx:
            outcome = snapshot_now(ctx)
    finally:
        gateway.close()
    assert outcome.picture is not None
    assert outcome.picture.goal == "Port the config parser to TOML, because INI cannot hold lists"
    assert outcome.picture.next_steps == ("Handle the missing hosts",)
    assert "ancient" not in log(lab)


def test_status_tells_whether_the_task_has_moved_on(lab: Lab) -> None:
    """Another goal, or two or more new files or tool calls since the newest snapshot."""

    def reasons() -> tuple[str, ...]:
        with lab.context() as ctx:
            return snapshot_status(ctx).reasons

    assert reasons() == ()
    work(lab)
    assert reasons() == ("there is work in the talk, and no snapshot of it",)
    with lab.context() as ctx:
        assert _saved(snapshot_now(ctx))
        found = snapshot_status(ctx)
    assert (found.today, found.total, found.moved_on) == (1, 1, False)
    lab.now += timedelta(minutes=1)
    call(lab, "read", "src/config.py")
    lab.reply("One look.")
    assert reasons() == ()
    call(lab, "write", "a.md")
    call(lab, "write", "b.md")
    assert reasons() == ("2 new files", "3 tool calls")
    lab.say("Now write a letter to the landlord because the heating is broken.")
    assert reasons()[0] == "another goal: Write a letter to the landlord because the heating is broken"
    lab.now += timedelta(days=1)
    with lab.context() as ctx:
        assert (snapshot_status(ctx).today, snapshot_status(ctx).total) == (0, 1)


def _saved(outcome: SnapshotOutcome) -> bool:
    return outcome.result is SAVED and outcome.stored is not None


def test_the_day_is_the_users(tmp_path: Path) -> None:
    """Time and file follow the user's zone, not the machine's."""
    lab = Lab(
        tmp_path, env={"TOTALRECALL_TIMEZONE": "Asia/Shanghai"}, now=datetime(2026, 3, 2, 17, 0, tzinfo=UTC)
    )
    lab.adopt()
    work(lab)
    with lab.context() as ctx:
        outcome = snapshot_now(ctx)
    assert outcome.stored is not None
    assert outcome.stored.path.name == "2026-03-03.md"
    assert re.search(r"## Task Snapshot -- 01:00\n", outcome.stored.path.read_text())
