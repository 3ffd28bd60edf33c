"""Whether the service is installed, and whether it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class ServiceKind(StrEnum):
    """Who starts services on this machine."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """How the service stands.

    Attributes:
        kind: who starts services here; none in most containers: cron remains.
        installed: its unit or plist is there.
        enabled: it starts by itself, at boot or login.
        active: it runs and has said that it is ready.
        linger: the user's services run without a login; None where that is no question (macOS, no systemd).
        outdated: the file is not what this version would write, or the program it names is gone.
        detail: one sentence, for people.
        remedy: what to do about it, "" when all is well.
        path: the unit or plist, whether or not it stands.
    """

    kind: ServiceKind
    installed: bool = False
    enabled: bool = False
    active: bool = False
    linger: bool | None = None
    outdated: bool = False
    detail: str = ""
    remedy: str = ""
    path: Path | None = None


def service_status(
    env: Mapping[str, str],
    home_dir: Path,
    *,
    platform: str = sys.platform,
    executable: Path | None = None,
) -> ServiceStatus:
    """How the service of this user stands. Calls the service manager's tools; never raises, never changes."""
    from totalrecall.service.host import ServiceHost, supervisor_of

    program = executable or Path(sys.executable)
    host = ServiceHost.here(env, home_dir, platform=platform, executable=program, uid=os.getuid())
    return supervisor_of(host).status()
