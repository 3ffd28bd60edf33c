"""SESSION_STATE.md is kept up from the transcripts, and an agent's or a person's newer edit wins."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import chat, error, model_server
from tests.integration.working import call, work
from tests.lab import Lab
from totalrecall.domain.session_state import SessionState
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.state import (
    RefreshOptions,
    RefreshOutcome,
    RefreshResult,
    refresh,
    refresh_if_due,
)
from totalrecall.jobs.state_draw import draw_state
from totalrecall.jobs.state_edit import clear, set_fields
from totalrecall.memory.session_state import StateRead

OTHER = "22222222-bbbb-4bbb-8bbb-000000000002"
LIKED = """---
# Odile keeps this
project: 'Kiln Room'   # the old one
mood: good
task: Fire the vases
status: active
next_steps:
    - Repair the door
last_action: none yet
updated: 2026-03-02T11:00:00Z
---

## Context
- keep me
"""


def path_of(lab: Lab) -> Path:
    """Where it stands."""
    return lab.workspace / "SESSION_STATE.md"


def write(lab: Lab, text: str, at: datetime | None = None) -> None:
    """The file as somebody wrote it, at the lab's time."""
    path_of(lab).write_text(text, encoding="utf-8")
    stamp = (at or lab.now).timestamp()
    os.utime(path_of(lab), (stamp, stamp))


def run(lab: Lab, **options: Any) -> RefreshOutcome:
    """One refresh; what it writes gets the lab's time, as if the clock of the disk were the lab's."""
    dry_run = bool(options.get("dry_run"))
    return on(lab, lambda ctx: refresh(ctx, RefreshOptions(**options)), dry_run=dry_run)


def on(lab: Lab, work: Callable[[AgentContext], RefreshOutcome], *, dry_run: bool = False) -> RefreshOutcome:
    """A job with the lab's context."""
    with lab.context() as ctx:
        done = work(ctx)
    if done.result is RefreshResult.WRITTEN and done.path.exists() and not dry_run:
        stamp = lab.now.timestamp()
        os.utime(done.path, (stamp, stamp))
    return done


def test_a_state_is_made_from_the_talk(lab: Lab) -> None:
    """Without a file: all six fields, the diff shows them, and the same again finds nothing to do."""
    work(lab)
    lab.now += timedelta(seconds=5)
    done = run(lab)
    assert (done.result, done.engine) == (RefreshResult.WRITTEN, "extractive")
    assert done.state is not None
    assert done.state.task == "Port the config parser in src/config.py to TOML, because INI cannot hold lists"
    assert done.state.status == "active"
    assert done.state.next_steps[1:] == ("Handle the missing hosts", "Update the README")
    assert done.state.updated == f"{lab.now:%Y-%m-%dT%H:%M:%SZ}"
    assert '+status: "active"' in done.diff
    assert done.snippets == 5
    assert done.top_source == lab.path().name
    assert path_of(lab).stat().st_mode & 0o777 == 0o600
    assert run(lab).result is RefreshResult.EDITED_LATER


def test_everything_else_in_the_file_stays(lab: Lab) -> None:
    """Comments, unknown keys, quotes, order, indentation, body."""
    write(lab, LIKED)
    lab.now += timedelta(minutes=1)
    work(lab)
    assert run(lab).result is RefreshResult.WRITTEN
    text = path_of(lab).read_text()
    for kept in (
        "# Odile keeps this\n",
        "   # the old one\n",
        "mood: good\n",
        "\n---\n\n## Context\n- keep me\n",
    ):
        assert kept in text
    assert "\n    - \"Fix: pytest -q: exit 1: KeyError: 'hosts'\"\n" in text
    assert text.index("mood") < text.index("task") < text.index("status") < text.index("last_action")


def test_a_dry_run_writes_nothing(lab: Lab) -> None:
    """It shows the same difference."""
    write(lab, LIKED)
    lab.now += timedelta(minutes=1)
    work(lab)
    shown = run(lab, dry_run=True)
    assert path_of(lab).read_text() == LIKED
    assert shown.diff == run(lab).diff


@pytest.mark.report("R084")
def test_a_newer_edit_wins_over_our_older_picture(lab: Lab) -> None:
    """Told by the file system where `updated` was not set; thanks alone make no talk newer."""
    work(lab)
    lab.now += timedelta(seconds=30)
    write(lab, LIKED)
    assert run(lab).result is RefreshResult.EDITED_LATER
    lab.now += timedelta(seconds=30)
    lab.say("Thanks!")
    lab.reply("Welcome.")
    assert run(lab).result is RefreshResult.EDITED_LATER
    assert path_of(lab).read_text() == LIKED
    assert run(lab, force=True).result is RefreshResult.WRITTEN
    write(lab, LIKED)
    lab.now += timedelta(minutes=1)
    lab.say("Now port the sensor code in sensor.py too, please.")
    assert run(lab).result is RefreshResult.WRITTEN


def test_a_hand_edit_during_a_refresh_wins(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is read again right before it is written."""
    write(lab, LIKED)
    lab.now += timedelta(minutes=1)
    work(lab)

    def slowly(ctx: Any, *rest: Any) -> Any:
        made = draw_state(ctx, *rest)
        write(lab, LIKED.replace("Fire the vases", "Fire the vases myself"))
        return made

    monkeypatch.setattr("totalrecall.jobs.state.draw_state", slowly)
    assert run(lab).result is RefreshResult.EDITED_LATER
    assert "Fire the vases myself" in path_of(lab).read_text()


def test_a_comment_that_is_added_meanwhile_is_kept(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that is older than the talk does not stop the refresh, and is not lost either."""
    write(lab, LIKED)
    before = lab.now
    lab.now += timedelta(minutes=1)
    work(lab)

    def slowly(ctx: Any, *rest: Any) -> Any:
        write(lab, LIKED.replace("mood: good", "mood: good  # today"), before)
        return draw_state(ctx, *rest)

    monkeypatch.setattr("totalrecall.jobs.state.draw_state", slowly)
    assert run(lab).result is RefreshResult.WRITTEN
    assert "mood: good  # today\n" in path_of(lab).read_text()


@pytest.mark.report("R084")
@pytest.mark.parametrize(
    "text",
    [
        "---\ntask: fix: it at 10:30\n---\n\nkeep\n",
        "---\ntask: x\nstatus: active\n\n## Context\nkeep\n",
        "---\ntask:\tx\nnext_steps:\n\t- a\n---\n",
        "---\ntask: !!python/object/apply:os.system ['touch owned']\n---\n",
    ],
)
def test_what_cannot_be_read_is_left_alone(lab: Lab, text: str) -> None:
    """Neither a refresh nor a set field touches it; its bytes lie beside it; no tag is obeyed."""
    write(lab, text)
    lab.now += timedelta(minutes=1)
    work(lab)
    done = run(lab)
    assert done.result is RefreshResult.UNREADABLE
    assert done.trouble is not None
    assert done.copy is not None
    assert done.copy.read_text() == text
    with lab.context() as ctx:
        assert isinstance(set_fields(ctx, {"task": "y"}), StateRead)
        assert isinstance(clear(ctx), StateRead)
    assert path_of(lab).read_text() == text
    assert not list(lab.root.rglob("owned"))


def test_talk_without_a_task_makes_no_state(lab: Lab) -> None:
    """Questions and answers leave the file as it is, or not there."""
    lab.say("What is the capital of France?")
    lab.reply("Paris.")
    assert run(lab).result is RefreshResult.NOTHING_TO_TELL
    assert not path_of(lab).exists()


def test_the_service_refreshes_after_a_session_and_what_is_a_day_old(lab: Lab) -> None:
    """A younger file is not looked at; an old one once an hour, and never over a newer edit."""

    def due(*, ended: bool = False) -> RefreshResult:
        return on(lab, lambda ctx: refresh_if_due(ctx, session_ended=ended)).result

    assert due() is RefreshResult.NOT_DUE
    work(lab)
    lab.now += timedelta(seconds=5)
    assert due() is RefreshResult.NOT_DUE
    assert due(ended=True) is RefreshResult.WRITTEN
    lab.now += timedelta(hours=23)
    lab.say("Now port the sensor code in sensor.py too, please.")
    assert due() is RefreshResult.NOT_DUE
    lab.now += timedelta(hours=2)
    assert due() is RefreshResult.WRITTEN
    assert "sensor" in path_of(lab).read_text()
    lab.now += timedelta(hours=25)
    assert due() is RefreshResult.EDITED_LATER
    lab.say("And the display code in display.py, please.")
    assert due() is RefreshResult.NOT_DUE
    lab.now += timedelta(hours=1)
    assert due() is RefreshResult.WRITTEN


ANSWER = {
    "project": "config", "task": "Port src/config.py to TOML", "status": "blocked",
    "last_action": "pytest -q failed: KeyError: 'hosts'", "next_steps": ["Handle the missing hosts", "Ring 5557788"],
}  # fmt: skip


def test_a_model_may_write_the_state(lab: Lab) -> None:
    """What it invents is left out, and what it is told is screened and fenced."""
    secret = "sk-or-v1-" + "0a1b" * 16
    with model_server() as server:
        lab.env |= {"LLM_BASE_URL": f"{server.url}/v1", "LLM_API_KEY": "k" * 20, "TOTALRECALL_ENGINE": "llm"}
        server.will(chat(json.dumps(ANSWER)))
        work(lab)
        lab.say(f"The key is {secret}, go on.")
        done = run(lab)
        assert all(secret.encode() not in raw for raw in server.raw)
        (request,) = server.requests
    assert request["messages"][1]["content"].startswith("[total-recall:own-call]\n")
    assert (done.result, done.engine) == (RefreshResult.WRITTEN, "llm")
    assert done.state == SessionState(
        project="config",
        task="Port src/config.py to TOML",
        status="blocked",
        last_action="pytest -q failed: KeyError: 'hosts'",
        next_steps=("Handle the missing hosts",),
        updated=f"{lab.now:%Y-%m-%dT%H:%M:%SZ}",
    )


def test_without_a_model_that_answers_the_rules_write_it(lab: Lab) -> None:
    """And it is said why."""
    with model_server() as server:
        lab.env |= {"LLM_BASE_URL": f"{server.url}/v1", "LLM_API_KEY": "k" * 20, "TOTALRECALL_ENGINE": "llm"}
        server.will(error(500, "down"))
        work(lab)
        done = run(lab)
    assert (done.result, done.engine) == (RefreshResult.WRITTEN, "extractive")
    assert done.fallback


def test_a_query_finds_the_talk_that_is_about_it(lab: Lab) -> None:
    """Not the newest one; the snippets are the messages that hold enough of its words."""
    work(lab)
    lab.say("Please write a letter to the landlord about the heating into letter.md.", session=OTHER)
    call(lab, "write", "letter.md", session=OTHER)
    lab.reply("I wrote the letter.", session=OTHER)
    done = run(lab, dry_run=True)
    assert done.state is not None
    assert "landlord" in done.state.task
    done = run(lab, query="TOML parser", dry_run=True)
    assert done.state is not None
    assert "TOML" in done.state.task
    assert (done.snippets, done.top_source) == (1, lab.path().name)
    nothing = run(lab, query="submarine", dry_run=True)
    assert (nothing.result, nothing.snippets) == (RefreshResult.NOTHING_TO_TELL, 0)


@pytest.mark.report("R088")
def test_secrets_never_land_in_the_state(lab: Lab) -> None:
    """Neither from the talk nor from a set field nor into the body."""
    secret = "sk-or-v1-" + "0a1b" * 16
    lab.say(f"Please deploy atlas with OPENROUTER_API_KEY={secret} from deploy.sh.")
    call(lab, "exec", f"./deploy.sh {secret}", error=f"401 for {secret}")
    run(lab)
    with lab.context() as ctx:
        set_fields(ctx, {"next_steps": [f"use {secret}"], "body": f"key: {secret}\nline two\n"})
    text = path_of(lab).read_text()
    assert secret not in text
    assert "OPENROUTER_API_KEY" in text
    assert text.endswith("line two\n")


def test_fields_are_set_one_by_one_and_cleared(lab: Lab) -> None:
    """`updated` goes with each; a task gets a status; clearing keeps the file, its text and what is unknown to us."""
    with lab.context() as ctx:
        set_fields(ctx, {"task": "Move\nthe \u2028kiln 决定 🔴"})
        text = path_of(lab).read_text()
        assert 'task: "Move the kiln 决定 🔴"\nstatus: "active"\n' in text
        assert f'updated: "{lab.now:%Y-%m-%dT%H:%M:%SZ}"' in text
        set_fields(ctx, {"updated": "2026-01-01T00:00:00Z"})
        assert 'updated: "2026-01-01T00:00:00Z"' in path_of(lab).read_text()
        write(lab, LIKED)
        clear(ctx)
    text = path_of(lab).read_text()
    assert "mood: good\n" in text
    assert text.endswith("---\n\n## Context\n- keep me\n")
    assert "next_steps: []\n" in text
    assert "status: ''" in text or 'status: ""' in text
