"""A machine where no service manager can be reached: most containers, WSL without systemd, a bare ``su``."""

from __future__ import annotations

from pathlib import Path

from totalrecall.errors import ConfigError
from totalrecall.service.host import Installed, Removed, ServiceHost
from totalrecall.service.plan import UNIT_NAME
from totalrecall.service.status import ServiceKind, ServiceStatus
from totalrecall.service.systemd import remove_links, unit_file
from totalrecall.service.unit import render_unit

_BOOTED = Path("/run/systemd/system")


class Nobody:
    """Nobody starts services here: says so, and takes away what an earlier installation left."""

    def __init__(self, host: ServiceHost, folder: Path) -> None:
        self._host = host
        self._file = unit_file(folder / UNIT_NAME)

    def status(self) -> ServiceStatus:
        """Not running; why no service can run here, and that cron can do the work."""
        installed = self._file.text() is not None
        return ServiceStatus(
            ServiceKind.NONE,
            installed=installed,
            detail=_why()
            + (f" The unit {self._file.path} is there, but nobody reads it." if installed else ""),
            remedy="Use cron instead: 'totalrecall service install --cron-lines' prints the lines.",
            path=self._file.path,
        )

    def render(self) -> str:
        """The systemd unit, for a machine that has one."""
        return render_unit(self._host.plan)

    def install(self) -> Installed:
        """Nothing can be installed: raises ConfigError with the reason."""
        raise ConfigError(_why(), "cron can do the work instead, with the lines below.")

    def uninstall(self) -> Removed:
        """Take away a unit that stands there all the same."""
        removed = (*remove_links(self._file.path), *((self._file.path,) if self._file.remove() else ()))
        return Removed(removed)


def _why() -> str:
    if _BOOTED.is_dir():
        return (
            "The systemd of this user cannot be reached. Log in as this user directly, not by su or sudo; "
            "for a user without a login: sudo loginctl enable-linger USER."
        )
    return "This machine has no systemd that runs services for a user (a container, or WSL without systemd)."
