"""Taking back the last reflection: the log as it was before, with what came since."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import StrEnum

from totalrecall.domain.words import count_words
from totalrecall.errors import LedgerError
from totalrecall.files.atomic import FileState, digest_of, read_state
from totalrecall.files.lock import hold
from totalrecall.jobs.close_rewrite import LOCK_NAME, RewriteStep, close_undo, finish_open_reflection
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.deliver import notes_from
from totalrecall.jobs.log_items import hash_of, known_notes
from totalrecall.jobs.reflect_backoff import rest_after_undo
from totalrecall.jobs.rewrite_log import MERGED, free_marker
from totalrecall.ledger.reflection_rows import Departure, ReflectionRow, Swap, Undo
from totalrecall.llm.reflection.types import DropReason
from totalrecall.memory.backups import back_up, backup_folder, new_backup
from totalrecall.memory.observations import notes_in, parse, render_note
from totalrecall.memory.reflected_log import Arrival, Change, Key, entries_in, key_of, rewrite

JOB = "undo"
WAIT_S = 5.0


class UndoResult(StrEnum):
    """How an undo ended. NOTHING: there is no reflection to take back."""

    NOTHING = "nothing"
    PREVIEW = "preview"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class UndoOptions:
    """``dry_run``: show, write nothing; ``passed`` is told each step, and tests crash the process in it."""

    dry_run: bool = False
    wait_s: float = WAIT_S
    passed: Callable[[RewriteStep], None] = lambda _step: None


@dataclass(slots=True)
class UndoReport:
    """What an undo did.

    Attributes:
        agent: whose.
        result: how it ended.
        marker: the reflection that was taken back, ``made_ms`` when it ran.
        returned: notes that are back.
        stayed_out: notes that stay out, because a person changed or removed what they had become.
        exact: the log before the reflection is back byte for byte, with what was appended since.
        words, words_after: words in the log before and after.
        diff: what would change, for a dry run.
    """

    agent: str
    result: UndoResult = UndoResult.NOTHING
    marker: str = ""
    made_ms: int = 0
    returned: int = 0
    stayed_out: int = 0
    exact: bool = False
    words: int = 0
    words_after: int = 0
    diff: str = ""


@dataclass(slots=True)
class _Plan:
    """What an undo makes of the log."""

    text: str
    returning: list[int] = field(default_factory=list)
    exact: bool = False


def undo(ctx: AgentContext, options: UndoOptions | None = None) -> UndoReport:
    """The newest reflection that stands is taken back; called again, the one before it.

    What was appended since stays. Where a person changed or removed a note that the reflection made, that
    stays so, and what it stood for does not return.

    Raises:
        BusyError: a reflection of this agent is at work.
        MemoryFileError: the log is gone, or cannot be written; it is as it was.
    """
    options = options or UndoOptions()
    with hold(ctx.state_dir / LOCK_NAME, wait_s=options.wait_s, command="totalrecall undo"):
        if not options.dry_run:
            finish_open_reflection(ctx, locked=True)
        row = ctx.ledger.last_reflection()
        if row is None:
            return UndoReport(ctx.agent)
        ctx.notes.refuse_if_emptied(notes_known=bool(ctx.ledger.note_texts(1)))
        return _Undoing(ctx, row, options).run()


class _Undoing:
    """One undo, under the reflector's lock of the agent."""

    def __init__(self, ctx: AgentContext, row: ReflectionRow, options: UndoOptions) -> None:
        self._ctx = ctx
        self._row = row
        self._options = options
        self._left = ctx.ledger.departures(row.marker)
        self._made = _made_by(ctx, row.marker)
        self._before = _backup_of(ctx, row)
        self._marker = free_marker(ctx, "undo")
        self._plan = _Plan("")
        self._backup = ""

    def run(self) -> UndoReport:
        """The undo."""
        ctx, row = self._ctx, self._row
        text = ctx.notes.read()
        report = UndoReport(ctx.agent, marker=row.marker, made_ms=row.started_ms, words=count_words(text))
        if self._options.dry_run:
            from difflib import unified_diff

            after = self._anew(text)
            old, new = text.splitlines(), after.splitlines()
            report.diff = "\n".join(unified_diff(old, new, "observations.md", "after", lineterm="", n=1))
            report.result = UndoResult.PREVIEW
            return self._told(report, after)
        started_ms = ctx.now_ms()
        done = self._write()
        report.result = UndoResult.UNDONE
        self._told(report, done.decode("utf-8", "surrogateescape"))
        rest_after_undo(ctx)
        numbers = {
            "returned": report.returned,
            "words_before": report.words,
            "words_after": report.words_after,
        }
        log = ctx.log.logs.event_log("reflector").bind(agent=ctx.agent)
        log.info("undone", reflection=row.marker, **numbers)
        with contextlib.suppress(LedgerError):
            ctx.ledger.record_run(JOB, started_ms, True, numbers, ended_ms=ctx.now_ms())
        return report

    def _told(self, report: UndoReport, after: str) -> UndoReport:
        report.returned = len(self._plan.returning)
        report.stayed_out = len(self._left) - report.returned
        report.exact = self._plan.exact
        report.words_after = count_words(after)
        return report

    def _write(self) -> bytes:
        ctx, passed = self._ctx, self._options.passed
        try:
            done = ctx.notes.rewrite(self._anew, self._ready)
        except BaseException:
            ctx.ledger.discard_undo(self._row.marker)
            raise
        if not done.changed:
            # Nothing of it is left in the log: only the books say so.
            same = digest_of(done.content)
            self._keep_plan(Swap(same, same))
        passed(RewriteStep.IN_PLACE)
        undo = ctx.ledger.open_reflection()
        if undo is not None:
            close_undo(ctx, undo, passed)
        return done.content

    def _ready(self, before: FileState, after: bytes) -> None:
        ctx, passed = self._ctx, self._options.passed
        self._keep_plan(Swap(before.digest, digest_of(after), len(after)))
        passed(RewriteStep.PLANNED)
        folder = backup_folder(ctx.memory_dir)
        self._backup = self._backup or new_backup(folder, ctx.now()).name
        text = (before.content or b"").decode("utf-8", "surrogateescape")
        back_up(folder / self._backup, ctx.screen(text).encode("utf-8", "surrogateescape"), now=ctx.now())
        passed(RewriteStep.BACKED_UP)

    def _keep_plan(self, swap: Swap) -> None:
        plan = Undo(self._marker, swap, tuple(self._plan.returning))
        self._ctx.ledger.plan_undo(self._row.marker, plan, now_ms=self._ctx.now_ms())

    def _anew(self, text: str) -> str:
        self._plan = self._exact(text) or self._merged(text)
        return self._plan.text

    def _exact(self, text: str) -> _Plan | None:
        """The log before the reflection with what was appended since; None when something else changed."""
        swap, content = self._row.swap, text.encode("utf-8", "surrogateescape")
        if self._before is None or digest_of(content[: swap.after_bytes]) != swap.after:
            return None
        old = self._before
        tail = content[swap.after_bytes :].decode("utf-8", "surrogateescape")
        gap = "\n" if tail and old and not old.endswith("\n") and not tail.startswith("\n") else ""
        return _Plan(f"{old}{gap}{tail}", [one.number for one in self._left], exact=True)

    def _merged(self, text: str) -> _Plan:
        """The log as it is, without what the reflection made, and with what returns for it."""
        there = [entry.key for entry in entries_in(text)]
        hashes = {hash_of(key) for key in there}
        standing = {note_id: key for note_id, key in self._made.items() if key in there}
        returning = [one for one in self._left if _returns(one, standing, hashes)]
        arriving = [
            Arrival(one.day, one.line, _time_of(one)) for one in returning
            if key_of(one.day, one.line) not in there
        ]  # fmt: skip
        ours = frozenset(known_notes(self._ctx)) | {key_of(one.day, one.line) for one in self._left}
        change = Change(self._marker, ours, list(standing.values()), arriving)
        return _Plan(rewrite(text, change), [one.number for one in returning])


def _returns(one: Departure, standing: Collection[str], hashes: Collection[bytes]) -> bool:
    """Whether a note comes back: its words are still known, and no person has decided against it since."""
    if not one.line:
        return False
    if one.reason == MERGED:
        return one.into_id in standing
    # Of two that said the same a person took out the one that stayed: the other must not bring it back.
    return one.reason != DropReason.DUPLICATE or one.by_hash in hashes


def _made_by(ctx: AgentContext, marker: str) -> dict[str, Key]:
    """The notes that a reflection made, by the ledger's name, as they stood in the log."""
    rows = [row for row in ctx.ledger.notes_of(marker) if row.text]
    made = {}
    for row in rows:
        if row.parent_id is None:
            unit = [one for one in rows if row.note_id in {one.note_id, one.parent_id}]
            made[row.note_id] = key_of(row.day, render_note(notes_from(unit)[0]))
    return made


def _backup_of(ctx: AgentContext, row: ReflectionRow) -> str | None:
    """The log as it was before a reflection; None when that backup is gone or was cleaned since."""
    state = read_state(backup_folder(ctx.memory_dir) / row.backup)
    if state.content is None or state.digest != row.swap.before:
        return None
    return state.content.decode("utf-8", "surrogateescape")


def _time_of(one: Departure) -> str:
    found = notes_in(parse(one.line))
    return found[0][2].time if found else ""
