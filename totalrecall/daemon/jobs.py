"""The jobs that the service runs, by name. A new one is one line in ``JOBS`` and one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from totalrecall.errors import BusyError, TotalRecallError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import ObserveReport

# No new batch is begun after this; the next tick goes on from there.
OBSERVE_S = 600.0
REFLECT_S = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job went.

    Attributes:
        ok: it did all it wanted; ``reason`` says why not.
        more: it was not done when its time was over, and should go on soon.
        again: something was being rewritten while it looked; one more look soon is worth it.
    """

    ok: bool = True
    reason: str = ""
    more: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes:
        work: does it, for one agent; asks the second argument between steps whether to end early.
        deadline_s: what takes longer hangs, and is told.
        reads: it is an observer's run: what is unread now is its business.
    """

    work: Callable[[AgentContext, Callable[[], bool]], Outcome]
    deadline_s: float
    reads: bool = False


def _observe(ctx: AgentContext, stop: Callable[[], bool]) -> Outcome:
    from totalrecall.jobs.aftermath import after_observe
    from totalrecall.jobs.observe import ObserveOptions, observe

    deadline_ms = ctx.now_ms() + round(OBSERVE_S * 1000)
    report = observe(ctx, ObserveOptions(deadline_ms=deadline_ms, allowed=lambda: not stop()))
    failed = [*after_observe(ctx, report), *_distil_if_due(ctx)]
    outcome = _outcome_of(report, more=ctx.now_ms() >= deadline_ms)
    return replace(outcome, ok=False, reason=failed[0]) if failed and outcome.ok else outcome


def _recover(ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
    from totalrecall.jobs.aftermath import after_observe
    from totalrecall.jobs.recover import recover

    report = recover(ctx)
    after_observe(ctx, report, hurried=True)
    # It works to a short deadline; whatever it left is for the observer.
    return _outcome_of(report, more=not report.idle)


def _reflect(ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
    from totalrecall.jobs.reflect import is_due, reflect
    from totalrecall.jobs.reflect_report import ReflectOptions

    if not is_due(ctx):
        return Outcome()
    report = reflect(ctx, ReflectOptions(deadline_ms=ctx.now_ms() + round(REFLECT_S * 1000)))
    _view(ctx)
    if report.blocked is not None:
        return Outcome(ok=False, reason=report.blocked.title)
    # A refused answer is no failure of ours: its back-off is told by the status.
    return Outcome()


def _view(ctx: AgentContext) -> None:
    from totalrecall.jobs.context_view import prepare

    prepare(ctx)


def _daily(ctx: AgentContext, _stop: Callable[[], bool]) -> Outcome:
    """Each step is tried, whatever became of the others."""
    failed = []
    for step in DAILY:
        try:
            step(ctx)
        except BusyError:
            raise
        except TotalRecallError as error:
            failed.append(error.title)
    return Outcome(ok=not failed, reason=" ".join(failed))


def _back_up(ctx: AgentContext) -> None:
    from totalrecall.ledger.backup import back_up

    back_up(ctx.ledger, day=ctx.now().date())


def _learn(ctx: AgentContext) -> None:
    from totalrecall.jobs.learn_profile import learn_profile

    learn_profile(ctx)


def _state(ctx: AgentContext) -> None:
    from totalrecall.jobs.state import refresh_if_due

    refresh_if_due(ctx)


def _distil_if_due(ctx: AgentContext) -> list[str]:
    """Distillation goes by the user's own schedule, in ``distill-config.json``; what went wrong with it."""
    from totalrecall.daemon.distill_time import distil_if_due

    try:
        distil_if_due(ctx)
    except TotalRecallError as error:
        return [error.title]
    return []


def _outcome_of(report: ObserveReport, *, more: bool) -> Outcome:
    if report.blocked is not None:
        return Outcome(ok=False, reason=report.blocked.title)
    if report.unreadable:
        return Outcome(ok=False, reason=next(iter(report.unreadable.values())), more=more)
    return Outcome(more=more, again=report.waiting > 0)


# What is done once a day, in this order.
DAILY: tuple[Callable[[AgentContext], object], ...] = (_back_up, _learn, _state)

# In the order in which they go first when several wait.
JOBS: Mapping[str, Job] = {
    "recover": Job(_recover, 900.0, reads=True),
    "observe": Job(_observe, OBSERVE_S + 900.0, reads=True),
    "reflect": Job(_reflect, REFLECT_S + 900.0),
    "daily": Job(_daily, 1800.0),
}
