"""``scripts/setup.sh`` on a machine with nothing of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.machine import REPOSITORY, environment
from tests.unit.service.tools import make_tools

PYTHON = os.path.realpath(sys.executable)


def setup(
    home: Path,
    *arguments: str,
    code: int = 0,
    piped: str = "",
    cwd: Path = REPOSITORY,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The script, as a file or through a pipe, without a terminal; it must exit with ``code``."""
    script = ["bash", "-s", "--"] if piped else ["bash", str(REPOSITORY / "scripts" / "setup.sh")]
    done = subprocess.run(
        [*script, *arguments],
        env=environment(home, **{"PYTHON": PYTHON, **(env or {})}),
        cwd=cwd,
        input=piped,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_install_again_and_uninstall(tmp_path: Path) -> None:
    """Installed with its service it shows notes and is on the path; a second run renews both in place.

    Uninstalling takes program and service and leaves memory, settings and bookkeeping.
    """
    tools = make_tools(tmp_path / "a machine", ("systemctl", "loginctl"))
    home = tools.home
    first = setup(home, "--service", env=tools.env)
    link = home / ".local" / "bin" / "totalrecall"
    unit = home / ".config" / "systemd" / "user" / "total-recall.service"
    assert "not on your PATH" in first.stdout
    assert "sample agent" in first.stdout
    assert "🔴" in first.stdout
    assert (
        f'ExecStart="{home}/.local/share/total-recall/venv/bin/python" -P -m totalrecall run'
        in unit.read_text("utf-8")
    )
    shown = subprocess.run(
        [link, "--version"], env=environment(home), capture_output=True, text=True, check=True
    )
    assert "0.2.0" in shown.stdout

    script = (REPOSITORY / "scripts" / "setup.sh").read_text("utf-8")
    again = {**tools.env, "PATH": f"{link.parent}:{tools.env['PATH']}"}
    second = setup(home, piped=script, env=again)
    assert "up to date" in second.stdout
    assert "nothing was changed" in second.stdout
    assert "not on your PATH" not in second.stdout
    assert tools.calls().count("systemctl --user restart total-recall.service") == 2

    kept = home / ".config" / "total-recall" / ".env"
    kept.parent.mkdir(parents=True)
    kept.write_text("TOTALRECALL_GROUPS=off\n", encoding="utf-8")
    removed = setup(home, "--uninstall", env=tools.env)
    assert "Left as they are" in removed.stdout
    assert not link.is_symlink()
    assert not unit.exists()
    assert not (home / ".local" / "share" / "total-recall").exists()
    assert kept.exists()
    assert "Nothing to remove" in setup(home, "--uninstall", env=tools.env).stdout


def test_a_program_that_cannot_run_any_more_is_removed_all_the_same(tmp_path: Path) -> None:
    """Its Python is gone: the script stops the service and removes what stands, and says what it could not undo."""
    tools = make_tools(tmp_path / "machine", ("systemctl", "loginctl"))
    venv = tools.home / ".local" / "share" / "total-recall" / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "totalrecall").write_text("#!/gone/python\n", encoding="utf-8")
    (venv / "bin" / "totalrecall").chmod(0o755)
    unit = tools.home / ".config" / "systemd" / "user" / "total-recall.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    done = setup(tools.home, "--uninstall", env=tools.env)
    assert "beside OpenClaw" in done.stdout
    assert not unit.exists()
    assert not venv.exists()
    assert "systemctl --user disable --now total-recall.service" in tools.calls()


def test_read_from_a_pipe_elsewhere_it_says_where_to_start_it(tmp_path: Path) -> None:
    """The script alone has no sources to install."""
    script = (REPOSITORY / "scripts" / "setup.sh").read_text("utf-8")
    done = setup(tmp_path, code=78, piped=script, cwd=tmp_path)
    assert "git clone" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_old_python_is_refused(tmp_path: Path) -> None:
    """A Python that is too old is named, and nothing is made."""
    done = setup(tmp_path, code=78, env={"PYTHON": "/bin/false"})
    assert "no Python 3.11 or later" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_python_at_all_says_how_to_get_one(tmp_path: Path) -> None:
    """With none on the path, the ways to install one are shown."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("bash", "dirname", "sed", "readlink"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
        fake = tools / name
        fake.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        fake.chmod(0o755)
    done = setup(tmp_path, code=78, env={"PATH": str(tools), "PYTHON": ""})
    assert "apt install python3 python3-venv" in done.stderr


def test_a_python_without_venv_names_the_package(tmp_path: Path) -> None:
    """Debian's python3 alone cannot make environments: the package that is missing is named."""
    fake = tmp_path / "python"
    fake.write_text(
        f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexec {PYTHON} "$@"\n', encoding="utf-8"
    )
    fake.chmod(0o755)
    done = setup(tmp_path, code=78, env={"PYTHON": str(fake)})
    assert f"python3.{sys.version_info.minor}-venv" in done.stderr


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """No folder can be made where a file stands."""
    (tmp_path / ".local").touch()
    done = setup(tmp_path, code=78)
    assert str(tmp_path / ".local" / "share" / "total-recall") in done.stderr


def test_somebody_elses_command_is_not_replaced(tmp_path: Path) -> None:
    """A totalrecall that is not ours stays, and nothing is installed."""
    other = tmp_path / ".local" / "bin" / "totalrecall"
    other.parent.mkdir(parents=True)
    other.write_text("mine", encoding="utf-8")
    assert "not ours" in setup(tmp_path, code=78).stderr
    assert other.read_text("utf-8") == "mine"


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--wat", 2)])
def test_arguments_are_explained(tmp_path: Path, argument: str, code: int) -> None:
    """Help on demand, and on an argument that it does not know."""
    done = setup(tmp_path, argument, code=code)
    assert "--uninstall" in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
