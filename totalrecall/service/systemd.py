"""The service as a systemd user unit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from totalrecall.errors import ConfigError, ServiceError, TotalRecallError
from totalrecall.service.host import Installed, Removed, ServiceHost
from totalrecall.service.plan import UNIT_NAME
from totalrecall.service.programs import MISSING, Ran
from totalrecall.service.status import ServiceKind, ServiceStatus
from totalrecall.service.unit import environment_in, program_in, render_unit
from totalrecall.service.unit_file import UnitFile

LINGER_COMMAND = "loginctl enable-linger"
_JOURNAL = f"journalctl --user -u {UNIT_NAME} -n 20"
_ASKED = (
    "LoadState,ActiveState,SubState,UnitFileState,NRestarts,ExecMainStatus,Result,StatusText,NeedDaemonReload"
)
_CONFIG_EXIT = "78"


def enable_linger(host: ServiceHost) -> str:
    """Let the user's services run from boot on, without a login; why not, "" when it is done."""
    done = host.run(LINGER_COMMAND.split())
    return "" if done.ok else done.said or f"exit code {done.code}"


class Systemd:
    """A user's systemd, which can be reached from here."""

    def __init__(self, host: ServiceHost, folder: Path) -> None:
        self._host = host
        self._file = unit_file(folder / UNIT_NAME)

    def status(self) -> ServiceStatus:
        """How the unit stands, as its manager says."""
        seen = self._properties()
        installed = self._file.text() is not None
        active = seen.get("ActiveState") in {"active", "reloading"}
        enabled = seen.get("UnitFileState") == "enabled"
        linger = self.linger()
        trouble = self._file.trouble(self._host.plan)
        found = ServiceStatus(
            ServiceKind.SYSTEMD,
            installed=installed,
            enabled=enabled,
            active=active,
            linger=linger,
            outdated=bool(trouble),
            path=self._file.path,
        )
        detail, remedy = _said(found, seen, trouble)
        return _with(found, detail, remedy)

    def linger(self) -> bool | None:
        """Whether the user's services run from boot and after logout; None when nobody can tell."""
        seen = self._host.run(["loginctl", "show-user", str(self._host.uid), "--property=Linger", "--value"])
        if seen.code == MISSING or "connect" in seen.err:
            return None  # no logind here: whoever started this manager decides how long it lives
        # A user who neither is logged in nor lingers is not known there, and that is an error.
        return seen.ok and seen.out.strip() == "yes"

    def render(self) -> str:
        """The unit."""
        return render_unit(self._host.plan)

    def install(self) -> Installed:
        """The unit is written, enabled and started, and the service has said that it is ready."""
        changed = self._file.write(self._host.plan)
        self._must("daemon-reload")
        self._must("enable", UNIT_NAME)
        # Also where it runs: a new unit or a new program takes effect by a new start. It returns at READY=1.
        started = self._systemctl("restart", UNIT_NAME)
        if not started.ok:
            raise self._start_error(started)
        return Installed(self._file.path, changed, self.status())

    def uninstall(self) -> Removed:
        """The unit is stopped, disabled and gone; drop-ins that the user made are left."""
        ours = self._file.text() is not None
        if ours:
            self._systemctl("disable", "--now", UNIT_NAME)
        removed = (*remove_links(self._file.path), *((self._file.path,) if self._file.remove() else ()))
        if removed:
            self._systemctl("daemon-reload")
            self._systemctl("reset-failed", UNIT_NAME)
        own = self._file.path.with_name(f"{UNIT_NAME}.d")
        left = tuple(one for one in (self._file.path, own) if one.exists())
        return Removed(removed, left)

    def _properties(self) -> dict[str, str]:
        seen = self._systemctl("show", UNIT_NAME, f"--property={_ASKED}")
        return dict(line.split("=", 1) for line in seen.out.splitlines() if "=" in line)

    def _systemctl(self, *words: str) -> Ran:
        return self._host.run(["systemctl", "--user", *words])

    def _must(self, *words: str) -> None:
        done = self._systemctl(*words)
        if not done.ok:
            raise ServiceError(f"'systemctl --user {' '.join(words)}' failed: {done.said or done.code}.")

    def _start_error(self, started: Ran) -> TotalRecallError:
        seen = self._properties()
        if seen.get("ExecMainStatus") == _CONFIG_EXIT:
            return ConfigError(
                "The service is installed, but a setting keeps it from starting.",
                "'totalrecall doctor' names it. Then: totalrecall service install",
            )
        return ServiceError(
            f"The service is installed, but does not start ({seen.get('Result') or started.said}).",
            f"What it said: {_JOURNAL}",
        )


def unit_folder(env: Mapping[str, str], home_dir: Path, shown: str) -> Path:
    """Where the user's systemd looks for units of his own; ``shown`` is its ``UnitPath=…``.

    ``XDG_CONFIG_HOME`` of a shell need not be the one that the manager was started with.
    """
    default = home_dir / ".config" / "systemd" / "user"
    given = Path(env.get("XDG_CONFIG_HOME", "")) / "systemd" / "user"
    searched = shown.partition("UnitPath=")[2].split()
    return given if given.is_absolute() and (not searched or str(given) in searched) else default


def unit_file(path: Path) -> UnitFile:
    """The unit at ``path``."""
    return UnitFile(path, render_unit, environment_in, program_in)


def remove_links(unit: Path) -> tuple[Path, ...]:
    """Take away the link by which the unit is enabled, where ``systemctl disable`` did not or could not."""
    link = unit.parent / "default.target.wants" / UNIT_NAME
    if not link.is_symlink():
        return ()
    link.unlink()
    return (link,)


def _said(found: ServiceStatus, seen: Mapping[str, str], trouble: str) -> tuple[str, str]:
    """One sentence, and what to do."""
    if not found.installed:
        return "The service is not installed.", "totalrecall service install"
    restarts = seen.get("NRestarts", "0")
    if not found.active:
        return _not_active(seen, restarts)
    if trouble:
        return f"The service runs, but its unit is out of date: {trouble}.", "totalrecall service install"
    if not found.enabled:
        return "The service runs, but would not start by itself.", "totalrecall service install"
    if found.linger is False:
        return (
            "The service runs, but only while you are logged in: it stops at logout, and no boot starts it.",
            f'{LINGER_COMMAND}   (if that is refused: sudo {LINGER_COMMAND} "$USER")',
        )
    said = f" {seen['StatusText']}" if seen.get("StatusText") else ""
    again = f" It was started again {restarts} times." if restarts not in {"0", "1", ""} else ""
    return f"The service runs.{said}{again}", ""


def _not_active(seen: Mapping[str, str], restarts: str) -> tuple[str, str]:
    if seen.get("ExecMainStatus") == _CONFIG_EXIT:
        return (
            "The service has stopped: a setting makes no sense.",
            "'totalrecall doctor' names it. Then: totalrecall service install",
        )
    if seen.get("SubState") == "auto-restart":
        again = f"It has ended and is about to be started again, which happened {restarts} times so far."
        return f"The service does not run. {again}", f"What it said: {_JOURNAL}"
    if seen.get("ActiveState") == "activating":
        return "The service is starting.", f"If it goes on for long: {_JOURNAL}"
    if seen.get("ActiveState") == "failed":
        return f"The service has failed ({seen.get('Result', '')}).", f"What it said: {_JOURNAL}"
    return "The service is installed, but does not run.", "totalrecall service install"


def _with(found: ServiceStatus, detail: str, remedy: str) -> ServiceStatus:
    from dataclasses import replace

    return replace(found, detail=detail, remedy=remedy)
