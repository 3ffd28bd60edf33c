"""The observer: whatever is new in an agent's transcripts becomes notes, each message once."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from totalrecall.domain.boundary import Boundary
from totalrecall.domain.session import Session
from totalrecall.domain.state import SkipReason
from totalrecall.errors import (
    CeilingError,
    ConfigError,
    LedgerError,
    ModelUnreachableError,
    SourceError,
    TotalRecallError,
)
from totalrecall.files.lock import hold
from totalrecall.jobs.boundaries import newest_by_key
from totalrecall.jobs.context import AgentContext, Step
from totalrecall.jobs.passed import PassedBoundaries
from totalrecall.jobs.streams import row_of
from totalrecall.jobs.unread import PARTLY, UnreadCheck
from totalrecall.ledger.rows import BatchStatus, SessionRow
from totalrecall.transcripts.store import Start

if TYPE_CHECKING:
    from totalrecall.jobs.compress import Compressor, Settled
    from totalrecall.jobs.gather import Portion

JOB_WAIT_S = 5.0
JOB = "observe"
SILENT_SINCE = "model_silent_since_ms"
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
        job: the name that the run is kept under.
        by_entries: pass by sessions whose last entries are those of their last commit (recovery).
        allowed: asked before each batch; False ends the run there.
    """

    session: str = ""
    stand_in: bool = False
    deadline_ms: int | None = None
    wait_s: float = JOB_WAIT_S
    job: str = JOB
    by_entries: bool = False
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
        out_of_time: the run was told to begin nothing more; what is left is for the next one.
        boundaries: compactions and ends of main sessions and chats that were passed, oldest first.
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
    out_of_time: bool = False
    boundaries: list[Boundary] = field(default_factory=list)

    @property
    def idle(self) -> bool:
        """No message was new, and nothing went wrong; a boundary may have been passed all the same."""
        touched = self.messages or self.batches or self.skipped or self.provisional or self.set_aside
        return not touched and self.blocked is None and not self.unreadable


def observe(ctx: AgentContext, options: ObserveOptions | None = None) -> ObserveReport:
    """Read on from every session's cursor to its end, batch by batch, oldest session first.

    Raises:
        BusyError: another run of this agent is at work.
        MemoryFileError: the notes cannot be written, or are gone. Nothing is lost; the next run goes on.
    """
    run = _Run(ctx, options or ObserveOptions(), ObserveReport(ctx.agent), ctx.now_ms())
    with hold(ctx.state_dir / "job.lock", wait_s=run.options.wait_s):
        try:
            run.all_sessions()
        except TotalRecallError as error:
            run.record(error)
            raise
        run.finish()
    return run.report


def finish_open_batches(ctx: AgentContext, report: ObserveReport) -> None:
    """Bring batches that a crash interrupted to their end; plans without an answer are made anew."""
    left = ctx.ledger.open_batches()
    if not left and not ctx.ledger.provisional():
        return
    from totalrecall.jobs.deliver import deliver, remove_stand_ins

    for batch in left:
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


class _Run:
    """One run of the observer, under the agent's lock."""

    def __init__(
        self, ctx: AgentContext, options: ObserveOptions, report: ObserveReport, started_ms: int
    ) -> None:
        self._ctx = ctx
        self.options = options
        self.report = report
        self._started_ms = started_ms
        self._passed = PassedBoundaries(ctx, report.boundaries)

    @cached_property
    def _compressor(self) -> Compressor:
        """Made when something is new: most runs find nothing, and need not load what reads and notes."""
        from totalrecall.jobs.compress import Compressor

        return Compressor(self._ctx)

    def all_sessions(self) -> None:
        """What a crash left is finished, then each session is read on, oldest first."""
        ctx, report = self._ctx, self.report
        ctx.notes.refuse_if_emptied(notes_known=bool(ctx.ledger.note_texts(1)))
        finish_open_batches(ctx, report)
        if ctx.ledger.open_reflection() is not None:
            from totalrecall.jobs.close_rewrite import finish_open_reflection

            finish_open_reflection(ctx)
        self._passed.begin()
        report.adopted = ctx.ledger.adoption() is None
        if report.adopted:
            from totalrecall.jobs.adopt import adopt

            adopt(ctx)
        sessions = _wanted(ctx, self.options.session)
        if ctx.ledger.has_rebuilt():
            from totalrecall.jobs.reregister import reregister

            reregister(ctx, sessions)
        newest = newest_by_key(sessions)
        check = UnreadCheck(ctx) if self.options.by_entries and not report.adopted else None
        for session in sessions:
            report.sessions += 1
            try:
                if check is not None and check.is_read(session):
                    continue
                row = self._session(session)
                if row is not None:
                    self._passed.session_read(session, row, newest)
            except SourceError as error:
                report.unreadable[session.session_id] = error.title

    def _session(self, session: Session) -> SessionRow | None:
        """Read the session on; its row when everything in it is read, else None."""
        ctx, report = self._ctx, self.report
        rescans = 0
        while self._may_go_on():
            row = row_of(session, ctx.ledger.session)
            if row is not None and (start := self._not_to_read(session, row)):
                return row if start is Start.NOTHING else None
            from totalrecall.jobs.gather import gather

            portion = gather(ctx, session, row, self._compressor.limits)
            report.waiting += portion.waiting
            rescans += portion.rescanned
            if not portion.entries or rescans > RESCANS_PER_RUN:
                return None
            ctx.passed(Step.RANGE_READ)
            if not self._settle(portion):
                return None
        return None

    def _may_go_on(self) -> bool:
        return self.options.may_go_on(self._ctx.now_ms())

    def _not_to_read(self, session: Session, row: SessionRow) -> Start | None:
        """Why the session is not to be read just now, or None."""
        if row.rebuilt:
            return Start.WAIT
        start = self._ctx.transcripts.open(session, row.cursor).start
        self.report.waiting += start is Start.WAIT
        return start if start in {Start.NOTHING, Start.WAIT} else None

    def _settle(self, portion: Portion) -> bool:
        """Bring the portion's beginning to its end; False when the rest of the session is for a later run."""
        report, compressor = self.report, self._compressor
        self._passed.in_sight(portion)
        if report.blocked is None or not compressor.has_messages(portion):
            try:
                done = compressor.settle(portion)
            except BLOCKING as error:
                report.blocked = error
            else:
                self._passed.tell_passed()
                _add(report, done)
                return not done.waits
        if self.options.stand_in:
            report.provisional += compressor.stand_in(portion, self._may_go_on)
        return False

    def finish(self) -> None:
        """The mirror, the marks for other people's scripts, the day's backup, and how the run went."""
        ctx, report = self._ctx, self.report
        if report.batches or report.skipped or report.provisional or report.adopted:
            from totalrecall.jobs.deliver import save_mirror, write_run_marks

            save_mirror(ctx)
            if report.batches:
                write_run_marks(ctx, self._compressor.sent)
                # Whoever noted it: the model that was silent at a start-up is not avoided any longer.
                ctx.ledger.set(SILENT_SINCE, None)
        report.out_of_time = not self._may_go_on()
        self._passed.finish()
        self.record(report.blocked or (self._back_up() if report.batches else None))

    def record(self, error: TotalRecallError | None) -> None:
        """Keep how the run went, for ``status``: a failure is never booked as nothing to do (R031)."""
        report = self.report
        numbers: dict[str, int | float | str] = {
            "messages": report.messages,
            "notes": report.notes,
            "batches": report.batches,
        }
        if self.options.session or report.out_of_time:
            numbers[PARTLY] = 1
        if error is not None:
            numbers["reason"] = f"{error.title} {error.hint}".strip()
        well = error is None and not report.unreadable
        if error is not None:
            self._ctx.log.warning("run_blocked", kind=type(error).__name__, reason=numbers["reason"])
        for session, why in report.unreadable.items():
            self._ctx.log.warning("session_unreadable", session=session, reason=why)
        if report.bad_records:
            self._ctx.log.warning("bad_records", records=report.bad_records)
        with contextlib.suppress(LedgerError):
            self._ctx.ledger.record_run(
                self.options.job, self._started_ms, well, numbers, ended_ms=self._ctx.now_ms()
            )

    def _back_up(self) -> LedgerError | None:
        """The ledger's copy of the day; what went wrong with it, or None. The notes are safe either way."""
        from totalrecall.ledger.backup import back_up

        try:
            back_up(self._ctx.ledger, day=self._ctx.now().date())
        except LedgerError as error:
            return error
        return None


def _add(report: ObserveReport, done: Settled) -> None:
    report.engine = done.engine or report.engine
    report.batches += done.batches
    report.notes += done.notes
    report.set_aside += done.set_aside
    report.messages += done.messages
    report.bad_records += done.bad_records
    report.skipped.update(done.skipped)


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
