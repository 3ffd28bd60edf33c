"""``totalrecall reflect``: consolidating the notes now, if they have grown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.reflect import ReflectReport

REASONS = ("superseded", "resolved", "aged", "duplicate", "noise")


@click.command("reflect")
@agent_option
@click.option("--force", is_flag=True, help="Also under the threshold, and while a back-off is running.")
@click.option("--dry-run", is_flag=True, help="Show what would change. A model is asked all the same.")
@json_option
def reflect_command(agent: str | None, force: bool, dry_run: bool, as_json: bool) -> int:
    """Consolidate notes that have grown over REFLECTOR_WORD_THRESHOLD: merge, and archive what is old.

    What leaves goes to memory/archive, the log is backed up before, and 'totalrecall undo' takes it back.
    """
    from totalrecall.jobs.reflect import ReflectOptions, reflect

    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        name = places.agent.name
        try:
            places.loaded.require("OPENROUTER_API_KEY", "TOTALRECALL_ENGINE", "REFLECTOR_WORD_THRESHOLD")
            with opened(installation, places) as ctx:
                report = reflect(ctx, ReflectOptions(force=force, dry_run=dry_run))
        except TotalRecallError as error:
            codes.append(tell(error, name))
            results.append({"agent": name, "error": error})
            continue
        results.append(report)
        codes.append(_tell(report, as_json=as_json))
    if as_json:
        emit_json(results)
    return worst(codes)


def numbers_of(numbers: dict[str, int | float | str]) -> str:
    """``3 notes merged into 1; 12 dropped (9 aged, 3 duplicate)``; "" when nothing left."""
    said = []
    if merged := numbers.get("merged"):
        said.append(f"{count(int(merged), 'note')} merged into {numbers.get('into', 0)}")
    dropped = {reason: int(numbers.get(f"dropped_{reason}", 0)) for reason in REASONS}
    if total := sum(dropped.values()):
        reasons = ", ".join(f"{times:,} {reason}" for reason, times in dropped.items() if times)
        said.append(f"{total:,} dropped ({reasons})")
    if lapsed := numbers.get("lapsed"):
        said.append(f"{count(int(lapsed), 'change')} left out, because the notes were edited meanwhile")
    return "; ".join(said)


def _tell(report: ReflectReport, *, as_json: bool) -> int:
    from totalrecall.jobs.reflect import Result

    if not as_json:
        if report.diff:
            say(report.diff)
        say(f"{report.agent}: {_line(report)}")
        for one in report.refusals[:5]:
            say(f"  refused: {one}", err=True)
    if report.blocked is not None:
        return tell(report.blocked, report.agent)
    return ExitCode.PARTIAL if report.result is Result.REFUSED else ExitCode.OK


def _line(report: ReflectReport) -> str:
    from totalrecall.jobs.reflect import Result

    words, size = f"{report.words:,}", f"{report.words:,} → {report.words_after:,} words"
    rest = _rest(report)
    return {
        Result.SMALL: f"{words} words of {report.threshold:,}: nothing to do yet (--force does it now)",
        Result.RESTING: f"{words} words;{rest} (--force does it now)",
        Result.UNCHANGED: f"{words} words: nothing may leave yet;{rest}".rstrip(";"),
        Result.REWRITTEN: f"{size} ({report.engine}); {numbers_of(report.numbers)}",
        Result.PREVIEW: f"would be {size} ({report.engine}); {numbers_of(report.numbers)}",
        Result.REFUSED: f"the log stays as it is: no answer could be accepted;{rest}".rstrip(";"),
        Result.BLOCKED: f"the log stays as it is: no answer came;{rest}".rstrip(";"),
    }[report.result]


def _rest(report: ReflectReport) -> str:
    if report.rest is None:
        return ""
    until = datetime.fromtimestamp(report.rest.until_ms / 1000, UTC).astimezone()
    return f" no new try before {until:%Y-%m-%d %H:%M}, because {report.rest.reason.rstrip('.')}"
