"""What a call may cost, and the book that counts it. The book itself is ``ledger/spend.py``."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from totalrecall.domain.note import Usage
from totalrecall.domain.spend import CallOutcome, CallPlan, Ceiling, Refused, Reserved, SpendLimits
from totalrecall.errors import CeilingError
from totalrecall.llm.prices import Price

# Estimates of tokens are off by up to a quarter for the tokenizers in use; the worst case covers that.
_ESTIMATE_MARGIN = 1.25
MIN_ANSWER_TOKENS = 256


class SpendBook(Protocol):
    """Where calls are reserved before, and settled after. Shared by all agents and processes."""

    def reserve(self, plan: CallPlan, limits: SpendLimits) -> Reserved | Refused:
        """Counts the worst case, or refuses because a ceiling would be passed; one transaction."""

    def settle(self, number: int, usage: Usage, outcome: CallOutcome) -> None:
        """Replaces the worst case by what the call took; ``usage.cost_usd`` None keeps the worst case."""


def worst_case_tokens(estimated: int) -> int:
    """The most tokens that a text with this estimate can have."""
    return int(estimated * _ESTIMATE_MARGIN) + 1


def answer_cap(wanted: int, tokens_in: int, limits: SpendLimits) -> int:
    """How long the answer may be so that the call stays under ``tokens_per_call``; 0 when nothing fits.

    ``tokens_in`` is the worst case of the request.
    """
    room = min(wanted, limits.tokens_per_call - tokens_in)
    return room if room >= min(wanted, MIN_ANSWER_TOKENS) else 0


def cost_of(price: Price | None, tokens_in: int, tokens_out: int) -> float | None:
    """USD for these tokens; None when the price is unknown."""
    if price is None:
        return None
    return (tokens_in * price.usd_in + tokens_out * price.usd_out) / 1_000_000


def ceiling_error(refused: Refused, now: datetime) -> CeilingError:
    """The error that says which ceiling, how far, and when it goes on."""
    opens = datetime.fromtimestamp(refused.opens_at_s, now.tzinfo)
    when = f"{opens:%H:%M}" if opens.date() == now.date() else f"{opens:%Y-%m-%d %H:%M}"
    what, variable = _CEILINGS[refused.ceiling]
    if refused.ceiling in {Ceiling.USD_DAY, Ceiling.USD_MONTH}:
        figures = f"${refused.used:.4f} of ${refused.limit:.2f} used or reserved"
    else:
        figures = f"{refused.used:.0f} of {refused.limit:.0f}"
    return CeilingError(
        f"The {what} is reached ({figures}).",
        f"Messages wait and it goes on by itself at {when}. To raise it, set {variable}.",
    )


_CEILINGS = {
    Ceiling.USD_DAY: ("budget of the day", "TOTALRECALL_BUDGET_USD_DAY"),
    Ceiling.USD_MONTH: ("budget of the month", "TOTALRECALL_BUDGET_USD_MONTH"),
    Ceiling.CALLS_PER_HOUR: ("limit of calls per hour", "TOTALRECALL_CALLS_PER_HOUR"),
    Ceiling.TOKENS_PER_CALL: ("limit of tokens per call", "TOTALRECALL_TOKENS_PER_CALL"),
}
