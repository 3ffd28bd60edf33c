"""The machine as the service sees it, and who starts services there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from totalrecall.service.plan import ServicePlan, plan_for
from totalrecall.service.programs import Runner, runner
from totalrecall.service.status import ServiceStatus


@dataclass(frozen=True, slots=True)
class ServiceHost:
    """What installing and looking need from outside.

    Attributes:
        env: the environment of whoever asks.
        home_dir: the user's home folder.
        platform: as ``sys.platform``.
        executable: the interpreter that the service is to run with.
        uid: the user's number.
        run: calls a tool.
        pause_s: how long to wait between two looks at something that is about to happen.
    """

    env: Mapping[str, str] = field(repr=False)
    home_dir: Path
    platform: str
    executable: Path
    uid: int
    run: Runner
    pause_s: float = 0.5

    @classmethod
    def here(
        cls, env: Mapping[str, str], home_dir: Path, *, platform: str, executable: Path, uid: int
    ) -> ServiceHost:
        """This machine, with its real tools."""
        return cls(env, home_dir, platform, executable, uid, runner(env, uid))

    @property
    def plan(self) -> ServicePlan:
        """The service as this environment would install it."""
        return plan_for(self.env, self.home_dir, self.executable)


@dataclass(frozen=True, slots=True)
class Installed:
    """The service is in place and runs.

    Attributes:
        path: its unit or plist.
        changed: the file was written; False when it stood there like that already.
        status: how it stands now.
    """

    path: Path
    changed: bool
    status: ServiceStatus


@dataclass(frozen=True, slots=True)
class Removed:
    """What was taken away, and what of the user's own was left beside it."""

    removed: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()


class Supervisor(Protocol):
    """Who starts the service: systemd, launchd, or nobody."""

    def status(self) -> ServiceStatus:
        """How the service stands; never raises."""

    def render(self) -> str:
        """The file that installing writes."""

    def install(self) -> Installed:
        """Write the file, start the service, wait until it is ready.

        Raises:
            ConfigError: there is nobody to start it, a file stands there that is not ours, or a setting makes
                no sense.
            ServiceError: the service manager refuses, or the service does not come up.
        """

    def uninstall(self) -> Removed:
        """Stop the service and take its file away. Nothing happens when there is none."""


def supervisor_of(host: ServiceHost) -> Supervisor:
    """Who starts services on this machine: launchd on macOS, else systemd where the user has one."""
    if host.platform == "darwin":
        from totalrecall.service.launchd import Launchd

        return Launchd(host)
    from totalrecall.service.nobody import Nobody
    from totalrecall.service.systemd import Systemd, unit_folder

    seen = host.run(["systemctl", "--user", "show", "--property=UnitPath"])
    if seen.ok and "UnitPath=" in seen.out:
        return Systemd(host, unit_folder(host.env, host.home_dir, seen.out))
    return Nobody(host, unit_folder(host.env, host.home_dir, ""))
