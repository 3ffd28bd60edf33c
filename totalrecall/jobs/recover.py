"""Recovery: sessions that ended with unread messages are finished, whatever their age."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from totalrecall.errors import ModelUnreachableError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.observe import ObserveOptions, ObserveReport, observe

if TYPE_CHECKING:
    from totalrecall.domain.note import Compression
    from totalrecall.llm.engine import CompressionRequest, Engine

JOB = "recover"
# The agent waits for this at its start-up: so long for the model, and so long in all, stand-ins included.
MODEL_S = 20.0
ALL_S = 45.0
BUSY_WAIT_S = 1.5


def recover(
    ctx: AgentContext, *, all_s: float = ALL_S, time_is_up: Callable[[], bool] = lambda: False
) -> ObserveReport:
    """Read on from the cursor of every session that holds something unread; the others cost no call.

    Which ones do is told by the hash of their last entries and by their cursors, never by name, age or a
    window (R026). Where the model does not answer, provisional notes by the extractive engine stand in. After
    ``all_s`` no batch is begun; what is left stays pending. ``time_is_up`` is what ends calls of the model:
    the same as the machine's ``should_stop``, so that the reason can be told.
    """
    until_ms = ctx.now_ms() + int(all_s * 1000)
    options = ObserveOptions(
        stand_in=True, deadline_ms=until_ms, wait_s=BUSY_WAIT_S, job=JOB, by_entries=True
    )
    log_for = cache(lambda: ctx.log.logs.event_log("session-recovery").bind(agent=ctx.agent))
    engine_for = cache(lambda: _Timed(ctx.engine_for(), time_is_up))
    report = observe(replace(ctx, engine_for=engine_for, log_for=log_for), options)
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
    """An engine that says so when its time was up."""

    engine: Engine
    time_is_up: Callable[[], bool]

    @property
    def name(self) -> str:
        """The engine's own name."""
        return self.engine.name

    def compress(self, request: CompressionRequest) -> Compression:
        """What the engine gives."""
        try:
            return self.engine.compress(request)
        except ModelUnreachableError as error:
            if not self.time_is_up():
                raise
            raise ModelUnreachableError(
                f"The model did not answer within {MODEL_S:g} s.",
                "Messages stay pending; the next run asks it again.",
            ) from error
