"""What a service takes along from the shell of its installation, and what never."""

from __future__ import annotations

from pathlib import Path

import pytest

from totalrecall.service.cron import command_path, cron_lines
from totalrecall.service.plan import left_out, plan_for, shell_only, taken_along

HOME = Path("/home/you")


def test_the_program_is_absolute_and_reads_no_folder_of_the_user() -> None:
    """A click.py in the home folder must not become part of the service."""
    plan = plan_for({}, HOME, Path("/opt/tr/bin/python"))
    assert plan.program == ("/opt/tr/bin/python", "-P", "-m", "totalrecall", "run")
    assert plan.output_file == HOME / ".local" / "state" / "total-recall" / "service.log"


def test_what_locates_the_agent_goes_along_and_keys_do_not() -> None:
    """Where things are and how the network is reached; never a key, never a setting."""
    env = {
        "OPENCLAW_STATE_DIR": "/srv/claw", "HTTPS_PROXY": "http://proxy:3128", "TZ": "Europe/Berlin", "MEMORY_DIR": " ",
        "OPENROUTER_API_KEY": "not-for-a-unit", "OBSERVER_MODEL": "some/model", "PATH": "/bin", "HOME": "/home/you",
    }  # fmt: skip
    assert plan_for(env, HOME, Path("/p")).environment == {
        "OPENCLAW_STATE_DIR": "/srv/claw", "HTTPS_PROXY": "http://proxy:3128", "TZ": "Europe/Berlin",
    }  # fmt: skip
    assert shell_only(env, ["OPENROUTER_API_KEY", "OBSERVER_MODEL", "LLM_API_KEY", "MEMORY_DIR"]) == (
        "OPENROUTER_API_KEY",
        "OBSERVER_MODEL",
    )


@pytest.mark.parametrize(
    "value", ["http://me:word@proxy:3128", "me:word@proxy:3128", "http://[me:word@proxy"]
)
def test_a_proxy_with_a_password_is_not_copied(value: str) -> None:
    """A password does not land in a file or a printed line."""
    env = {"HTTPS_PROXY": value, "http_proxy": "http://proxy:3128"}
    assert left_out(env) == ("HTTPS_PROXY",)
    assert taken_along(env) == {"http_proxy": "http://proxy:3128"}


@pytest.mark.report("R115")
def test_cron_lines_survive_cron() -> None:
    """A percent sign is escaped, and what locates the agent goes along."""
    lines = cron_lines("'/home/a b/100%/totalrecall'", {"OPENCLAW_STATE_DIR": "/srv/my claw", "PATH": "/bin"})
    assert lines[0] == (
        r"*/15 * * * * OPENCLAW_STATE_DIR='/srv/my claw' '/home/a b/100\%/totalrecall' --run-observer"
    )


def test_the_command_is_absolute_and_quoted(tmp_path: Path) -> None:
    """The link in ~/.local/bin if it is ours, else the script, else the interpreter with -m."""
    venv = tmp_path / "my venv" / "bin"
    venv.mkdir(parents=True)
    assert command_path(venv / "python", tmp_path) == f"'{venv}/python' -m totalrecall"
    (venv / "totalrecall").touch()
    assert command_path(venv / "python", tmp_path) == f"'{venv}/totalrecall'"
    link = tmp_path / ".local" / "bin" / "totalrecall"
    link.parent.mkdir(parents=True)
    link.symlink_to(venv / "totalrecall")
    assert command_path(venv / "python", tmp_path) == str(link)
