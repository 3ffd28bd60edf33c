"""What follows an observer's run: the same for the service, for cron and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from totalrecall.domain.boundary import BoundaryKind
from totalrecall.errors import TotalRecallError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import ObserveReport
from totalrecall.jobs.passed import due_boundaries, settle_due

AT_ONCE_BYTES = 1_500_000
Step = Callable[[AgentContext, ObserveReport], None]


def after_observe(ctx: AgentContext, report: ObserveReport, *, hurried: bool = False) -> tuple[str, ...]:
    """Everything that depends on what was just noted is done, and what went wrong with it is given back.

    A step that fails does not keep the others from it. ``hurried``: somebody waits, so the notes are not
    consolidated. The agent's view is looked at in any case: a person may have deleted a note. What a crash or
    a full disk kept from being done about an earlier run's boundaries is done now.
    """
    boundaries = list(dict.fromkeys([*due_boundaries(ctx), *report.boundaries]))
    steps: tuple[Step, ...] = (_view,)
    if not report.idle or boundaries:
        report = replace(report, boundaries=boundaries)
        steps = (_snapshots, _state, _profile, *(() if hurried else (_reflect,)), _view)
    failed = _done(ctx, report, steps)
    if boundaries and _snapshots not in failed:
        settle_due(ctx, boundaries)
    return tuple(failed.values())


def after_backfill(ctx: AgentContext, report: ObserveReport) -> tuple[str, ...]:
    """The same for talk of long ago, which is no task any more: the profile, consolidation, the view."""
    return tuple(_done(ctx, report, (_learn, _reflect, _view)).values())


def _done(ctx: AgentContext, report: ObserveReport, steps: tuple[Step, ...]) -> dict[Step, str]:
    failed: dict[Step, str] = {}
    for step in steps:
        try:
            step(ctx, report)
        except TotalRecallError as error:
            ctx.log.warning("step_failed", step=step.__name__.strip("_"), kind=type(error).__name__)
            failed[step] = error.title
    return failed


def _snapshots(ctx: AgentContext, report: ObserveReport) -> None:
    """The task as it stood at each compaction and each end that was passed."""
    if report.boundaries:
        from totalrecall.jobs.snapshot import snapshot_at

        failure: TotalRecallError | None = None
        for boundary in report.boundaries:
            try:
                snapshot_at(ctx, boundary)
            except TotalRecallError as error:
                failure = error
        if failure is not None:
            raise failure


def _state(ctx: AgentContext, report: ObserveReport) -> None:
    from totalrecall.jobs.state import refresh_if_due

    refresh_if_due(ctx, session_ended=_has_ended(report))


def _profile(ctx: AgentContext, report: ObserveReport) -> None:
    """What the talk that ended says about the user."""
    if _has_ended(report):
        _learn(ctx, report)


def _learn(ctx: AgentContext, _report: ObserveReport) -> None:
    from totalrecall.jobs.learn_profile import learn_profile

    learn_profile(ctx)


def _reflect(ctx: AgentContext, _report: ObserveReport) -> None:
    from totalrecall.jobs.reflect import is_due, reflect

    # A very long log, after years were imported, takes memory in proportion: that is the reflector's own run.
    if _size_bytes(ctx) <= AT_ONCE_BYTES and is_due(ctx):
        reflect(ctx)


def _view(ctx: AgentContext, _report: ObserveReport) -> None:
    from totalrecall.jobs.context_view import prepare

    prepare(ctx)


def _size_bytes(ctx: AgentContext) -> int:
    try:
        return ctx.notes.path.stat().st_size
    except OSError:
        return 0


def _has_ended(report: ObserveReport) -> bool:
    return any(one.kind is BoundaryKind.ENDED for one in report.boundaries)
