"""From the rows of calls to what ``totalrecall spend`` shows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta

from totalrecall.domain.spend import SpendReport, SpendRow

# day, job, model, session, tokens in, tokens out, cost or None, outcome or None
CallRow = tuple[str, str, str, str, int, int, float | None, str | None]
_RATE_DAYS = 7
_MONTH_DAYS = 30


def report_of(rows: Sequence[CallRow], today: date, days: int = 30) -> SpendReport:
    """The report over the last ``days`` days; ``rows`` reach back at least a month for the month's figure."""
    first = (today - timedelta(days=days - 1)).isoformat()
    shown = [row for row in rows if row[0] >= first]
    month = today.isoformat()[:7]
    return SpendReport(
        by_day=tuple(sorted(_grouped(shown, lambda row: row[0]), key=lambda line: line.name, reverse=True)),
        by_job=_dearest_first(_grouped(shown, lambda row: row[1])),
        by_model=_dearest_first(_grouped(shown, lambda row: row[2])),
        by_session=_dearest_first(_grouped(shown, lambda row: row[3])),
        total=_row("total", shown),
        today_usd=_usd(row for row in rows if row[0] == today.isoformat()),
        month_usd=_usd(row for row in rows if row[0][:7] == month),
        projected_month_usd=_projected(rows, today),
        open_calls=sum(1 for row in shown if row[7] is None),
    )


def _projected(rows: Sequence[CallRow], today: date) -> float:
    """30 days at the rate of the last seven; of a service younger than that, the days it has."""
    past = [row for row in rows if row[0] <= today.isoformat()]
    if not past:
        return 0.0
    age = (today - date.fromisoformat(min(row[0] for row in past))).days + 1
    span = min(age, _RATE_DAYS)
    since = (today - timedelta(days=span - 1)).isoformat()
    return _usd(row for row in past if row[0] >= since) / span * _MONTH_DAYS


def _grouped(rows: Sequence[CallRow], name_of: Callable[[CallRow], str]) -> list[SpendRow]:
    groups: dict[str, list[CallRow]] = {}
    for row in rows:
        groups.setdefault(name_of(row), []).append(row)
    return [_row(name, group) for name, group in groups.items()]


def _dearest_first(lines: list[SpendRow]) -> tuple[SpendRow, ...]:
    return tuple(sorted(lines, key=lambda line: (-line.cost_usd, -line.calls, line.name)))


def _row(name: str, rows: Sequence[CallRow]) -> SpendRow:
    return SpendRow(
        name=name,
        calls=len(rows),
        tokens_in=sum(row[4] for row in rows),
        tokens_out=sum(row[5] for row in rows),
        cost_usd=_usd(rows),
        unpriced_calls=sum(1 for row in rows if row[6] is None),
    )


def _usd(rows: Iterable[CallRow]) -> float:
    return sum(row[6] or 0.0 for row in rows)
