"""Closing the books of a rewrite of the log, also for a run that a crash cut short.

The order of a rewrite: what is to happen into the ledger → backup → the file takes its place → archive → the
ledger's commit. If the file of a run that was cut short has taken its place, what left goes to the archive,
and the books are closed; else the plan is forgotten and the log stands as it stood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import IntEnum

from totalrecall.errors import BusyError, MemoryFileError
from totalrecall.files.atomic import FileState, read_state
from totalrecall.files.lock import hold
from totalrecall.jobs.context import AgentContext
from totalrecall.ledger.reflection_rows import Departure, ReflectionRow, ReflectionStatus, Swap
from totalrecall.memory.archive import ArchivedNote, archive, archive_folder, archive_return
from totalrecall.memory.observations import markers_in
from totalrecall.memory.reflected_log import Key, entries_in, key_of

LOCK_NAME = "reflect.lock"


class RewriteStep(IntEnum):
    """The numbered steps of a rewrite. A crash right after any of them loses nothing."""

    ANSWERED = 1
    PLANNED = 2
    BACKED_UP = 3
    IN_PLACE = 4
    ARCHIVED = 5
    COMMITTED = 6


def close_books(ctx: AgentContext, marker: str, passed: Callable[[RewriteStep], None]) -> None:
    """What left the log with a reflection is in the archive, and the ledger knows it, once.

    Raises MemoryFileError: the next run tries again.
    """
    at = ctx.now()
    left = [_archived(ctx, one, marker, at) for one in ctx.ledger.departures(marker)]
    try:
        archive(archive_folder(ctx.memory_dir), left)
    except MemoryFileError as error:
        raise _not_archived(error) from error
    passed(RewriteStep.ARCHIVED)
    ctx.ledger.commit_reflection(marker, now_ms=ctx.now_ms())
    passed(RewriteStep.COMMITTED)


def close_undo(ctx: AgentContext, row: ReflectionRow, passed: Callable[[RewriteStep], None]) -> None:
    """What an undo brought back is so in archive and ledger, once. Raises MemoryFileError."""
    if row.undo is not None:
        folder = archive_folder(ctx.memory_dir)
        try:
            archive_return(folder, ctx.now(), row.marker, row.undo.returning, ctx.agent)
        except MemoryFileError as error:
            raise _not_archived(error) from error
        passed(RewriteStep.ARCHIVED)
    ctx.ledger.commit_undo(row.marker, now_ms=ctx.now_ms())
    passed(RewriteStep.COMMITTED)


def finish_open_reflection(ctx: AgentContext, *, locked: bool = False) -> None:
    """Bring a reflection or an undo that a crash cut short to its end, or forget it; mostly nothing to do.

    ``locked``: the caller holds the reflector's lock, and learns of a file that cannot be written. Else one
    that is at work just now is left alone, and what cannot be done keeps nobody from other work.
    """
    if ctx.ledger.open_reflection() is None:
        return
    if locked:
        _finish(ctx)
        return
    try:
        with hold(ctx.state_dir / LOCK_NAME):
            _finish(ctx)
    except BusyError:
        return
    except MemoryFileError as error:
        log = ctx.log.logs.event_log("reflector").bind(agent=ctx.agent)
        log.warning("reflection_unfinished", reason=error.title)


def _finish(ctx: AgentContext) -> None:
    row = ctx.ledger.open_reflection()
    if row is None:
        return
    left = ctx.ledger.departures(row.marker)
    state = read_state(ctx.notes.path)
    if row.status is ReflectionStatus.PLANNED:
        gone = [key_of(one.day, one.line) for one in left]
        if _took_place(state, row.swap, row.marker, gone, present=False):
            close_books(ctx, row.marker, _nothing)
        else:
            ctx.ledger.discard_reflection(row.marker)
    elif row.undo is not None:
        back = [key_of(one.day, one.line) for one in left if one.number in row.undo.returning]
        if _took_place(state, row.undo.swap, row.undo.marker, back, present=True):
            close_undo(ctx, row, _nothing)
        else:
            ctx.ledger.discard_undo(row.marker)


def _took_place(state: FileState, swap: Swap, marker: str, moved: Sequence[Key], *, present: bool) -> bool:
    """Whether the new file has stood there, also when somebody edited it since.

    Its digest tells, else its marker. Without both, what left must be gone, or what came back be there.
    """
    if state.digest in {swap.before, swap.after}:
        return state.digest == swap.after
    text = _decoded(state.content or b"")
    if marker in markers_in(text):
        return True
    there = Counter(entry.key for entry in entries_in(text))
    return bool(moved) and all((there[key] > 0) is present for key in moved)


def _archived(ctx: AgentContext, one: Departure, marker: str, at: datetime) -> ArchivedNote:
    note_ids = (one.note_id,) if one.note_id else ()
    line = ctx.screen(one.line)
    return ArchivedNote(
        at, one.reason, line, one.day, note_ids, one.block, one.into_id, marker, one.number, ctx.agent
    )


def _not_archived(error: MemoryFileError) -> MemoryFileError:
    """The same, with what is true by now: the log has changed, only the archive has not."""
    hint = (
        "The log is rewritten already. What left it is kept in the ledger until the archive can be written."
    )
    return MemoryFileError(error.title, f"{hint} Make room for it, then run 'totalrecall reflect'.")


def _nothing(_step: RewriteStep) -> None:
    """Nobody watches a run that is only brought to its end."""


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
