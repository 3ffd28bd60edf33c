"""Recovery: sessions that ended with unread messages are finished, whatever their age."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from totalrecall.errors import ModelUnreachableError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import SILENT_SINCE, ObserveOptions, ObserveReport, observe

if TYPE_CHECKING:
    from totalrecall.domain.note import Compression
    from totalrecall.llm.engine import CompressionRequest

JOB = "recover"
# The agent waits for this at its start-up: so long for the model, and so long in all, stand-ins included.
MODEL_S = 20.0
ALL_S = 45.0
BUSY_WAIT_S = 1.5
# A model that kept one start-up waiting does not keep the next ones waiting too; the observer goes on asking.
NOT_AGAIN_MS = 900_000


def recover(
    ctx: AgentContext, *, all_s: float = ALL_S, time_is_up: Callable[[], bool] | None = None
) -> ObserveReport:
    """Read on from the cursor of every session that holds something unread; the others cost no call.

    Which ones do is told by the hash of their last entries and by their cursors, never by name, age or a
    window (R026). Where the model does not answer, provisional notes by the extractive engine stand in. After
    ``all_s`` no batch is begun; what is left stays pending.

    Somebody who waits for it gives ``time_is_up``: what ends calls of the model, the same as the machine's
    ``should_stop``. A model that was too slow for one who waits is not asked for the next one within minutes.
    """
    until_ms = ctx.now_ms() + int(all_s * 1000)
    options = ObserveOptions(
        stand_in=True, deadline_ms=until_ms, wait_s=BUSY_WAIT_S, job=JOB, by_entries=True
    )
    log_for = cache(lambda: ctx.log.logs.event_log("session-recovery").bind(agent=ctx.agent))
    asked = replace(ctx, log_for=log_for)
    if time_is_up is not None:
        asked = replace(asked, engine_for=cache(lambda: _Timed(ctx, time_is_up)))
    report = observe(asked, options)
    if not report.idle:
        log_for().info(
            "recovered",
            messages=report.messages,
            notes=report.notes,
            provisional=report.provisional,
            out_of_time=report.out_of_time,
        )
    return report


@dataclass(frozen=True, slots=True)
class _Timed:
    """The agent's engine for one who waits: it says so when its time was up, and is not asked in vain."""

    ctx: AgentContext
    time_is_up: Callable[[], bool]

    @property
    def name(self) -> str:
        """The engine's own name."""
        return self.ctx.engine_for().name

    def compress(self, request: CompressionRequest) -> Compression:
        """What the engine gives."""
        ledger, now_ms = self.ctx.ledger, self.ctx.now_ms()
        silent_ms = int(ledger.get(SILENT_SINCE) or 0)
        if 0 <= now_ms - silent_ms < NOT_AGAIN_MS:
            raise ModelUnreachableError(
                f"The model was silent {(now_ms - silent_ms) // 60_000} min ago and is not waited for again.",
                "Messages stay pending; the observer asks it.",
            )
        try:
            answer = self.ctx.engine_for().compress(request)
        except ModelUnreachableError as error:
            if not self.time_is_up():
                raise
            ledger.set(SILENT_SINCE, str(now_ms))
            raise ModelUnreachableError(
                f"The model did not answer within {MODEL_S:g} s.",
                "Messages stay pending; the observer asks it again.",
            ) from error
        if silent_ms:
            ledger.set(SILENT_SINCE, None)
        return answer
