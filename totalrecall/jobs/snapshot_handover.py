"""The prepared file from which the bootstrap hook hands the newest snapshot to the agent."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, timedelta
from pathlib import Path

from totalrecall.files.atomic import replace
from totalrecall.jobs.context import AgentContext
from totalrecall.memory.snapshot_texts import handover_text
from totalrecall.memory.snapshots import newest_snapshots

FILE_NAME = "snapshot.md"
# After a day the agent does not go on where it was; the daily log still has the snapshot.
LASTS = timedelta(hours=24)
_MARK = "<!-- totalrecall:snapshot "
_END = " -->\n"


def handover_path(ctx: AgentContext) -> Path:
    """Where the hook looks for it."""
    return ctx.state_dir / FILE_NAME


def hand_over(ctx: AgentContext, key: str) -> bool:
    """The newest snapshot lies ready for the session of ``key``, "" for every private one; False without one.

    The file begins with one line for the hook, ``<!-- totalrecall:snapshot {JSON} -->``: whose session, and
    until when. What follows is what the agent sees.

    Raises:
        MemoryFileError: the file cannot be written.
    """
    newest = next(iter(newest_snapshots(ctx.memory_dir)), None)
    if newest is None:
        return False
    taken = newest.snapshot.taken.replace(tzinfo=ctx.zone)
    until = taken + LASTS
    if until <= ctx.now():
        return False
    facts = {
        "expiresAt": f"{until.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "path": str(newest.path),
        "sessionKey": key,
        "taken": newest.snapshot.taken.isoformat(),
    }
    # A folder may be called "-->".
    head = json.dumps(facts).replace(">", "\\u003e")
    text = f"{_MARK}{head}{_END}{ctx.screen(handover_text(newest.snapshot))}"
    replace(handover_path(ctx), text.encode("utf-8", "replace"), expected=None)
    return True


def drop_handover(ctx: AgentContext) -> None:
    """Nothing lies ready any more: the task was done when its session ended."""
    with contextlib.suppress(FileNotFoundError):
        handover_path(ctx).unlink()
