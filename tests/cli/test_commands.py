"""The commands as their users call them: output, exit codes, JSON, and nothing asked without a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.shell import Run
from tests.lab import START, Lab
from totalrecall.cli.app import COMMANDS
from totalrecall.domain.outcome import ExitCode


def test_observe_says_what_it_did(lab: Lab, shell: Run) -> None:
    """New talk becomes notes; the same again says that nothing is new; both exit with 0."""
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    code, out, _ = shell("observe")
    assert (code, "1 message read" in out) == (ExitCode.OK, True)
    assert "PostgreSQL 16" in lab.notes
    assert shell("--run-observer") == (ExitCode.OK, "main: nothing new\n", "")


def test_why_leads_from_a_pasted_line_to_the_message(lab: Lab, shell: Run) -> None:
    """A line copied from the file gives the words it was made from and the transcript they stand in."""
    lab.say("We decided to use PostgreSQL 16, the port is 5432.")
    shell("observe")
    line = next(one for one in lab.notes.splitlines() if "PostgreSQL" in one)
    code, out, _ = shell("why", line)
    assert code == ExitCode.OK
    assert "We decided to use PostgreSQL 16, the port is 5432." in out
    assert str(lab.path()) in out
    code, _, err = shell("why", "words that stand nowhere")
    assert code == ExitCode.OK
    assert "No note of ours" in err


def test_verify_and_status_give_json_that_adds_up(lab: Lab, shell: Run) -> None:
    """Reading commands print one JSON document on stdout."""
    lab.say("The server is called stage-2.")
    code, out, _ = shell("verify", "--json")
    assert code == ExitCode.OK
    assert json.loads(out)["main"]["states"] == {"pending": 1}
    shell("observe")
    code, out, _ = shell("status", "--json")
    (found,) = json.loads(out)
    assert (code, found["health"], found["pending"]) == (ExitCode.OK, "green", 0)
    assert found["engine"] == "extractive"


def test_notes_lists_the_file(lab: Lab, shell: Run) -> None:
    """The notes with the file they stand in, for people and as JSON."""
    lab.say("My name is Robin and the staging server is stage-2.")
    shell("observe")
    _, out, _ = shell("notes")
    assert str(lab.notes_path) in out
    assert "stage-2" in out
    _, out, _ = shell("notes", "--json")
    (found,) = json.loads(out)
    assert found["notes"][0]["note"]["day"] == "2026-03-02"
    assert shell("notes", "--dropped")[0] == ExitCode.OK
    assert shell("notes", "--unverified")[0] == ExitCode.OK
    assert shell("notes", "--retry")[0] == ExitCode.USAGE


def test_dry_run_shows_the_messages_and_writes_nothing(lab: Lab, shell: Run) -> None:
    """What would be read is shown; neither notes nor place marks change."""
    lab.say("We decided to use PostgreSQL 16.")
    code, out, err = shell("observe", "--dry-run")
    assert code == ExitCode.OK
    assert "We decided to use PostgreSQL 16." in out
    assert "nothing leaves this machine" in err
    assert lab.notes == ""
    assert json.loads(shell("verify", "--json")[1])["main"]["states"] == {"pending": 1}


@pytest.mark.report("R116")
def test_nothing_can_be_done_is_not_success(lab: Lab, shell: Run) -> None:
    """Unknown commands, unknown agents, a missing home and a missing key each exit with a code of their own."""
    assert shell("no-such-command")[0] == ExitCode.USAGE
    code, _, err = shell("observe", "--agent", "nobody")
    assert (code, "nobody" in err) == (ExitCode.CONFIG, True)
    code, _, err = shell("observe", "--session", "no-such-session")
    assert (code, "no-such-session" in err) == (ExitCode.CONFIG, True)
    code, _, err = shell("observe", TOTALRECALL_ENGINE="llm")
    assert (code, "OPENROUTER_API_KEY" in err) == (ExitCode.CONFIG, True)
    code, _, err = shell("observe", TOTALRECALL_ENGINE="extractive", HOME=str(lab.root / "empty"))
    assert (code, "OPENCLAW_STATE_DIR" in err) == (ExitCode.CONFIG, True)


@pytest.mark.report("R004")
def test_doctor_shows_every_root_and_what_was_found(lab: Lab, shell: Run) -> None:
    """Each place looked at, how many sessions, the engine and why; an empty agent is a warning."""
    code, out, _ = shell("doctor")
    assert code == ExitCode.OK
    assert "No session was found" in out
    assert str(lab.state_dir) in out
    assert ".clawdbot" in out
    lab.say("hello there")
    code, out, _ = shell("doctor", "--json")
    found = json.loads(out)
    assert any("1 session (jsonl)" in one["what"] for one in found)
    assert any("extractive" in one["what"] for one in found)


def test_doctor_puts_the_worst_first(lab: Lab, shell: Run) -> None:
    """A setting that makes no sense comes before what is fine, and the exit code says that it is broken."""
    code, out, _ = shell("doctor", OBSERVER_LINE_THRESHOLD="5m")
    assert code == ExitCode.PARTIAL
    assert "OBSERVER_LINE_THRESHOLD" in out.splitlines()[0]


def test_config_shows_origins_and_masks_keys(lab: Lab, shell: Run) -> None:
    """Where each value comes from is shown; of a key no more than its end."""
    key = "made-up-" + "q" * 30 + "wxyz"
    code, out, _ = shell("config", "show", "--origin", OPENROUTER_API_KEY=key)
    assert code == ExitCode.OK
    assert key not in out
    assert "wxyz" in out
    assert "environment" in out
    code, _, err = shell("config", "show", OBSERVER_COOLDOWN_SECS="-1")
    assert (code, "OBSERVER_COOLDOWN_SECS" in err) == (ExitCode.CONFIG, True)


def test_backfill_notes_what_was_said_before(lab: Lab, shell: Run, tmp_path: Path) -> None:
    """Talk from before the adoption is counted first and noted once; the recount adds up."""
    old = Lab(tmp_path / "second")
    old.say("We decided to use PostgreSQL 16.")
    old.sessions.mkdir(parents=True, exist_ok=True)
    old.workspace.mkdir(parents=True, exist_ok=True)
    home = str(old.root)
    assert "adopted now" in shell("observe", HOME=home)[1]
    assert old.notes == ""
    code, _, err = shell("backfill", "--since", "all", "--dry-run", HOME=home)
    assert (code, "1 message in 1 session" in err) == (ExitCode.OK, True)
    code, out, _ = shell("backfill", "--since", "all", HOME=home)
    assert (code, "1 message read" in out) == (ExitCode.OK, True)
    assert old.notes.count("PostgreSQL 16") == 1
    shell("backfill", "--since", "all", HOME=home)
    assert old.notes.count("PostgreSQL 16") == 1
    assert json.loads(shell("verify", "--json", HOME=home)[1])["main"]["adds_up"]
    assert shell("backfill", "--since", "soon", HOME=home)[0] == ExitCode.USAGE


@pytest.mark.report("R031")
def test_backfill_with_a_dead_endpoint_is_no_success(lab: Lab, shell: Run) -> None:
    """What could not be noted stays pending, and the exit code says so."""
    lab.say("We decided to use PostgreSQL 16.")
    env = {"LLM_BASE_URL": "http://127.0.0.1:9/v1", "OBSERVER_MODEL": "mine", "TOTALRECALL_ENGINE": "llm"}
    lab.now = START - timedelta(days=3)
    lab.append(lab.entry("user", "The port is 5432."), session="33333333-aaaa-4aaa-8aaa-000000000003")
    code, _, err = shell("backfill", "--since", "all", "--yes", **env)
    assert (code, "pending" in err) == (ExitCode.UNREACHABLE, True)


def test_a_closed_or_broken_output_is_no_fault(lab: Lab) -> None:
    """Nobody reads, nothing can be written: no traceback, and not the exit code of a fault."""
    home = {"HOME": str(lab.root), "PATH": os.environ["PATH"], "TOTALRECALL_TIMEZONE": "UTC"}
    command = f"{sys.executable} -m totalrecall"
    for ending in ("status >&-", "doctor >&-", "status | true", "notes >/dev/full"):
        line = f"set -o pipefail; {command} {ending}"
        done = subprocess.run(["bash", "-c", line], env=home, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, ending
        assert done.returncode in {ExitCode.OK, ExitCode.PARTIAL}, (ending, done.returncode)


def test_repair_offers_ways_and_asks_nothing_without_a_terminal(lab: Lab, shell: Run) -> None:
    """A lost ledger stops every run until a way is chosen; the mirror brings it back, and nothing is noted twice."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    assert shell("repair")[1] == "main: nothing to repair.\n"
    state = lab.root / ".local" / "state" / "total-recall" / "main"
    for path in state.glob("ledger.sqlite*"):
        path.unlink()
    code, _, err = shell("observe")
    assert (code, "totalrecall repair" in err) == (ExitCode.PARTIAL, True)
    code, out, _ = shell("repair")
    assert (code, "--way mirror" in out) == (ExitCode.PARTIAL, True)
    assert shell("repair", "--way", "mirror")[0] == ExitCode.OK
    assert shell("observe")[0] == ExitCode.OK
    assert lab.notes.count("PostgreSQL 16") == 1
    assert json.loads(shell("verify", "--json")[1])["main"]["adds_up"]


def test_emptied_notes_stop_the_run_until_they_are_accepted(lab: Lab, shell: Run) -> None:
    """Notes that vanish are no fresh start; `repair --way accept-notes` goes on without them."""
    lab.say("We decided to use PostgreSQL 16.")
    shell("observe")
    lab.notes_path.write_text("")
    lab.say("The port is 5432.")
    code, _, err = shell("observe")
    assert (code, "gone or empty" in err) == (ExitCode.PARTIAL, True)
    assert shell("repair", "--way", "accept-notes")[0] == ExitCode.OK
    assert shell("observe")[0] == ExitCode.OK
    assert "PostgreSQL" not in lab.notes
    assert "5432" in lab.notes


@pytest.mark.report("R088")
def test_doctor_finds_secrets_in_old_files_and_takes_them_out(lab: Lab, shell: Run) -> None:
    """Files from before Total Recall are looked through; only what is secret changes, and only when told to."""
    secret = "ghp_" + "aB3" * 12
    old = lab.workspace / "memory" / "2026-01-01.md"
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_text(f"# Monday\nthe token is {secret}\nlunch with Kim\n")
    code, out, _ = shell("doctor", "--secrets")
    assert (code, str(old) in out, secret in out) == (ExitCode.PARTIAL, True, False)
    assert secret in old.read_text()
    assert shell("doctor", "--secrets", "--clean")[0] == ExitCode.OK
    text = old.read_text()
    assert secret not in text
    assert text.startswith("# Monday\nthe token is ")
    assert text.endswith("lunch with Kim\n")
    assert shell("doctor", "--secrets")[0] == ExitCode.OK
    assert shell("doctor", "--clean")[0] == ExitCode.USAGE


def test_patterns_of_the_user_are_removed_too(lab: Lab, shell: Run) -> None:
    """`sensitivePatterns` counts from the next run on; a file that cannot be understood stops the reading."""
    lab.workspace.joinpath("distill-config.json").write_text('{"sensitivePatterns": ["project [A-Z][a-z]+"]}')
    lab.say("We decided that project Falcon starts on 2026-04-01 on server stage-2.")
    shell("observe")
    assert "stage-2" in lab.notes
    assert "Falcon" not in lab.notes
    lab.workspace.joinpath("distill-config.json").write_text("{ not json at all")
    lab.say("We decided that the port is 8443.")
    code, _, err = shell("observe")
    assert (code, "distill-config.json" in err) == (ExitCode.CONFIG, True)
    assert "8443" not in lab.notes


def test_spend_is_zero_without_a_model(lab: Lab, shell: Run) -> None:
    """The ceilings are shown, and that no model was called."""
    code, out, _ = shell("spend")
    assert (code, "No model was called." in out) == (ExitCode.OK, True)
    assert json.loads(shell("spend", "--json")[1])["ceilings"] == {"usd_day": 0.1, "usd_month": 1.0}


def test_recover_says_in_one_line_what_it_did(lab: Lab, shell: Run) -> None:
    """For the start-up instruction: nothing to do, or what was recovered, in one line."""
    code, out, _ = shell("recover")
    assert (code, out.count("\n")) == (ExitCode.OK, 1)
    assert "nothing to recover" in out
    lab.say("We decided to use PostgreSQL 16.")
    code, out, _ = shell("--run-recovery")
    assert (code, "recovered 1 message" in out) == (ExitCode.OK, True)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(shell: Run, name: str) -> None:
    """--help of each command works and exits with 0."""
    code, out, _ = shell(name, "--help")
    assert code == ExitCode.OK
    assert "Usage: totalrecall" in out
