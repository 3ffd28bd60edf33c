"""How the reflector is to run, and what a run did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from totalrecall.errors import TotalRecallError
from totalrecall.jobs.close_rewrite import RewriteStep
from totalrecall.jobs.reflect_backoff import Backoff

WAIT_S = 5.0


class Result(StrEnum):
    """How a run ended. SMALL: the log is under the threshold. RESTING: a back-off is running."""

    SMALL = "small"
    RESTING = "resting"
    UNCHANGED = "unchanged"
    REWRITTEN = "rewritten"
    PREVIEW = "preview"
    REFUSED = "refused"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class ReflectOptions:
    """How to run.

    Attributes:
        force: also under the threshold and while a back-off is running.
        dry_run: ask, show what would change, and write nothing to the log.
        deadline_ms: nothing is begun after this time; None for no limit.
        wait_s: how long to wait for another reflection of this agent.
        passed: told each step of the rewrite; tests crash the process in it.
    """

    force: bool = False
    dry_run: bool = False
    deadline_ms: int | None = None
    wait_s: float = WAIT_S
    passed: Callable[[RewriteStep], None] = lambda _step: None


@dataclass(slots=True)
class ReflectReport:
    """What a run did.

    Attributes:
        agent: whose.
        result: how it ended.
        words: words in the log before, and ``words_after`` afterwards.
        threshold: ``REFLECTOR_WORD_THRESHOLD``.
        numbers: notes merged, dropped by reason, tokens, cost; as ``notes --history`` shows them.
        refusals: why answers were refused, without words of notes.
        rest: the back-off that is running now.
        diff: what would change, for a dry run.
        marker: of the blocks that were written, "".
        blocked: why no answer came.
    """

    agent: str
    result: Result = Result.SMALL
    words: int = 0
    words_after: int = 0
    threshold: int = 0
    engine: str = ""
    numbers: dict[str, int | float | str] = field(default_factory=dict)
    refusals: tuple[str, ...] = ()
    rest: Backoff | None = None
    diff: str = ""
    marker: str = ""
    blocked: TotalRecallError | None = None
