"""Backfill: noting what was said before the agent was adopted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Event
from totalrecall.errors import SourceError
from totalrecall.files.lock import hold
from totalrecall.jobs.adopt import adopt
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.gather import session_skip
from totalrecall.jobs.observe import JOB_WAIT_S, ObserveOptions, ObserveReport, observe
from totalrecall.jobs.streams import is_message, row_of


@dataclass(frozen=True, slots=True)
class BackfillPlan:
    """What a backfill would read.

    Attributes:
        begins_at_ms: from when on messages would count.
        sessions: sessions with such messages.
        messages: messages of the user and the assistant in them, noise included.
        chars: their characters; what is sent is less, since noise and long texts are cut.
    """

    begins_at_ms: int
    sessions: int
    messages: int
    chars: int


def plan_backfill(ctx: AgentContext, begins_at_ms: int) -> BackfillPlan:
    """Count what lies between ``begins_at_ms`` and the adoption. Reads every transcript, writes nothing."""
    adoption = ctx.ledger.adoption()
    until_ms = adoption.begins_at_ms if adoption else ctx.now_ms()
    sessions = messages = chars = 0
    for session in ctx.transcripts.sessions():
        row = row_of(session, ctx.ledger.session)
        if session.modified_ms < begins_at_ms or (row and session_skip(ctx, session, row)):
            continue
        found = 0
        try:
            for record in ctx.transcripts.read(session, 0):
                event = record.body
                if not isinstance(event, Event) or not is_message(event) or event.at_ms is None:
                    continue
                if begins_at_ms <= event.at_ms < until_ms:
                    found += 1
                    chars += len(event.text)
        except SourceError:
            # The run itself tells which session cannot be read.
            continue
        sessions += bool(found)
        messages += found
    return BackfillPlan(begins_at_ms, sessions, messages, chars)


def backfill(
    ctx: AgentContext, begins_at_ms: int, *, allowed: Callable[[], bool] = lambda: True
) -> ObserveReport:
    """Let messages from ``begins_at_ms`` on count, and note them, oldest session first.

    ``allowed`` is asked before each batch; False stops there, and the rest stays pending for the next run.
    Sessions are read again from their start; what is known is passed by.
    """
    with hold(ctx.state_dir / "job.lock", wait_s=JOB_WAIT_S):
        adoption = adopt(ctx)
        if begins_at_ms < adoption.begins_at_ms:
            # In this order: a crash in between leaves sessions to be read once more, and nothing else.
            _rewind(ctx, begins_at_ms)
            ctx.ledger.move_adoption(begins_at_ms)
    return observe(ctx, ObserveOptions(allowed=allowed))


def _rewind(ctx: AgentContext, begins_at_ms: int) -> None:
    for session in ctx.transcripts.sessions():
        row = row_of(session, ctx.ledger.session)
        if row is not None and session.modified_ms >= begins_at_ms:
            ctx.ledger.put_session(replace(row, cursor=Cursor(session.store)), rescan=True)
