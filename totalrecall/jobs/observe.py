"""The observer: whatever is new in an agent's transcripts becomes notes, each message once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from totalrecall.domain.session import Session
from totalrecall.domain.state import SkipReason
from totalrecall.errors import (
    CeilingError,
    ConfigError,
    ModelUnreachableError,
    SourceError,
    TotalRecallError,
)
from totalrecall.files.lock import hold
from totalrecall.jobs.adopt import adopt
from totalrecall.jobs.compress import Compressor, Settled
from totalrecall.jobs.context import AgentContext, Step
from totalrecall.jobs.deliver import deliver, remove_stand_ins, save_mirror, write_run_marks
from totalrecall.jobs.gather import gather
from totalrecall.jobs.streams import stream_of
from totalrecall.ledger.rows import BatchStatus, SessionRow

JOB_WAIT_S = 5.0
JOB = "observe"
# A transcript that is rewritten all the time while we read it is left for the next run.
RESCANS_PER_RUN = 3
BLOCKING = (ModelUnreachableError, CeilingError, ConfigError)


@dataclass(frozen=True, slots=True)
class ObserveOptions:
    """What to observe and how.

    Attributes:
        session: a session id, key or glob over both; "" for all.
        stand_in: write a provisional block by the extractive engine where the model does not answer.
        deadline_ms: no new batch is begun after this time; None for no limit.
        wait_s: how long to wait for another run of this agent.
        allowed: asked before each batch; False ends the run there.
    """

    session: str = ""
    stand_in: bool = False
    deadline_ms: int | None = None
    wait_s: float = JOB_WAIT_S
    allowed: Callable[[], bool] = lambda: True

    def may_go_on(self, now_ms: int) -> bool:
        """Whether another batch may be begun."""
        return (self.deadline_ms is None or now_ms < self.deadline_ms) and self.allowed()


@dataclass(slots=True)
class ObserveReport:
    """What a run did.

    Attributes:
        agent: whose.
        adopted: this was the agent's first run.
        sessions: transcripts looked at.
        messages: messages that went to the engine and were settled.
        notes: notes written.
        skipped: messages left out, by reason.
        batches: batches committed.
        set_aside: messages that the model fails on every time.
        provisional: notes written as a stand-in for the model's.
        bad_records: records that could not be read.
        waiting: sessions that are being rewritten just now.
        engine: what compressed, "" when nothing had to be.
        blocked: why the rest stays pending, or None.
        unreadable: sessions that could not be read, with the reason.
    """

    agent: str
    adopted: bool = False
    sessions: int = 0
    messages: int = 0
    notes: int = 0
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    batches: int = 0
    set_aside: int = 0
    provisional: int = 0
    bad_records: int = 0
    waiting: int = 0
    engine: str = ""
    blocked: TotalRecallError | None = None
    unreadable: dict[str, str] = field(default_factory=dict)

    @property
    def idle(self) -> bool:
        """Nothing was new, and nothing went wrong."""
        touched = self.messages or self.batches or self.skipped or self.provisional or self.set_aside
        return not touched and self.blocked is None and not self.unreadable


def observe(ctx: AgentContext, options: ObserveOptions | None = None) -> ObserveReport:
    """Read on from every session's cursor to its end, batch by batch, oldest session first.

    Raises:
        BusyError: another run of this agent is at work.
        MemoryFileError: the notes cannot be written, or are gone. Nothing is lost; the next run goes on.
    """
    options = options or ObserveOptions()
    report = ObserveReport(ctx.agent)
    started_ms = ctx.now_ms()
    with hold(ctx.state_dir / "job.lock", wait_s=options.wait_s):
        ctx.notes.refuse_if_emptied(notes_known=bool(ctx.ledger.note_texts(1)))
        finish_open_batches(ctx, report)
        report.adopted = ctx.ledger.adoption() is None
        adopt(ctx)
        compressor = Compressor(ctx)
        for session in _wanted(ctx, options.session):
            report.sessions += 1
            try:
                _observe_session(ctx, session, compressor, report, options)
            except SourceError as error:
                report.unreadable[session.session_id] = error.title
        _finish(ctx, report, compressor, started_ms)
    return report


def finish_open_batches(ctx: AgentContext, report: ObserveReport) -> None:
    """Bring batches that a crash interrupted to their end; plans without an answer are made anew."""
    for batch in ctx.ledger.open_batches():
        if batch.status is BatchStatus.PLANNED:
            ctx.ledger.discard(batch.marker)
            continue
        notes = deliver(ctx, batch.marker)
        report.batches += 1
        if batch.provisional:
            report.provisional += notes
        else:
            report.notes += notes
            report.messages += sum(1 for one in batch.seen if one.is_message and one.reason is None)
    remove_stand_ins(ctx)


def _observe_session(
    ctx: AgentContext,
    session: Session,
    compressor: Compressor,
    report: ObserveReport,
    options: ObserveOptions,
) -> None:
    rescans = 0
    while options.may_go_on(ctx.now_ms()):
        row = ctx.ledger.session(stream_of(session))
        portion = gather(ctx, session, row or _closed_from(ctx, session), compressor.limits)
        report.waiting += portion.waiting
        rescans += portion.rescanned
        if not portion.entries or rescans > RESCANS_PER_RUN:
            return
        ctx.passed(Step.RANGE_READ)
        if report.blocked is None or not compressor.has_messages(portion):
            try:
                done = compressor.settle(portion)
                _add(report, done)
                if done.waits:
                    return
                continue
            except BLOCKING as error:
                report.blocked = error
        if options.stand_in:
            report.provisional += compressor.stand_in(portion)
        return


def _add(report: ObserveReport, done: Settled) -> None:
    report.engine = done.engine or report.engine
    report.batches += done.batches
    report.notes += done.notes
    report.set_aside += done.set_aside
    report.messages += done.messages
    report.bad_records += done.bad_records
    report.skipped.update(done.skipped)


def _closed_from(ctx: AgentContext, session: Session) -> SessionRow | None:
    """The place mark of a file that was just closed by ``/new``: the one it had under its live name (R024)."""
    if stream_of(session) == session.session_id:
        return None
    live = ctx.ledger.session(session.session_id)
    return replace(live, session_id=stream_of(session), rebuilt=False) if live else None


def _wanted(ctx: AgentContext, wanted: str) -> list[Session]:
    sessions = ctx.transcripts.sessions()
    if not wanted:
        return list(sessions)
    found = [one for one in sessions if fnmatchcase(one.session_id, wanted) or fnmatchcase(one.key, wanted)]
    if not found:
        raise ConfigError(
            f"No session matches {wanted!r}.", "Give a session id, a key, or a glob such as 'agent:main:*'."
        )
    return found


def _finish(ctx: AgentContext, report: ObserveReport, compressor: Compressor, started_ms: int) -> None:
    if report.batches or report.skipped or report.provisional or report.adopted:
        save_mirror(ctx)
    if report.batches:
        write_run_marks(ctx, compressor.sent)
    numbers: dict[str, int | float | str] = {
        "messages": report.messages,
        "notes": report.notes,
        "batches": report.batches,
    }
    if report.blocked is not None:
        numbers["reason"] = f"{report.blocked.title} {report.blocked.hint}".strip()
    well = report.blocked is None and not report.unreadable
    ctx.ledger.record_run(JOB, started_ms, well, numbers, ended_ms=ctx.now_ms())
