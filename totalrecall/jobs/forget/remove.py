"""Taking out what was found. Each step can be done again: after a crash the same command finishes it."""

from __future__ import annotations

from pathlib import Path

from totalrecall.errors import LedgerError, MemoryFileError
from totalrecall.files.atomic import Conflict, read_state, remove_leftovers, replace
from totalrecall.files.lock import hold
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.context_view import prepare
from totalrecall.jobs.forget.find import Target
from totalrecall.jobs.forget.places import Place, Way, folders, places
from totalrecall.ledger.backup import backups
from totalrecall.ledger.forgetting import remove_from_copies
from totalrecall.memory.surgery import Build, scrubbed, unescaped
from totalrecall.memory.tombstones import add_tombstone

JOB = "forget"
JOB_WAIT_S = 30.0
WRITE_TRIES = 20


def forget(ctx: AgentContext, target: Target) -> None:
    """Nothing of ours remembers it afterwards, and it is not learnt again from what was said until now.

    The order: a salted mark, so that nothing is learnt meanwhile; the messages; the files; the ledger and
    its copies. The agent's view is prepared anew at the end.

    Raises:
        BusyError: the observer or the reflector is at work just now.
        MemoryFileError, LedgerError: something cannot be written; the rest is done by the same command later.
    """
    started_ms = ctx.now_ms()
    with (
        hold(ctx.state_dir / "job.lock", wait_s=JOB_WAIT_S),
        hold(ctx.state_dir / "reflect.lock", wait_s=JOB_WAIT_S),
    ):
        add_tombstone(ctx.tombstones_path, started_ms, phrase=target.phrase, session_ids=target.sessions)
        ctx.ledger.mark_forgotten(_identities(ctx, target))
        with hold(ctx.notes.lock_path, wait_s=JOB_WAIT_S):
            for place in (Place(ctx.notes.path, Build.LOG), *places(ctx)):
                _scrub(place, target)
        _profile(ctx, target)
        for folder in folders(ctx):
            remove_leftovers(folder)
        emptied = ctx.ledger.remove_texts(target.held_by)
        remove_from_copies(backups(ctx.state_dir), target.held_by)
        prepare(ctx)
        ctx.ledger.record_run(JOB, started_ms, ok=True, numbers={}, ended_ms=ctx.now_ms())
        if not (emptied and ctx.ledger.truncate_wal()):
            raise LedgerError(
                "The ledger's write-ahead log still holds what was forgotten: another program reads it.",
                "End the other command, or wait until the service is done, and forget again.",
            )


def _identities(ctx: AgentContext, target: Target) -> list[bytes]:
    """The messages behind it: those that its notes stand on, and all of a session that is meant."""
    held = [one.key[0] for one in ctx.ledger.texts_holding(target.held_by) if one.table == "notes"]
    cited = ctx.ledger.cited_by([*held, *target.note_ids])
    rows = ctx.ledger.sessions() if target.sessions else ()
    streams = [one.session_id for one in rows if one.session_id.split("#", 1)[0] in target.sessions]
    whole = [one for stream in streams for one in ctx.ledger.identities_of(stream)]
    return list(dict.fromkeys([*cited, *whole]))


def _scrub(place: Place, target: Target) -> None:
    """The file without it. What somebody writes meanwhile is kept."""
    for _ in range(WRITE_TRIES):
        state = read_state(place.path)
        if state.content is None:
            return
        text = state.content.decode("utf-8", "surrogateescape")
        found = scrubbed(place.build, text, target.held_by)
        if not found.pieces:
            return
        if place.way is Way.REMOVE:
            place.path.unlink(missing_ok=True)
            return
        content = found.text.encode("utf-8", "surrogateescape")
        if not isinstance(replace(place.path, content, expected=state), Conflict):
            return
    raise MemoryFileError(
        f"{place.path} is being changed all the time by another program.",
        "Some of it may still stand there; run the same command again.",
    )


def _profile(ctx: AgentContext, target: Target) -> None:
    for path in ctx.profile.copies():
        if target.held_by(unescaped((read_state(path).content or b"").decode("utf-8", "replace"))):
            Path(path).unlink(missing_ok=True)
    data = ctx.profile.read()
    if isinstance(data, dict) and target.taken_out_of(data) != data:
        ctx.profile.change(target.taken_out_of, ctx.now())
