"""Where a talk was cut: the moments at which an agent forgets what it was doing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from totalrecall.domain.session import SessionKind


class BoundaryKind(StrEnum):
    """What happened to the talk."""

    COMPACTION = "compaction"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction or an end that an observer run has passed for the first time.

    Attributes:
        kind: what happened.
        session_id: the host's session id.
        key: the session's key, "" where no index names it.
        session_kind: whose talk it is.
        at_ms: when, milliseconds since 1970 UTC; None when the record has no time.
    """

    kind: BoundaryKind
    session_id: str
    key: str
    session_kind: SessionKind
    at_ms: int | None
