"""``totalrecall service`` as a process of its own, on a machine whose tools are played by programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.machine import totalrecall
from tests.unit.service.tools import Tools, make_tools

UNIT = ".config/systemd/user/total-recall.service"


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """A Linux machine with systemd."""
    return make_tools(tmp_path / "machine", ("systemctl", "loginctl"))


def service(tools: Tools, *words: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    """``totalrecall service …``, which must exit with ``code``."""
    return totalrecall(tools.home, "service", *words, env={**tools.env, **env}, code=code)


def test_install_status_uninstall(tools: Tools) -> None:
    """The whole life of a service, with what a person reads of it."""
    assert "not installed" in service(tools, "status", code=3).stdout
    tools.set("linger")
    assert "would be written" in service(tools, "install", "--dry-run").stdout
    assert not (tools.home / UNIT).exists()
    done = service(tools, "install")
    assert f"Installed {tools.home / UNIT}" in done.stdout
    assert "The service runs." in done.stdout
    assert f"{sys.executable} -P -m totalrecall run" in (tools.home / UNIT).read_text("utf-8")
    status = json.loads(service(tools, "status", "--json").stdout)
    assert status == {
        "kind": "systemd", "installed": True, "enabled": True, "active": True, "linger": True, "outdated": False,
        "detail": "The service runs. 1 agent, nothing pending.", "remedy": "", "path": str(tools.home / UNIT),
    }  # fmt: skip
    assert "stands as it should" in service(tools, "install", "--dry-run").stdout
    assert "would be stopped" in service(tools, "uninstall", "--dry-run").stdout
    assert f"Removed {tools.home / UNIT}" in service(tools, "uninstall").stdout
    assert "no service to remove" in service(tools, "uninstall").stdout


@pytest.mark.report("R113")
def test_linger_is_asked_for_and_never_silent(tools: Tools) -> None:
    """Without a terminal nothing is switched on: the command to do it is shown. ``--linger`` does it."""
    done = service(tools, "install")
    assert "loginctl enable-linger" in done.stdout
    assert not tools.has("linger")
    assert "stops at logout" in service(tools, "status", code=3).stdout
    assert "linger yes" in service(tools, "install", "--linger").stdout
    assert tools.has("linger")


def test_linger_that_is_refused_is_a_warning(tools: Tools) -> None:
    """The service runs all the same; who may do it is said."""
    tools.set("linger-refused")
    done = service(tools, "install", "--linger")
    assert "Access denied" in done.stderr
    assert "sudo loginctl enable-linger" in done.stdout


@pytest.mark.report("R116")
@pytest.mark.parametrize(("how", "code"), [("crashes", 3), ("bad-setting", 78)])
def test_a_service_that_does_not_start_is_no_success(tools: Tools, how: str, code: int) -> None:
    """The exit code tells a crash from a setting."""
    tools.set(how)
    done = service(tools, "install", code=code)
    assert "Installed" not in done.stdout
    assert ("journalctl" if how == "crashes" else "doctor") in done.stderr


@pytest.mark.report("R115")
@pytest.mark.parametrize("words", [("install",), ("install", "--dry-run")])
def test_without_a_service_manager_the_lines_for_cron_are_shown(tools: Tools, words: tuple[str, ...]) -> None:
    """A container: exit 78 with the reason, and on stdout what can be pasted into a crontab."""
    tools.set("no-manager")
    done = service(tools, *words, code=78)
    assert "systemd" in done.stderr
    assert [line.split(" ")[-1] for line in done.stdout.splitlines()] == [
        "--run-observer", "--run-reflector", "--run-recovery",
    ]  # fmt: skip
    assert "%" not in done.stdout
    assert not (tools.home / UNIT).exists()
    assert "cron" in service(tools, "status", code=3).stdout


@pytest.mark.report("R115")
def test_the_line_for_cron_works_in_crons_world(tools: Tools) -> None:
    """What is printed runs with a shell, a tiny PATH and nothing else."""
    (tools.home / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    line = service(tools, "install", "--cron-lines").stdout.splitlines()[0].split(" ", 5)[5]
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        env={"HOME": str(tools.home), "PATH": "/usr/bin:/bin"},
        cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tools.home / ".local" / "state" / "total-recall" / "main").is_dir()


def test_printing_touches_nothing(tools: Tools) -> None:
    """``--print`` shows the unit alone, and no tool is asked to do anything."""
    shown = service(tools, "install", "--print", OPENCLAW_STATE_DIR="/srv/claw").stdout
    assert shown.startswith("# Written by")
    assert 'Environment="OPENCLAW_STATE_DIR=/srv/claw"' in shown
    assert list(tools.home.iterdir()) == []
    assert tools.calls() == []


def test_what_the_service_will_not_see_is_pointed_out(tools: Tools) -> None:
    """Keys and settings of the shell, and a proxy with a password, are named, not copied, not shown."""
    word = "pass" + "word7"
    done = service(
        tools,
        "install",
        OPENROUTER_API_KEY="k" * 20,
        OBSERVER_MODEL="a/b",
        HTTPS_PROXY=f"http://me:{word}@p:1",
    )
    assert "OPENROUTER_API_KEY, OBSERVER_MODEL: set in this shell only" in done.stderr
    assert "HTTPS_PROXY holds a password" in done.stderr
    unit = (tools.home / UNIT).read_text("utf-8")
    for secret in (word, "k" * 20):
        assert secret not in unit + done.stdout + done.stderr


def test_a_group_without_a_command_is_a_usage_error(tools: Tools) -> None:
    """``totalrecall service`` alone did nothing, and says so by its exit code."""
    assert "install" in service(tools, code=2).stderr
