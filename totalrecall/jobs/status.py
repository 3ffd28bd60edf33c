"""How far an agent is observed, and whether all is well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from totalrecall.domain.session import Session
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.domain.words import count_words
from totalrecall.errors import MemoryFileError, SourceError
from totalrecall.files.service_state import ServiceLook
from totalrecall.jobs.activity import newest_written
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.health import Health, Signs, Trouble, troubles_in, worst_first
from totalrecall.jobs.note_history import left_this_week
from totalrecall.jobs.pending import count_pending
from totalrecall.jobs.service_health import ServiceView, view_service
from totalrecall.ledger.rows import RunRow
from totalrecall.memory.observations import notes_in, parse

# How the reflector's runs call one that took its place.
REWRITTEN = "rewritten"
WEEK_MS = 7 * 86_400_000
READING_JOBS = ("observe", "recover")
DROPPED_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Reflections:
    """A week's reflections: how many, the words before and after those that were kept, why some were not."""

    runs: int = 0
    words_before: int = 0
    words_after: int = 0
    refusals: tuple[str, ...] = ()


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
        left_this_week: notes that left the file by reflection in seven days, by reason.
        bad_records: records that could not be read; ``unknown_types`` record types nobody knows.
        last_ok, last_bad: the last run of each job that went well, or badly.
        provisional: notes that stand in until the model answers.
        reflections: what reflecting did within a week.
        service: the background service, as far as it concerns the agent.
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
    left_this_week: Mapping[str, int]
    bad_records: int
    unknown_types: Mapping[str, int]
    last_ok: Mapping[str, RunRow]
    last_bad: Mapping[str, RunRow]
    provisional: int = 0
    reflections: Reflections = field(default_factory=Reflections)
    service: ServiceView = field(default_factory=ServiceView)
    troubles: tuple[Trouble, ...] = ()

    @property
    def behind_ms(self) -> int:
        """How far the notes are behind the talk: 0 when nothing waits, or nothing was ever noted."""
        return max(0, self.newest_ms - self.noted_to_ms) if self.pending and self.noted_to_ms else 0

    @property
    def last_error(self) -> RunRow | None:
        """The newest run that went badly and has not gone well since, None when there is none."""
        open_ones = [bad for job, bad in self.last_bad.items() if bad.ended_ms >= self._last_well_ms(job)]
        return max(open_ones, key=lambda one: one.ended_ms, default=None)

    def _last_well_ms(self, job: str) -> int:
        """When the job last went well; what recovery left, an observer's run may have done."""
        same = READING_JOBS if job in READING_JOBS else (job,)
        return max((self.last_ok[one].ended_ms for one in same if one in self.last_ok), default=0)

    @property
    def health(self) -> Health:
        """The worst of the troubles."""
        return self.troubles[0].health if self.troubles else Health.GREEN


@dataclass(frozen=True, slots=True)
class Around:
    """What the caller knows of the agent's surroundings.

    Attributes:
        troubles: what is not well, as far as it was found already.
        service: the service from outside, None where nobody looked.
        version: of this program.
        agent_dir: OpenClaw's folder of the agent, None where nobody looks at it.
        database: the agent's database, when there is one.
    """

    troubles: tuple[Trouble, ...] = ()
    service: ServiceLook | None = None
    version: str = ""
    agent_dir: Path | None = None
    database: Path | None = None


def status(ctx: AgentContext, around: Around | None = None) -> AgentStatus:
    """The agent as it stands now. Writes nothing."""
    around = around or Around()
    sessions, unread = _sessions(ctx)
    rows = {row.session_id: row for row in ctx.ledger.sessions()}
    adoption = ctx.ledger.adoption()
    pending, more = count_pending(ctx, sessions, rows, adoption)
    counts = ctx.ledger.counts()
    now_ms = ctx.now_ms()
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
        left_this_week=left_this_week(ctx),
        bad_records=sum(row.bad_records for row in rows.values()),
        unknown_types=unknown,
        last_ok=ctx.ledger.last_runs(ok=True),
        last_bad=ctx.ledger.last_runs(ok=False),
        provisional=_provisional(ctx),
        reflections=_reflections(ctx.ledger.runs("reflect", now_ms - WEEK_MS)),
    )
    service = ServiceView()
    if around.service is not None:
        service = view_service(around.service, ctx.agent, found.newest_ms, (around.version, now_ms))
    troubles = [*around.troubles, *unread, *_notes_gone(ctx), *_profile_damaged(ctx), *service.troubles]
    troubles += troubles_in(_signs(found, around), now_ms)
    return replace(found, service=service, troubles=worst_first(troubles))


def _sessions(ctx: AgentContext) -> tuple[list[Session], list[Trouble]]:
    try:
        return list(ctx.transcripts.sessions()), []
    except SourceError as error:
        return [], [Trouble(Health.RED, error.title, error.hint)]


def _notes_gone(ctx: AgentContext) -> list[Trouble]:
    """What the next run stops at, told before it does."""
    try:
        ctx.notes.refuse_if_emptied(notes_known=bool(ctx.ledger.note_texts(1)))
    except MemoryFileError as error:
        return [Trouble(Health.RED, error.title, error.hint)]
    return []


def _profile_damaged(ctx: AgentContext) -> list[Trouble]:
    """Told until the profile is recovered or done without."""
    from totalrecall.memory.profile.document import value_at
    from totalrecall.memory.profile.summary import DAMAGED

    found = ctx.profile.read()
    if found is None or (isinstance(found, dict) and not value_at(found, "meta.damaged")):
        return []
    return [
        Trouble(
            Health.YELLOW,
            DAMAGED,
            "'totalrecall profile recover' puts back what can be understood, --leave goes on without it.",
        )
    ]


def _signs(found: AgentStatus, around: Around) -> Signs:
    ok = [found.last_ok[job].ended_ms for job in READING_JOBS if job in found.last_ok]
    bad = [found.last_bad[job] for job in READING_JOBS if job in found.last_bad]
    worst = max(bad, key=lambda one: one.ended_ms, default=None)
    written_ms, written = _written(around, talks=bool(found.sessions))
    return Signs(
        sessions=found.sessions,
        newest_ms=found.newest_ms,
        noted_to_ms=found.noted_to_ms,
        pending=found.pending,
        set_aside=found.states.get(MessageState.SET_ASIDE, 0),
        known=sum(found.states.values()),
        bad_records=found.bad_records,
        unknown_types=tuple(found.unknown_types),
        written_ms=written_ms,
        written=written,
        last_ok_ms=max(ok, default=0),
        last_bad_ms=worst.ended_ms if worst else 0,
        last_bad_reason=str(worst.numbers.get("reason", "")) if worst else "",
    )


def _written(around: Around, *, talks: bool) -> tuple[int, Path | None]:
    if around.agent_dir is None:
        return 0, None
    # A database without talk that can be read is a new agent's: that it is written to says nothing.
    new = () if talks or around.database is None else (around.database, _wal_of(around.database))
    return newest_written(around.agent_dir, frozenset(new))


def _wal_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _provisional(ctx: AgentContext) -> int:
    return sum(len(ctx.ledger.notes_of(one.marker)) for one in ctx.ledger.provisional())


def _reflections(runs: Sequence[RunRow]) -> Reflections:
    """What the reflections of a week made of the words, and why some of them were refused."""
    kept = [one.numbers for one in runs if one.numbers.get("result") == REWRITTEN]
    return Reflections(
        runs=len(runs),
        words_before=sum(int(one.get("words_before", 0)) for one in kept),
        words_after=sum(int(one.get("words_after", 0)) for one in kept),
        refusals=tuple(_why(one) for one in runs if not one.ok or one.numbers.get("refused")),
    )


def _why(run: RunRow) -> str:
    return str(run.numbers.get("reason", "")) or "no reason told"
