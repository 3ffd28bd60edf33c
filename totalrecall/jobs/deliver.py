"""From a stored answer to committed notes: the second half of a batch, also after a crash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from totalrecall.domain.note import Note
from totalrecall.errors import LedgerError
from totalrecall.files.atomic import replace as replace_file
from totalrecall.jobs.context import AgentContext, Step
from totalrecall.ledger.mirror import Mirror, Unreadable, read_mirror, write_mirror
from totalrecall.ledger.rows import BatchRow, BatchStatus, NoteRow
from totalrecall.memory.observations import render_block

LAST_WRITTEN = "last_written"
TAKING_PLACE = "taking_place"


def deliver(ctx: AgentContext, marker: str) -> int:
    """The batch is committed afterwards and its notes stand in the file once; returns how many there are.

    Order: the block into the file, the mirror beside it, the commit. A crash between any two is made good by
    calling this again.

    Raises:
        MemoryFileError: the file cannot be written. The answer is kept and nothing is committed.
    """
    batch = ctx.ledger.batch(marker)
    if batch is None or batch.status not in {BatchStatus.GENERATED, BatchStatus.WRITING}:
        raise LedgerError(f"Batch {marker} has no answer to deliver.", "Run 'totalrecall doctor'.")
    notes = notes_from(ctx.ledger.notes_of(marker))
    block = render_block(marker, notes, provisional=batch.provisional)
    stand_ins = () if batch.provisional else ctx.ledger.would_replace(marker)
    if block or stand_ins:
        _write(ctx, batch, block, stand_ins)
    _mirror(ctx, marker)
    ctx.passed(Step.MIRRORED)
    now_ms = ctx.now_ms()
    if batch.provisional:
        ctx.ledger.commit_provisional(marker, now_ms=now_ms)
    else:
        ctx.ledger.commit(marker, now_ms=now_ms)
        ctx.ledger.drop_provisional(stand_ins)
    ctx.passed(Step.COMMITTED)
    return len(notes)


def write_run_marks(ctx: AgentContext, sent: str) -> None:
    """``.observer-last-run`` and ``.observer-last-hash``, for scripts that read them; we never do."""
    marks = {
        ".observer-last-run": str(ctx.now_ms() // 1000),
        # MD5 is what the format says; nothing is protected by it.
        ".observer-last-hash": hashlib.md5(
            sent.encode("utf-8", "replace"), usedforsecurity=False
        ).hexdigest(),
    }
    for name, value in marks.items():
        if name == ".observer-last-run" or sent:
            replace_file(ctx.memory_dir / name, f"{value}\n".encode(), expected=None)


def save_mirror(ctx: AgentContext) -> None:
    """Put the ledger's present state into the mirror."""
    _mirror(ctx, "")


def remove_stand_ins(ctx: AgentContext) -> None:
    """Take out the provisional blocks whose messages all have notes of their own by now, after a crash."""
    covered = ctx.ledger.would_replace("")
    if covered:
        ctx.notes.add("", "", instead_of=_blocks(ctx, covered))
        ctx.ledger.drop_provisional(covered)


def notes_from(rows: Sequence[NoteRow]) -> list[Note]:
    """The notes of a batch as they stand in the file, children under their parents."""
    notes: dict[str, Note] = {}
    for row in rows:
        if not row.text:
            continue
        note = Note(row.priority, row.day, row.time, row.text, row.type)
        parent = notes.get(row.parent_id or "")
        if parent is None:
            notes[row.note_id] = note
        else:
            notes[row.parent_id or ""] = replace(parent, children=(*parent.children, note))
    return list(notes.values())


def _write(ctx: AgentContext, batch: BatchRow, block: str, stand_ins: Sequence[str]) -> None:
    if batch.status is BatchStatus.WRITING and _was_written(ctx, batch.marker):
        # It stood in the file before the crash. If it is gone now, a person took it out: it stays out.
        return
    ctx.ledger.mark_writing(batch.marker, ctx.notes.digest())
    ctx.passed(Step.WRITING_MARKED)
    marker = batch.marker
    try:
        ctx.notes.add(
            block,
            marker,
            instead_of=_blocks(ctx, stand_ins),
            about_to=lambda temp: ctx.ledger.set(TAKING_PLACE, f"{marker} {temp}"),
        )
    except BaseException:
        # It did not take its place, and its file is gone: that must not look as if it had.
        ctx.ledger.set(TAKING_PLACE, None)
        raise
    ctx.passed(Step.NOTES_WRITTEN)


def _blocks(ctx: AgentContext, markers: Sequence[str]) -> list[str]:
    return [render_block(one, notes_from(ctx.ledger.notes_of(one)), provisional=True) for one in markers]


def _was_written(ctx: AgentContext, marker: str) -> bool:
    """Whether the block has stood in the file: the mirror came after it, or its new file took its place."""
    mirror = read_mirror(ctx.mirror_path)
    if not isinstance(mirror, Unreadable) and mirror.spend.get(LAST_WRITTEN) == marker:
        return True
    name, _, temp = (ctx.ledger.get(TAKING_PLACE) or "").partition(" ")
    return name == marker and not Path(temp).exists()


def _mirror(ctx: AgentContext, marker: str) -> None:
    high_water = ctx.ledger.high_water(marker)
    write_mirror(ctx.mirror_path, Mirror(ctx.agent, high_water, {LAST_WRITTEN: marker}))
