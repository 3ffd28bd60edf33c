"""How the jobs went, and small facts of theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from totalrecall.ledger.encode import loaded, stored
from totalrecall.ledger.part import Part
from totalrecall.ledger.rows import RunRow

RUNS_KEPT = 2000
_PREFIX = "job:"


class RunsPart(Part):
    """Runs and facts."""

    def record_run(
        self,
        job: str,
        started_ms: int,
        ok: bool,
        numbers: Mapping[str, int | float | str],
        *,
        ended_ms: int | None = None,
    ) -> None:
        """Keep how a run ended; the oldest give way. ``numbers`` holds no message text."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT INTO runs (job, started_ms, ended_ms, ok, numbers) VALUES (?, ?, ?, ?, ?)",
                (
                    job,
                    started_ms,
                    started_ms if ended_ms is None else ended_ms,
                    int(ok),
                    json.dumps(dict(numbers)),
                ),
            )
            sql = "DELETE FROM runs WHERE run_id <= (SELECT max(run_id) FROM runs) - ?"
            connection.execute(sql, (RUNS_KEPT,))

    def last_runs(self, *, ok: bool | None = None) -> dict[str, RunRow]:
        """The last run of each job; with ``ok`` the last that went well, or badly."""
        where, values = ("", ()) if ok is None else (" WHERE ok = ?", (int(ok),))
        sql = f"SELECT job, started_ms, ended_ms, ok, numbers, max(run_id) FROM runs{where} GROUP BY job"  # noqa: S608
        return {
            job: RunRow(job, started_ms, ended_ms, bool(good), json.loads(numbers))
            for job, started_ms, ended_ms, good, numbers, _ in self._db.read(sql, values)
        }

    def runs(self, job: str, since_ms: int) -> list[RunRow]:
        """The runs of a job that began at ``since_ms`` or later, oldest first."""
        sql = (
            "SELECT started_ms, ended_ms, ok, numbers FROM runs WHERE job = ? AND started_ms >= ?"
            " ORDER BY run_id"
        )
        return [
            RunRow(job, started_ms, ended_ms, bool(good), json.loads(numbers))
            for started_ms, ended_ms, good, numbers in self._db.read(sql, (job, since_ms))
        ]

    def get(self, name: str) -> str | None:
        """A small fact that a job stored, None when there is none."""
        rows = self._db.read("SELECT value FROM facts WHERE name = ?", (_PREFIX + name,))
        return loaded(rows[0][0]) if rows else None

    def set(self, name: str, value: str | None) -> None:
        """Store a small fact; None removes it."""
        with self._db.write() as connection:
            if value is None:
                connection.execute("DELETE FROM facts WHERE name = ?", (_PREFIX + name,))
            else:
                sql = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
                connection.execute(sql, (_PREFIX + name, stored(value)))
