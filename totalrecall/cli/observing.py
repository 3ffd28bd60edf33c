"""Observing every agent that is meant, and saying what was done. Without any library: cron calls this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from totalrecall.cli.invocation import each_agent, opened, tell, worst
from totalrecall.cli.talk import say
from totalrecall.domain.outcome import ExitCode
from totalrecall.errors import TotalRecallError

if TYPE_CHECKING:
    from totalrecall.jobs.context import AgentContext
    from totalrecall.jobs.observe import ObserveReport


def run_observe(agent: str | None, session: str, *, flush: bool, dry_run: bool, as_json: bool) -> int:
    """Observe every agent that is meant; one that fails does not keep the others from it."""
    codes: list[int] = []
    results: list[object] = []
    for installation, places in each_agent(agent):
        try:
            places.loaded.require("OPENROUTER_API_KEY", "TOTALRECALL_ENGINE")
            with opened(installation, places) as ctx:
                if dry_run:
                    from totalrecall.cli.preview import preview

                    results.append(preview(ctx, session, as_json=as_json))
                    codes.append(ExitCode.OK)
                    continue
                from totalrecall.jobs.observe import ObserveOptions, observe

                report = observe(ctx, ObserveOptions(session=session, stand_in=flush))
                failed = _follow_up(ctx, report, flush=flush)
            results.append(report)
            codes.append(_tell(report, as_json=as_json))
            for title in failed:
                say(f"{report.agent}: {title}", err=True)
                codes.append(ExitCode.PARTIAL)
        except TotalRecallError as error:
            codes.append(tell(error, places.agent.name))
            results.append({"agent": places.agent.name, "error": error})
    if as_json:
        from totalrecall.cli.output import emit_json

        emit_json(results)
    return worst(codes)


def _follow_up(ctx: AgentContext, report: ObserveReport, *, flush: bool) -> tuple[str, ...]:
    """What depends on the new notes, and before a compaction the task as it is now."""
    from totalrecall.jobs.aftermath import after_observe

    failed = after_observe(ctx, report, hurried=flush)
    if flush:
        from totalrecall.jobs.snapshot import snapshot_before_compaction

        try:
            snapshot_before_compaction(ctx)
        except TotalRecallError as error:
            failed += (error.title,)
    return failed


def _tell(report: ObserveReport, *, as_json: bool) -> int:
    if not as_json:
        say(summary(report))
    return tell_of(report)


def tell_of(report: ObserveReport) -> int:
    """The exit code of a run, with the reason on stderr where something kept it from noting everything."""
    if report.blocked is not None:
        return tell(report.blocked, report.agent)
    return ExitCode.PARTIAL if report.unreadable or report.set_aside else ExitCode.OK


def summary(report: ObserveReport) -> str:
    """What a run did, in one line for each thing that happened."""
    from totalrecall.cli.output import count

    said: list[str] = []
    if report.adopted:
        said.append("adopted now; older talk can be noted with 'totalrecall backfill --since 30d'")
    if report.messages or report.batches:
        said.append(
            f"{count(report.messages, 'message')} read, {count(report.notes, 'note')} written"
            f" ({report.engine})"
        )
    if report.provisional:
        said.append(f"{count(report.provisional, 'provisional note')} written until the model answers")
    if report.skipped:
        reasons = ", ".join(f"{times} {reason}" for reason, times in sorted(report.skipped.items()))
        said.append(f"{report.skipped.total():,} skipped ({reasons})")
    if report.set_aside:
        said.append(f"{count(report.set_aside, 'message')} set aside: see 'totalrecall notes --set-aside'")
    if report.waiting:
        said.append(f"{count(report.waiting, 'session')} being rewritten just now, read at the next run")
    if report.bad_records:
        said.append(f"{count(report.bad_records, 'unreadable record')} passed by")
    said += [f"session {name} could not be read: {why}" for name, why in sorted(report.unreadable.items())]
    if report.blocked is not None:
        said.append("the rest stays pending")
    return f"{report.agent}: " + ("; ".join(said) or "nothing new")
