"""The user's time zone: the setting, else OpenClaw's, else the system's, else UTC with a word about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from totalrecall.places.problem import Level, Problem

SYSTEM_ROOT = Path("/")
_HINT = "Set TOTALRECALL_TIMEZONE to a name such as Europe/Berlin."


@dataclass(frozen=True, slots=True)
class ResolvedZone:
    """The zone that times are written in.

    Attributes:
        zone: for ``datetime``.
        name: its name; ``local`` when the system's zone has none.
        source: where it came from, for ``config show``.
        problem: what should be said about it, or None.
    """

    zone: tzinfo
    name: str
    source: str
    problem: Problem | None = None


def known_zone(name: str) -> bool:
    """Whether ``name`` is a zone of the system's or the packaged time zone database."""
    return _zone(name) is not None


def resolve_zone(
    setting: str,
    user_timezone: str,
    env: Mapping[str, str],
    root: Path = SYSTEM_ROOT,
) -> ResolvedZone:
    """The zone by ``TOTALRECALL_TIMEZONE`` (checked before), OpenClaw's ``userTimezone``, the system.

    The system's is ``TZ``, the link ``/etc/localtime``, ``/etc/timezone``, or the bare rules in
    ``/etc/localtime``. ``root`` is the file system's root.
    """
    problem: Problem | None = None
    for name, source in ((setting, "TOTALRECALL_TIMEZONE"), (user_timezone, "OpenClaw's userTimezone")):
        found = _zone(name)
        if found is not None:
            return ResolvedZone(found, name, source)
        if name:
            problem = Problem(Level.WARNING, f"{source} is {name[:60]!r}, which no zone is called.", _HINT)
    for name, source in _system_names(env, root):
        found = _zone(name)
        if found is not None:
            return ResolvedZone(found, name, source, problem)
    return _unnamed(root, problem)


def _system_names(env: Mapping[str, str], root: Path) -> tuple[tuple[str, str], ...]:
    given = env.get("TZ", "").removeprefix(":")
    return (
        (_after_zoneinfo(given) if given.startswith("/") else given, "TZ"),
        (_link_name(root / "etc" / "localtime"), "/etc/localtime"),
        (_first_line(root / "etc" / "timezone"), "/etc/timezone"),
    )


def _unnamed(root: Path, problem: Problem | None) -> ResolvedZone:
    from datetime import UTC
    from zoneinfo import ZoneInfo

    try:
        with (root / "etc" / "localtime").open("rb") as file:
            return ResolvedZone(ZoneInfo.from_file(file), "local", "/etc/localtime", problem)
    except (OSError, ValueError):
        unknown = Problem(Level.WARNING, "The system's time zone is unknown; times are in UTC.", _HINT)
        return ResolvedZone(UTC, "UTC", "default", problem or unknown)


def _zone(name: str) -> tzinfo | None:
    if not name or not re.fullmatch(r"[A-Za-z0-9_+./-]{1,80}", name):
        return None
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        # ZoneInfoNotFoundError is a LookupError; a folder's name ("Europe") is an OSError.
        return None


def _link_name(link: Path) -> str:
    try:
        return _after_zoneinfo(str(link.readlink()))
    except OSError:
        return ""


def _after_zoneinfo(path: str) -> str:
    _, found, name = path.rpartition("zoneinfo/")
    return re.sub(r"^(posix|right)/", "", name) if found else ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip().split("\n", 1)[0].strip()
    except OSError:
        return ""
