"""The prepared file from which the bootstrap hook hands the newest snapshot to the agent."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, timedelta
from pathlib import Path

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import read_state, replace
from totalrecall.jobs.context import AgentContext
from totalrecall.memory.snapshot_texts import handover_text
from totalrecall.memory.snapshots import StoredSnapshot, newest_snapshots

FILE_NAME = "snapshot.md"
OWNER = "snapshot.owner"
# After a day the agent does not go on where it was; the daily log still has the snapshot.
LASTS = timedelta(hours=24)
_MARK = "<!-- totalrecall:snapshot "
_END = " -->\n"


def handover_path(ctx: AgentContext) -> Path:
    """Where the hook looks for it."""
    return ctx.state_dir / FILE_NAME


def keep_owner(ctx: AgentContext, stored: StoredSnapshot, key: str) -> None:
    """It is known from now on whose talk the snapshot was taken of."""
    ctx.ledger.set(OWNER, json.dumps([stored.snapshot.snapshot_id, key]))


def is_of(ctx: AgentContext, stored: StoredSnapshot, key: str) -> bool:
    """Whether the snapshot may be of the session of ``key``; False when it is known to be another's.

    The agent's own snapshots, and sessions that no index names, may be of any.
    """
    snapshot_id, owner = json.loads(ctx.ledger.get(OWNER) or '["", ""]')
    known = owner and key and snapshot_id == stored.snapshot.snapshot_id
    return not known or owner.casefold() == key.casefold()


def hand_over(ctx: AgentContext, key: str, stored: StoredSnapshot | None = None) -> bool:
    """The snapshot lies ready for the session of ``key``, "" for every private one; False without one.

    ``stored`` None: the newest, unless it is of another session's talk. The file begins with one line for the
    hook, ``<!-- totalrecall:snapshot {JSON} -->``: whose session, and until when. What follows is what the
    agent sees.

    Raises:
        MemoryFileError: the file cannot be written.
    """
    newest = stored or next(iter(newest_snapshots(ctx.memory_dir, zone=ctx.zone)), None)
    if newest is None or not (stored or is_of(ctx, newest, key)):
        return False
    now = ctx.now()
    until = min(newest.snapshot.taken.replace(tzinfo=ctx.zone), now) + LASTS
    if until <= now:
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


def drop_handover(ctx: AgentContext, key: str) -> None:
    """Nothing lies ready any more for this session: its task was done when it ended."""
    path = handover_path(ctx)
    with contextlib.suppress(MemoryFileError, OSError):
        head, end, _ = (read_state(path).content or b"").decode("utf-8", "replace").partition(_END)
        if key and end and _key_in(head) not in {"", key}:
            return
        path.unlink()


def _key_in(head: str) -> str:
    """Whom a prepared file is for, by its first line; "" for everybody, also when it cannot be read."""
    try:
        return str(json.loads(head.removeprefix(_MARK))["sessionKey"])
    except (ValueError, KeyError, TypeError):
        return ""
