"""`totalrecall doctor`: worst first, with what mends it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from tests.cli.shell import Run
from tests.lab import Lab
from totalrecall.domain.outcome import ExitCode
from totalrecall.domain.service_state import ServiceState, encode


def findings(shell: Run) -> list[dict[str, str]]:
    """What it finds, as JSON."""
    found: list[dict[str, str]] = json.loads(shell("doctor", "--json")[1])
    return found


def test_a_sound_machine_has_nothing_to_mend(lab: Lab, shell: Run) -> None:
    """Everything that was looked at is told, and nothing is worse than fine."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    assert {one["grade"] for one in findings(shell)} == {"fine"}
    code, out, _ = shell("doctor")
    assert code == ExitCode.OK
    assert "Log folder" in out


def test_the_other_skill_and_an_edited_hook_are_noticed(lab: Lab, shell: Run) -> None:
    """A product with almost our name is told; so are parts of ours that are gone."""
    other = lab.workspace / "skills" / "total-recall"
    other.mkdir(parents=True)
    (other / "SKILL.md").write_text("---\nname: total-recall\n---\n")
    (warning,) = [one for one in findings(shell) if "called almost like ours" in one["what"]]
    assert (warning["grade"], str(other) in warning["what"]) == ("warning", True)
    hook = lab.state_dir / "hooks" / "totalrecall"
    hook.mkdir(parents=True)
    (hook / "handler.js").write_text("// half of an installation\n")
    broken = [one for one in findings(shell) if one["grade"] == "broken"]
    assert any("hook" in one["what"] for one in broken)
    assert all("openclaw install" in one["remedy"] for one in broken)
    assert shell("doctor")[0] == ExitCode.PARTIAL


def test_a_service_of_another_version_is_told_once(lab: Lab, shell: Run) -> None:
    """The program was upgraded and the service goes on with the old one."""
    shell("observe")
    root = lab.root / ".local" / "state" / "total-recall"
    now_ms = time.time_ns() // 1_000_000
    (root / "service.json").write_bytes(encode(ServiceState(1, "0.0.1", now_ms, now_ms)))
    with (root / "service.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = [one for one in findings(shell) if "is version 0.0.1" in one["what"]]
    assert [one["grade"] for one in told] == ["warning"]


def test_the_worst_is_on_top(lab: Lab, shell: Run) -> None:
    """A log folder that is a file is broken and stands before all that is fine."""
    (lab.workspace / "logs").write_text("in the way")
    code, out, _ = shell("doctor")
    assert (code, out.splitlines()[0][0]) == (ExitCode.PARTIAL, "✗")
    assert "Log folder" in out.splitlines()[0]


def test_a_key_that_others_can_read_is_told(lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode of the file is looked at where the key comes from it."""
    monkeypatch.setenv("TOTALRECALL_ENGINE", "extractive")
    env: Path = lab.root / ".config" / "total-recall" / ".env"
    env.parent.mkdir(parents=True)
    env.write_text("OPENROUTER_API_KEY=sk-or-v1-" + "0a" * 32 + "\n")
    env.chmod(0o640)
    (told,) = [one for one in findings(shell) if "where the key stands" in one["what"]]
    assert (told["grade"], told["remedy"]) == ("warning", f"Run: chmod 600 '{env}'")
    env.chmod(0o600)
    assert not [one for one in findings(shell) if "where the key stands" in one["what"]]


@pytest.mark.parametrize("left", [True, False])
def test_a_ledger_that_is_gone_is_no_fresh_start(lab: Lab, shell: Run, left: bool) -> None:
    """The mirror or our notes tell that it was here: broken, and `repair` mends it."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    (lab.root / ".local/state/total-recall/main/ledger.sqlite").unlink()
    if not left:
        (lab.notes_path.parent / ".total-recall.json").unlink()
        shutil.rmtree(lab.root / ".local/state/total-recall/main/backups")
    (worst, *_) = findings(shell)
    assert worst["grade"] == "broken"
    assert "ledger.sqlite" in worst["what"]
    assert "totalrecall repair" in worst["remedy"]


@pytest.mark.parametrize(
    ("place", "said", "remedy"),
    [
        ("workspace/SESSION_STATE.md", "SESSION_STATE.md cannot be understood", "totalrecall state validate"),
        ("memory/user_profile.json", "user_profile.json is damaged", "totalrecall profile recover"),
        ("workspace/distill-config.json", "distill-config.json cannot be used", "Correct it or move it away"),
    ],
)
def test_a_damaged_memory_file_is_told_before_a_job_meets_it(
    lab: Lab, shell: Run, place: str, said: str, remedy: str
) -> None:
    """Each file with what mends it."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    path = lab.state_dir / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("---\n{bad: [\n---\n", encoding="utf-8")
    (found,) = [one for one in findings(shell) if said in one["what"]]
    assert found["grade"] != "fine"
    assert remedy in found["remedy"]


def test_an_empty_prompt_of_the_user_s_own_is_told(
    lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the run of the observer that would stop at it."""
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    prompts = lab.root / ".config" / "total-recall" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "reflector-system.txt").write_text(" \n", encoding="utf-8")
    _, out, _ = shell("doctor", "--offline")
    assert f"The prompt {prompts / 'reflector-system.txt'} is empty." in out


def test_a_database_that_cannot_be_read_is_told_once(lab: Lab, shell: Run) -> None:
    """Looking at the transcripts and looking at the agent's health find the same."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    database = lab.sessions.parent / "agent" / "openclaw-agent.sqlite"
    database.parent.mkdir()
    database.write_bytes(b"SQLite format 3\0" + b"x" * 5_000)
    said = [one["what"] for one in findings(shell) if "is damaged or no SQLite file" in one["what"]]
    assert len(said) == 1


def test_a_pipe_for_a_config_is_told_and_not_waited_for(lab: Lab, shell: Run) -> None:
    """Whatever stands where OpenClaw's config belongs, every command comes to an end."""
    lab.say("We decided to use PostgreSQL 16.")
    os.mkfifo(lab.state_dir / "openclaw.json")
    assert [one for one in findings(shell) if "Is no regular file; not read." in one["what"]]
