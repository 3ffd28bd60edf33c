"""Which OpenClaw is installed, and what config and hook may say to it. Reads files, runs nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from totalrecall.openclaw.config_values import value_at
from totalrecall.openclaw.target import Target
from totalrecall.places.openclaw_config import merged_tree

_VERSION = re.compile(r"(\d{4})\.(\d{1,2})\.(\d{1,3})(?:[-+.]([0-9A-Za-z.-]+))?\Z")
# The extended-stable releases of the last file-based line count on from here.
EXTENDED_STABLE = 33
# Before, no hook was loaded without ``hooks.internal.enabled``; since then one that is named is.
NAMED_IS_ENOUGH = (2026, 5)
# Before, an event that the loader does not know was a complaint in the log.
TELLS_AUTO_RESET = (2026, 9)
MAX_PARENTS = 6


class Era(StrEnum):
    """Where a release keeps its transcripts; its config follows.

    ``FILES``: session files, ``memoryFlush`` takes prompts. ``ROWS``: SQLite, a prompt makes the config
    invalid and the gateway does not start. ``UNKNOWN``: write neither.
    """

    FILES = "files"
    ROWS = "rows"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Host:
    """The OpenClaw that a home belongs to.

    Attributes:
        era: what its config takes.
        version: as it calls itself, "" when nobody said.
        source: where that was read, for people.
    """

    era: Era
    version: str = ""
    source: str = ""

    @property
    def needs_switch(self) -> bool:
        """Whether a hook that the config names is loaded only with ``hooks.internal.enabled``."""
        return bool(self.version) and self._month() < NAMED_IS_ENOUGH

    @property
    def tells_auto_reset(self) -> bool:
        """Whether it sends ``session:auto-reset`` to hooks."""
        return self._month() >= TELLS_AUTO_RESET

    def _month(self) -> tuple[int, int]:
        found = _numbers(self.version)
        return (found[0], found[1]) if found else (0, 0)


def era_of(version: str) -> Era:
    """The era of a release by its number; between the two lines nobody knows: ``UNKNOWN``."""
    found = _numbers(version)
    if found is None:
        return Era.UNKNOWN
    year, month, patch = found
    if (year, month) < (2026, 2):
        return Era.UNKNOWN
    if (year, month) < (2026, 7):
        return Era.FILES
    if (year, month) > (2026, 7):
        return Era.ROWS
    if patch <= 1 or patch >= EXTENDED_STABLE:
        return Era.FILES
    return Era.UNKNOWN


def judge(installed: str, touched: str, *, has_rows: bool, stated: str = "") -> Host:
    """What all signs together say. Any sign of the newer era outweighs the others: a prompt does harm there.

    ``installed`` is the program's own number, ``touched`` the one that last wrote the config, ``has_rows``
    whether an agent's transcripts are in SQLite, ``stated`` what the user says. "" for none.
    """
    if stated:
        return Host(era_of(stated), stated, "you said so")
    known = [
        Host(era_of(version), version, source)
        for version, source in ((installed, "the installed program"), (touched, "meta.lastTouchedVersion"))
        if version
    ]
    if has_rows:
        version = next((one.version for one in known if one.era is Era.ROWS), "")
        return Host(Era.ROWS, version, "transcripts in SQLite")
    for era in (Era.ROWS, Era.UNKNOWN):
        for one in known:
            if one.era is era:
                return one
    return known[0] if known else Host(Era.UNKNOWN)


def host_of(target: Target, *, stated: str = "", remembered: str = "") -> Host:
    """The OpenClaw of this home, from all that tells it.

    ``stated`` is what the user says now; ``remembered`` what they said once, for when nothing else tells.
    """
    touched = value_at(tree_of(target), ("meta", "lastTouchedVersion"))
    found = judge(
        target.openclaw_version,
        touched if isinstance(touched, str) else "",
        has_rows=any(one.has_rows for one in target.agents),
        stated=stated,
    )
    if remembered and not found.version and found.era is Era.UNKNOWN:
        return Host(era_of(remembered), remembered, "you said so when it was installed")
    return found


def tree_of(target: Target) -> object:
    """The home's config with its includes, ``{}`` without one."""
    return merged_tree(target.home.config.path) if target.home.config else {}


def installed_version(env: Mapping[str, str]) -> str:
    """The version of the ``openclaw`` on the PATH, from its package.json; "" when it cannot be told."""
    program = shutil.which("openclaw", path=env.get("PATH", os.defpath))
    if program is None:
        return ""
    real = Path(os.path.realpath(program))
    for folder in list(real.parents)[:MAX_PARENTS]:
        for manifest in (folder / "package.json", folder / "node_modules" / "openclaw" / "package.json"):
            version = _version_in(manifest)
            if version:
                return version
    return ""


def _numbers(version: str) -> tuple[int, int, int] | None:
    found = _VERSION.match(version.strip().removeprefix("v"))
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _version_in(manifest: Path) -> str:
    try:
        said = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    if not isinstance(said, dict) or said.get("name") != "openclaw":
        return ""
    version = said.get("version")
    return version if isinstance(version, str) else ""
