"""``totalrecall logs``: what was done, in numbers; never what was said."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent
from totalrecall.cli.options import agent_option
from totalrecall.cli.talk import paint, say
from totalrecall.domain.outcome import ExitCode

if TYPE_CHECKING:
    from totalrecall.jobs.log_view import LogEvent

LOOK_S = 0.5
_COLOURS = {"warning": "yellow", "error": "red"}
_LEVELS = ("debug", "info", "warning", "error")


@click.command("logs")
@agent_option
@click.option(
    "--lines", default=50, type=click.IntRange(0, 100_000), metavar="N", help="The last N lines (50)."
)
@click.option("--follow", "-f", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--level", type=click.Choice(_LEVELS), default="debug", help="Only this level and those above.")
@click.option(
    "--job", metavar="NAME", multiple=True,
    help="Only this log: observe, reflect, recover, service; may be given several times.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def logs_command(
    *, agent: str | None, lines: int, follow: bool, level: str, job: tuple[str, ...], as_json: bool
) -> int:
    """Show the log files, newest last: numbers and names, never anybody's words."""
    from totalrecall.jobs.log_view import LogFilter, follower, last_events

    only = LogFilter(_logs_of(job), level, agent or "")
    folders: dict[Path, tzinfo] = {}
    for _, places in each_agent(agent):
        folders.setdefault(places.workspace / "logs", places.zone.zone)
    # Followed before the last ones are read: a line that comes in between may be told twice, none is missed.
    coming = [follower(folder, only) for folder in folders] if follow else []
    found = [(one, zone) for folder, zone in folders.items() for one in last_events(folder, lines, only)]
    found.sort(key=lambda one: one[0].at)
    for event, zone in found[-lines:] if lines else []:
        _show(event, zone, as_json=as_json)
    if follow:
        return _follow(coming, list(folders.values()), as_json=as_json)
    if not found and lines:
        what = "Nothing of that kind was logged" if job or level != "debug" else "Nothing was logged yet"
        say(f"{what} in {', '.join(map(str, folders))}.", err=True)
    return ExitCode.OK


def _logs_of(jobs: tuple[str, ...]) -> frozenset[str]:
    from totalrecall.jobs.log_view import BY_JOB
    from totalrecall.log import LOG_NAMES

    names = {BY_JOB.get(one, one) for one in jobs}
    if unknown := names - set(LOG_NAMES):
        known = ", ".join(sorted({*BY_JOB, *LOG_NAMES}))
        raise click.BadParameter(f"there is no log {min(unknown)!r}. Known: {known}.", param_hint="--job")
    return frozenset(names)


def _follow(coming: list[Callable[[], list[LogEvent]]], zones: list[tzinfo], *, as_json: bool) -> int:
    try:
        while True:
            for new_events, zone in zip(coming, zones, strict=True):
                for event in new_events():
                    _show(event, zone, as_json=as_json)
            time.sleep(LOOK_S)
    except KeyboardInterrupt:
        return ExitCode.OK


def _show(event: LogEvent, zone: tzinfo, *, as_json: bool) -> None:
    if as_json:
        import json

        head = {
            "timestamp": event.at.isoformat(),
            "level": event.level,
            "log": event.log,
            "event": event.name,
        }
        say(json.dumps({**head, **event.values}, ensure_ascii=False))
        return
    at = event.at.astimezone(zone)
    values = " ".join(f"{name}={_plain(value)}" for name, value in event.values.items())
    level = event.level.ljust(7)
    shown = paint(level, _COLOURS[event.level]) if event.level in _COLOURS else level
    say(f"{at:%Y-%m-%d %H:%M:%S}  {shown}  {event.log:<16}  {_plain(event.name)}  {values}".rstrip())


def _plain(value: object) -> str:
    """A value on one line, without what a terminal would obey: anybody can write into a file."""
    text = str(value)
    text = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in text)
    return f'"{text}"' if " " in text else text
