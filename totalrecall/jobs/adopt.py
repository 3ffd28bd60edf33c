"""The first run for an agent: from where on its messages count."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from totalrecall.domain.event import Event, EventKind
from totalrecall.domain.session import Session
from totalrecall.errors import SourceError
from totalrecall.jobs.adoption_ends import keep_adoption_ends
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.gather import first_row, session_facts
from totalrecall.ledger.rows import Adoption, SessionRow
from totalrecall.transcripts.carry import Carry, encode_carry
from totalrecall.transcripts.noise import classify

MORNING_ENDS_HOUR = 8


def adopt(ctx: AgentContext) -> Adoption:
    """Adopt the agent, if that has not happened: its sessions begin at the look-back window.

    What is older counts as "before adoption"; ``backfill`` imports it. Two first runs at once adopt once.
    """
    known = ctx.ledger.adoption()
    if known is not None:
        return known
    now_ms = ctx.now_ms()
    adoption = Adoption(now_ms, begins_at_ms(ctx.now(), ctx))
    rows: list[SessionRow] = []
    ends: dict[str, int] = {}
    for session in ctx.transcripts.sessions():
        try:
            rows.append(_adopted(ctx, session, adoption))
        except SourceError:
            # Read from its start once it can be read; the entries' own times keep old ones out.
            rows.append(replace(first_row(session), existed_at_adoption=True, ended=session.ended))
        ends[rows[-1].session_id] = session.size
    keep_adoption_ends(ctx, ends)
    return ctx.ledger.adopt(adoption, rows)


def begins_at_ms(now: datetime, ctx: AgentContext) -> int:
    """The beginning of the look-back window; in the morning it reaches back over the night."""
    settings = ctx.settings
    minutes = settings.morning_lookback_min if now.hour < MORNING_ENDS_HOUR else settings.lookback_min
    return int(now.timestamp() * 1000) - minutes * 60_000


def _adopted(ctx: AgentContext, session: Session, adoption: Adoption) -> SessionRow:
    row = replace(first_row(session), existed_at_adoption=True, ended=session.ended)
    if session.modified_ms < adoption.begins_at_ms:
        # Untouched since before the window: nothing in it can be newer, and it is not read at all.
        return replace(row, cursor=ctx.transcripts.cursor_at(session, session.size, ""))
    carry, facts = Carry(), session_facts(ctx, session, row)
    position, started_ms, last_at_ms = 0, None, None
    for record in ctx.transcripts.read(session, 0):
        event = record.body
        if isinstance(event, Event):
            if event.kind is EventKind.HEADER:
                started_ms = event.at_ms
            if event.at_ms is not None and event.at_ms >= adoption.begins_at_ms:
                break
            _, carry = classify(event, carry, facts)
            last_at_ms = event.at_ms or last_at_ms
        position = record.end
    cursor = ctx.transcripts.cursor_at(session, position, encode_carry(carry))
    return replace(row, cursor=cursor, started_ms=started_ms, last_at_ms=last_at_ms)
