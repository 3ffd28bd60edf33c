"""What we wrote into ``MEMORY.md``, so that what a person takes out stays out."""

from __future__ import annotations

import json
from collections.abc import Iterable

from totalrecall.jobs.context import AgentContext
from totalrecall.memory.long_term.block import LongTerm

FACT = "distill:written"
TEXTS = 2000


def deleted_texts(ctx: AgentContext, memory: LongTerm) -> list[str]:
    """The entries that we wrote and that are no longer in the block, edited ones included."""
    standing = {one.text for one in memory.entries}
    return [one for one in _written(ctx) if one not in standing]


def remember_written(ctx: AgentContext, texts: Iterable[str], left: Iterable[str]) -> None:
    """Keep what stands in the block now, beside what was deleted; ``left`` went by our own doing."""
    gone = set(left)
    known = [one for one in _written(ctx) if one not in gone]
    ctx.ledger.set(FACT, json.dumps(list(dict.fromkeys([*known, *texts]))[-TEXTS:], ensure_ascii=False))


def has_written(ctx: AgentContext) -> bool:
    """Whether entries of ours were ever put into the file."""
    return bool(_written(ctx))


def _written(ctx: AgentContext) -> list[str]:
    try:
        found = json.loads(ctx.ledger.get(FACT) or "[]")
    except ValueError:
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
