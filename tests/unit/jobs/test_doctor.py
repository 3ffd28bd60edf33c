"""What `doctor` finds, kind by kind."""

from __future__ import annotations

import os
from collections import namedtuple
from pathlib import Path

import pytest

from totalrecall.domain.service_state import AgentState, ServiceState
from totalrecall.files.service_state import ServiceLook
from totalrecall.jobs.doctor.clock import clock_findings
from totalrecall.jobs.doctor.finding import Finding, Grade
from totalrecall.jobs.doctor.folders import (
    folder_finding,
    key_file_findings,
    leftover_findings,
    privacy_findings,
    room_findings,
)
from totalrecall.jobs.doctor.inotify import inotify_findings
from totalrecall.jobs.doctor.service import service_findings
from totalrecall.service.status import ServiceKind, ServiceStatus

NOW = 1_796_000_000_000
MIN = 60_000
AT_WORK = ServiceStatus(
    ServiceKind.SYSTEMD, installed=True, enabled=True, active=True, linger=True, detail="The service runs."
)
NO_MANAGER = ServiceStatus(ServiceKind.NONE, detail="Nobody runs services here.", remedy="Use cron.")
STATE = ServiceState(1, "1.0", NOW - MIN, NOW, agents={"main": AgentState(watch="events")})


def grades(findings: list[Finding]) -> list[Grade]:
    """How bad they are."""
    return [one.grade for one in findings]


def look(state: ServiceState | None = STATE, *, running: bool = True) -> ServiceLook:
    """The service from outside."""
    return ServiceLook(running, "process 1", state)


@pytest.mark.parametrize(
    ("status", "seen", "worst", "said"),
    [
        (AT_WORK, look(), Grade.FINE, "The service runs."),
        (NO_MANAGER, look(None, running=False), Grade.FINE, "A cron job does the same work."),
        (NO_MANAGER, look(), Grade.FINE, "started by hand or by others"),
        (ServiceStatus(ServiceKind.SYSTEMD, detail="Not installed."), look(None, running=False), Grade.FINE, "cron"),
        (
            ServiceStatus(ServiceKind.SYSTEMD, installed=True, detail="It does not run.", remedy="Start it."),
            look(None, running=False), Grade.BROKEN, "It does not run.",
        ),
        (
            ServiceStatus(ServiceKind.SYSTEMD, installed=True, active=True, linger=False,
                          detail="Only while you are logged in.", remedy="loginctl enable-linger"),
            look(), Grade.WARNING, "Only while you are logged in.",
        ),
        (AT_WORK, look(None, running=False), Grade.WARNING, "nobody holds its lock"),
        (AT_WORK, look(ServiceState(1, "0.9", NOW, NOW)), Grade.WARNING, "is version 0.9, the program is 1.0"),
        (AT_WORK, look(ServiceState(1, "1.0", NOW, NOW - 60 * MIN)), Grade.BROKEN, "said nothing for 60 minutes"),
        (NO_MANAGER, look(STATE, running=False), Grade.WARNING, "ended without being told to"),
    ],
)  # fmt: skip
@pytest.mark.report("R113", "R104")
def test_the_service_has_to_run_where_it_is_installed(
    status: ServiceStatus, seen: ServiceLook, worst: Grade, said: str
) -> None:
    """Not running, only while logged in, another version, silent: each is told; doing without one is fine."""
    findings = service_findings(status, seen, "1.0", NOW)
    assert min(grades(findings)) == worst
    assert any(said in one.what for one in findings)
    assert all(one.remedy for one in findings if one.grade is not Grade.FINE)


def test_clocks_that_cannot_be_right_are_told() -> None:
    """Years in the past; a transcript or a run from the future; small differences are none."""
    assert clock_findings(NOW, NOW + MIN, NOW) == []
    assert clock_findings(NOW, 0, 0) == []
    assert grades(clock_findings(0, 0, 0)) == [Grade.WARNING]
    assert "3 days in the future" in clock_findings(NOW, NOW + 3 * 1440 * MIN, 0)[0].what
    assert "The last run is from 20 minutes" in clock_findings(NOW, 0, NOW + 20 * MIN)[0].what


def test_files_that_others_can_read_are_told(tmp_path: Path) -> None:
    """Only where others can get there, and with the command that mends it."""
    memory = tmp_path / "workspace" / "memory"
    memory.mkdir(parents=True)
    notes = memory / "observations.md"
    notes.write_text("notes")

    def found(notes_mode: int, memory_mode: int, workspace_mode: int) -> list[Finding]:
        notes.chmod(notes_mode)
        memory.chmod(memory_mode)
        memory.parent.chmod(workspace_mode)
        return privacy_findings([memory], below=tmp_path)

    (told,) = found(0o644, 0o755, 0o755)
    assert (told.grade, told.remedy) == (Grade.WARNING, f"Close the folder: chmod 700 '{memory}'")
    assert "observations.md" in told.what
    assert found(0o644, 0o700, 0o755) == []
    assert found(0o644, 0o755, 0o700) == []
    assert found(0o600, 0o755, 0o755) == []
    (memory / "2026-03-02.md").write_text("the agent's own")
    (memory / "2026-03-02.md").chmod(0o644)
    assert found(0o600, 0o755, 0o755) == []


def test_a_key_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Group and others may not read it; a file that is not there is no finding."""
    path = tmp_path / ".env"
    assert key_file_findings([path]) == []
    path.write_text("A=1")
    path.chmod(0o640)
    assert [one.remedy for one in key_file_findings([path])] == [f"Run: chmod 600 '{path}'"]
    path.chmod(0o600)
    assert key_file_findings([path]) == []


def test_what_dead_runs_left_is_told(tmp_path: Path) -> None:
    """Temporary files of ours, once they are old; a run that writes just now is none of them."""
    left = tmp_path / ".total-recall-1-abc.tmp"
    left.write_text("x")
    assert leftover_findings([tmp_path]) == []
    os.utime(left, (1_000_000_000, 1_000_000_000))
    assert grades(leftover_findings([tmp_path])) == [Grade.WARNING]


def test_a_full_disk_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearly full is a warning, full is broken; two folders on one disk are one finding."""
    assert room_findings([tmp_path]) == []
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil's
    places = [tmp_path / "memory", tmp_path / "state"]
    for free, grade in ((50_000_000, Grade.WARNING), (1_000_000, Grade.BROKEN)):
        monkeypatch.setattr("shutil.disk_usage", lambda _path, free=free: usage(free, 0, free))
        assert grades(room_findings(places)) == [grade]


def test_a_folder_that_is_none_is_broken(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "logs").write_text("x")
    assert folder_finding(tmp_path / "logs", "Log folder").grade is Grade.BROKEN
    assert folder_finding(tmp_path / "new" / "logs", "Log folder").grade is Grade.FINE


def test_limits_of_file_events_are_told_when_they_are_used_up(tmp_path: Path) -> None:
    """What this user's processes hold is counted; the remedy names the setting to raise."""
    limits = tmp_path / "sys" / "fs" / "inotify"
    limits.mkdir(parents=True)
    process = tmp_path / "77"
    (process / "fd").mkdir(parents=True)
    (process / "fdinfo").mkdir()
    (process / "fd" / "3").symlink_to("anon_inode:inotify")
    (process / "fdinfo" / "3").write_text("inotify wd:1 ino:2\ninotify wd:2 ino:3\n")
    assert inotify_findings(tmp_path) == []
    (limits / "max_user_instances").write_text("128\n")
    (limits / "max_user_watches").write_text("8192\n")
    assert inotify_findings(tmp_path) == []
    (limits / "max_user_watches").write_text("2\n")
    (found,) = inotify_findings(tmp_path)
    assert "2 of 2 file watches (max_user_watches)" in found.what
    assert "fs.inotify.max_user_watches=524288" in found.remedy
