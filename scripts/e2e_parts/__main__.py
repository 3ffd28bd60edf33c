"""Runs the story on each release, in each way, and prints a table. Exits with 3 on a fault."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.e2e_parts.checks import Checks
from scripts.e2e_parts.gateway import Gateway, GatewayError
from scripts.e2e_parts.installing import NoNodeError, Release, default_cache, install_node, install_release
from scripts.e2e_parts.model import scripted_model
from scripts.e2e_parts.ours import TotalRecall
from scripts.e2e_parts.sandbox import new_sandbox
from scripts.e2e_parts.scenes import play
from scripts.e2e_parts.story import Story, Way
from scripts.e2e_parts.upgrade import play_upgrade

# The last release with session files, and the newest one, whose sessions are rows of a database.
FILE_RELEASE = "2026.7.1-2"
NEWEST_RELEASE = "2026.9.6"
EXIT_FAULT = 3
EXIT_NO_NODE = 69
# Where the model writes the notes: with the service. Without it nobody but the built-in engine need be there.
_BY_MODEL = {Way.SERVICE}
_DEFAULT_WAYS = (Way.SERVICE, Way.HOOK, Way.UPGRADE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to run."""

    releases: tuple[str, ...]
    ways: tuple[Way, ...]
    engine: str
    keep: bool
    cache: Path


def main(arguments: Sequence[str]) -> int:
    """Install what is missing, run everything wanted, print the table; the exit code."""
    wanted = _wanted(arguments)
    try:
        node = install_node(wanted.cache)
        newest = install_release(wanted.cache, node, NEWEST_RELEASE)
        releases = [install_release(wanted.cache, node, version) for version in wanted.releases]
    except NoNodeError as error:
        print(error, file=sys.stderr)
        return EXIT_NO_NODE
    runs = [_run(release, newest, way, wanted) for release in releases for way in _ways(wanted, release)]
    _show(runs)
    return EXIT_FAULT if any(run.faults for run in runs) else 0


def _wanted(arguments: Sequence[str]) -> Wanted:
    parser = argparse.ArgumentParser(prog="scripts/e2e", description=__doc__)
    parser.add_argument("--release", action="append", help=f"default: {FILE_RELEASE} and {NEWEST_RELEASE}")
    names = [str(way) for way in Way]
    parser.add_argument("--way", action="append", choices=names, help=f"default: {', '.join(_DEFAULT_WAYS)}")
    parser.add_argument("--engine", choices=["model", "extractive"], help="default: by the way of the run")
    parser.add_argument("--keep", action="store_true", help="leave the homes of the runs where they are")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where Node and OpenClaw are installed"
    )
    given = parser.parse_args(arguments)
    ways = tuple(Way(name) for name in given.way or _DEFAULT_WAYS)
    releases = tuple(given.release or (FILE_RELEASE, NEWEST_RELEASE))
    return Wanted(releases, ways, given.engine or "", given.keep, given.cache)


def _ways(wanted: Wanted, release: Release) -> list[Way]:
    """The ways that this release can go: from files to a database only one that has files."""
    return [way for way in wanted.ways if way is not Way.UPGRADE or not release.in_sqlite]


def _run(release: Release, newest: Release, way: Way, wanted: Wanted) -> Checks:
    by_model = wanted.engine == "model" if wanted.engine else way in _BY_MODEL
    checks = Checks(f"{release.version} {way}")
    box = new_sandbox(f"{release.version}-{way}", release.path)
    print(
        f"{release.version}, {way}, notes by {'the scripted model' if by_model else 'the built-in engine'}",
        flush=True,
    )
    if wanted.keep:
        print(f"  home: {box.root}", flush=True)
    began = time.monotonic()
    try:
        with scripted_model() as model:
            gateway = Gateway(box, release, model.url)
            story = Story(box, gateway, TotalRecall(box), model, checks, way, by_model)
            if way is Way.UPGRADE:
                play_upgrade(story, newest)
            else:
                play(story)
            model.save(box.root / "asked.jsonl")
    except GatewayError as error:
        checks.that("the run comes to its end", [str(error)])
    finally:
        box.close(keep=wanted.keep)
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return checks


def _show(runs: Sequence[Checks]) -> None:
    """One line a check, one column a run."""
    names = list(dict.fromkeys(check.name for run in runs for check in run.made))
    width = max(map(len, names), default=0)
    print("\n" + "  ".join([" " * width, *(run.run for run in runs)]))
    for name in names:
        cells = []
        for run in runs:
            held = [check.held for check in run.made if check.name == name]
            cells.append(("-" if not held else "ok" if all(held) else "FAULT").ljust(len(run.run)))
        print("  ".join([name.ljust(width), *cells]).rstrip())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
