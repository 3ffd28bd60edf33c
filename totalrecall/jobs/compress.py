"""From a portion of a transcript to a committed batch: plan, ask the engine, store the answer, deliver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from totalrecall.domain.batch import Batch
from totalrecall.domain.note import Compression, DraftNote, Dropped, Note
from totalrecall.domain.session import SessionKind
from totalrecall.domain.state import MessageState, SkipReason
from totalrecall.errors import BatchRefusedError, BatchTooLargeError, ModelUnreachableError
from totalrecall.jobs.context import AgentContext, Step
from totalrecall.jobs.deliver import deliver
from totalrecall.jobs.gather import Portion, advanced, read_portion
from totalrecall.jobs.streams import session_id_of
from totalrecall.ledger.rows import BatchRow, BatchStatus, SessionRow
from totalrecall.llm.engine import CompressionRequest, Engine
from totalrecall.memory.observations import notes_in, parse, tidy
from totalrecall.transcripts.batch import BatchLimits, PlannedBatch, View, batch_marker

KNOWN_NOTES = 40
RECENT_CHARS = 64_000
# What one call of a model may hold: the prompt, known notes and the answer take their share of the tokens.
PROMPT_TOKENS = 3_000
CHARS_PER_TOKEN = 2.5
MODEL_MESSAGES = 40
MODEL_MIN_CHARS = 2_000
# The extractive engine has no window; larger batches only save writes.
EXTRACTIVE = BatchLimits(messages=400, chars=400_000, message_chars=8_000)
OPEN_TOOLS_MOST = 500
# One message in a talk may be poison; several in a row mean that it is the model.
REFUSED_IN_A_ROW_MOST = 5
KNOWN = "known"


@dataclass(slots=True)
class Settled:
    """What became of the beginning of a portion; ``waits``: look at it again at the next run."""

    engine: str = ""
    batches: int = 0
    messages: int = 0
    notes: int = 0
    set_aside: int = 0
    bad_records: int = 0
    waits: bool = False
    skipped: Counter[SkipReason] = field(default_factory=Counter)


class Compressor:
    """Settles portions for one run of one agent; keeps what the run learns about batch sizes."""

    def __init__(self, ctx: AgentContext) -> None:
        self._ctx = ctx
        self.limits = limits_for(ctx)
        self.sent = ""
        self._most = self.limits.messages
        self._refused_in_a_row = 0

    def settle(self, portion: Portion) -> Settled:
        """Bring the portion's first batch to its commit, or pass over a portion without messages.

        A batch that is too large or is refused is halved; a message that is refused alone is set aside.

        Raises:
            ModelUnreachableError, CeilingError, ConfigError: the messages stay pending.
        """
        most = self._most
        while True:
            limits = replace(self.limits, messages=most)
            planned = portion.planned(limits, self.view(portion))
            if not planned.messages:
                return self._pass_over(portion)
            part = portion.up_to(planned.end)
            try:
                done = self._compress(part, planned, self._ctx.engine_for())
            except (BatchTooLargeError, BatchRefusedError) as error:
                if len(planned.messages) > 1 and most > 1:
                    most = self._most = max(1, min(most, len(planned.messages)) // 2)
                    continue
                return self._give_up_on(part, planned, error)
            self._refused_in_a_row = 0
            # The messages that were hard to get through lie behind: try larger batches again.
            self._most = min(self.limits.messages, most * 2)
            return done

    def has_messages(self, portion: Portion) -> bool:
        """Whether anything in the portion is for an engine."""
        return bool(portion.planned(self.limits, self.view(portion)).messages)

    def stand_in(self, portion: Portion, may_go_on: Callable[[], bool]) -> int:
        """Provisional notes for everything unread from this portion on; the cursor stays. Returns how many.

        By the extractive engine. Messages that have a stand-in already get no second one. ``may_go_on`` is
        asked before each further batch.
        """
        notes = 0
        row: SessionRow | None = portion.row
        while row and (portion := read_portion(self._ctx, portion.session, row, EXTRACTIVE)).entries:
            part, written = self._stand_in(portion)
            notes += written
            row = advanced(self._ctx, part) if may_go_on() else None
        return notes

    def _stand_in(self, portion: Portion) -> tuple[Portion, int]:
        """The first part of the portion, dealt with, and the notes that were written for it."""
        ctx = self._ctx
        covered = {
            row.identity for batch in ctx.ledger.provisional(portion.row.session_id) for row in batch.seen
        }
        entries = [one for one in portion.entries if one.row is None or one.row.identity not in covered]
        fresh = replace(portion, entries=tuple(entries))
        planned = fresh.planned(EXTRACTIVE, self.view(portion))
        if not planned.messages:
            return portion, 0
        part = fresh.up_to(planned.end)
        done = self._compress(part, planned, ctx.emergency_for(), provisional=True)
        return portion.up_to(planned.end), done.notes

    def _compress(
        self, part: Portion, planned: PlannedBatch, engine: Engine, *, provisional: bool = False
    ) -> Settled:
        ctx = self._ctx
        batch = self.batch(part, planned, provisional=provisional)
        session_after = advanced(ctx, part)
        seen = tuple(replace(one, marker=batch.marker) for one in part.seen())
        row = BatchRow(batch.marker, session_after, seen, provisional=provisional, planned_ms=ctx.now_ms())
        ctx.ledger.plan(row)
        ctx.passed(Step.PLANNED)
        try:
            answer = self._screened(engine.compress(self.request(batch)))
        except (BatchTooLargeError, BatchRefusedError):
            ctx.ledger.discard(batch.marker)
            raise
        ctx.passed(Step.MODEL_ASKED)
        if _nothing_survived(answer):
            ctx.ledger.discard(batch.marker)
            if provisional:
                return Settled(engine=engine.name)
            raise BatchRefusedError("The model's answer held nothing that could be kept.")
        ctx.ledger.store_answer(batch.marker, answer, [one.identity for one in planned.messages])
        ctx.passed(Step.ANSWER_STORED)
        self.sent = "\n".join(one.text for one in planned.messages)
        notes = deliver(ctx, batch.marker)
        ctx.log.info(
            "batch_committed",
            session=batch.session_id,
            batch=batch.marker,
            engine=engine.name,
            messages=len(planned.messages),
            notes=notes,
            dropped=len(answer.dropped),
            provisional=provisional,
            tokens_in=answer.usage.tokens_in,
            tokens_out=answer.usage.tokens_out,
        )
        settled = self._counted(part)
        settled.engine, settled.batches, settled.notes = engine.name, 1, notes
        settled.messages = sum(1 for one in part.seen() if one.is_message and one.reason is None)
        return settled

    def batch(self, part: Portion, planned: PlannedBatch, *, provisional: bool = False) -> Batch:
        """What the engine gets to see of the portion."""
        row = part.row
        parts = [one.identity for one in planned.messages]
        parts += [b"provisional"] if provisional else []
        marker = batch_marker(row.session_id, parts)
        while (taken := self._ctx.ledger.batch(marker)) and taken.status is not BatchStatus.PLANNED:
            # Eight hex digits: among some ten thousand batches two come out alike by chance.
            parts.append(b"again")
            marker = batch_marker(row.session_id, parts)
        return Batch(
            marker=marker,
            agent=self._ctx.agent,
            session_id=session_id_of(row.session_id),
            session_key=row.key,
            messages=planned.messages,
            group=row.kind is SessionKind.GROUP,
        )

    def request(self, batch: Batch) -> CompressionRequest:
        """What the engine is asked about the batch."""
        ctx = self._ctx
        return CompressionRequest(batch, recent_notes(ctx), ctx.now(), ctx.settings.language)

    def view(self, portion: Portion) -> View:
        """How the portion's messages are shown to the engine."""
        ctx = self._ctx
        last_ms = portion.row.last_at_ms
        fallback = datetime.fromtimestamp(last_ms / 1000, ctx.zone) if last_ms else ctx.now()
        return View(ctx.zone, ctx.screen, fallback)

    def _screened(self, answer: Compression) -> Compression:
        """The answer as it may be written: screened once more, in the shape that parses back."""
        notes: list[DraftNote] = []
        dropped = list(answer.dropped)
        for draft in answer.notes:
            note = tidy(_map_text(draft.note, self._ctx.screen))
            if note.text:
                notes.append(replace(draft, note=note))
        return replace(
            answer,
            notes=tuple(notes),
            dropped=tuple(Dropped(self._ctx.screen(one.text), one.reason) for one in dropped),
        )

    def _pass_over(self, portion: Portion) -> Settled:
        """Nothing here is for the engine: skipped entries and the cursor are booked together.

        Tool calls at the end of a talk that goes on wait for the words that follow them, so that a failed
        command is told with what it was for.
        """
        part = portion if self._is_over(portion) else portion.before_open_tools()
        if not part.entries:
            return Settled(waits=True)
        settled_rows = [
            one
            if one.state is not MessageState.PENDING
            else replace(one, state=MessageState.SKIPPED, reason=SkipReason.SILENT)
            for one in part.seen()
        ]
        self._ctx.ledger.pass_over(advanced(self._ctx, part), settled_rows)
        return self._counted(part)

    def _is_over(self, portion: Portion) -> bool:
        quiet_ms = self._ctx.now_ms() - portion.session.modified_ms
        long = len(portion.entries) > OPEN_TOOLS_MOST
        return portion.session.ended or long or quiet_ms > self._ctx.settings.quiet_min * 60_000

    def _give_up_on(
        self, part: Portion, planned: PlannedBatch, error: BatchTooLargeError | BatchRefusedError
    ) -> Settled:
        """Set the message aside, unless the model is of no use for any: then everything stays pending."""
        self._refused_in_a_row += 1
        if self._refused_in_a_row > REFUSED_IN_A_ROW_MOST:
            raise ModelUnreachableError(
                f"No message gets a usable answer: {error.title}",
                "Set another OBSERVER_MODEL. Messages stay pending.",
            )
        return self._set_aside(part, planned, error.title)

    def _set_aside(self, part: Portion, planned: PlannedBatch, why: str) -> Settled:
        ctx = self._ctx
        batch = self.batch(part, planned)
        ctx.ledger.plan(BatchRow(batch.marker, advanced(ctx, part), part.seen(), planned_ms=ctx.now_ms()))
        ctx.ledger.set_aside(batch.marker, why, ctx.now_ms())
        ctx.log.warning("batch_set_aside", session=batch.session_id, batch=batch.marker, reason=why)
        settled = self._counted(part)
        settled.set_aside = sum(1 for one in part.seen() if one.is_message and one.reason is None)
        return settled

    def _counted(self, part: Portion) -> Settled:
        settled = Settled(bad_records=part.bad_records)
        settled.skipped.update(one.reason for one in part.seen() if one.is_message and one.reason is not None)
        return settled


def limits_for(ctx: AgentContext) -> BatchLimits:
    """How much goes into one batch with the engine that is set."""
    if not ctx.settings.uses_model:
        return EXTRACTIVE
    chars = int((ctx.settings.tokens_per_call - PROMPT_TOKENS) * CHARS_PER_TOKEN)
    return BatchLimits(messages=MODEL_MESSAGES, chars=max(MODEL_MIN_CHARS, chars))


def recent_notes(ctx: AgentContext) -> Sequence[Note]:
    """The newest notes of the file, a person's own among them: "already recorded".

    Those of a stand-in are not among them: it goes when its messages are noted, and they must be noted then.
    """
    text = ctx.notes.read()
    room = RECENT_CHARS
    while True:
        # From a heading on, and no more of a long log than is needed: it is read before every batch.
        start = text.find("\nDate: ", len(text) - room) + 1 if room < len(text) else 0
        lines = parse(text[start:]) if start or room >= len(text) else ()
        notes = [note for _, line, note in notes_in(lines) if not line.provisional]
        if len(notes) >= KNOWN_NOTES or room >= len(text):
            return notes[-KNOWN_NOTES:]
        room *= 4


def _map_text(note: Note, change: Callable[[str], str]) -> Note:
    children = tuple(_map_text(child, change) for child in note.children)
    return replace(note, text=change(note.text), children=children)


def _nothing_survived(answer: Compression) -> bool:
    if answer.notes or answer.nothing_notable:
        return False
    reasons = {one.reason for one in answer.dropped}
    return reasons != {KNOWN}
