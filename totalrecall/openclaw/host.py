"""Which OpenClaw is installed, and which keys its config may therefore hold. Reads files, runs nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_VERSION = re.compile(r"(\d{4})\.(\d{1,2})\.(\d{1,3})(?:[-+.]([0-9A-Za-z.-]+))?\Z")
# The extended-stable releases of the last file-based line count on from here.
EXTENDED_STABLE = 33
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


def era_of(version: str) -> Era:
    """The era of a release by its number; between the two lines nobody knows: ``UNKNOWN``."""
    found = _VERSION.match(version.strip().removeprefix("v"))
    if not found:
        return Era.UNKNOWN
    year, month, patch = int(found[1]), int(found[2]), int(found[3])
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


def _version_in(manifest: Path) -> str:
    try:
        said = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    if not isinstance(said, dict) or said.get("name") != "openclaw":
        return ""
    version = said.get("version")
    return version if isinstance(version, str) else ""
