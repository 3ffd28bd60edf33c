"""How long the reflector rests after runs that came to nothing: longer each time, also over restarts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from totalrecall.jobs.context import AgentContext

FACT = "reflect_backoff"
FIRST_WAIT_MS = 3_600_000
LONGEST_WAIT_MS = 7 * 24 * 3_600_000
UNDONE_WAIT_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Backoff:
    """The reflector rests until ``until_ms``, after so many runs in a row that came to nothing, and why."""

    until_ms: int
    failures: int
    reason: str

    @property
    def is_new(self) -> bool:
        """Whether this is to be said aloud: only the first of several in a row is."""
        return self.failures <= 1


def backoff_of(ctx: AgentContext) -> Backoff | None:
    """The rest that is running, None when a run may begin. A clock that was set back ends it in time."""
    found = _stored(ctx)
    if found is None or not 0 < found.until_ms - ctx.now_ms() <= LONGEST_WAIT_MS:
        return None
    return found


def back_off(ctx: AgentContext, reason: str, *, growing: bool = True) -> Backoff:
    """Begin a rest, twice as long as the last one in a row; not ``growing``: of the first one's length."""
    before = _stored(ctx)
    failures = (before.failures if before else 0) + growing
    wait_ms = min(FIRST_WAIT_MS << min(max(failures - 1, 0), 20), LONGEST_WAIT_MS)
    if not growing:
        wait_ms = FIRST_WAIT_MS
    made = Backoff(ctx.now_ms() + wait_ms, failures, reason)
    ctx.ledger.set(FACT, json.dumps(asdict(made)))
    return made


def rest_after_undo(ctx: AgentContext) -> Backoff:
    """Begin the rest after an undo, so that what was just taken back is not done again at once."""
    made = Backoff(ctx.now_ms() + UNDONE_WAIT_MS, 0, "the last reflection was undone")
    ctx.ledger.set(FACT, json.dumps(asdict(made)))
    return made


def end_backoff(ctx: AgentContext) -> None:
    """A run made progress: the next rest begins short again."""
    if ctx.ledger.get(FACT) is not None:
        ctx.ledger.set(FACT, None)


def _stored(ctx: AgentContext) -> Backoff | None:
    try:
        return Backoff(**json.loads(ctx.ledger.get(FACT) or "null"))
    except (TypeError, ValueError):
        return None
