"""``totalrecall openclaw`` as its users call it: shows first, asks, undoes, and says how things stand."""

from __future__ import annotations

import json
import re
import shlex
from importlib.resources import files
from pathlib import Path

import click
import pytest

from tests.cli.shell import Run, shell_in
from tests.lab import Lab
from totalrecall.cli.app import cli
from totalrecall.domain.outcome import ExitCode
from totalrecall.openclaw.texts import HEARTBEAT_LINES

CONFIG = '{\n  // mine\n  meta: { lastTouchedVersion: "2026.9.6" },\n  gateway: { auth: { token: "t0p-t0ken" } },\n}\n'


@pytest.fixture
def home(lab: Lab) -> Path:
    """The lab's OpenClaw home with a config and an AGENTS.md."""
    (lab.state_dir / "openclaw.json").write_text(CONFIG, encoding="utf-8")
    (lab.workspace / "AGENTS.md").write_text("# AGENTS\n", encoding="utf-8")
    return lab.state_dir


@pytest.fixture
def shell(lab: Lab, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in the lab's home, with no OpenClaw on the path."""
    run_line = shell_in(lab, monkeypatch, capsys)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("TOTALRECALL_TIMEZONE", "Europe/Berlin")
    return run_line


def everything(lab: Lab) -> dict[str, bytes]:
    """Every file of the home."""
    return {str(path): path.read_bytes() for path in sorted(lab.root.rglob("*")) if path.is_file()}


def test_install_shows_and_changes_nothing_without_a_yes(lab: Lab, shell: Run) -> None:
    """Without a terminal nothing is asked and nothing is done; a dry run is a success, the other is not."""
    before = everything(lab)
    code, out, err = shell("openclaw", "install")
    assert (code, "say --yes" in err) == (ExitCode.USAGE, True)
    dry_code, dry_out, _ = shell("openclaw", "install", "--dry-run")
    assert (dry_code, dry_out) == (ExitCode.OK, out)
    assert everything(lab) == before
    assert "+ hooks.internal.entries.totalrecall.enabled: true" in out
    assert "hooks/totalrecall/handler.js" in out
    assert "+- At session startup, read `memory/observations.md` for cross-session context." in out
    assert "t0p-t0ken" not in out


def test_install_then_uninstall(lab: Lab, home: Path, shell: Run) -> None:
    """Both say what they did and whether the gateway needs a restart; the second leaves what stood before."""
    code, out, _ = shell("openclaw", "install", "--yes")
    assert (code, "openclaw gateway restart" in out) == (ExitCode.OK, True)
    assert shell("openclaw", "install", "--yes")[1].endswith("Nothing is to be changed.\n")
    code, out, _ = shell("openclaw", "uninstall", "--yes")
    assert (code, "Taken out" in out) == (ExitCode.OK, True)
    assert (home / "openclaw.json").read_text(encoding="utf-8") == CONFIG
    assert (lab.workspace / "AGENTS.md").read_text(encoding="utf-8") == "# AGENTS\n"
    code, out, _ = shell("openclaw", "uninstall", "--yes")
    assert (code, "Nothing is to be changed." in out) == (ExitCode.OK, True)


def test_status_tells_what_is_missing_and_when_all_is_well(lab: Lab, shell: Run) -> None:
    """Exit code 3 until everything is there, and JSON for programs."""
    code, out, _ = shell("openclaw", "status")
    assert (code, "The hook is not installed. Run 'totalrecall openclaw install'." in out) == (
        ExitCode.PARTIAL,
        True,
    )
    shell("openclaw", "install", "--yes")
    lab.say("Deploys go through staging first.")
    shell("observe")
    code, out, _ = shell("openclaw", "status", "--json")
    (found,) = json.loads(out)
    assert found["host"] == {"era": "rows", "version": "2026.9.6", "source": "meta.lastTouchedVersion"}
    states = {part["name"]: part["state"] for part in found["parts"]}
    wanted = dict.fromkeys(("hook", "skill", "switch", "AGENTS.md"), "fine")
    assert {name: states[name] for name in wanted} == wanted


def test_print_gives_everything_for_those_who_do_it_by_hand(home: Path, lab: Lab, shell: Run) -> None:
    """Files, config, start-up lines, both cron jobs, the distillation's entry in the user's zone, HEARTBEAT lines."""
    before = everything(lab)
    code, out, _ = shell("openclaw", "install", "--print")
    assert code == ExitCode.OK
    assert everything(lab) == before
    for wanted in (
        "memory-observer --every 15m",
        "memory-reflector --every 1h",
        HEARTBEAT_LINES.strip(),
        "handler.js",
    ):
        assert wanted in out
    assert "<!-- totalrecall:begin -->" in out
    assert '"totalrecall": {' in out
    entry = out[out.index('{\n  "name": "memory-distill"') :]
    job, _ = json.JSONDecoder().raw_decode(entry)
    assert job["schedule"] == {"kind": "cron", "expr": "0 22 * * *", "tz": "Europe/Berlin"}
    assert (job["sessionTarget"], job["delivery"]) == ("main", {"mode": "announce"})
    assert job["payload"]["kind"] == "systemEvent"
    assert "autoWrite" in job["payload"]["text"]


@pytest.mark.parametrize(
    ("version", "prompt", "command_jobs"), [("2026.7.1", True, False), ("2026.9.6", False, True)]
)
def test_the_stated_version_decides(shell: Run, version: str, prompt: bool, command_jobs: bool) -> None:
    """Flush prompt and form of the cron jobs are those that this OpenClaw takes."""
    _, out, _ = shell("openclaw", "install", "--print", "--openclaw-version", version)
    assert ("softThresholdTokens" in out) is prompt
    assert ("--command" in out) is command_jobs
    _, out, _ = shell("openclaw", "install", "--dry-run", "--openclaw-version", version)
    assert ("memoryFlush.prompt" in out) is prompt


def test_the_state_section_can_be_left_out(lab: Lab, shell: Run) -> None:
    """The start-up lines come alone; the status takes both for installed."""
    shell("openclaw", "install", "--yes", "--without-state-section")
    text = (lab.workspace / "AGENTS.md").read_text(encoding="utf-8")
    assert "cross-session context" in text
    assert "Session State Maintenance" not in text
    assert "fine      AGENTS.md of main" in shell("openclaw", "status")[1]


@pytest.mark.report("R004")
def test_each_home_is_installed_into(lab: Lab, shell: Run) -> None:
    """A profile beside the first home gets a hook of its own, which names its agents apart."""
    work = lab.root / ".openclaw-work"
    (work / "agents" / "main" / "sessions").mkdir(parents=True)
    (work / "openclaw.json").write_text("{}", encoding="utf-8")
    code, out, _ = shell("openclaw", "install", "--yes")
    assert code == ExitCode.OK
    assert "There is no" in out
    settings = json.loads((work / "hooks/totalrecall/settings.json").read_bytes())
    assert settings["profile"] == "work"
    assert json.loads((lab.state_dir / "hooks/totalrecall/settings.json").read_bytes())["profile"] == ""


def test_places_that_the_shell_names_are_handed_to_the_hook(
    lab: Lab, shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gateway's environment is another: what names places now is kept, what does not is taken away there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(lab.root / "elsewhere"))
    shell("openclaw", "install", "--yes")
    settings = json.loads((lab.state_dir / "hooks/totalrecall/settings.json").read_bytes())
    assert settings["stateRoot"] == str(lab.root / "elsewhere" / "total-recall")
    assert settings["env"]["XDG_STATE_HOME"] == str(lab.root / "elsewhere")
    assert settings["env"]["OPENCLAW_STATE_DIR"] is None
    assert Path(settings["command"][0]).is_absolute()


def test_without_an_agent_it_says_where_it_looked(
    tmp_path: Path, shell: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing to install into is no success."""
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    code, _, err = shell("openclaw", "install", "--yes")
    assert (code, "No OpenClaw agent was found" in err) == (ExitCode.CONFIG, True)


def test_the_skill_names_only_commands_and_options_that_exist() -> None:
    """What the agent is told to run is what the program takes."""
    text = (files("totalrecall.openclaw") / "skill" / "SKILL.md").read_text(encoding="utf-8")
    named = [
        shlex.split(one.replace("…", "x"))
        for one in re.findall(r"`totalrecall ([^`]+)`", " ".join(text.split()))
    ]
    assert len(named) > 20
    for words in named:
        command, rest = _called(words)
        options = {name for param in command.params for name in param.opts}
        assert {word for word in rest if word.startswith("--")} <= options, words


def _called(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words call, and the words behind it."""
    command: click.Command = cli
    context = click.Context(cli)
    for place, word in enumerate(words):
        if not isinstance(command, click.Group):
            return command, words[place:]
        found = command.get_command(context, word)
        assert found is not None, words
        command = found
    return command, []
