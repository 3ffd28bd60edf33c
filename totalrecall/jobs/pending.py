"""How many messages wait in an agent's transcripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from totalrecall.domain.event import Event
from totalrecall.domain.session import Session
from totalrecall.errors import SourceError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import chunks, identity_in, is_before_adoption, is_message, row_of
from totalrecall.jobs.unread import is_untouched, looked_at_all_ms
from totalrecall.ledger.rows import Adoption, SessionRow
from totalrecall.transcripts.store import Start

# Counting what is pending reads at most so many records of a session; more is told as "at least".
PENDING_RECORDS = 20_000


def count_pending(
    ctx: AgentContext,
    sessions: Sequence[Session],
    rows: Mapping[str, SessionRow],
    adoption: Adoption | None,
) -> tuple[int, bool]:
    """How many messages have no state yet, and whether there are even more."""
    pending, more = 0, False
    looked_ms = looked_at_all_ms(ctx.ledger.last_runs(ok=True))
    for session in sessions:
        row = row_of(session, rows.get)
        if row is not None and is_untouched(session, row.end, looked_ms):
            continue
        try:
            opening = ctx.transcripts.open(session, row.cursor if row else None)
            if opening.start in {Start.NOTHING, Start.WAIT}:
                continue
            records = ctx.transcripts.read(session, opening.position)
            read = 0
            for chunk in chunks(islice(records, PENDING_RECORDS), 1000):
                read += len(chunk)
                events = [one.body for one in chunk if isinstance(one.body, Event) and is_message(one.body)]
                known = ctx.ledger.known([identity_in(session, one) for one in events])
                old = [
                    row is not None
                    and adoption is not None
                    and is_before_adoption(one, row, adoption, met_known=False)
                    for one in events
                ]
                pending += len(events) - len(known) - sum(old)
            more = more or read >= PENDING_RECORDS
        except SourceError:
            # Told by the run that tries to read it; here it only cannot be counted.
            continue
    return max(0, pending), more
