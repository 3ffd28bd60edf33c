"""The reflector's run: a log that has grown over the threshold is consolidated, or left exactly as it is."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from totalrecall.domain.words import count_words
from totalrecall.errors import (
    BatchRefusedError,
    BatchTooLargeError,
    CeilingError,
    ConfigError,
    LedgerError,
    ModelUnreachableError,
    TotalRecallError,
)
from totalrecall.files.lock import hold
from totalrecall.jobs.close_rewrite import LOCK_NAME, RewriteStep, finish_open_reflection
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.reflect_backoff import back_off, backoff_of, end_backoff
from totalrecall.jobs.reflect_report import ReflectOptions, ReflectReport, Result

if TYPE_CHECKING:
    from totalrecall.jobs.log_items import LogItem
    from totalrecall.jobs.rewrite_log import ReflectedRewrite
    from totalrecall.llm.reflection.types import Reflection, ReflectionRefused
    from totalrecall.log import Log

__all__ = ["ReflectOptions", "ReflectReport", "Result", "is_due", "reflect", "reflector_log"]

JOB = "reflect"
# Fewer bytes than this for each word of the threshold cannot hold so many words: the log is not even read.
LEAST_BYTES_A_WORD = 2
# A run that leaves a log over the threshold and takes less than this share away is no progress.
PROGRESS_SHARE = 0.05
BLOCKING = (ModelUnreachableError, CeilingError, ConfigError, BatchTooLargeError, BatchRefusedError)


def is_due(ctx: AgentContext) -> bool:
    """Whether the log is over the threshold and no back-off is running; a short log is not even read."""
    threshold = ctx.settings.reflector_word_threshold
    with contextlib.suppress(OSError):
        if ctx.notes.path.stat().st_size < threshold * LEAST_BYTES_A_WORD:
            return False
    return count_words(ctx.notes.read()) > threshold and backoff_of(ctx) is None


def reflect(ctx: AgentContext, options: ReflectOptions | None = None) -> ReflectReport:
    """Consolidate the log of the agent, if it is due. No lock of a file is held while a model is asked.

    Raises:
        BusyError: another reflection of this agent is at work.
        MemoryFileError: the log is gone, or it, its backup or its archive cannot be written.
    """
    run = _Run(ctx, options or ReflectOptions())
    with hold(ctx.state_dir / LOCK_NAME, wait_s=run.options.wait_s, command="totalrecall reflect"):
        try:
            return run.once()
        except TotalRecallError as error:
            run.failed(error)
            raise


def reflector_log(ctx: AgentContext) -> Log:
    """``logs/reflector.log`` of the agent's workspace."""
    return ctx.log.logs.event_log("reflector").bind(agent=ctx.agent)


class _Run:
    """One run, under the reflector's lock of the agent."""

    def __init__(self, ctx: AgentContext, options: ReflectOptions) -> None:
        self._ctx = ctx
        self.options = options
        self._started_ms = ctx.now_ms()
        self._report = ReflectReport(ctx.agent, threshold=ctx.settings.reflector_word_threshold)

    def once(self) -> ReflectReport:
        """The run."""
        ctx, options, report = self._ctx, self.options, self._report
        ctx.notes.refuse_if_emptied(notes_known=bool(ctx.ledger.note_texts(1)))
        if not options.dry_run:
            finish_open_reflection(ctx, locked=True)
        text = ctx.notes.read()
        report.words = report.words_after = count_words(text)
        report.rest = backoff_of(ctx)
        late = options.deadline_ms is not None and ctx.now_ms() >= options.deadline_ms
        if not options.force and (report.words <= report.threshold or late):
            return report
        if not options.force and report.rest is not None:
            report.result = Result.RESTING
            return report
        self._ask(text)
        return report

    def failed(self, error: TotalRecallError) -> None:
        """Keep that the run could not be brought to its end; after a call in vain there is a rest too."""
        report = self._report
        reason = f"{error.title} {error.hint}".strip()
        report.result = Result.BLOCKED
        with contextlib.suppress(LedgerError):
            if report.engine and not self.options.dry_run:
                back_off(self._ctx, reason)
            self.record(well=False, reason=reason)

    def _ask(self, text: str) -> None:
        from totalrecall.jobs.log_items import items_in, known_notes
        from totalrecall.llm.reflection.types import Reflection, ReflectionRefused, ReflectionRequest
        from totalrecall.llm.reflection.whole import broken

        ctx = self._ctx
        items = items_in(text, known_notes(ctx))
        request = ReflectionRequest(
            items=tuple(one.item for one in items),
            today=ctx.now().date(),
            agent=ctx.agent,
            word_limit=self._report.threshold,
        )
        try:
            reflector = ctx.reflector_for()
            self._report.engine = reflector.name
            answer = reflector.reflect(request)
        except BLOCKING as error:
            self._blocked(error)
            return
        self.options.passed(RewriteStep.ANSWERED)
        if isinstance(answer, Reflection):
            # Whoever made the answer: nothing is lost, doubled, or touched that is protected (R077).
            faults = broken(request, answer)
            if not faults:
                self._use(items, answer)
                return
            answer = ReflectionRefused(faults, answer.usage)
        self._refused(answer)

    def _use(self, items: list[LogItem], answer: Reflection) -> None:
        from totalrecall.jobs.rewrite_log import ReflectedRewrite, free_marker

        ctx, report = self._ctx, self._report
        report.engine = answer.engine
        report.refusals = tuple(one.sentence for one in answer.refusals)
        marker = free_marker(ctx, "reflect")
        rewrite = ReflectedRewrite(ctx, items, answer, marker=marker, started_ms=self._started_ms)
        if self.options.dry_run:
            self._preview(rewrite)
            return
        done = rewrite.write(self.options.passed)
        if done is None:
            self._end(Result.UNCHANGED, report.refusals[0] if report.refusals else self._why_nothing(items))
            return
        report.marker = marker
        report.numbers = dict(done.numbers)
        report.words_after = int(done.numbers["words_after"])
        self._end(Result.REWRITTEN, report.refusals[0] if report.refusals else "")

    def _why_nothing(self, items: list[LogItem]) -> str:
        """Why nothing left: a log of other people's notes never gets shorter, and nobody may wonder."""
        others = [count_words(one.entry.raw) for one in items if one.known is None]
        if sum(others) <= self._report.threshold // 2:
            return "Nothing in the log may leave yet."
        return (
            f"{len(others):,} notes with {sum(others):,} words were not written by Total Recall, or edited "
            "since, and stay word for word: only you can shorten them."
        )

    def _preview(self, rewrite: ReflectedRewrite) -> None:
        from difflib import unified_diff

        report = self._report
        text = self._ctx.notes.read()
        after = rewrite.anew(text)
        report.numbers = dict(rewrite.outcome(text, after).numbers)
        report.words_after = count_words(after)
        old, new = text.splitlines(), after.splitlines()
        report.diff = "\n".join(unified_diff(old, new, "observations.md", "after", lineterm="", n=1))
        report.result = Result.PREVIEW if after != text else Result.UNCHANGED

    def _refused(self, answer: ReflectionRefused) -> None:
        usage, report = answer.usage, self._report
        report.refusals = tuple(one.sentence for one in answer.refusals)
        report.numbers = {
            "calls": usage.calls, "tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out,
            "codes": ", ".join(sorted({one.code.value for one in answer.refusals})),
        }  # fmt: skip
        if usage.cost_usd is not None:
            report.numbers["cost_usd"] = usage.cost_usd
        self._end(Result.REFUSED, report.refusals[0] if report.refusals else "No answer was accepted.")

    def _blocked(self, error: TotalRecallError) -> None:
        self._report.blocked = error
        self._end(Result.BLOCKED, f"{error.title} {error.hint}".strip())

    def _end(self, result: Result, reason: str) -> None:
        """Keep how the run went, for ``status``, the log and the history; rest if it came to nothing."""
        report = self._report
        report.result = result
        if self.options.dry_run:
            return
        if result is Result.REFUSED:
            kept = {"words_before": report.words, "refusals": reason, **report.numbers}
            self._ctx.ledger.record_refused(self._started_ms, report.engine, kept)
        self._rest(result, reason)
        well = result in {Result.REWRITTEN, Result.UNCHANGED}
        self.record(well=well, reason=reason)

    def _rest(self, result: Result, reason: str) -> None:
        ctx, report = self._ctx, self._report
        if result is Result.REWRITTEN and (
            report.words_after <= report.threshold
            or report.words_after <= report.words * (1 - PROGRESS_SHARE)
        ):
            end_backoff(ctx)
            report.rest = None
            return
        if report.words_after <= report.threshold:
            return
        reason = reason or "The last reflection took too little away."
        report.rest = back_off(ctx, reason, growing=result is not Result.BLOCKED)
        log = reflector_log(ctx)
        say = log.warning if report.rest.is_new else log.info
        say("reflector_rests", failures=report.rest.failures, until_ms=report.rest.until_ms, reason=reason)

    def record(self, *, well: bool, reason: str) -> None:
        """Keep the run's numbers, and tell them to the log."""
        ctx, report = self._ctx, self._report
        numbers: dict[str, int | float | str] = {
            "result": report.result.value,
            "words_before": report.words,
            "words_after": report.words_after,
            **report.numbers,
        }
        if reason:
            numbers["reason"] = reason
        log = reflector_log(ctx)
        say = log.info if well else log.warning
        say("reflected" if well else "reflection_failed", engine=report.engine, **numbers)
        with contextlib.suppress(LedgerError):
            ctx.ledger.record_run(JOB, self._started_ms, well, numbers, ended_ms=ctx.now_ms())
