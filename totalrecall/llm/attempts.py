"""Asking one model: reserve, call, settle, and again where that can help."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from totalrecall.domain.note import Usage
from totalrecall.domain.spend import CallOutcome, CallPlan, Refused, SpendLimits
from totalrecall.errors import BatchTooLargeError
from totalrecall.llm.ask import Ask
from totalrecall.llm.budget import (
    MIN_ANSWER_TOKENS,
    SpendBook,
    answer_cap,
    ceiling_error,
    cost_of,
    worst_case_tokens,
)
from totalrecall.llm.endpoint import Endpoint
from totalrecall.llm.failure import MAY_BE_BILLED, TRANSIENT, Completion, Failure, FailureKind
from totalrecall.llm.openrouter import Surroundings, call
from totalrecall.llm.prices import FREE, Price, price_of
from totalrecall.llm.tokens import estimate_chat_tokens
from totalrecall.llm.wire import ChatRequest

if TYPE_CHECKING:
    from tenacity import RetryCallState

_LOOK_S = 0.05
_ADJUSTMENTS = 4


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """How a model is asked again after a failure that can pass (R063).

    Attributes:
        attempts: calls in all.
        total_s: from the first call on, waits included; shorter than any schedule.
        first_wait_s: doubles with each try.
        max_wait_s: a provider that asks for more patience is paused instead of waited for.
    """

    attempts: int = 3
    total_s: float = 240.0
    first_wait_s: float = 2.0
    max_wait_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Attempts:
    """Everything that asking one model needs."""

    endpoint: Endpoint
    limits: SpendLimits
    retry: RetryLimits
    book: SpendBook
    around: Surroundings
    zone_now: Callable[[], datetime]

    def run(self, model: str, ask: Ask) -> tuple[Completion | Failure, Usage]:
        """The answer of one model, or its last failure, with what all its calls took.

        Raises:
            CeilingError: a ceiling refuses the next call.
            BatchTooLargeError: the request alone is over the tokens of a call.
        """
        import tenacity

        took: list[Usage] = []
        request = self.request_for(model, ask)

        def once() -> Completion | Failure:
            nonlocal request
            result, request = self._adjusted(request, ask, took)
            return result

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_result(self._may_pass),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(self.retry.attempts),
                tenacity.stop_before_delay(self.retry.total_s),
            ),
            wait=self._wait_s,
            sleep=self._sleep,
            # The real failure comes back as it is, not wrapped in a RetryError (R063).
            retry_error_callback=_last_result,
        )
        return retrying(once), _sum(took)

    def request_for(self, model: str, ask: Ask) -> ChatRequest:
        """The first request to a model, as it is sent; raises BatchTooLargeError when it cannot fit."""
        tokens_in = worst_case_tokens(estimate_chat_tokens(ask.system, ask.user))
        cap = answer_cap(ask.answer_tokens, tokens_in, self.limits)
        if cap <= 0:
            raise BatchTooLargeError(
                f"The request takes up to {tokens_in} tokens, the limit of a call is "
                f"{self.limits.tokens_per_call}.",
                "TOTALRECALL_TOKENS_PER_CALL sets it.",
            )
        return ChatRequest(model, ask.system, ask.user, cap, self.endpoint.openrouter, self.price(model))

    def price(self, model: str) -> Price | None:
        """The price of a model here; a model on this machine is free."""
        return FREE if self.endpoint.local else price_of(model)

    def _adjusted(
        self, request: ChatRequest, ask: Ask, took: list[Usage],
    ) -> tuple[Completion | Failure, ChatRequest]:  # fmt: skip
        """One call, and again at once with what the failure says would help, each remedy once."""
        used: set[str] = set()
        result = self._booked(request, ask, took)
        for _ in range(_ADJUSTMENTS):
            remedy = self._remedy(request, result, used) if isinstance(result, Failure) else None
            if remedy is None or self.around.should_stop():
                break
            request = remedy
            result = self._booked(request, ask, took)
        return result, request

    def _remedy(self, request: ChatRequest, failure: Failure, used: set[str]) -> ChatRequest | None:
        if failure.kind is FailureKind.PARAMETER and failure.parameter not in request.leave_out:
            if failure.parameter == "provider":
                return None  # data collection stays denied; no endpoint talks us out of it
            return replace(request, leave_out=request.leave_out | {failure.parameter})
        if failure.kind.value in used:
            return None
        used.add(failure.kind.value)
        affordable = min(failure.affordable_tokens, request.max_tokens)
        if failure.kind is FailureKind.NO_CREDIT and affordable >= MIN_ANSWER_TOKENS:
            return replace(request, max_tokens=affordable)
        if failure.kind is FailureKind.STARVED:
            tokens_in = worst_case_tokens(estimate_chat_tokens(request.system, request.user))
            cap = answer_cap(request.max_tokens * 2, tokens_in, self.limits)
            return replace(request, max_tokens=cap) if cap > request.max_tokens else None
        return None

    def _booked(self, request: ChatRequest, ask: Ask, took: list[Usage]) -> Completion | Failure:
        """One call between its reservation and its settlement."""
        if self.around.should_stop():
            return Failure(FailureKind.STOPPED, "The call was not made because the service stops.")
        plan = self._plan(request, ask)
        reserved = self.book.reserve(plan, self.limits)
        if isinstance(reserved, Refused):
            raise ceiling_error(reserved, plan.at)
        worst = Usage(1, plan.tokens_in, plan.tokens_out, None)
        try:
            result = call(self.endpoint, request, self.around)
        except BaseException:
            # Ctrl-C, or a bug: the provider may bill the call, so the worst case stays counted.
            self.book.settle(reserved.number, worst, CallOutcome.CANCELLED)
            raise
        usage, outcome = self._settlement(result, plan, request.price)
        self.book.settle(reserved.number, usage, outcome)
        took.append(replace(usage, cost_usd=plan.cost_usd if usage.cost_usd is None else usage.cost_usd))
        return result

    def _plan(self, request: ChatRequest, ask: Ask) -> CallPlan:
        tokens_in = worst_case_tokens(estimate_chat_tokens(request.system, request.user))
        cost = cost_of(request.price, tokens_in, request.max_tokens)
        return CallPlan(
            self.zone_now(), ask.agent, ask.job, ask.session, request.model,
            tokens_in, request.max_tokens, cost,
        )  # fmt: skip

    def _settlement(
        self, result: Completion | Failure, plan: CallPlan, price: Price | None,
    ) -> tuple[Usage, CallOutcome]:  # fmt: skip
        """What to book: what the endpoint reports, else the worst case, or nothing if it did no work."""
        outcome = _outcome(result)
        if (said := result.usage) is not None:
            cost = (
                said.cost_usd
                if said.cost_usd is not None
                else cost_of(price, said.tokens_in, said.tokens_out)
            )
            return replace(said, cost_usd=cost), outcome
        if isinstance(result, Failure) and result.kind not in MAY_BE_BILLED and result.status != 200:
            return Usage(1, 0, 0, 0.0), outcome
        return Usage(1, plan.tokens_in, plan.tokens_out, None), outcome

    def _may_pass(self, result: Completion | Failure) -> bool:
        if not isinstance(result, Failure) or result.kind not in TRANSIENT or self.around.should_stop():
            return False
        told = result.retry_at_s
        return told is None or told - self.around.now_s() <= self.retry.max_wait_s

    def _wait_s(self, state: RetryCallState) -> float:
        wait = min(self.retry.first_wait_s * 2 ** (state.attempt_number - 1), self.retry.max_wait_s)
        result = state.outcome.result() if state.outcome else None
        if isinstance(result, Failure) and result.retry_at_s is not None:
            wait = max(wait, result.retry_at_s - self.around.now_s())
        return float(wait)

    def _sleep(self, seconds: float) -> None:
        """Waits, and stops waiting as soon as the service stops."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0 and not self.around.should_stop():
            time.sleep(min(_LOOK_S, left))


def _outcome(result: Completion | Failure) -> CallOutcome:
    if isinstance(result, Completion):
        return CallOutcome.CUT if result.cut else CallOutcome.ANSWERED
    return CallOutcome.CANCELLED if result.kind is FailureKind.STOPPED else CallOutcome.FAILED


def _last_result(state: RetryCallState) -> Completion | Failure:
    if state.outcome is None:  # tenacity never calls back before a first attempt
        return Failure(FailureKind.STOPPED, "The call was not made.")
    result: Completion | Failure = state.outcome.result()
    return result


def _sum(took: list[Usage]) -> Usage:
    costs = [usage.cost_usd for usage in took]
    total = None if None in costs else sum(cost or 0.0 for cost in costs)
    return Usage(
        sum(usage.calls for usage in took),
        sum(usage.tokens_in for usage in took),
        sum(usage.tokens_out for usage in took),
        total,
    )
