"""``systemd/`` holds what the code renders, and the rendered service really runs."""

from __future__ import annotations

import os
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from tests.packaging.machine import REPOSITORY, write_agent
from totalrecall.service.plan import ServicePlan, plan_for
from totalrecall.service.plist import render_plist
from totalrecall.service.unit import render_unit

FOLDER = REPOSITORY / "systemd"
START_S = 30.0


def example(home: str) -> ServicePlan:
    """The service of a user with nothing special, installed by ``scripts/setup.sh``."""
    home_dir = Path(home)
    return plan_for({}, home_dir, home_dir / ".local/share/total-recall/venv/bin/python")


def rendered() -> dict[str, str]:
    """The files of the folder by name."""
    return {
        "total-recall.service": render_unit(example("/home/you")),
        "com.totalrecall.agent.plist": render_plist(example("/Users/you")),
    }


@pytest.mark.parametrize("name", sorted(rendered()))
def test_the_files_in_the_repository_are_what_the_code_renders(name: str) -> None:
    """Nobody edits them: UPDATE_GOLDEN=1 writes them anew."""
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(rendered()[name], encoding="utf-8")
    assert path.read_text("utf-8") == rendered()[name], (
        "UPDATE_GOLDEN=1 pytest test_units.py if this is wanted"
    )


def test_nothing_else_is_in_the_folder() -> None:
    """Every file there is rendered and tested."""
    assert {path.name for path in FOLDER.iterdir()} == {*rendered()}


def test_the_plist_is_a_property_list() -> None:
    """Python's own reader takes it; so does plutil where there is one."""
    path = FOLDER / "com.totalrecall.agent.plist"
    assert plistlib.loads(path.read_bytes())["Label"] == "com.totalrecall.agent"
    if plutil := shutil.which("plutil"):
        subprocess.run([plutil, "-lint", path], check=True, capture_output=True)


def test_the_rendered_command_becomes_ready(tmp_path: Path) -> None:
    """Started as systemd would, in an empty environment, the very command of the unit says READY=1.

    It keeps the watchdog quiet, and ends with 0 on SIGTERM.
    """
    write_agent(tmp_path, age=timedelta(days=2))
    plan = plan_for({}, tmp_path, Path(sys.executable))
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(START_S)
        env = {
            "HOME": str(tmp_path),
            "PATH": "/usr/bin:/bin",
            "NOTIFY_SOCKET": str(path),
            "WATCHDOG_USEC": "2000000",
        }
        with subprocess.Popen(plan.program, env=env, cwd="/", stderr=subprocess.PIPE, text=True) as service:
            try:
                said: set[str] = set()
                while not {"READY=1", "WATCHDOG=1"} <= said:
                    said |= set(manager.recv(4096).decode().splitlines())
            finally:
                service.send_signal(signal.SIGTERM)
                _, complaint = service.communicate(timeout=START_S)
    assert service.returncode == 0, complaint
    assert not [line for line in complaint.splitlines() if "Traceback" in line]
