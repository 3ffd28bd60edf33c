"""Which sessions hold nothing unread, told without reading them: by cheap signs, else by their last lines."""

from __future__ import annotations

from collections.abc import Mapping

from totalrecall.domain.session import Session
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import stream_of
from totalrecall.ledger.rows import RunRow, SessionEnd
from totalrecall.transcripts.filenames import family_id

# Jobs whose runs look at every session, and the number by which a run says that it did not.
LOOKING_JOBS = ("observe", "recover")
PARTLY = "partly"
# File systems keep times in steps of up to two seconds.
TIME_STEP_MS = 2000


class UnreadCheck:
    """Recovery's look at ten thousand sessions, most of which nobody has spoken in for months."""

    def __init__(self, ctx: AgentContext) -> None:
        self._transcripts = ctx.transcripts
        self._ends = ctx.ledger.session_ends()
        self._looked_ms = looked_at_all_ms(ctx.ledger.last_runs(ok=True))

    def is_read(self, session: Session) -> bool:
        """Whether nothing in the session is unread. False where only reading on from its cursor can tell.

        A transcript that was rewritten but ends with the same 50 entries counts as read here; the observer
        goes by its cursor and reads it.
        """
        stream = stream_of(session)
        end = self._ends.get(stream) or self._ends.get(family_id(session.session_id))
        if end is None or end.rebuilt or (session.ended and not (end.ended and stream in self._ends)):
            return False
        if is_untouched(session, end, self._looked_ms):
            return True
        return bool(end.last_entries) and self._transcripts.last_entries(session) == end.last_entries


def is_untouched(session: Session, end: SessionEnd, looked_ms: int) -> bool:
    """Whether the transcript ends where it was read to and was not written since somebody looked at it."""
    read = session.store is end.store and session.size == end.position
    return read and session.modified_ms + TIME_STEP_MS < looked_ms


def looked_at_all_ms(last_ok: Mapping[str, RunRow]) -> int:
    """When a run began that looked at every session and had no trouble with any; 0 when none did."""
    runs = [last_ok[job] for job in LOOKING_JOBS if job in last_ok]
    return max((one.started_ms for one in runs if PARTLY not in one.numbers), default=0)
