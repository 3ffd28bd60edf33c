"""Forgetting everything: what Total Recall wrote goes, and what was said until now is not learnt again."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from totalrecall.errors import LedgerError, MemoryFileError
from totalrecall.files.atomic import Conflict, read_state, remove_leftovers, replace
from totalrecall.files.lock import hold
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.forget.places import PREPARED, folders
from totalrecall.ledger.backup import backups
from totalrecall.memory.archive import archive_folder
from totalrecall.memory.backups import backup_folder
from totalrecall.memory.daily import daily_logs
from totalrecall.memory.long_term.block import BEGIN, END
from totalrecall.memory.observations import HEADER
from totalrecall.memory.own_sections import without_our_sections
from totalrecall.memory.profile.document import fresh
from totalrecall.memory.tombstones import add_tombstone

JOB_WAIT_S = 30.0
WRITE_TRIES = 20


def what_would_go(ctx: AgentContext) -> list[str]:
    """The files and parts of files that ``forget_everything`` removes or empties, for the question."""
    memory, workspace = ctx.memory_dir, ctx.workspace
    found = [
        str(path)
        for path in (
            ctx.notes.path,
            archive_folder(memory),
            backup_folder(memory),
            workspace / "SESSION_STATE.md",
        )
        if path.exists()
    ]
    found += [str(one) for one in sorted((workspace / "state").glob("*.md"))]
    if BEGIN in _text(workspace / "MEMORY.md"):
        found.append(f"our block in {workspace / 'MEMORY.md'}")
    logs = [
        one.path for one in daily_logs(memory) if without_our_sections(_text(one.path)) != _text(one.path)
    ]
    found += [f"our snapshots and records in {path}" for path in logs]
    found += [str(one) for one in (ctx.profile.path, *ctx.profile.copies()) if one.exists()]
    return [*found, f"the notes in {ctx.ledger.path} and its copies", str(workspace / "logs")]


def forget_everything(ctx: AgentContext) -> None:
    """Notes, archive, backups, snapshots, states, profile, our block and our books are empty afterwards.

    What the agent or a person wrote into daily logs and ``MEMORY.md`` stays.

    Raises:
        BusyError: the observer is at work just now.
        MemoryFileError, LedgerError: something cannot be removed; the same command goes on with it.
    """
    with (
        hold(ctx.state_dir / "job.lock", wait_s=JOB_WAIT_S),
        hold(ctx.state_dir / "reflect.lock", wait_s=JOB_WAIT_S),
    ):
        add_tombstone(ctx.tombstones_path, ctx.now_ms(), everything=True)
        emptied = ctx.ledger.forget_all()
        with hold(ctx.notes.lock_path, wait_s=JOB_WAIT_S):
            _rewrite(ctx.notes.path, lambda _text: HEADER)
            for folder in (archive_folder(ctx.memory_dir), backup_folder(ctx.memory_dir)):
                _remove_folder(folder)
            for log in daily_logs(ctx.memory_dir):
                _rewrite(log.path, without_our_sections)
            _rewrite(ctx.workspace / "MEMORY.md", _without_block)
            for path in (ctx.workspace / "SESSION_STATE.md", *(ctx.workspace / "state").glob("*.md*")):
                path.unlink(missing_ok=True)
            for path in ctx.workspace.glob("SESSION_STATE.md.unreadable-*"):
                path.unlink(missing_ok=True)
        if ctx.profile.path.exists():
            ctx.profile.change(lambda _data: fresh(ctx.now()), ctx.now())
        for path in ctx.profile.copies():
            path.unlink(missing_ok=True)
        for name in PREPARED:
            (ctx.state_dir / name).unlink(missing_ok=True)
        for folder in folders(ctx):
            remove_leftovers(folder)
        for path in (*backups(ctx.state_dir), *(ctx.workspace / "logs").glob("*.log*")):
            path.unlink(missing_ok=True)
        if not (emptied and ctx.ledger.truncate_wal()):
            raise LedgerError(
                "The ledger's write-ahead log still holds words: another program reads the ledger.",
                "End it, or wait until the service is done, then run the same command again.",
            )


def _without_block(text: str) -> str:
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        return text
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before.rstrip()}{after}" if before.strip() else after.lstrip()


def _rewrite(path: Path, anew: Callable[[str], str]) -> None:
    for _ in range(WRITE_TRIES):
        state = read_state(path)
        if state.content is None:
            return
        text = state.content.decode("utf-8", "surrogateescape")
        content = anew(text).encode("utf-8", "surrogateescape")
        if content == state.content or not isinstance(replace(path, content, expected=state), Conflict):
            return
    raise MemoryFileError(f"{path} is being changed all the time.", "Run the same command again.")


def _remove_folder(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise MemoryFileError(
            f"Cannot remove {folder}: {error.strerror}.",
            "Remove it yourself, then run the same command again.",
        ) from error


def _text(path: Path) -> str:
    with contextlib.suppress(MemoryFileError):
        return (read_state(path).content or b"").decode("utf-8", "surrogateescape")
    return ""
