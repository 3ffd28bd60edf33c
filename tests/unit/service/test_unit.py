"""The systemd unit: what it says, and that systemd reads it as it was meant."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from totalrecall.service.plan import ServicePlan
from totalrecall.service.unit import environment_in, program_in, render_unit

WORDS = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f\x85\xa0"), max_size=30
)


def plan(program: str = "/opt/tr/bin/python", **environment: str) -> ServicePlan:
    """A service with this program and environment."""
    words = (program, "-P", "-m", "totalrecall", "run")
    return ServicePlan(words, Path("/home/you"), Path("/home/you/service.log"), environment)


def parsed(text: str) -> dict[str, dict[str, str]]:
    """The unit's sections; every name but Environment stands once."""
    sections: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            sections[line.strip("[]")] = {}
        elif line and not line.startswith("#"):
            name, value = line.split("=", 1)
            current = sections[[*sections][-1]]
            assert name == "Environment" or name not in current
            current[name] = value
    return sections


def test_the_manager_is_told_what_it_needs() -> None:
    """Ready, alive and stopping are told; a bad setting is not tried again; it starts with the session."""
    unit = parsed(render_unit(plan()))
    assert list(unit) == ["Unit", "Service", "Install"]
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert service["NotifyAccess"] == "main"
    assert service["ExecStart"] == "/opt/tr/bin/python -P -m totalrecall run"
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("on-failure", "78")
    assert int(service["WatchdogSec"]) > 0
    assert 5 < int(service["TimeoutStopSec"]) <= 30
    assert service["MemoryMax"] == "512M"
    assert unit["Install"] == {"WantedBy": "default.target"}


@pytest.mark.report("R112")
def test_no_environment_file() -> None:
    """The .env is not systemd's: it reads such a file otherwise than we do."""
    assert "EnvironmentFile" not in render_unit(plan())


@pytest.mark.report("R113")
def test_it_waits_for_nothing_that_a_user_manager_lacks() -> None:
    """network-online.target does not exist there, and waiting for it would be for ever or for nothing."""
    text = render_unit(plan())
    assert "network" not in text
    assert "multi-user" not in text


def test_every_line_is_explained() -> None:
    """A comment stands above each line that says something."""
    lines = render_unit(plan(TZ="UTC")).splitlines()
    for before, line in itertools.pairwise(lines):
        if "=" in line and not line.startswith("#"):
            assert before.startswith("# "), line


def test_nothing_is_asked_that_a_user_manager_may_not_do() -> None:
    """These end the start with 218/CAPABILITIES in a user's manager, or hide the user's own folders."""
    names = {line.split("=")[0] for line in render_unit(plan()).splitlines() if not line.startswith("#")}
    forbidden = {
        "CapabilityBoundingSet", "AmbientCapabilities", "PrivateDevices", "ProtectKernelModules", "ProtectKernelLogs",
        "ProtectClock", "ProtectHome", "ProtectSystem", "PrivateTmp", "PrivateUsers", "User", "Group",
        "SupplementaryGroups", "DynamicUser", "MemoryDenyWriteExecute",
    }  # fmt: skip
    assert not names & forbidden
    assert {"NoNewPrivileges", "SystemCallFilter", "RestrictAddressFamilies", "LockPersonality"} <= names


@given(WORDS, st.dictionaries(st.from_regex(r"[A-Z_]{1,12}", fullmatch=True), WORDS, max_size=3))
def test_what_is_written_is_read_back(tail: str, environment: dict[str, str]) -> None:
    """Spaces, quotes, percent signs and backslashes in paths and values survive."""
    text = render_unit(plan(f"/opt/{tail}/python", **environment))
    assert program_in(text) == f"/opt/{tail}/python"
    assert environment_in(text) == environment


@pytest.mark.parametrize("folder", ["plain", "with spaces and 100%", 'a "quoted" $HOME', "o'brien", "b\\c"])
def test_systemd_finds_nothing_to_complain_about(tmp_path: Path, folder: str) -> None:
    """``systemd-analyze verify`` prints nothing, also for a program in a folder with an odd name.

    Where there is no systemd, the unit is at least one that a parser of such files reads.
    """
    program = tmp_path / folder / "python"
    program.parent.mkdir()
    program.symlink_to(sys.executable)
    unit = tmp_path / "total-recall.service"
    unit.write_text(render_unit(plan(str(program), TZ="UTC", MEMORY_DIR="/a b/100%")), encoding="utf-8")
    assert parsed(unit.read_text("utf-8"))["Service"]["ExecStart"].endswith(" -P -m totalrecall run")
    if shutil.which("systemd-analyze") is None:
        return
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", unit],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
