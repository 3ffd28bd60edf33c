"""``SESSION_STATE.md``: kept up from the transcripts, without touching what the agent wrote later."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from totalrecall.domain.session_state import SessionState
from totalrecall.domain.task_talk import TaskTalk
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.state_draw import DrawnState, draw_state
from totalrecall.jobs.state_edit import diff_of, screened, state_file, state_in
from totalrecall.jobs.state_talk import Found, talk_for
from totalrecall.jobs.task_picture import has_state
from totalrecall.memory.session_state import StateFile, StateRead
from totalrecall.memory.session_state_check import STALE
from totalrecall.memory.session_state_format import Changes, Unreadable

# Where a file is old and the talk tells nothing, it is not looked at again in every run.
LOOK_AGAIN_MS = 3_600_000
LAST_LOOK = "state.looked_ms"
_DRAWN = ("project", "task", "status", "last_action", "next_steps")


class RefreshResult(StrEnum):
    """What became of a refresh."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EDITED_LATER = "edited_later"
    NOTHING_TO_TELL = "nothing_to_tell"
    UNREADABLE = "unreadable"
    NOT_DUE = "not_due"


@dataclass(frozen=True, slots=True)
class RefreshOptions:
    """How to refresh.

    Attributes:
        project: the name of ``state/NAME.md``; "" for ``SESSION_STATE.md``.
        dry_run: show what would change, and write nothing.
        force: also over a newer edit.
        query: words that the talk should hold, "" for the newest talk.
        limit: look at so many messages at most.
        min_score: with ``query``: the share of its words that a message must hold to count.
    """

    project: str = ""
    dry_run: bool = False
    force: bool = False
    query: str = ""
    limit: int = 80
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """How a refresh went.

    Attributes:
        result: what became of it.
        path: the file.
        state: what the file says afterwards, or would; None when it cannot be read or there is none.
        diff: what changed or would change, as a unified diff, line by line.
        engine: ``llm``, ``extractive`` or "" when nothing was made.
        fallback: why the rules worked instead of the model, "" when they did not.
        snippets: how many messages it stands on.
        top_source: the transcript they stand in, "".
        trouble: why the file cannot be read, None when it can.
        copy: where its bytes were put aside then.
    """

    result: RefreshResult
    path: Path
    state: SessionState | None = None
    diff: tuple[str, ...] = field(default=())
    engine: str = ""
    fallback: str = ""
    snippets: int = 0
    top_source: str = ""
    trouble: Unreadable | None = None
    copy: Path | None = None


def refresh(ctx: AgentContext, options: RefreshOptions | None = None) -> RefreshOutcome:
    """The state as the transcripts tell it, unless somebody edited it after the user's last message.

    No lock is held while the picture is drawn; an edit that was made meanwhile wins.

    Raises:
        ConfigError: the project's name is none.
        MemoryFileError: the file cannot be read or written; it is as it was.
        SourceError: a transcript cannot be read.
    """
    options = options or RefreshOptions()
    file = state_file(ctx, options.project)
    before = file.read()
    if isinstance(before.parts, Unreadable):
        return unreadable(ctx, file, before, dry_run=options.dry_run)
    found = talk_for(ctx, options.query, options.limit, options.min_score)
    kept = _kept(before, found)
    if not options.force and _is_newer(before, found.talk, ctx.now()):
        return replace(kept, result=RefreshResult.EDITED_LATER)
    drawn = draw_state(ctx, found.talk, before.state)
    if not has_state(found.talk, drawn.picture):
        return replace(kept, result=RefreshResult.NOTHING_TO_TELL)
    return _write(ctx, file, (found, drawn, before), options)


def refresh_if_due(ctx: AgentContext, *, session_ended: bool = False) -> RefreshOutcome:
    """The refresh that the service makes after a session ended, and when the file is older than a day.

    A file that is not there is made after the end of a session that left a task.
    """
    file = state_file(ctx)
    not_due = RefreshOutcome(RefreshResult.NOT_DUE, file.path)
    if not session_ended:
        try:
            age = ctx.now() - datetime.fromtimestamp(file.path.stat().st_mtime, UTC)
        except OSError:
            return not_due
        now_ms = ctx.now_ms()
        if age < STALE or now_ms - int(ctx.ledger.get(LAST_LOOK) or 0) < LOOK_AGAIN_MS:
            return not_due
        ctx.ledger.set(LAST_LOOK, str(now_ms))
    done = refresh(ctx)
    ctx.log.info("state_refreshed", result=str(done.result), engine=done.engine)
    return done


def unreadable(
    ctx: AgentContext, file: StateFile, read: StateRead, *, dry_run: bool = False
) -> RefreshOutcome:
    """The file is left alone, and its bytes lie beside it, too."""
    trouble = read.parts if isinstance(read.parts, Unreadable) else None
    copy = None if dry_run else file.set_aside(read, ctx.now())
    return RefreshOutcome(RefreshResult.UNREADABLE, read.path, trouble=trouble, copy=copy)


def _write(
    ctx: AgentContext,
    file: StateFile,
    made: tuple[Found, DrawnState, StateRead],
    options: RefreshOptions,
) -> RefreshOutcome:
    found, drawn, seen = made
    wanted = screened(ctx, {name: getattr(drawn.state, name) for name in _DRAWN})

    def changes(now: StateRead) -> Changes | None:
        edited = now.content.digest != seen.content.digest
        if edited and not options.force and _is_newer(now, found.talk, ctx.now()):
            return None
        return {**wanted, "updated": _stamp(ctx)}

    done = file.write(changes, dry_run=options.dry_run)
    if isinstance(done, StateRead):
        if isinstance(done.parts, Unreadable):
            return unreadable(ctx, file, done, dry_run=options.dry_run)
        return replace(_kept(done, found), result=RefreshResult.EDITED_LATER)
    same = all(getattr(done.before.state, name) == value for name, value in wanted.items())
    return RefreshOutcome(
        RefreshResult.UNCHANGED if same and done.before.exists else RefreshResult.WRITTEN,
        file.path,
        state=state_in(done.after),
        diff=diff_of(done),
        engine=drawn.engine,
        fallback=drawn.fallback,
        snippets=found.snippets,
        top_source=found.talk.source,
    )


def _kept(before: StateRead, found: Found) -> RefreshOutcome:
    return RefreshOutcome(
        RefreshResult.UNCHANGED,
        before.path,
        state=before.state if before.exists else None,
        snippets=found.snippets,
        top_source=found.talk.source,
    )


def _is_newer(read: StateRead, talk: TaskTalk, now: datetime) -> bool:
    """Whether the file was edited after the user spoke last: then it knows more than the talk tells."""
    edited = read.edited_at(now) if read.exists else None
    return edited is not None and talk.user_at is not None and edited >= talk.user_at


def _stamp(ctx: AgentContext) -> str:
    return f"{ctx.now().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
