"""What went wrong for others, end to end: from transcripts to notes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.fakes.openclaw_db import OpenClawDb
from tests.integration.counting import assert_whole, echo, recount, token, tokens_noted
from tests.lab import SESSION, Lab
from totalrecall.bootstrap.model import extractive_engine
from totalrecall.domain.note import Compression, Dropped
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import BatchRefusedError, BatchTooLargeError, ModelUnreachableError
from totalrecall.jobs.observe import ObserveOptions
from totalrecall.jobs.recover import recover
from totalrecall.llm.engine import CompressionRequest

OTHER = "11111111-aaaa-4aaa-8aaa-000000000002"


def _model_lab(root: Path, **env: str) -> Lab:
    lab = Lab(root, env={"OPENROUTER_API_KEY": "k" * 30, **env})
    lab.adopt()
    return lab


@pytest.mark.report("R001")
def test_both_eras_are_read_side_by_side(lab: Lab) -> None:
    """The agent moves from files to SQLite: what was noted is not noted again, what is new is."""
    first = lab.entry("user", f"it is {token(1)}", entry_id="aaaaaaaa-1111-4111-8111-000000000001")
    lab.append(first)
    lab.observe()
    gateway = OpenClawDb(lab.state_dir / "agents" / "main" / "agent" / "openclaw-agent.sqlite")
    gateway.begin(SESSION)
    gateway.append(SESSION, first)
    gateway.say(SESSION, f"it is {token(2)}")
    lab.observe()
    lab.path().unlink()
    lab.observe()
    assert_whole(lab, [token(1), token(2)])
    gateway.close()


@pytest.mark.report("R009")
def test_copies_and_deleted_files_are_not_mined(lab: Lab) -> None:
    """Checkpoints, backups and deleted transcripts: each message once, and a deleted talk never."""
    lab.say(f"it is {token(1)}")
    content = lab.path().read_bytes()
    for name in (f"{SESSION}.checkpoint.7.jsonl", f"{SESSION}.jsonl.bak", f"{SESSION} (copy).jsonl"):
        (lab.sessions / name).write_bytes(content)
    deleted = content.replace(token(1).encode(), token(9).encode())
    (lab.sessions / f"{OTHER}.jsonl.deleted.2026-03-02T12-00-00.000Z").write_bytes(deleted)
    lab.observe()
    assert_whole(lab, [token(1)])


@pytest.mark.report("R024")
def test_an_empty_successor_writes_nothing(lab: Lab) -> None:
    """``/new`` with everything read, and only a header in the new file: no call, no note, no byte."""
    lab.say(f"it is {token(1)}")
    lab.observe()
    before = lab.notes
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    lab.append()
    assert lab.observe().idle
    assert lab.notes == before
    assert len(echo(lab).requests) == 1


@pytest.mark.report("R025")
def test_a_session_that_went_quiet_without_any_event_is_finished(lab: Lab) -> None:
    """No ``/new``, a new session the next morning: recovery finishes the old one."""
    lab.say(f"it is {token(1)}")
    lab.now += timedelta(hours=20)
    lab.say(f"it is {token(2)}", session=OTHER)
    with lab.context() as ctx:
        recover(ctx)
    assert_whole(lab, [token(1), token(2)])


@pytest.mark.report("R026")
def test_recovery_takes_what_is_unread_and_dates_it_by_the_talk(lab: Lab) -> None:
    """Three sessions are fully read: no call. The one with a rest is noted under its own day."""
    for number in range(3):
        lab.say(f"it is {token(number)}", session=f"{number:08d}-aaaa-4aaa-8aaa-000000000000")
    lab.observe()
    asked = len(echo(lab).requests)
    with lab.context() as ctx:
        assert recover(ctx).idle
    lab.say(f"it is {token(7)}", session="00000001-aaaa-4aaa-8aaa-000000000000")
    day = f"{lab.now:%Y-%m-%d}"
    lab.now += timedelta(days=20)
    lab.append(session=OTHER)
    with lab.context() as ctx:
        recover(ctx)
    assert len(echo(lab).requests) == asked + 1
    assert f"{lab.now:%Y-%m-%d}" not in lab.notes
    assert lab.notes.count(f"Date: {day}") == len([one for one in lab.notes.split("\n") if "Date:" in one])
    assert_whole(lab, [token(number) for number in (0, 1, 2, 7)])


@pytest.mark.report("R027")
@pytest.mark.parametrize("successor", [False, True])
def test_compaction_rewrites_or_replaces_the_transcript(lab: Lab, successor: bool) -> None:
    """Summary and tail, in place or in a successor's file: the new message is found, the summary is no speech."""
    lab.say(*[f"it is {token(number)}" for number in range(6)])
    lab.observe()
    lines = lab.path().read_text().splitlines(keepends=True)
    summary = {"type": "compaction", "id": "cccc0001", "parentId": None, "summary": f"they said {token(77)}"}
    new = lab.entry("user", f"it is {token(8)}")
    rest = [json.dumps(summary) + "\n", *lines[-2:], json.dumps(new) + "\n"]
    target, header = (lab.path(OTHER), lab.header(OTHER)) if successor else (lab.path(), json.loads(lines[0]))
    target.write_text("".join([json.dumps(header) + "\n", *rest]))
    lab.observe()
    assert_whole(lab, [token(number) for number in (0, 1, 2, 3, 4, 5, 8)])


@pytest.mark.report("R030")
def test_no_window_loses_a_decision(tmp_path: Path) -> None:
    """A decision, 400 tool lines, a lid closed for nine hours, a deadline behind 2 kB: all is noted."""
    lab = _model_lab(tmp_path)
    lab.say(f"we decide on {token(1)}")
    for number in range(400):
        call = {"type": "toolCall", "id": f"call{number}", "name": "exec", "arguments": {"command": "ls"}}
        lab.append(lab.entry("assistant", [call]))
        lab.append(
            lab.entry(
                "toolResult", [{"type": "text", "text": "ok"}], toolCallId=f"call{number}", toolName="exec"
            )
        )
    lab.say(f"{'as I said before ' * 120} the deadline is {token(2)}")
    lab.say(*[f"it is {token(number)}" for number in range(10, 400)])
    lab.now += timedelta(hours=9)
    lab.observe()
    assert_whole(lab, [token(number) for number in (1, 2, *range(10, 400))])


@pytest.mark.report("R031")
def test_a_failure_is_not_nothing_to_note(lab: Lab) -> None:
    """Unreachable, or an answer of which nothing survives: no cursor moves past it unnoticed, status tells."""
    lab.say(f"it is {token(1)}")
    echo(lab).failures = [ModelUnreachableError("No model answers.")]
    report = lab.observe()
    assert report.blocked is not None
    assert not report.idle
    with lab.context() as ctx:
        assert not ctx.ledger.last_runs()["observe"].ok
    assert recount(lab).states == {MessageState.PENDING: 1}
    assert not (lab.workspace / "memory" / ".observer-last-run").exists()
    lab.observe()
    assert_whole(lab, [token(1)])


@pytest.mark.report("R031")
def test_an_answer_of_which_nothing_survives_is_set_aside(lab: Lab) -> None:
    """Prose instead of notes, every time: the message is set aside, not noted, and the rest goes on."""

    class Prose:
        name = "prose"

        def compress(self, request: CompressionRequest) -> Compression:
            del request
            return Compression((), dropped=(Dropped("Sure, here is a story.", "prose"),), engine="prose")

    good = lab.engine
    lab.engine = Prose()
    lab.say(f"it is {token(1)}")
    assert lab.observe().set_aside == 1
    lab.engine = good
    lab.say(f"it is {token(2)}")
    lab.observe()
    found = assert_whole(lab, [token(2)])
    assert found.states == {MessageState.SET_ASIDE: 1, MessageState.NOTED: 1}


@pytest.mark.report("R034")
def test_a_backlog_beyond_the_models_window_is_worked_off(tmp_path: Path) -> None:
    """The provider refuses above N characters: halved, oldest first, a number of calls linear in the backlog."""
    lab = _model_lab(tmp_path)
    words = [token(number) for number in range(600)]
    lab.say(*[f"it is {word} {'and more ' * 60}" for word in words])
    served: list[int] = []

    def window(request: CompressionRequest) -> None:
        size = sum(len(one.text) for one in request.batch.messages)
        if size > 4_000:
            raise BatchTooLargeError("The request is over the model's window.")
        served.append(len(request.batch.messages))

    echo(lab).refuse = window
    lab.observe()
    assert_whole(lab, words)
    assert list(tokens_noted(lab.notes)) == words, "oldest first"
    assert len(echo(lab).requests) <= 3 * len(served) + 10


@pytest.mark.report("R034")
def test_a_poison_message_is_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    """One message that the model refuses every time: bisected, set aside, everything else noted."""
    lab = _model_lab(tmp_path)
    words = [token(number) for number in range(200)]
    lab.say(*[f"it is {word}" for word in words])

    def poison(request: CompressionRequest) -> None:
        if any(token(57) in one.text for one in request.batch.messages):
            raise BatchRefusedError("The model refuses.")

    echo(lab).refuse = poison
    report = lab.observe()
    assert report.set_aside == 1
    found = assert_whole(lab, [one for one in words if one != token(57)])
    assert found.states[MessageState.SET_ASIDE] == 1
    assert len(echo(lab).requests) < 40
    assert lab.observe().idle


@pytest.mark.report("R034")
def test_a_model_that_refuses_everything_is_asked_a_bounded_number_of_times(tmp_path: Path) -> None:
    """No endless loop and no emptied queue: after a few in a row the run stops, and the rest stays pending."""
    lab = _model_lab(tmp_path)
    lab.say(*[f"it is {token(number)}" for number in range(64)])

    def never(_request: CompressionRequest) -> None:
        raise BatchRefusedError("The model refuses.")

    echo(lab).refuse = never
    report = lab.observe()
    assert report.blocked is not None
    assert len(echo(lab).requests) <= 2 * 64
    found = recount(lab)
    assert found.adds_up
    assert found.states[MessageState.PENDING] + found.states[MessageState.SET_ASIDE] == 64
    assert found.states[MessageState.PENDING] > 50


@pytest.mark.report("R036")
def test_the_emergency_path_writes_no_raw_talk(tmp_path: Path) -> None:
    """Model down, secrets in the talk, ``/new``: the provisional block is screened and replaced later."""
    lab = _model_lab(tmp_path)
    secret = "ghp_" + "A1b2C3d4" * 4 + "Zz9Y"
    lab.emergency = extractive_engine()
    lab.say(f"we decided to deploy with the token {secret} from stage-2, port 8443")
    lab.path().rename(lab.path().with_name(f"{SESSION}.jsonl.reset.2026-03-02T12-00-09.000Z"))
    echo(lab).failures = [ModelUnreachableError("No model answers.")]
    with lab.context() as ctx:
        assert recover(ctx).provisional
        kept = [one for one in ctx.state_dir.rglob("*") if one.is_file()]
        assert not [one for one in kept if secret.encode() in one.read_bytes()]
    assert "provisional" in lab.notes
    assert secret not in lab.notes
    lab.observe()
    assert "provisional" not in lab.notes
    assert secret not in lab.notes
    assert "8443" in lab.notes


@pytest.mark.report("R036")
def test_a_stand_in_covers_everything_that_waits(tmp_path: Path) -> None:
    """More than one batch is pending when the model is away: all of it gets provisional notes, once."""
    lab = _model_lab(tmp_path)
    words = [token(number) for number in range(900)]
    lab.say(*[f"it is {word}" for word in words])
    for _ in range(2):
        echo(lab).failures = [ModelUnreachableError("No model answers.")]
        lab.observe(ObserveOptions(stand_in=True))
        assert list(tokens_noted(lab.notes)) == words
    lab.observe()
    assert "provisional" not in lab.notes
    assert_whole(lab, words)


@pytest.mark.report("R037")
def test_one_message_under_several_ids_is_noted_once(lab: Lab) -> None:
    """Sent three times within seconds, and the reply mirrored with a cut copy."""
    lab.say(*[f"please move the review with Ada to Thursday, room {token(1)}"] * 3)
    answer = f"I moved the review to Thursday and told both of them; the room is booked: {token(2)}"
    lab.reply(answer)
    text = [{"type": "text", "text": answer}]
    lab.append(lab.entry("assistant", text, model="delivery-mirror", provider="openclaw"))
    lab.observe()
    found = assert_whole(lab, [token(1)])
    assert found.reasons == {SkipReason.DUPLICATE: 3}


@pytest.mark.report("R041")
def test_notes_that_the_agent_reads_are_not_noted_again(lab: Lab) -> None:
    """The agent reads observations.md and repeats it: skipped; the user's correction in the same talk is kept."""
    lab.say(f"the port is {token(1)}")
    lab.observe()
    path = str(lab.notes_path)
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": path}}
    lab.append(lab.entry("assistant", [call]))
    result = [{"type": "text", "text": lab.notes}]
    lab.append(lab.entry("toolResult", result, toolCallId="c1", toolName="read"))
    lab.reply(f"You told me before that the port is {token(1)}.")
    lab.say(f"no, it is {token(2)} now")
    lab.observe()
    found = assert_whole(lab, [token(1), token(2)])
    assert found.reasons == {SkipReason.INJECTED_MEMORY: 1}


@pytest.mark.report("R042")
def test_a_user_who_talks_about_the_observer_is_a_user(lab: Lab) -> None:
    """Words such as observer, NO_OBSERVATIONS, HEARTBEAT_OK or "User:" in a person's sentence cost nothing."""
    said = [
        f"the observer agent must run hourly {token(1)}",
        f"why does it answer NO_OBSERVATIONS when I say hello? {token(2)}",
        f"User: and Assistant: are the labels in my export {token(3)}",
        f"what does HEARTBEAT_OK mean in the log? {token(4)}",
    ]
    lab.say(*said)
    lab.observe()
    assert_whole(lab, [token(number) for number in (1, 2, 3, 4)])


@pytest.mark.report("R044")
def test_only_promised_files_stand_in_the_memory_folder(lab: Lab) -> None:
    """After crashes, stand-ins and many runs: nothing that an indexer reads, and no growth."""
    for number in range(30):
        lab.say(f"it is {token(number)}")
        echo(lab).failures = [ModelUnreachableError("away")] if number % 3 == 0 else []
        lab.observe(ObserveOptions(stand_in=True))
    names = {one.name for one in lab.notes_path.parent.iterdir()}
    assert names == {"observations.md", ".total-recall.json", ".observer-last-run", ".observer-last-hash"}
    assert {one.name for one in lab.workspace.iterdir()} <= {"memory", "logs"}


@pytest.mark.report("R066")
def test_ideas_of_the_assistant_are_not_the_users_facts(lab: Lab) -> None:
    """With the built-in engine: a suggestion is not a wish, a failed deploy is not a deed."""
    lab.engine = extractive_engine()
    lab.say("Deploy the shop to stage-2 please.")
    call = {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "deploy stage-2"}}
    lab.append(lab.entry("assistant", [{"type": "text", "text": "Deploying to stage-2 now."}, call]))
    failed = [{"type": "text", "text": "Error: connection refused\n\nCommand exited with code 1"}]
    lab.append(lab.entry("toolResult", failed, toolCallId="c1", toolName="exec", isError=True))
    lab.reply("The deploy failed. You could switch to Postgres, it would be my favourite.")
    lab.say("I always want the short report format. We decided to keep SQLite.")
    lab.now += timedelta(hours=1)
    lab.observe()
    notes = [one for one in lab.notes.splitlines() if one.lstrip().startswith("- ")]
    assert any("SQLite" in one for one in notes)
    for one in notes:
        if "Postgres" in one:
            assert "assistant" in one.lower()
            assert "[preference]" not in one
            assert "[decision]" not in one
        if "stage-2" in one:
            assert "deployed" not in one.lower()


@pytest.mark.report("R068")
def test_the_day_and_time_are_the_messages_in_the_users_zone(tmp_path: Path) -> None:
    """Shanghai, said at 23:55 and 00:30, observed later: two days with one marker, local times."""
    zone = ZoneInfo("Asia/Shanghai")
    lab = Lab(
        tmp_path, env={"TOTALRECALL_TIMEZONE": "Asia/Shanghai"}, now=datetime(2026, 3, 2, 23, 50, tzinfo=zone)
    )
    lab.adopt()
    lab.now = datetime(2026, 3, 2, 23, 55, tzinfo=zone)
    lab.say(f"it is {token(1)}")
    lab.now = datetime(2026, 3, 3, 0, 30, tzinfo=zone)
    lab.say(f"it is {token(2)}")
    lab.now += timedelta(days=1)
    lab.observe()
    blocks = [one for one in lab.notes.split("\n") if one.startswith(("Date: ", "- "))]
    assert blocks[0].startswith("Date: 2026-03-02 <!-- tr:")
    assert "23:55" in blocks[1]
    assert blocks[2] == blocks[0].replace("03-02", "03-03")
    assert "00:30" in blocks[3]
    request = echo(lab).requests[0]
    assert request.now.utcoffset() == timedelta(hours=8)
    assert_whole(lab, [token(1), token(2)])


@pytest.mark.report("R116")
def test_a_run_that_could_do_nothing_does_not_end_with_success(tmp_path: Path) -> None:
    """No agent, a wrong command, a model that is wanted without a key, notes that are gone: none ends with 0."""
    lab = Lab(tmp_path)
    assert _command(lab, "observe") == 78
    assert _command(lab, "observ") == 2
    lab.adopt()
    lab.say("we decided to use port 8443")
    assert _command(lab, "observe", TOTALRECALL_ENGINE="llm") == 78
    assert _command(lab, "observe", "--agent", "nobody") == 78
    assert _command(lab, "observe", "--session", "nothing-like-it") == 78
    lab.observe()
    lab.notes_path.unlink()
    assert _command(lab, "observe") == 3


def _command(lab: Lab, *arguments: str, **env: str) -> int:
    clean = {name: value for name, value in os.environ.items() if name in {"PATH", "PYTHONPATH", "LANG"}}
    done = subprocess.run(
        [sys.executable, "-m", "totalrecall", *arguments],
        env={**clean, "HOME": str(lab.root), "TZ": "UTC", **env},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0 or done.stderr
    return done.returncode
