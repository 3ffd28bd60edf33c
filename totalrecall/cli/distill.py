"""``totalrecall distill``: what lasts goes to MEMORY.md; a report first, then, once confirmed, the write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from totalrecall.cli.invocation import each_agent, interactive, opened, tell, worst
from totalrecall.cli.options import agent_option, json_option
from totalrecall.cli.output import emit_json
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.distill.config import StoredSettings
    from totalrecall.jobs.distill.plan import Plan

AUTO_WRITE_WARNING = "MEMORY.md and the daily logs will be changed without asking from now on."


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The options of the command."""

    yes: bool
    dry_run: bool
    maintain: bool
    rebuild: bool
    force: bool
    clean: bool
    as_json: bool
    core: tuple[int, ...]
    drop: tuple[int, ...]


@click.command("distill")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Only the report.")
@click.option("--report", is_flag=True, help="Show the report of the last scheduled run.")
@click.option("--maintain", is_flag=True, help="Go through the last seven days again.")
@click.option("--rebuild", is_flag=True, help="Make our part of MEMORY.md anew from all notes and logs.")
@click.option("--force", is_flag=True, help="Also a second time on the same day.")
@click.option("--clean", is_flag=True, help="Also move daily logs that are old enough into the archive.")
@click.option("--core", metavar="N,N", default="", help="Send these entries to MEMORY.md.")
@click.option("--drop", metavar="N,N", default="", help="Leave these entries out.")
@click.option(
    "--auto-write/--no-auto-write", "auto_write", default=None, help="Let the schedule write, or only report."
)
@agent_option
@json_option
def distill_command(
    report: bool, auto_write: bool | None, agent: str | None, core: str, drop: str, **flags: bool
) -> int:
    """Bring what lasts into MEMORY.md and what is of the day into the daily log."""
    wanted = _Wanted(
        yes=flags["yes"], dry_run=flags["dry_run"], maintain=flags["maintain"], force=flags["force"],
        rebuild=flags["rebuild"], clean=flags["clean"], as_json=flags["as_json"],
        core=_numbers(core), drop=_numbers(drop),
    )  # fmt: skip
    codes: list[int] = []
    for installation, places in each_agent(agent):
        try:
            with opened(installation, places) as ctx:
                if report:
                    codes.append(_show_report(ctx))
                elif auto_write is not None:
                    codes.append(_switch(ctx, on=auto_write, yes=wanted.yes))
                else:
                    codes.append(_distil(ctx, wanted))
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
    return worst(codes)


def _distil(ctx: AgentContext, wanted: _Wanted) -> int:
    from totalrecall.jobs.distill.config import load_distill_settings
    from totalrecall.jobs.distill.plan import plan_distillation, ran_today, territory_of
    from totalrecall.jobs.distill.report import done_lines, report_lines
    from totalrecall.jobs.distill.run import nothing_new
    from totalrecall.jobs.distill.write import distil, maintenance_due

    every = load_distill_settings(territory_of(ctx)).settings.maintain_every
    maintain = wanted.maintain or maintenance_due(ctx, every)
    plan = plan_distillation(
        ctx, maintain=maintain, rebuild=wanted.rebuild, promoted=wanted.core, demoted=wanted.drop
    )
    if ran_today(ctx, plan.settings.settings.last_distill) and not wanted.force and not wanted.dry_run:
        say(f"{ctx.agent}: distilled today already; --force does it again.", err=True)
        return ExitCode.OK
    if nothing_new(plan):
        say(f"{ctx.agent}: nothing new to distil.")
        return ExitCode.OK
    if wanted.as_json:
        emit_json(_plain(plan))
    else:
        for line in report_lines(plan):
            say(line)
    if not _confirmed(ctx, plan, wanted):
        return ExitCode.OK
    done = distil(ctx, plan, clean=wanted.clean or plan.settings.settings.auto_clean)
    for line in done_lines(plan, done):
        say(line, err=wanted.as_json)
    return ExitCode.OK


def _confirmed(ctx: AgentContext, plan: Plan, wanted: _Wanted) -> bool:
    """Whether to write: said with --yes, switched on in the settings, or asked."""
    if wanted.dry_run:
        return False
    if wanted.yes or plan.settings.settings.auto_write:
        _tell_of_settings(ctx, plan.settings)
        return True
    if not interactive():
        say(
            f"{ctx.agent}: nothing was written: add --yes, or set autoWrite in distill-config.json.", err=True
        )
        return False
    _tell_of_settings(ctx, plan.settings)
    question = "写入 MEMORY.md 吗？" if plan.language == "zh" else "Write this?"
    return click.confirm(question, default=False, err=True)


def _tell_of_settings(ctx: AgentContext, stored: StoredSettings) -> None:
    """Said before the file is made."""
    if stored.state.content is None:
        say(f"This also makes {ctx.workspace / 'distill-config.json'}, with the defaults.", err=True)


def _switch(ctx: AgentContext, *, on: bool, yes: bool) -> int:
    from totalrecall.jobs.distill.config import load_distill_settings, switch_auto_write
    from totalrecall.jobs.distill.plan import territory_of

    territory = territory_of(ctx)
    if on:
        say(f"{ctx.agent}: {AUTO_WRITE_WARNING}", err=True)
    _tell_of_settings(ctx, load_distill_settings(territory))
    if on and not yes and not (interactive() and click.confirm("Switch it on?", default=False, err=True)):
        say("Nothing was changed; --yes switches it on without being asked.", err=True)
        return ExitCode.OK if interactive() else ExitCode.USAGE
    switch_auto_write(territory, on=on)
    say(f"{ctx.agent}: autoWrite is {'on' if on else 'off'} in {territory.settings}.")
    return ExitCode.OK


def _show_report(ctx: AgentContext) -> int:
    from totalrecall.jobs.distill.report import kept_report

    found = kept_report(ctx)
    if found is None:
        say(f"{ctx.agent}: the schedule has not made a report yet.", err=True)
        return ExitCode.OK
    made, lines = found
    say(f"{ctx.agent}: {made}")
    for line in lines:
        say(line)
    return ExitCode.OK


def _plain(plan: Plan) -> dict[str, object]:
    return {
        "entries": plan.judged,
        "withheld": plan.withheld,
        "superseded": [{"old": old, "new": new} for old, new in plan.merged.superseded],
        "expired": [one.path for one in plan.expired],
        "language": plan.language,
    }


def _numbers(raw: str) -> tuple[int, ...]:
    try:
        return tuple(int(one) for one in raw.replace(",", " ").split())
    except ValueError as error:
        raise click.BadParameter(f"{raw!r}: numbers of the report, such as 3,5.") from error
