"""Folders that we write to: rights, room, who else can read, and what was left behind."""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from totalrecall.files.atomic import LEFTOVER_AGE_S, TEMP_PREFIX, TEMP_SUFFIX
from totalrecall.jobs.doctor.finding import Finding, Grade

LITTLE_BYTES = 200_000_000
NO_ROOM_BYTES = 20_000_000
FEW_FILES = 1000
FILES_MOST = 5000
NAMED = 3
ROOT = Path("/")
# What of a memory folder is ours.
_OURS = ("observation", "archive", ".total-recall", ".observer")


def folder_finding(folder: Path, what: str) -> Finding:
    """Whether our files can be written to a folder, which need not exist yet."""
    stands = folder
    while not stands.exists() and stands != stands.parent:
        stands = stands.parent
    if not stands.is_dir():
        return Finding(Grade.BROKEN, f"{what} {folder}: {stands} is no folder.", "Move that file away.")
    if not os.access(stands, os.W_OK | os.X_OK):
        return Finding(
            Grade.BROKEN, f"{what} {folder} cannot be written.", f"Give this user rights on {stands}."
        )
    made = "" if folder.exists() else " (made at the first run)"
    return Finding(Grade.FINE, f"{what} {folder}{made}.")


def room_findings(folders: Iterable[Path]) -> list[Finding]:
    """File systems that are nearly full; none where there is room."""
    found: dict[int, Finding] = {}
    for folder in folders:
        stands = _nearest(folder)
        try:
            device, free = stands.stat().st_dev, shutil.disk_usage(stands).free
            files = os.statvfs(stands)
        except OSError:
            continue  # the folder's own finding tells that it cannot be used
        if free < LITTLE_BYTES:
            grade = Grade.BROKEN if free < NO_ROOM_BYTES else Grade.WARNING
            what = f"Only {free // 1_000_000} MB are free where {folder} is."
            found[device] = Finding(grade, what, "Make room: notes cannot be written to a full disk.")
        elif files.f_files and files.f_favail < FEW_FILES:
            what = f"The file system of {folder} can hold only {files.f_favail} more files."
            found[device] = Finding(Grade.WARNING, what, "Delete files that nobody needs.")
    return list(found.values())


def privacy_findings(folders: Iterable[Path], *, below: Path = ROOT) -> list[Finding]:
    """Files of ours that every user of the machine can read, by folder.

    One that is behind a closed door is not open; ``below`` itself and what is above it count as open.
    """
    findings = []
    for folder in folders:
        open_ones = [path for path in _files(folder) if _is_ours(path, folder) and _open_to_all(path)]
        if open_ones and _reached_by_all(folder, below):
            names = ", ".join(path.name for path in open_ones[:NAMED])
            more = f" and {len(open_ones) - NAMED} more" if len(open_ones) > NAMED else ""
            what = f"Every user of this machine can read {names}{more} in {folder}."
            findings.append(Finding(Grade.WARNING, what, f"Close the folder: chmod 700 '{folder}'"))
    return findings


def key_file_findings(paths: Iterable[Path]) -> list[Finding]:
    """Files with a key in them that others than their owner can read."""
    findings = []
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            what = f"{path} can be read by others, and it is where the key stands."
            findings.append(Finding(Grade.WARNING, what, f"Run: chmod 600 '{path}'"))
    return findings


def leftover_findings(folders: Iterable[Path]) -> list[Finding]:
    """Temporary files of runs that died and that nothing has swept up since."""
    before_s = time.time() - LEFTOVER_AGE_S
    findings = []
    for folder in folders:
        left = [path for path in folder.glob(f"{TEMP_PREFIX}*{TEMP_SUFFIX}") if _older(path, before_s)]
        if left:
            what = f"{len(left)} temporary files of runs that died stand in {folder}."
            remedy = "The next write there removes them; if they stay, delete them."
            findings.append(Finding(Grade.WARNING, what, remedy))
    return findings


def _nearest(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _files(folder: Path) -> Iterator[Path]:
    return islice((path for path in folder.rglob("*") if path.is_file()), FILES_MOST)


def _is_ours(path: Path, folder: Path) -> bool:
    """Whether it is a file of ours: beside them stand the agent's own, which are its user's business."""
    inside = path.relative_to(folder)
    return folder.name != "memory" or inside.parts[0].startswith(_OURS)


def _open_to_all(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & stat.S_IROTH) and bool(path.parent.stat().st_mode & stat.S_IXOTH)
    except OSError:
        return False


def _reached_by_all(folder: Path, below: Path) -> bool:
    """Whether every user can get there: each folder on the way lets them through."""
    inner = folder.resolve()
    try:
        way = [one for one in (inner, *inner.parents) if one.is_relative_to(below) and one != below]
        return all(one.stat().st_mode & stat.S_IXOTH for one in way)
    except OSError:
        return False


def _older(path: Path, before_s: float) -> bool:
    try:
        return path.lstat().st_mtime < before_s
    except OSError:
        return False
