"""How much is new in an agent's sessions: entries with unseen ids, counted once each as they come.

Only when a run is due depends on it; a count that is wrong costs minutes, never messages.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from itertools import islice

from totalrecall.daemon.triggers import Waiting
from totalrecall.domain.cursor import Cursor
from totalrecall.domain.event import Event, EventKind, Record
from totalrecall.domain.session import Session
from totalrecall.errors import SourceError
from totalrecall.jobs.context import AgentContext
from totalrecall.jobs.gather import first_row, session_skip
from totalrecall.jobs.streams import chunks, identity_in, is_before_adoption, row_of
from totalrecall.ledger.rows import Adoption, SessionRow
from totalrecall.transcripts.store import Start

RECORDS_AT_ONCE = 500
# More than this of one session is read at the next look: a look is to be short.
RECORDS_PER_LOOK = 5_000
_BOUNDARIES = frozenset({EventKind.COMPACTION, EventKind.RESET})
_Key = tuple[str, str]
_Stamp = tuple[int, int]


@dataclass(slots=True)
class _Mark:
    """A session that changed since the last run.

    Attributes:
        cursor: up to where it is counted; None: up to where the ledger says.
        entries: unseen entries found, and their ``identities`` as far as they are told apart.
        torn: it ends in something that is not finished.
        boundary: a compaction or an end stands behind unseen entries.
        noticed_s: when something unread was seen last.
    """

    cursor: Cursor | None = None
    entries: int = 0
    identities: set[bytes] = field(default_factory=set)
    torn: bool = False
    boundary: bool = False
    noticed_s: float = 0.0


class Tally:
    """The count of one agent. ``now_s`` is a clock that is never set.

    Beyond ``enough`` entries are no longer told apart, since nothing depends on it: memory stays flat.
    """

    def __init__(self, now_s: Callable[[], float], enough: int) -> None:
        self._now_s = now_s
        self.enough = enough
        self.unfinished = False
        self._stamps: dict[_Key, _Stamp] = {}
        self._marks: dict[_Key, _Mark] = {}

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The sessions with something unread."""
        return tuple(Waiting(one.entries, one.noticed_s) for one in self._marks.values() if one.noticed_s)

    @property
    def boundary(self) -> bool:
        """Whether a compaction or an end stands behind something unread."""
        return any(one.boundary for one in self._marks.values())

    @property
    def new_entries(self) -> int:
        """Unseen entries in all sessions."""
        return sum(one.entries for one in self._marks.values())

    def start_over(self, ctx: AgentContext) -> None:
        """A run begins: what stands in the transcripts now is its business, and is counted no more.

        Raises SourceError when the sessions cannot be listed.
        """
        self._marks = {}
        self._stamps = {_key(one): _stamp(one) for one in ctx.transcripts.sessions()}

    def recount(self, ctx: AgentContext) -> None:
        """Count again, from the ledger's cursors: a run from outside may have noted what was counted."""
        before, self._marks = self._marks, {}
        for key in before:
            self._stamps.pop(key, None)
        self.look(ctx)
        for key in before.keys() & self._marks.keys():
            if self._marks[key].noticed_s:
                self._marks[key].noticed_s = before[key].noticed_s

    def look(self, ctx: AgentContext) -> None:
        """Count on in every session that changed since the last look.

        ``unfinished`` says afterwards whether there is more than one look should read. Raises SourceError
        when the sessions cannot be listed.
        """
        sessions = {_key(one): one for one in ctx.transcripts.sessions()}
        self._marks = {key: mark for key, mark in self._marks.items() if key in sessions}
        self._stamps = {key: stamp for key, stamp in self._stamps.items() if key in sessions}
        self.unfinished = False
        for key, session in sessions.items():
            if self._stamps.get(key) == _stamp(session):
                continue
            try:
                whole = self._count(ctx, key, session)
            except SourceError:
                # The run says what is wrong with it; here it only cannot be counted.
                whole = True
            if whole:
                self._stamps[key] = _stamp(session)
            self.unfinished = self.unfinished or not whole

    def _count(self, ctx: AgentContext, key: _Key, session: Session) -> bool:
        """Count on in one session; False when there is more to read."""
        row = row_of(session, ctx.ledger.session)
        if session_skip(ctx, session, row or first_row(session)) is not None:
            return True
        mark = self._marks.setdefault(key, _Mark())
        opening = ctx.transcripts.open(session, mark.cursor or (row.cursor if row else None))
        mark.torn = opening.start is Start.WAIT
        if opening.start in {Start.NOTHING, Start.WAIT}:
            if mark.torn:
                mark.noticed_s = self._now_s()
            return True
        number, before = 0, mark.entries
        adoption, position = ctx.ledger.adoption(), opening.position
        records = ctx.transcripts.read(session, position)
        try:
            for chunk in chunks(islice(records, RECORDS_PER_LOOK), RECORDS_AT_ONCE):
                self._add(ctx, mark, _Ground(session, row, adoption), chunk)
                number, position = number + len(chunk), chunk[-1].end
        finally:
            if isinstance(records, Generator):
                records.close()
        mark.cursor = ctx.transcripts.cursor_at(session, position, "")
        mark.boundary = mark.boundary or (session.ended and mark.entries > 0)
        if mark.entries > before:
            mark.noticed_s = self._now_s()
        return number < RECORDS_PER_LOOK

    def _add(self, ctx: AgentContext, mark: _Mark, ground: _Ground, chunk: list[Record]) -> None:
        events = [one.body for one in chunk if isinstance(one.body, Event)]
        spoken = {id(one): identity_in(ground.session, one) for one in events if ground.counts(one)}
        exact = self.new_entries < self.enough
        known = ctx.ledger.known(list(spoken.values())).keys() | self._counted() if exact else frozenset()
        for event in events:
            identity = spoken.get(id(event))
            if identity is not None and identity not in known and identity not in mark.identities:
                mark.entries += 1
                if exact:
                    mark.identities.add(identity)
            # Before anything unseen it cuts off nothing that we should hurry for (R032).
            mark.boundary = mark.boundary or (event.kind in _BOUNDARIES and mark.entries > 0)

    def _counted(self) -> set[bytes]:
        return {identity for mark in self._marks.values() for identity in mark.identities}


@dataclass(frozen=True, slots=True)
class _Ground:
    """What holds for the entries of one session."""

    session: Session
    row: SessionRow | None
    adoption: Adoption | None

    def counts(self, event: Event) -> bool:
        """Whether the ledger keeps such an entry: only then can it be told whether it is new."""
        if event.kind not in {EventKind.MESSAGE, EventKind.TOOL}:
            return False
        if self.row is None or self.adoption is None:
            return True
        return not is_before_adoption(event, self.row, self.adoption, met_known=False)


def _key(session: Session) -> _Key:
    return str(session.location), session.session_id


def _stamp(session: Session) -> _Stamp:
    return session.size, session.modified_ms
