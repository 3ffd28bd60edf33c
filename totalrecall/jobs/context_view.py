"""The prepared file from which the bootstrap hook hands the notes to the agent."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from totalrecall.files.atomic import read_state, replace
from totalrecall.jobs.context import AgentContext

FILE_NAME = "context.md"
# The host takes 20,000 characters of a file and 60,000 of all; it must never have to cut ours.
LIMIT_UNITS = 18_000
STEP_CHARS = 500_000
_VERSION = 1
_MARK = "<!-- totalrecall:context "
_END = " -->\n"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What stands in the prepared file now.

    Attributes:
        path: the file.
        changed: it was written just now.
        units: its length as the host counts, without our first line; 0 when there is no note.
    """

    path: Path
    changed: bool
    units: int


def prepare(ctx: AgentContext) -> Prepared:
    """The prepared file shows the log as it stands now. Quick when the log has not changed.

    The file begins with one line for the hook, ``<!-- totalrecall:context {JSON} -->``; what follows is what
    the agent sees.

    Raises:
        MemoryFileError: the log cannot be read, or the file cannot be written.
    """
    path = ctx.state_dir / FILE_NAME
    log = ctx.notes.read()
    facts = {
        "version": _VERSION,
        "limit": LIMIT_UNITS,
        "log": hashlib.blake2b(log.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest(),
        "path": str(ctx.notes.path),
    }
    before = read_state(path)
    known, previous = _split((before.content or b"").decode("utf-8", "replace"))
    if known == facts:
        return Prepared(path, changed=False, units=len(previous.encode("utf-16-le", "surrogatepass")) // 2)
    from totalrecall.memory.context_view import context_view, units

    first, newline, shown = context_view(previous, newest_part(log), LIMIT_UNITS).partition("\n")
    # What is shown is screened, not the log: a log that was never reflected may be a hundred times as long.
    view = f"{first}{newline}{ctx.screen(shown)}"
    replace(path, f"{_head(facts)}{view}".encode(), expected=None)
    return Prepared(path, changed=True, units=units(view))


def newest_part(log: str) -> str:
    """The end of a log that is far longer than any view, from a day's heading on; a shorter one in whole.

    It begins at the same place until the log has grown by another ``STEP_CHARS``, so that the view is stable.
    """
    steps = max(0, len(log) - STEP_CHARS) // STEP_CHARS
    if not steps:
        return log
    begin = log.find("\nDate: ", steps * STEP_CHARS)
    return log[begin + 1 :] if begin >= 0 else log[steps * STEP_CHARS :]


def _head(facts: dict[str, Any]) -> str:
    # A folder may be called "-->".
    return f"{_MARK}{json.dumps(facts).replace('>', chr(92) + 'u003e')}{_END}"


def _split(text: str) -> tuple[object, str]:
    """What the first line says and the view behind it; (None, "") for anything that is not ours."""
    head, end, view = text.partition(_END)
    if not end or not head.startswith(_MARK):
        return None, ""
    try:
        return json.loads(head.removeprefix(_MARK)), view
    except ValueError:
        return None, ""
