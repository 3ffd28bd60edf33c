"""Words for what model calls cost, and for not calling for a while. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SpendLimits:
    """The ceilings of all agents together; ``TOTALRECALL_BUDGET_USD_DAY`` and its neighbours."""

    usd_day: float = 0.10
    usd_month: float = 1.00
    calls_per_hour: int = 60
    tokens_per_call: int = 12_000


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The worst case of one HTTP call, before it is made.

    Attributes:
        at: now, in the user's zone (aware): its date is the day and the month that are charged.
        agent, job, session, model: what the call is for; the columns of ``totalrecall spend``.
        tokens_in, tokens_out: the most it can take.
        cost_usd: the most it can cost; None when neither endpoint nor price table knows.
    """

    at: datetime
    agent: str
    job: str
    session: str
    model: str
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


class CallOutcome(StrEnum):
    """How a call that was reserved ended. A reservation that nobody settled was cut by a crash."""

    ANSWERED = "answered"
    CUT = "cut"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ceiling(StrEnum):
    """Which limit refuses a call."""

    USD_DAY = "usd_day"
    USD_MONTH = "usd_month"
    CALLS_PER_HOUR = "calls_per_hour"
    TOKENS_PER_CALL = "tokens_per_call"


@dataclass(frozen=True, slots=True)
class Reserved:
    """The call may be made; ``number`` settles it."""

    number: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The call may not be made: which ceiling, what is used of it, and when it opens again (Unix seconds)."""

    ceiling: Ceiling
    used: float
    limit: float
    opens_at_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Not calling something until a moment.

    Attributes:
        until_s: Unix seconds.
        reason: a ``FailureKind`` of ``llm``, as text.
        failures: how often in a row it failed; the back-off doubles with it.
    """

    until_s: float
    reason: str
    failures: int = 1


@dataclass(frozen=True, slots=True)
class SpendRow:
    """What was spent under one heading; ``unpriced_calls`` have no known price and add no ``cost_usd``."""

    name: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    unpriced_calls: int


@dataclass(frozen=True, slots=True)
class SpendReport:
    """What was spent, newest day first, the rest dearest first.

    Attributes:
        by_day, by_job, by_model, by_session: the same calls under four headings.
        total: all of them.
        today_usd, month_usd: against the ceilings, open reservations counted.
        projected_month_usd: 30 days at the rate of the last seven (fewer if there are fewer).
        open_calls: reserved and never settled: a call that runs, or one that a crash cut.
    """

    by_day: tuple[SpendRow, ...]
    by_job: tuple[SpendRow, ...]
    by_model: tuple[SpendRow, ...]
    by_session: tuple[SpendRow, ...]
    total: SpendRow
    today_usd: float
    month_usd: float
    projected_month_usd: float
    open_calls: int
