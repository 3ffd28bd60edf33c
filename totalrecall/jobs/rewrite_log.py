"""Bringing a reflector's answer into the log: whoever edits it meanwhile wins, and a crash loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from totalrecall.domain.note import Note
from totalrecall.domain.words import count_words
from totalrecall.files.atomic import FileState, digest_of
from totalrecall.jobs.close_rewrite import RewriteStep, close_books
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.log_items import (
    Holding,
    LogItem,
    anchor_of,
    hash_of,
    holding,
    known_notes,
    reasons_of,
)
from totalrecall.ledger.reflection_rows import Departure, Merger, ReflectionPlan, Swap
from totalrecall.llm.reflection.types import Reflection
from totalrecall.memory.backups import back_up, backup_folder, new_backup
from totalrecall.memory.observations import markers_in, render_note, tidy
from totalrecall.memory.reflected_log import Arrival, Change, rewrite

MERGED = "merged"
Numbers = Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rewrite did to the log; ``numbers`` as they are kept for the history."""

    before: str
    after: str
    numbers: Numbers


class ReflectedRewrite:
    """Brings one answer of a reflector into the log.

    Args:
        ctx: the agent.
        items: the notes that were asked about.
        answer: what becomes of them.
        marker: of the blocks that are written.
        started_ms: when the run began.
    """

    def __init__(
        self, ctx: AgentContext, items: Sequence[LogItem], answer: Reflection, *, marker: str, started_ms: int
    ) -> None:
        self._ctx = ctx
        self._items = items
        self._answer = _screened(ctx, answer)
        self._marker = marker
        self._started_ms = started_ms
        self._holds = Holding((), (), 0)
        self._backup = ""

    def anew(self, text: str) -> str:
        """The log ``text`` after what of the answer holds for it."""
        self._holds = holds = holding(self._items, self._answer, text)
        numbers = [number for one in holds.merged for number in one.stands_for]
        numbers += [one.number for one in holds.dropped]
        leaving = [self._items[number - 1].entry.key for number in numbers]
        arriving = [Arrival(one.note.day, render_note(one.note), one.note.time) for one in holds.merged]
        return rewrite(text, Change(self._marker, frozenset(known_notes(self._ctx)), leaving, arriving))

    def write(self, passed: Callable[[RewriteStep], None]) -> Outcome | None:
        """The log is rewritten and the books are closed; None when nothing of the answer holds any more.

        Raises:
            MemoryFileError: the file, its backup or the archive cannot be written. Nothing is lost: either
                the log is as it was, or the next run closes the books.
        """
        ctx, outcome = self._ctx, None

        def ready(before: FileState, after: bytes) -> None:
            nonlocal outcome
            outcome = self._prepare(before, after, passed)

        try:
            done = ctx.notes.rewrite(self.anew, ready)
        except BaseException:
            ctx.ledger.discard_reflection(self._marker)
            raise
        if not done.changed or outcome is None:
            ctx.ledger.discard_reflection(self._marker)
            return None
        passed(RewriteStep.IN_PLACE)
        close_books(ctx, self._marker, passed)
        return outcome

    def outcome(self, before: str, after: str) -> Outcome:
        """The numbers of a rewrite from ``before`` to ``after``."""
        holds, answer = self._holds, self._answer
        numbers: dict[str, int | float | str] = {
            "words_before": count_words(before),
            "words_after": count_words(after),
            "notes": len(self._items),
            "merged": sum(len(one.stands_for) for one in holds.merged),
            "into": len(holds.merged),
            "lapsed": holds.lapsed,
            "refused": len(answer.refusals),
            "calls": answer.usage.calls,
            "tokens_in": answer.usage.tokens_in,
            "tokens_out": answer.usage.tokens_out,
        }
        if answer.usage.cost_usd is not None:
            numbers["cost_usd"] = answer.usage.cost_usd
        if answer.refusals:
            numbers["refusals"] = "; ".join(one.sentence for one in answer.refusals[:3])
        numbers |= {f"dropped_{reason.value}": times for reason, times in reasons_of(holds).items()}
        return Outcome(before, after, numbers)

    def _prepare(self, before: FileState, after: bytes, passed: Callable[[RewriteStep], None]) -> Outcome:
        ctx = self._ctx
        folder = backup_folder(ctx.memory_dir)
        self._backup = self._backup or new_backup(folder, ctx.now()).name
        old = _decoded(before.content or b"")
        outcome = self.outcome(old, _decoded(after))
        plan = ReflectionPlan(
            marker=self._marker,
            started_ms=self._started_ms,
            engine=self._answer.engine,
            swap=Swap(before.digest, digest_of(after), len(after)),
            departures=tuple(self._departures()),
            mergers=tuple(self._mergers()),
            backup=self._backup,
            usage=self._answer.usage,
            numbers=outcome.numbers,
        )
        ctx.ledger.plan_reflection(plan)
        passed(RewriteStep.PLANNED)
        # Screened like everything that is written: a secret that a person put into the log does not spread.
        copy = ctx.screen(old).encode("utf-8", "surrogateescape")
        back_up(folder / self._backup, copy, now=ctx.now())
        passed(RewriteStep.BACKED_UP)
        return outcome

    def _departures(self) -> list[Departure]:
        holds = self._holds
        by_number = {one.number: one for one in self._items}
        found = [_departure(by_number[number], MERGED) for one in holds.merged for number in one.stands_for]
        for one in holds.dropped:
            departure = _departure(by_number[one.number], one.reason.value)
            if one.by is not None:
                departure = replace(departure, by_hash=hash_of(anchor_of(one.number, holds, by_number)))
            found.append(departure)
        return found

    def _mergers(self) -> list[Merger]:
        mergers = []
        for one in self._holds.merged:
            rows = [row for number in one.stands_for if (row := self._items[number - 1].known) is not None]
            cites = tuple(dict.fromkeys(cite for row in rows for cite in row.cites))
            verified = all(row.verified for row in rows)
            mergers.append(Merger(one.note, one.stands_for, cites, verified))
        return mergers


def free_marker(ctx: AgentContext, *parts: str) -> str:
    """A marker that stands neither in the ledger nor in the log."""
    taken = markers_in(ctx.notes.read())
    number = 0
    while True:
        said = "\n".join((ctx.agent, str(ctx.now_ms()), str(number), *parts))
        marker = digest_of(said.encode("utf-8", "surrogateescape"))[:8]
        if marker not in taken and ctx.ledger.batch(marker) is None:
            return marker
        number += 1


def _departure(item: LogItem, reason: str) -> Departure:
    entry, known = item.entry, item.known
    day = entry.day or entry.note.day
    return Departure(item.number, known.note_id if known else "", day, entry.key[1], entry.marker, reason)


def _screened(ctx: AgentContext, answer: Reflection) -> Reflection:
    """The answer with its new notes screened once more, in the shape that parses back."""
    merged = tuple(
        replace(one, note=note) for one in answer.merged if (note := tidy(_screen_note(ctx, one.note))).text
    )
    return replace(answer, merged=merged)


def _screen_note(ctx: AgentContext, note: Note) -> Note:
    children = tuple(_screen_note(ctx, child) for child in note.children)
    return replace(note, text=ctx.screen(note.text), children=children)


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
