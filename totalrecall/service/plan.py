"""What the service is: which program, with which environment, under which names. Pure but for ``Path``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from totalrecall.places.own import state_folder

UNIT_NAME = "total-recall.service"
LABEL = "com.totalrecall.agent"
# In our state folder: what launchd lets the service print into.
OUTPUT_NAME = "service.log"
# How a file is told from one that somebody wrote by hand: that one is not replaced.
MARK = "Written by 'totalrecall service install'"
# Where things are may come from the shell's environment, which neither cron nor a service has.
LOCATING = (
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_HOME",
    "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_WORKSPACE",
    "MEMORY_DIR",
    "SESSIONS_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
)
# How the model is reached from here, and which clock counts. Keys are never taken along.
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
CONNECTING = (*_PROXIES, "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "TZ")


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """All that a unit or a plist is made from.

    Attributes:
        program: the command line, its first word an absolute path.
        home_dir: the user's home folder.
        environment: what the service finds in its environment, by name.
        output_file: where launchd puts what the program prints; systemd has its journal.
    """

    program: tuple[str, ...]
    home_dir: Path
    output_file: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def plan_for(env: Mapping[str, str], home_dir: Path, executable: Path) -> ServicePlan:
    """The service of this user, run by the interpreter that runs this program.

    ``-P`` keeps the working folder out of the module search path: a ``click.py`` in somebody's home folder
    must not become part of the service.
    """
    return ServicePlan(
        program=(str(executable), "-P", "-m", "totalrecall", "run"),
        home_dir=home_dir,
        output_file=state_folder(env, home_dir) / OUTPUT_NAME,
        environment=taken_along(env),
    )


def taken_along(env: Mapping[str, str]) -> dict[str, str]:
    """What of the environment the service needs too: where things are, and the way out to the network."""
    names = (name for name in (*LOCATING, *CONNECTING) if env.get(name, "").strip())
    return {name: env[name] for name in names if name not in left_out(env)}


def left_out(env: Mapping[str, str]) -> tuple[str, ...]:
    """Proxy variables that hold a password: they are not copied into a file that others may read."""
    return tuple(name for name in _PROXIES if _has_password(env.get(name, "")))


def shell_only(env: Mapping[str, str], settings: Iterable[str]) -> tuple[str, ...]:
    """The ``settings`` that stand in this shell's environment, where no service sees them."""
    return tuple(name for name in settings if env.get(name, "").strip() and name not in LOCATING)


def _has_password(value: str) -> bool:
    try:
        return bool(urlsplit(value if "://" in value else f"http://{value}").password)
    except ValueError:
        return "@" in value
