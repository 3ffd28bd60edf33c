"""Installing, looking and removing, against tools that are programs of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.service.tools import UID, Tools, calls_to, make_tools
from totalrecall.errors import ConfigError, ServiceError
from totalrecall.service.host import ServiceHost, Supervisor, supervisor_of
from totalrecall.service.nobody import Nobody
from totalrecall.service.plan import MARK
from totalrecall.service.programs import MISSING, runner
from totalrecall.service.status import ServiceKind, service_status
from totalrecall.service.systemd import enable_linger, unit_folder

UNIT = ".config/systemd/user/total-recall.service"
PLIST = "Library/LaunchAgents/com.totalrecall.agent.plist"


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """A machine with all tools, all well, nothing installed."""
    return make_tools(tmp_path / "machine")


def host(tools: Tools, platform: str = "linux", executable: Path = Path(sys.executable)) -> ServiceHost:
    """That machine as the service sees it."""
    return ServiceHost(tools.env, tools.home, platform, executable, UID, runner(tools.env, UID), pause_s=0.01)


def supervisor(tools: Tools, platform: str = "linux") -> Supervisor:
    """Who starts services there."""
    return supervisor_of(host(tools, platform))


def test_a_systemd_service_is_installed_and_ready(tools: Tools) -> None:
    """The unit is written for this user only, enabled, started, and reported as running."""
    tools.set("linger")
    done = supervisor(tools).install()
    unit = tools.home / UNIT
    assert done.path == unit
    assert done.changed
    assert unit.stat().st_mode & 0o777 == 0o600
    assert calls_to(tools, "systemctl") == [
        "daemon-reload", "enable total-recall.service", "restart total-recall.service",
    ]  # fmt: skip
    status = done.status
    assert (status.kind, status.installed, status.enabled, status.active) == (
        ServiceKind.SYSTEMD,
        True,
        True,
        True,
    )
    assert (status.linger, status.outdated, status.remedy) == (True, False, "")
    assert status.detail == "The service runs. 1 agent, nothing pending."


def test_installing_again_starts_it_again_and_writes_nothing(tools: Tools) -> None:
    """After an upgrade the program is another one although the unit is the same."""
    supervisor(tools).install()
    before = (tools.home / UNIT).stat().st_mtime_ns
    assert not supervisor(tools).install().changed
    assert (tools.home / UNIT).stat().st_mtime_ns == before
    assert calls_to(tools, "systemctl").count("restart total-recall.service") == 2


@pytest.mark.report("R113")
def test_a_service_that_dies_at_logout_is_pointed_out(tools: Tools) -> None:
    """Without linger it runs now and not after the logout: said, with the very command, and not done unasked."""
    status = supervisor(tools).install().status
    assert status.active
    assert status.linger is False
    assert "logout" in status.detail
    assert "loginctl enable-linger" in status.remedy
    assert not tools.has("linger")
    assert enable_linger(host(tools)) == ""
    assert supervisor(tools).status().remedy == ""


@pytest.mark.report("R113")
def test_linger_that_is_refused_or_unknown(tools: Tools) -> None:
    """A refusal is told; a user that logind does not know does not linger; without logind nobody can tell."""
    tools.set("linger-refused", "unknown-user")
    assert "Access denied" in enable_linger(host(tools))
    assert supervisor(tools).status().linger is False
    tools.set("no-logind")
    assert supervisor(tools).status().linger is None
    (tools.folder / "bin" / "loginctl").unlink()
    run = runner({**tools.env, "PATH": str(tools.folder / "bin")}, UID)
    assert run(["loginctl", "enable-linger"]).code == MISSING


@pytest.mark.parametrize(
    ("how", "title", "hint"),
    [
        ("crashes", "does not start (exit-code)", "journalctl"),
        ("bad-setting", "a setting keeps it", "doctor"),
    ],
)
def test_a_service_that_does_not_come_up_is_an_error(tools: Tools, how: str, title: str, hint: str) -> None:
    """What systemctl says counts: no success is reported for a service that is not there (exit 3, or 78)."""
    tools.set(how)
    with pytest.raises(ServiceError if how == "crashes" else ConfigError) as caught:
        supervisor(tools).install()
    assert title in caught.value.title
    assert hint in caught.value.hint
    assert caught.value.exit_code == (3 if how == "crashes" else 78)
    status = supervisor(tools).status()
    assert not status.active
    assert hint in status.remedy


def test_a_refusal_of_the_manager_is_told(tools: Tools) -> None:
    """A masked unit cannot be enabled; what systemctl said is in the message."""
    tools.set("masked")
    with pytest.raises(ServiceError, match="masked"):
        supervisor(tools).install()


def test_a_unit_written_by_hand_is_left(tools: Tools) -> None:
    """Whoever wrote a unit of that name keeps it, at installing and at removing."""
    unit = tools.home / UNIT
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not written by Total Recall"):
        supervisor(tools).install()
    assert supervisor(tools).status().outdated
    assert supervisor(tools).uninstall().left == (unit,)
    assert unit.read_text("utf-8") == "[Service]\nExecStart=/bin/true\n"


def test_an_older_unit_is_out_of_date_and_renewed(tools: Tools) -> None:
    """A line that is not ours any more is noticed; installing writes the unit anew."""
    tools.set("linger")
    supervisor(tools).install()
    unit = tools.home / UNIT
    unit.write_text(unit.read_text("utf-8").replace("RestartSec=15", "RestartSec=1"), encoding="utf-8")
    status = supervisor(tools).status()
    assert status.outdated
    assert "another version" in status.detail
    assert supervisor(tools).install().changed
    assert not supervisor(tools).status().outdated


def test_another_environment_does_not_make_a_unit_old(tools: Tools) -> None:
    """What the shell of the installation had counts as meant, whatever this shell has."""
    tools.set("linger")
    supervisor(tools).install()
    elsewhere = ServiceHost(
        {**tools.env, "TZ": "Asia/Tokyo"},
        tools.home,
        "linux",
        Path(sys.executable),
        UID,
        runner(tools.env, UID),
    )
    assert not supervisor_of(elsewhere).status().outdated


@pytest.mark.parametrize("gone", [True, False])
def test_a_program_that_moved_is_out_of_date(tools: Tools, *, gone: bool) -> None:
    """The interpreter that the unit names is gone, or belongs to another installation."""
    program = tools.folder / "python"
    program.touch()
    supervisor_of(host(tools, executable=program)).install()
    if gone:
        program.unlink()
    status = supervisor(tools).status()
    assert status.outdated
    assert ("gone" if gone else "another installation") in status.detail


def test_uninstalling_takes_all_but_drop_ins(tools: Tools) -> None:
    """Stopped, disabled, removed; what the user added beside it is left and named."""
    supervisor(tools).install()
    own = tools.home / f"{UNIT}.d"
    own.mkdir()
    done = supervisor(tools).uninstall()
    assert done.removed == (tools.home / UNIT,)
    assert done.left == (own,)
    assert not tools.has("active")
    assert list((tools.home / UNIT).parent.rglob("total-recall.service")) == []
    assert supervisor(tools).uninstall().removed == ()


@pytest.mark.parametrize("broken", ["no-manager", "no-systemctl"])
def test_where_nobody_runs_services_it_says_so(tools: Tools, broken: str) -> None:
    """A container: nothing is written, the reason is told, and cron is named."""
    if broken == "no-systemctl":
        (tools.folder / "bin" / "systemctl").unlink()
        (tools.folder / "bin" / "systemctl").symlink_to("/nowhere")
    else:
        tools.set(broken)
    nobody = supervisor_of(
        ServiceHost(
            tools.env, tools.home, "linux", Path(sys.executable), UID,
            runner({**tools.env, "PATH": str(tools.folder / "bin")} if broken == "no-systemctl" else tools.env, UID),
        )
    )  # fmt: skip
    assert isinstance(nobody, Nobody)
    status = nobody.status()
    assert (status.kind, status.installed, status.active) == (ServiceKind.NONE, False, False)
    assert "cron" in status.remedy
    with pytest.raises(ConfigError) as caught:
        nobody.install()
    assert caught.value.exit_code == 78
    assert list(tools.home.iterdir()) == []
    assert "[Service]" in nobody.render()


def test_a_unit_that_nobody_reads_is_removed_all_the_same(tools: Tools) -> None:
    """Uninstalling works where the manager cannot be reached: the next login must not start it."""
    supervisor(tools).install()
    tools.set("no-manager")
    assert supervisor(tools).status().installed
    assert len(supervisor(tools).uninstall().removed) == 2
    assert list((tools.home / UNIT).parent.rglob("total-recall.service")) == []


def test_the_folder_is_one_that_the_manager_searches() -> None:
    """XDG_CONFIG_HOME of a shell counts only if the user's manager was started with it too."""
    home, default = Path("/h"), Path("/h/.config/systemd/user")
    env = {"XDG_CONFIG_HOME": "/x"}
    assert unit_folder(env, home, "UnitPath=/etc /x/systemd/user /usr\n") == Path("/x/systemd/user")
    assert unit_folder(env, home, "UnitPath=/etc /h/.config/systemd/user\n") == default
    assert unit_folder({}, home, "") == default
    assert unit_folder({"XDG_CONFIG_HOME": "relative"}, home, "") == default


def test_the_status_counts_restarts_and_a_start_in_progress(tools: Tools) -> None:
    """A service that comes up again and again is not simply running."""
    tools.set("linger")
    supervisor(tools).install()
    tools.write("restarts", "7")
    assert "started again 7 times" in supervisor(tools).status().detail
    tools.unset("active")
    assert "does not run" in supervisor(tools).status().detail
    tools.set("starting")
    assert "is starting" in supervisor(tools).status().detail
    tools.set("auto-restart")
    assert "happened 7 times" in supervisor(tools).status().detail
    tools.unset("starting", "auto-restart", "enabled")
    tools.set("active")
    assert "would not start by itself" in supervisor(tools).status().detail


def test_the_status_for_other_commands(tools: Tools) -> None:
    """``service_status`` is what doctor and status ask; it needs nothing but environment and home."""
    found = service_status(tools.env, tools.home, platform="linux")
    assert (found.kind, found.installed, found.remedy) == (
        ServiceKind.SYSTEMD,
        False,
        "totalrecall service install",
    )


def test_a_launchd_agent_is_installed_and_runs(tools: Tools) -> None:
    """Written, enabled, loaded; the folder of its output is made, which launchd would not do."""
    done = supervisor(tools, "darwin").install()
    assert done.path == tools.home / PLIST
    assert MARK in done.path.read_text("utf-8")
    assert (tools.home / ".local" / "state" / "total-recall").is_dir()
    domain = f"gui/{UID}"
    assert calls_to(tools, "launchctl") == [
        f"bootout {domain}/com.totalrecall.agent", f"enable {domain}/com.totalrecall.agent",
        f"bootstrap {domain} {done.path}",
    ]  # fmt: skip
    status = done.status
    assert (status.kind, status.enabled, status.active, status.linger) == (
        ServiceKind.LAUNCHD,
        True,
        True,
        None,
    )
    assert status.detail == "The service runs."


def test_launchd_that_is_still_busy_is_asked_again(tools: Tools) -> None:
    """Right after the old agent was taken out, loading fails with an input/output error for a moment."""
    supervisor(tools, "darwin").install()
    assert supervisor(tools, "darwin").install().status.active
    assert len([call for call in calls_to(tools, "launchctl") if call.startswith("bootstrap")]) == 3


@pytest.mark.parametrize(
    ("how", "title", "hint"),
    [
        ("no-domain", "logged in at the screen", "next login"),
        ("broken", "Invalid argument", "plutil"),
        ("bad-setting", "A setting keeps the service from starting", "doctor"),
    ],
)
def test_a_launchd_agent_that_does_not_come_up_is_an_error(
    tools: Tools, how: str, title: str, hint: str
) -> None:
    """No login at the screen, a plist that launchd refuses, a setting that makes no sense."""
    tools.set(how)
    with pytest.raises(ConfigError if how == "bad-setting" else ServiceError) as caught:
        supervisor(tools, "darwin").install()
    assert title in caught.value.title
    assert hint in caught.value.hint


def test_the_status_of_a_launchd_agent(tools: Tools) -> None:
    """Not installed, not loaded, switched off, out of date, stopped by a setting: each is told apart."""
    look = supervisor(tools, "darwin")
    assert look.status().detail == "The service is not installed."
    look.install()
    tools.set("disabled")
    assert "switched off" in look.status().detail
    plist = tools.home / PLIST
    plist.write_text(plist.read_text("utf-8").replace("<integer>60<", "<integer>1<"), encoding="utf-8")
    assert "out of date" in look.status().detail
    tools.set("bad-setting")
    assert "A setting" in look.status().detail
    tools.unset("loaded")
    assert "not loaded" in look.status().detail
    assert not look.status().active


def test_removing_a_launchd_agent(tools: Tools) -> None:
    """Unloaded and removed with what it printed; a second time there is nothing."""
    look = supervisor(tools, "darwin")
    look.install()
    output = tools.home / ".local" / "state" / "total-recall" / "service.log"
    output.touch()
    assert look.uninstall().removed == (tools.home / PLIST, output)
    assert not tools.has("loaded")
    assert look.uninstall().removed == ()
