"""Task snapshots: what an agent resumes from after its talk was cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from totalrecall.domain.boundary import Boundary, BoundaryKind
from totalrecall.domain.session import SessionKind
from totalrecall.domain.snapshot import Phase, TaskPicture, each_text
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.files.lock import hold
from totalrecall.jobs.context import OBSERVED_KINDS, AgentContext
from totalrecall.jobs.snapshot_handover import drop_handover, hand_over, is_of, keep_owner
from totalrecall.jobs.task_picture import Drawn, draw, has_state
from totalrecall.jobs.task_talk import Where, recent_talk
from totalrecall.memory.snapshot_words import tidy
from totalrecall.memory.snapshots import StoredSnapshot, add_snapshot, newest_snapshots

APART = timedelta(minutes=10)
# A cut that is found later than this is history: what is resumed then is the newest snapshot there is.
STALE = timedelta(hours=24)
_SECOND_MS = 999
LOCK_NAME = "snapshot.lock"
LOCK_WAIT_S = 10.0
LAST_AUTOMATIC = "snapshot.automatic_ms"


class SnapshotResult(StrEnum):
    """What became of it."""

    SAVED = "saved"
    NOTHING_TO_KEEP = "nothing_to_keep"
    NOTHING_NEW = "nothing_new"
    TOO_SOON = "too_soon"
    TOO_LATE = "too_late"


@dataclass(frozen=True, slots=True)
class SnapshotOutcome:
    """How a snapshot went.

    Attributes:
        result: what became of it.
        stored: where it stands, when it was saved.
        engine: ``llm``, ``extractive``, ``given`` or "" when nothing had to be made.
        fallback: why the rules worked instead of the model, "" when they did not.
        picture: what was or would be saved.
    """

    result: SnapshotResult
    stored: StoredSnapshot | None = None
    engine: str = ""
    fallback: str = ""
    picture: TaskPicture | None = None


def snapshot_at(ctx: AgentContext, boundary: Boundary) -> SnapshotOutcome:
    """A snapshot of the task as it was where the talk was cut, with the time of the cut, if there is a task.

    After a compaction any state is worth one; after the end of a session only what was left open.

    Raises:
        MemoryFileError: the day's log cannot be written.
        SourceError: the transcript cannot be read.
    """
    kind = boundary.session_kind
    if kind not in OBSERVED_KINDS or kind is SessionKind.GROUP:
        return SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP)
    now = ctx.now()
    at = now if boundary.at_ms is None else _local(ctx, boundary.at_ms)
    if now - at > STALE:
        return SnapshotOutcome(SnapshotResult.TOO_LATE)
    ended = boundary.kind is BoundaryKind.ENDED
    # The name of a closed file tells the second in which it was closed, and its last message may be of that.
    until_ms = boundary.at_ms if boundary.at_ms is None or not ended else boundary.at_ms + _SECOND_MS
    talk = recent_talk(ctx, Where(boundary.session_id, until_ms))
    done = _automatic(ctx, talk, boundary.key, min(at, now), only_open=ended)
    if ended and done.result is SnapshotResult.NOTHING_TO_KEEP:
        drop_handover(ctx, boundary.key)
    else:
        hand_over(ctx, boundary.key, done.stored)
    return done


def snapshot_before_compaction(ctx: AgentContext) -> SnapshotOutcome:
    """A snapshot of the task as it is now, because the agent is about to compact its context."""
    talk = recent_talk(ctx)
    done = _automatic(ctx, talk, talk.key, ctx.now(), only_open=False)
    hand_over(ctx, talk.key, done.stored)
    return done


def snapshot_now(ctx: AgentContext, *, dry_run: bool = False) -> SnapshotOutcome:
    """A snapshot of the newest talk because somebody asked for one; none when the talk holds no state."""
    talk = recent_talk(ctx)
    last = next(iter(newest_snapshots(ctx.memory_dir, zone=ctx.zone)), None)
    drawn = draw(ctx, talk, last.snapshot.picture if last and is_of(ctx, last, talk.key) else None)
    if not has_state(talk, drawn.picture):
        return SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP, engine=drawn.engine, fallback=drawn.fallback)
    done = _outcome(ctx, drawn, ctx.now(), dry_run=dry_run)
    if done.stored is not None:
        keep_owner(ctx, done.stored, talk.key)
    return done


def snapshot_of(ctx: AgentContext, picture: TaskPicture, *, dry_run: bool = False) -> SnapshotOutcome:
    """A snapshot of what the agent or the user says themselves, screened."""
    if picture.phase is None:
        picture = replace(picture, phase=Phase.IMPLEMENTING if picture.files else Phase.PLANNING)
    return _outcome(ctx, Drawn(each_text(picture, ctx.screen), "given"), ctx.now(), dry_run=dry_run)


def _automatic(
    ctx: AgentContext, talk: TaskTalk, key: str, at: datetime, *, only_open: bool
) -> SnapshotOutcome:
    last = next(iter(newest_snapshots(ctx.memory_dir, zone=ctx.zone)), None)
    own = last if last is not None and is_of(ctx, last, key) else None
    # What ended with nothing open leaves none, also right after another snapshot.
    if only_open and not _is_open(talk):
        return SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP)
    if why := _none_because(ctx, talk, own, at):
        return SnapshotOutcome(why)
    # The last picture of another session is another task's.
    drawn = draw(ctx, talk, own.snapshot.picture if own else None)
    none = SnapshotOutcome(SnapshotResult.NOTHING_TO_KEEP, engine=drawn.engine, fallback=drawn.fallback)
    if not has_state(talk, drawn.picture):
        return none
    if last is not None and tidy(drawn.picture) == last.snapshot.picture:
        return replace(none, result=SnapshotResult.NOTHING_NEW)
    # A model may have taken its time, and another process been quicker.
    with hold(ctx.state_dir / LOCK_NAME, wait_s=LOCK_WAIT_S, command="totalrecall snapshot"):
        if _too_soon(ctx, at):
            return replace(none, result=SnapshotResult.TOO_SOON)
        done = _outcome(ctx, drawn, at)
        _remember(ctx, at)
    if done.stored is not None:
        keep_owner(ctx, done.stored, key)
    return done


def _none_because(
    ctx: AgentContext, talk: TaskTalk, own: StoredSnapshot | None, at: datetime
) -> SnapshotResult | None:
    """Why nothing has to be drawn; ``own`` is the newest snapshot if it may be of this talk."""
    if _too_soon(ctx, at):
        return SnapshotResult.TOO_SOON
    if not talk.messages:
        return SnapshotResult.NOTHING_TO_KEEP
    if own is not None and not _newer(talk, own.snapshot.taken, ctx.now()):
        return SnapshotResult.NOTHING_NEW
    return None


def _is_open(talk: TaskTalk) -> bool:
    """An open next step, a failing last command or an unanswered request."""
    from totalrecall.llm.extractive.task_state import picture_by_rules

    return bool(picture_by_rules(talk).next_steps)


def _too_soon(ctx: AgentContext, at: datetime) -> bool:
    last_ms = int(ctx.ledger.get(LAST_AUTOMATIC) or 0)
    return bool(last_ms) and abs(_ms(at) - last_ms) < APART.total_seconds() * 1000


def _remember(ctx: AgentContext, at: datetime) -> None:
    """A cut that was found late does not open the way for the next one; a clock that was set back does."""
    last_ms = int(ctx.ledger.get(LAST_AUTOMATIC) or 0)
    newest_ms = max(_ms(at), last_ms if last_ms <= ctx.now_ms() else 0)
    ctx.ledger.set(LAST_AUTOMATIC, str(newest_ms))


def _outcome(ctx: AgentContext, drawn: Drawn, at: datetime, *, dry_run: bool = False) -> SnapshotOutcome:
    picture = tidy(drawn.picture)
    if dry_run:
        return SnapshotOutcome(SnapshotResult.SAVED, None, drawn.engine, drawn.fallback, picture)
    stored = add_snapshot(ctx.memory_dir, picture, at, ctx.notes.lock_path)
    ctx.log.info("snapshot_saved", engine=drawn.engine, snapshot=stored.snapshot.snapshot_id)
    return SnapshotOutcome(SnapshotResult.SAVED, stored, drawn.engine, drawn.fallback, picture)


def _newer(talk: TaskTalk, taken: datetime, now: datetime) -> bool:
    """Whether anything was said or done since; ``taken`` is local time in whole seconds.

    A time that lies ahead, which an agent wrote in another zone, says nothing.
    """
    if talk.last_at is None or taken > now.replace(tzinfo=None):
        return True
    return talk.last_at.replace(tzinfo=None, microsecond=0) > taken


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _local(ctx: AgentContext, at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(ctx.zone)
