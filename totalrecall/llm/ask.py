"""What is asked of a model, what for, and what comes back. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from totalrecall.domain.note import Usage
from totalrecall.llm.failure import Completion


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked, and what for.

    Attributes:
        system, user: the two messages.
        answer_tokens: how long the answer may get.
        agent, job, session: whom the call is booked to.
    """

    system: str
    user: str
    answer_tokens: int
    agent: str
    job: str
    session: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A usable completion, and what all calls on the way to it took."""

    completion: Completion
    usage: Usage


def added(one: Usage, two: Usage) -> Usage:
    """Both usages together; the cost is unknown as soon as one of them is."""
    unknown = one.cost_usd is None or two.cost_usd is None
    cost = None if unknown else (one.cost_usd or 0.0) + (two.cost_usd or 0.0)
    return Usage(one.calls + two.calls, one.tokens_in + two.tokens_in, one.tokens_out + two.tokens_out, cost)
