"""The limits of Linux's file events, and how much of them this user has taken."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from totalrecall.jobs.doctor.finding import Finding, Grade

PROC = Path("/proc")
SPARE = 0.9
_NEEDED = {"max_user_instances": 512, "max_user_watches": 524_288}


def inotify_findings(proc: Path = PROC) -> list[Finding]:
    """Limits that are used up or nearly so; none elsewhere than on Linux."""
    limits = {name: _number(proc / "sys" / "fs" / "inotify" / name) for name in _NEEDED}
    if None in limits.values():
        return []
    used = dict(zip(_NEEDED, _used(proc), strict=True))
    findings = []
    for name, limit in limits.items():
        if limit is not None and used[name] >= limit * SPARE:
            more = max(_NEEDED[name], limit * 2)
            what = f"{used[name]:,} of {limit:,} file watches ({name}) are taken: changes may not be told."
            remedy = f"Run: echo fs.inotify.{name}={more} | sudo tee /etc/sysctl.d/60-inotify.conf"
            remedy += " && sudo sysctl --system"
            findings.append(Finding(Grade.WARNING, what, remedy))
    return findings


def _used(proc: Path) -> tuple[int, int]:
    """Instances and watches of this user's processes, as far as they may be looked into."""
    instances = watches = 0
    for process in _processes(proc):
        try:
            links = [one.name for one in os.scandir(process / "fd") if _is_inotify(one)]
        except OSError:
            continue  # it has ended, or is somebody else's
        instances += len(links)
        watches += sum(_watches(process / "fdinfo" / name) for name in links)
    return instances, watches


def _processes(proc: Path) -> Iterator[Path]:
    for entry in os.scandir(proc):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == os.getuid():
                yield Path(entry.path)
        except OSError:
            continue  # it has ended


def _is_inotify(link: os.DirEntry[str]) -> bool:
    try:
        return "inotify" in str(Path(link.path).readlink())
    except OSError:
        return False


def _watches(path: Path) -> int:
    try:
        return path.read_text().count("inotify wd:")
    except OSError:
        return 0


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
