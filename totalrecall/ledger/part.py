"""What the parts of the ledger have in common: the open file."""

from __future__ import annotations

from totalrecall.ledger.database import Database


class Part:
    """One subject of the ledger. ``Ledger`` is all parts over one file."""

    def __init__(self, database: Database) -> None:
        self._db = database
