"""The compactions and ends that a run of the observer passes for the first time, each told once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from totalrecall.domain.boundary import Boundary, BoundaryKind
from totalrecall.domain.session import Session, SessionKind
from totalrecall.jobs.boundaries import Cut, cuts_in, end_of
from totalrecall.jobs.context import AgentContext
from totalrecall.ledger.rows import SessionRow

if TYPE_CHECKING:
    from totalrecall.jobs.gather import Portion

CUTS_PASSED = "cuts_passed"
# Told, and what follows from them is not done yet: kept over a crash.
CUTS_DUE = "cuts_due"


class PassedBoundaries:
    """The boundaries of one run. Those in sight are kept in the ledger until the run is over.

    A run that a crash ends tells them at the next one; told twice is possible then, lost is not.
    """

    def __init__(self, ctx: AgentContext, told: list[Boundary]) -> None:
        self._ctx = ctx
        self._told = told
        self._waiting: list[Cut] = []
        self._kept = False

    def begin(self) -> None:
        """Tell what a run that crashed had passed."""
        left = self._ctx.ledger.get(CUTS_PASSED)
        if left is not None:
            self._kept = True
            self._waiting = [_cut_from(one) for one in json.loads(left)]
            self.tell_passed()

    def in_sight(self, portion: Portion) -> None:
        """Keep the portion's cuts, before any of its entries is settled."""
        self._waiting = cuts_in(portion)
        if self._waiting:
            self._keep()

    def tell_passed(self) -> None:
        """Tell those in sight that are settled by now."""
        if self._waiting:
            known = self._ctx.ledger.known([one.identity for one in self._waiting if one.identity])
            for one in self._waiting:
                if not one.identity or one.identity in known:
                    self._tell(one.boundary)
            self._waiting = []

    def session_read(self, session: Session, row: SessionRow, newest_of_key: Mapping[str, Session]) -> None:
        """Tell the session's end, once, now that everything in it was read."""
        boundary = end_of(session, row, newest_of_key)
        if boundary is None or not self._counts(boundary.at_ms):
            return
        if not any(_is_same_end(one, boundary, row.last_at_ms) for one in self._told):
            self._tell(boundary)
            self._keep()
        self._ctx.ledger.put_session(replace(row, location=str(session.location), ended=True))

    def finish(self) -> None:
        """The run is over, and its report holds them all; they are due until ``settle_due``."""
        if self._told:
            _keep_due(self._ctx, [*due_boundaries(self._ctx), *self._told])
        if self._kept:
            self._ctx.ledger.set(CUTS_PASSED, None)

    def _keep(self) -> None:
        self._kept = True
        cuts = [*(Cut(b"", one) for one in self._told), *self._waiting]
        self._ctx.ledger.set(CUTS_PASSED, json.dumps([_values(one) for one in cuts]))

    def _tell(self, boundary: Boundary) -> None:
        if boundary not in self._told and self._counts(boundary.at_ms):
            self._told.append(boundary)

    def _counts(self, at_ms: int | None) -> bool:
        """Whether it happened since the agent was adopted: backfilled talk is cut no more."""
        return at_ms is None or at_ms >= self._adopted_at_ms

    @cached_property
    def _adopted_at_ms(self) -> int:
        adoption = self._ctx.ledger.adoption()
        return adoption.adopted_at_ms if adoption else 0


def due_boundaries(ctx: AgentContext) -> list[Boundary]:
    """The boundaries that runs have told and whose consequences were not drawn yet, oldest first."""
    left = ctx.ledger.get(CUTS_DUE)
    return [_cut_from(one).boundary for one in json.loads(left)] if left else []


def settle_due(ctx: AgentContext, boundaries: Sequence[Boundary]) -> None:
    """Nothing has to be done about these any more."""
    if due := due_boundaries(ctx):
        _keep_due(ctx, [one for one in due if one not in boundaries])


def _keep_due(ctx: AgentContext, boundaries: Sequence[Boundary]) -> None:
    cuts = [_values(Cut(b"", one)) for one in dict.fromkeys(boundaries)]
    ctx.ledger.set(CUTS_DUE, json.dumps(cuts) if cuts else None)


def _is_same_end(told: Boundary, end: Boundary, last_at_ms: int | None) -> bool:
    """Whether a reset record told this end already: nothing was said after it."""
    if (told.kind, told.session_id) != (BoundaryKind.ENDED, end.session_id):
        return False
    return told.at_ms is None or last_at_ms is None or told.at_ms >= last_at_ms


def _values(cut: Cut) -> list[str | int | None]:
    one = cut.boundary
    names = [cut.identity.hex(), one.kind.value, one.session_id, one.key, one.session_kind.value]
    return [*names, one.at_ms]


def _cut_from(values: list[Any]) -> Cut:
    identity, kind, session_id, key, session_kind, at_ms = values
    boundary = Boundary(BoundaryKind(kind), session_id, key, SessionKind(session_kind), at_ms)
    return Cut(bytes.fromhex(identity), boundary)
