"""``totalrecall setup`` as a real process in a home folder of its own."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.packaging.machine import REPOSITORY, totalrecall, tree, write_agent
from totalrecall.jobs.setup import startup_lines

SAMPLE = Path(".local/share/total-recall/sample")


def test_without_an_agent_it_notes_the_sample(tmp_path: Path) -> None:
    """No OpenClaw: it says so, and shows the notes of the sample agent, made by the built-in engine."""
    done = totalrecall(tmp_path, "setup")
    assert "No OpenClaw agent was found" in done.stdout
    assert "sample agent" in done.stdout
    assert "No API key and no LLM_BASE_URL is set" in done.stdout
    notes = (tmp_path / SAMPLE / "home" / "workspace" / "memory" / "observations.md").read_text("utf-8")
    assert "Fridays" in notes
    assert notes.splitlines()[-1] in done.stdout


def test_the_readme_shows_what_the_sample_gives(tmp_path: Path) -> None:
    """The excerpt of notes in the README is a copy of real ones."""
    totalrecall(tmp_path, "setup")
    notes = (tmp_path / SAMPLE / "home" / "workspace" / "memory" / "observations.md").read_text("utf-8")
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    (excerpt,) = re.findall(r"^```\n(Date: .*?)```$", readme, re.DOTALL | re.MULTILINE)
    assert excerpt in notes


def test_the_sample_leaves_the_own_state_alone(tmp_path: Path) -> None:
    """All that a sample run writes lies in the sample's folder."""
    totalrecall(tmp_path, "setup")
    assert {path.parts[:5] for path in map(Path, tree(tmp_path))} == {
        (*SAMPLE.parts, "home"),
        (*SAMPLE.parts, "state"),
    }


def test_the_sample_never_lands_in_a_real_workspace(tmp_path: Path) -> None:
    """Variables that name a workspace, a memory folder or sessions do not hold for the sample."""
    env = {
        "OPENCLAW_WORKSPACE": str(tmp_path / "real"),
        "MEMORY_DIR": str(tmp_path / "real" / "memory"),
        "OPENCLAW_CONFIG_PATH": str(tmp_path / "real.json"),
    }
    totalrecall(tmp_path, "setup", env=env)
    assert not (tmp_path / "real").exists()
    assert (tmp_path / SAMPLE / "home" / "workspace" / "memory" / "observations.md").exists()


def test_a_second_run_on_the_sample_changes_nothing(tmp_path: Path) -> None:
    """Run again it says what stands and writes nothing."""
    totalrecall(tmp_path, "setup")
    before = tree(tmp_path)
    done = totalrecall(tmp_path, "setup")
    assert "nothing was changed" in done.stdout
    assert tree(tmp_path) == before


def test_the_command_to_look_around_in_the_sample_works(tmp_path: Path) -> None:
    """The printed environment names the same agent, with the same ledger."""
    shown = totalrecall(tmp_path, "setup").stdout
    (line,) = (line for line in shown.splitlines() if "To look around" in line)
    words = line.split(":", 1)[1].split()
    env = dict(word.split("=", 1) for word in words if word.split("=", 1)[0].isupper())
    found = json.loads(totalrecall(tmp_path, "status", "--json", env=env).stdout)
    assert found[0]["notes"] > 5
    assert found[0]["pending"] == 0


def test_a_real_agent_is_observed(tmp_path: Path) -> None:
    """What was said within the look-back window is noted, and the way on is shown."""
    notes = write_agent(tmp_path, age=timedelta(minutes=1))
    done = totalrecall(tmp_path, "setup")
    assert "stage-3" in notes.read_text("utf-8")
    prepared = tmp_path / ".local" / "state" / "total-recall" / "main" / "context.md"
    assert "stage-3" in prepared.read_text("utf-8")  # what the hook hands over, from the first chat on
    assert "sample" not in done.stdout
    assert "*/15 * * * * " in done.stdout
    assert "service install" in done.stdout
    assert "--run-observer" in done.stdout
    assert str(tmp_path / ".config" / "total-recall" / ".env") in done.stdout
    assert not (tmp_path / SAMPLE).exists()


def test_a_second_run_on_a_real_agent_changes_nothing(tmp_path: Path) -> None:
    """An agent that was observed is not observed again by setup."""
    write_agent(tmp_path, age=timedelta(minutes=1))
    totalrecall(tmp_path, "setup")
    before = tree(tmp_path)
    assert "nothing was changed" in totalrecall(tmp_path, "setup").stdout
    assert tree(tmp_path) == before


def test_old_talk_is_counted_and_the_printed_backfill_notes_it(tmp_path: Path) -> None:
    """Nothing within the window: how much lies before it, and a command that notes it."""
    notes = write_agent(tmp_path, age=timedelta(days=40))
    done = totalrecall(tmp_path, "setup")
    assert not notes.exists()
    assert "3 messages were said before that" in done.stdout
    (line,) = (line.strip() for line in done.stdout.splitlines() if " backfill " in line)
    totalrecall(tmp_path, *line.split()[line.split().index("backfill") :])
    assert "stage-3" in notes.read_text("utf-8")


def test_a_named_home_that_does_not_stand_is_an_error(tmp_path: Path) -> None:
    """Whoever names a home means it: no sample is shown instead."""
    done = totalrecall(tmp_path, "setup", env={"OPENCLAW_STATE_DIR": str(tmp_path / "gone")}, code=78)
    assert "OPENCLAW_STATE_DIR" in done.stderr
    assert tree(tmp_path) == {}


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """``--dry-run`` says where notes would be, for a real agent and for the sample."""
    assert "would be copied" in totalrecall(tmp_path, "setup", "--dry-run").stdout
    notes = write_agent(tmp_path, age=timedelta(minutes=1))
    before = tree(tmp_path)
    assert str(notes) in totalrecall(tmp_path, "setup", "--dry-run").stdout
    assert tree(tmp_path) == before


def test_json_is_json(tmp_path: Path) -> None:
    """``--json`` gives the report and nothing else."""
    write_agent(tmp_path, age=timedelta(minutes=1))
    (report,) = json.loads(totalrecall(tmp_path, "setup", "--json").stdout)
    assert report["agent"] == "main"
    assert report["engine"] == "extractive"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The sample has no place to go: exit 3, and what to do."""
    (tmp_path / "file").touch()
    done = totalrecall(tmp_path, "setup", env={"XDG_DATA_HOME": str(tmp_path / "file")}, code=3)
    assert "XDG_DATA_HOME" in done.stderr


@pytest.mark.report("R115")
def test_a_key_in_the_shell_alone_is_pointed_out(tmp_path: Path) -> None:
    """Cron does not see the shell's environment, and setup says where the setting has to stand."""
    write_agent(tmp_path, age=timedelta(days=40))
    done = totalrecall(tmp_path, "setup", env={"LLM_BASE_URL": "http://127.0.0.1:9/v1"})
    assert "LLM_BASE_URL stands in your shell only" in done.stdout


@pytest.mark.parametrize(
    ("memory", "shown"), [("w/memory", "memory/observations.md"), ("m", "/m/observations.md")]
)
def test_the_start_up_line_names_the_notes_as_the_agent_sees_them(memory: str, shown: str) -> None:
    """Relative within the workspace, absolute outside of it."""
    lines = startup_lines("totalrecall", Path("/") / memory, Path("/w"))
    assert lines[1] == f"At session startup, read `{shown}` for cross-session context."
