"""Which messages the user had forgotten: they are skipped wherever talk is read."""

from __future__ import annotations

from dataclasses import dataclass

from totalrecall.domain.event import Event
from totalrecall.jobs.context import AgentContext
from totalrecall.memory.tombstones import Tombstones, read_tombstones


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, as it concerns one session.

    Attributes:
        tombstones: the marks.
        session_id: the host's session id.
    """

    tombstones: Tombstones
    session_id: str

    def covers(self, event: Event, text: str = "") -> bool:
        """Whether what was said or done was forgotten later: its words, or what tools were called with."""
        if self.tombstones.empty:
            return False
        result = event.tool_result
        parts = [text, event.text, *(call.target for call in event.tool_calls)]
        parts += [result.error_line] if result else []
        return self.tombstones.covers("\n".join(parts), event.at_ms, self.session_id)


def forgotten_in(ctx: AgentContext, session_id: str) -> Forgotten:
    """What was forgotten, for reading this session.

    Raises:
        MemoryFileError: the marks cannot be read; nothing is read then, so that nothing comes back.
    """
    return Forgotten(read_tombstones(ctx.tombstones_path), session_id)
