"""Where each transcript ended at the moment the agent was adopted: what stands behind it came later."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.streams import session_id_of

ADOPTION_ENDS = "adoption_ends"
NOWHERE = sys.maxsize


def keep_adoption_ends(ctx: AgentContext, ends: Mapping[str, int]) -> None:
    """Store where the transcripts that exist at adoption end, by stream."""
    ctx.ledger.set(ADOPTION_ENDS, json.dumps({session_id_of(name): end for name, end in ends.items()}))


def adoption_end(ctx: AgentContext, stream: str) -> int:
    """Where the transcript ended at adoption; ``NOWHERE`` when it began later or was rewritten since.

    What was appended behind it was said after the adoption, whatever its time says: clocks are set back.
    """
    return int(_ends(ctx).get(session_id_of(stream), NOWHERE))


def forget_adoption_end(ctx: AgentContext, stream: str) -> None:
    """The transcript was rewritten: positions say nothing any more, and times must do."""
    ends = _ends(ctx)
    if ends.pop(session_id_of(stream), None) is not None:
        keep_adoption_ends(ctx, ends)


def _ends(ctx: AgentContext) -> dict[str, int]:
    found: dict[str, int] = json.loads(ctx.ledger.get(ADOPTION_ENDS) or "{}")
    return found
