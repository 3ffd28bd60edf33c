"""``totalrecall undo``: the notes as they were before the last reflection."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import count, emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.undo import UndoReport


@click.command("undo")
@agent_option
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@json_option
def undo_command(agent: str | None, dry_run: bool, as_json: bool) -> int:
    """Take back the last reflection of the notes; called again, the one before it.

    What came since stays: new notes, and what a person edited, added or removed.
    """
    from totalrecall.jobs.undo import UndoOptions, undo

    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                report = undo(ctx, UndoOptions(dry_run=dry_run))
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
            results.append({"agent": places.agent.name, "error": error})
            continue
        results.append(report)
        codes.append(ExitCode.OK)
        if not as_json:
            _show(report, places.zone.zone)
    if as_json:
        emit_json(results)
    return worst(codes)


def _show(report: UndoReport, zone: tzinfo) -> None:
    from totalrecall.jobs.undo import UndoResult

    if report.diff:
        say(report.diff)
    if report.result is UndoResult.NOTHING:
        say(f"{report.agent}: no reflection to take back")
        return
    made = datetime.fromtimestamp(report.made_ms / 1000, zone)
    verb = "is undone" if report.result is UndoResult.UNDONE else "would be undone"
    said = [f"the reflection of {made:%Y-%m-%d %H:%M} {verb}", f"{count(report.returned, 'note')} back"]
    if report.stayed_out:
        said.append(f"{count(report.stayed_out, 'note')} left out, because you changed what they had become")
    said.append(f"{report.words:,} → {report.words_after:,} words")
    say(f"{report.agent}: {'; '.join(said)}")
