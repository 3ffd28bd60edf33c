"""How far an agent is observed, and whether all is well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path

from totalrecall.domain.event import Event
from totalrecall.domain.session import Session
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.domain.words import count_words
from totalrecall.errors import SourceError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import chunks, identity_in, is_before_adoption, is_message, row_of
from totalrecall.ledger.rows import Adoption, RunRow, SessionRow
from totalrecall.memory.observations import notes_in, parse
from totalrecall.transcripts.store import Start

# Counting what is pending reads at most so many records of a session; more is told as "at least".
PENDING_RECORDS = 20_000
OVERDUE_MS = 2 * 3_600_000
DROPPED_MOST = 2_000


class Health(StrEnum):
    """GREEN: all is well. YELLOW: something wants a look. RED: notes are not being made."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is not well: how bad, what in one sentence, and what to do."""

    health: Health
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """One agent at a glance.

    Attributes:
        agent: its name.
        workspace: where its memory is.
        notes: notes in the file; ``words`` in them.
        engine: what compresses, and ``engine_reason`` why.
        adopted_ms: when it was adopted, None before the first run.
        sessions: transcripts that can be read.
        newest_ms: the newest change of a transcript.
        noted_to_ms: the newest message that has a state.
        pending: messages that wait; ``pending_more`` when there are even more.
        states, reasons: messages per state, skipped ones per reason.
        unverified: notes in the file whose details occur in no message they cite.
        dropped: lines of answers that were left out and are kept aside.
        bad_records: records that could not be read; ``unknown_types`` record types nobody knows.
        last_ok, last_bad: the last run of each job that went well, or badly.
        troubles: what is not well, worst first.
    """

    agent: str
    workspace: Path
    notes: int
    words: int
    engine: str
    engine_reason: str
    adopted_ms: int | None
    sessions: int
    newest_ms: int
    noted_to_ms: int
    pending: int
    pending_more: bool
    states: Mapping[MessageState, int]
    reasons: Mapping[SkipReason, int]
    unverified: int
    dropped: int
    bad_records: int
    unknown_types: Mapping[str, int]
    last_ok: Mapping[str, RunRow]
    last_bad: Mapping[str, RunRow]
    troubles: tuple[Trouble, ...] = ()

    @property
    def health(self) -> Health:
        """The worst of the troubles."""
        return self.troubles[0].health if self.troubles else Health.GREEN


def status(ctx: AgentContext, troubles: tuple[Trouble, ...] = ()) -> AgentStatus:
    """The agent as it stands now; ``troubles`` are what the caller knows already. Writes nothing."""
    sessions, unread = _sessions(ctx)
    rows = {row.session_id: row for row in ctx.ledger.sessions()}
    adoption = ctx.ledger.adoption()
    pending, more = _pending(ctx, sessions, rows, adoption)
    counts = ctx.ledger.counts()
    notes = [note for _, _, note in notes_in(parse(ctx.notes.read()))]
    unknown: dict[str, int] = {}
    for row in rows.values():
        for name, times in row.unknown_types:
            unknown[name] = unknown.get(name, 0) + times
    found = AgentStatus(
        agent=ctx.agent,
        workspace=ctx.workspace,
        notes=len(notes),
        words=count_words("\n".join(note.text for note in notes)),
        engine="model" if ctx.settings.uses_model else "extractive",
        engine_reason=ctx.settings.engine_reason,
        adopted_ms=adoption.adopted_at_ms if adoption else None,
        sessions=len(sessions),
        newest_ms=max((one.modified_ms for one in sessions), default=0),
        noted_to_ms=max((row.last_at_ms or 0 for row in rows.values()), default=0),
        pending=pending,
        pending_more=more,
        states=counts.by_state,
        reasons=counts.by_reason,
        unverified=sum(1 for one in ctx.ledger.notes() if not one.verified),
        dropped=len(ctx.ledger.dropped(DROPPED_MOST)),
        bad_records=sum(row.bad_records for row in rows.values()),
        unknown_types=unknown,
        last_ok=ctx.ledger.last_runs(ok=True),
        last_bad=ctx.ledger.last_runs(ok=False),
    )
    return _judged(ctx, found, (*troubles, *unread))


def _sessions(ctx: AgentContext) -> tuple[list[Session], list[Trouble]]:
    try:
        return list(ctx.transcripts.sessions()), []
    except SourceError as error:
        return [], [Trouble(Health.RED, error.title, error.hint)]


def _pending(
    ctx: AgentContext,
    sessions: list[Session],
    rows: Mapping[str, SessionRow],
    adoption: Adoption | None,
) -> tuple[int, bool]:
    pending, more = 0, False
    for session in sessions:
        row = row_of(session, rows.get)
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


def _judged(ctx: AgentContext, found: AgentStatus, troubles: tuple[Trouble, ...]) -> AgentStatus:
    from dataclasses import replace

    order = {Health.RED: 0, Health.YELLOW: 1, Health.GREEN: 2}
    every = [*troubles, *_found_troubles(ctx, found)]
    return replace(found, troubles=tuple(sorted(every, key=lambda one: order[one.health])))


def _found_troubles(ctx: AgentContext, found: AgentStatus) -> list[Trouble]:
    troubles: list[Trouble] = []
    ok, bad = found.last_ok.get("observe"), found.last_bad.get("observe")
    if bad is not None and (ok is None or bad.ended_ms >= ok.ended_ms) and found.pending:
        why = str(bad.numbers.get("reason", "")) or "see 'totalrecall doctor'"
        troubles.append(Trouble(Health.RED, f"The last run could not note everything: {why}"))
    elif found.pending and ok is not None and ctx.now_ms() - ok.ended_ms > OVERDUE_MS:
        what = f"{found.pending:,} messages wait, and nothing has observed for hours."
        remedy = "Start the service or the cron job, or run 'totalrecall observe'."
        troubles.append(Trouble(Health.YELLOW, what, remedy))
    if not found.sessions:
        what = "No transcript was found for this agent."
        troubles.append(Trouble(Health.YELLOW, what, "'totalrecall doctor' shows every place looked at."))
    if aside := found.states.get(MessageState.SET_ASIDE, 0):
        what = f"{aside:,} messages are set aside, because the model fails on them every time."
        remedy = "See 'totalrecall notes --set-aside'; add --retry to try them again."
        troubles.append(Trouble(Health.YELLOW, what, remedy))
    known = sum(found.states.values())
    if found.unknown_types and not known and not found.pending:
        names = ", ".join(sorted(found.unknown_types)[:3])
        what = f"Not one record of the transcripts is of a known type (found: {names})."
        troubles.append(Trouble(Health.RED, what, "OpenClaw's format may have changed: update Total Recall."))
    return troubles
