"""The spend ledger of all agents and processes: ``<state root>/spend.sqlite``.

Tables (schema version in ``PRAGMA user_version``):

``calls``: one row per HTTP call. ``day`` is the local day it is charged to. ``cost_usd`` and the tokens are
the worst case while ``outcome`` is NULL, and what the call took afterwards; a crash leaves the worst case
counted. ``cost_usd`` NULL: nobody knows the price.

``pauses``: until when a model or a key is not called, and how often it failed in a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from totalrecall.domain.note import Usage
from totalrecall.domain.spend import (
    CallOutcome,
    CallPlan,
    Ceiling,
    Pause,
    Refused,
    Reserved,
    SpendLimits,
    SpendReport,
)
from totalrecall.errors import LedgerError
from totalrecall.ledger.spend_report import report_of

_VERSION = 1
_BUSY_S = 20.0
_HOUR_S = 3_600.0
_KEEP_S = 400 * 86_400.0
# Sums of floats may differ in the last place from the ceiling they fill exactly.
_ROUNDING_USD = 1e-9
_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at_s REAL NOT NULL, day TEXT NOT NULL, agent TEXT NOT NULL, job TEXT NOT NULL, session TEXT NOT NULL,
  model TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_usd REAL, outcome TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS calls_by_day ON calls (day);
CREATE INDEX IF NOT EXISTS calls_by_time ON calls (at_s);
CREATE TABLE IF NOT EXISTS pauses (
  subject TEXT PRIMARY KEY, until_s REAL NOT NULL, reason TEXT NOT NULL, failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""


class SpendLedger:
    """Implements ``llm.budget.SpendBook`` and ``llm.pause.PauseBook`` on one SQLite file.

    Each operation opens the file, works in one transaction and closes it: calls are rare, and nothing is held
    open across threads, forks or a model call.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def reserve(self, plan: CallPlan, limits: SpendLimits) -> Reserved | Refused:
        """Counts the worst case of a call, or refuses; the check and the count are one transaction."""
        if refused := _too_many_tokens(plan, limits):
            return refused
        with self._writing() as db:
            if refused := _over_a_ceiling(db, plan, limits):
                return refused
            row = db.execute(
                "INSERT INTO calls (at_s, day, agent, job, session, model, tokens_in, tokens_out, cost_usd)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    plan.at.timestamp(), plan.at.date().isoformat(), plan.agent, plan.job, plan.session,
                    plan.model, plan.tokens_in, plan.tokens_out, plan.cost_usd,
                ),
            )  # fmt: skip
            db.execute("DELETE FROM calls WHERE at_s < ?", (plan.at.timestamp() - _KEEP_S,))
            return Reserved(row.lastrowid or 0)

    def settle(self, number: int, usage: Usage, outcome: CallOutcome) -> None:
        """Books what the call took. A second settlement of the same call changes nothing.

        ``usage.cost_usd`` None keeps the worst case that was reserved.
        """
        with self._writing() as db:
            db.execute(
                "UPDATE calls SET tokens_in = ?, tokens_out = ?, cost_usd = coalesce(?, cost_usd), "
                "outcome = ?"
                " WHERE number = ? AND outcome IS NULL",
                (usage.tokens_in, usage.tokens_out, usage.cost_usd, outcome.value, number),
            )

    def paused(self, subject: str) -> Pause | None:
        """The pause of a subject, also one that is over; None when there is none."""
        if not self._path.exists():
            return None
        with self._reading() as db:
            row = db.execute(
                "SELECT until_s, reason, failures FROM pauses WHERE subject = ?", (subject,)
            ).fetchone()
        return Pause(*row) if row else None

    def pauses(self) -> dict[str, Pause]:
        """All pauses by subject, for ``status`` and ``doctor``."""
        if not self._path.exists():
            return {}
        with self._reading() as db:
            rows = db.execute(
                "SELECT subject, until_s, reason, failures FROM pauses ORDER BY subject"
            ).fetchall()
        return {subject: Pause(until_s, reason, failures) for subject, until_s, reason, failures in rows}

    def pause(self, subject: str, pause: Pause) -> None:
        """Sets or replaces the pause of a subject."""
        with self._writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO pauses VALUES (?, ?, ?, ?)",
                (subject, pause.until_s, pause.reason, pause.failures),
            )

    def clear(self, subject: str) -> None:
        """Forgets the pause of a subject."""
        if self.paused(subject) is not None:
            with self._writing() as db:
                db.execute("DELETE FROM pauses WHERE subject = ?", (subject,))

    def report(self, now: datetime, days: int = 30, agent: str = "") -> SpendReport:
        """What was spent in the last ``days`` local days, today included; of one agent, or of all."""
        if not self._path.exists():
            return report_of([], now.date())
        first = (now.date() - timedelta(days=max(days, 31) - 1)).isoformat()
        with self._reading() as db:
            rows = db.execute(
                "SELECT day, job, model, session, tokens_in, tokens_out, cost_usd, outcome FROM calls"
                " WHERE day >= ? AND (? = '' OR agent = ?) ORDER BY number",
                (first, agent, agent),
            ).fetchall()
        return report_of(rows, now.date(), days)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as db:
            try:
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._open() as db:
            yield db

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._make_private()
        try:
            db = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        try:
            self._prepare(db)
            yield db
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        finally:
            db.close()

    def _make_private(self) -> None:
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)

    def _prepare(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > _VERSION:
            raise LedgerError(
                f"{self._path.name} was written by a newer Total Recall.",
                "Update this one; until then no model is called.",
            )
        db.execute("PRAGMA synchronous=FULL")
        if version < _VERSION:
            db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={_VERSION}")
            db.execute("COMMIT")

    def _damaged(self, error: sqlite3.Error) -> LedgerError:
        return LedgerError(
            f"The spend ledger cannot be used ({type(error).__name__}: {error}).",
            f"No model is called without it. Free the disk or move {self._path} away.",
        )


def _too_many_tokens(plan: CallPlan, limits: SpendLimits) -> Refused | None:
    tokens = plan.tokens_in + plan.tokens_out
    if tokens <= limits.tokens_per_call:
        return None
    return Refused(Ceiling.TOKENS_PER_CALL, tokens, limits.tokens_per_call, plan.at.timestamp())


def _over_a_ceiling(db: sqlite3.Connection, plan: CallPlan, limits: SpendLimits) -> Refused | None:
    now_s, day = plan.at.timestamp(), plan.at.date().isoformat()
    calls, oldest = db.execute(
        "SELECT count(*), min(at_s) FROM calls WHERE at_s > ? AND at_s <= ?", (now_s - _HOUR_S, now_s),
    ).fetchone()  # fmt: skip
    if calls >= limits.calls_per_hour:
        return Refused(Ceiling.CALLS_PER_HOUR, calls, limits.calls_per_hour, (oldest or now_s) + _HOUR_S)
    cost = plan.cost_usd or 0.0
    spent_today = _spent(db, day, day)
    spent_month = _spent(db, f"{day[:8]}01", f"{day[:8]}31")
    # A free call and one without a known price pass: the first costs nothing, the second is held by the
    # limits of calls and tokens alone, which the findings say openly.
    if cost > 0 and spent_month + cost > limits.usd_month + _ROUNDING_USD:
        return Refused(Ceiling.USD_MONTH, spent_month, limits.usd_month, _next_month(plan.at).timestamp())
    if cost > 0 and spent_today + cost > limits.usd_day + _ROUNDING_USD:
        return Refused(Ceiling.USD_DAY, spent_today, limits.usd_day, _next_day(plan.at).timestamp())
    return None


def _spent(db: sqlite3.Connection, first: str, last: str) -> float:
    row = db.execute("SELECT total(cost_usd) FROM calls WHERE day BETWEEN ? AND ?", (first, last)).fetchone()
    return float(row[0])


def _next_day(now: datetime) -> datetime:
    return datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), now.tzinfo)


def _next_month(now: datetime) -> datetime:
    first = (now.date().replace(day=1) + timedelta(days=32)).replace(day=1)
    return datetime.combine(first, datetime.min.time(), now.tzinfo)
