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
from scripts.e2e_parts.story import Story, Way, play

# The last release with session files, and the newest one, whose sessions are rows of a database.
FILE_RELEASE = "2026.7.1-2"
NEWEST_RELEASE = "2026.9.6"
EXIT_FAULT = 3
EXIT_NO_NODE = 69
# Each engine in the company in which it most often works: a key and the service, neither key nor service.
_WAYS = {Way.SERVICE: True, Way.HOOK: False, Way.COMMANDS: False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to run."""

    releases: tuple[str, ...]
    ways: tuple[Way, ...]
    keep: bool
    cache: Path


def main(arguments: Sequence[str]) -> int:
    """Install what is missing, run everything wanted, print the table; the exit code."""
    wanted = _wanted(arguments)
    try:
        node = install_node(wanted.cache)
        releases = [install_release(wanted.cache, node, version) for version in wanted.releases]
    except NoNodeError as error:
        print(error, file=sys.stderr)
        return EXIT_NO_NODE
    runs = [_run(release, way, wanted) for release in releases for way in wanted.ways]
    _show(runs)
    return EXIT_FAULT if any(run.faults for run in runs) else 0


def _wanted(arguments: Sequence[str]) -> Wanted:
    parser = argparse.ArgumentParser(prog="scripts/e2e", description=__doc__)
    parser.add_argument("--release", action="append", help=f"default: {FILE_RELEASE} and {NEWEST_RELEASE}")
    parser.add_argument(
        "--way", action="append", choices=[str(way) for way in Way], help="default: service, hook"
    )
    parser.add_argument("--keep", action="store_true", help="leave the homes of the runs where they are")
    parser.add_argument(
        "--cache", type=Path, default=default_cache(), help="where Node and OpenClaw are installed"
    )
    given = parser.parse_args(arguments)
    ways = tuple(Way(name) for name in given.way or (Way.SERVICE, Way.HOOK))
    return Wanted(tuple(given.release or (FILE_RELEASE, NEWEST_RELEASE)), ways, given.keep, given.cache)


def _run(release: Release, way: Way, wanted: Wanted) -> Checks:
    by_model = _WAYS[way]
    checks = Checks(f"{release.version} {way}")
    box = new_sandbox(f"{release.version}-{way}", (str(release.node.parent),))
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
            play(Story(box, gateway, TotalRecall(box), model, checks, way, by_model))
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
            cells.append(("ok" if all(held) else "FAULT" if held else "-").ljust(len(run.run)))
        print("  ".join([name.ljust(width), *cells]).rstrip())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
