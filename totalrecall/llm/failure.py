"""Every way a call fails, told apart. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from totalrecall.domain.note import Usage


class FailureKind(StrEnum):
    """What went wrong with one call."""

    CONNECT = "connect"
    TIMEOUT = "timeout"
    BROKEN = "broken"
    TOO_LONG = "too_long"
    ENVIRONMENT = "environment"
    STOPPED = "stopped"
    KEY_REFUSED = "key_refused"
    NO_CREDIT = "no_credit"
    FORBIDDEN = "forbidden"
    MODEL_MISSING = "model_missing"
    SETTINGS_EXCLUDE = "settings_exclude"
    BAD_URL = "bad_url"
    REDIRECT = "redirect"
    CONTEXT_SIZE = "context_size"
    PARAMETER = "parameter"
    BAD_REQUEST = "bad_request"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    GARBLED = "garbled"
    EMPTY = "empty"
    STARVED = "starved"
    FILTERED = "filtered"
    REFUSED = "refused"
    PROSE = "prose"
    LOOPED = "looped"


# May pass by itself within seconds: these alone are retried (R063).
TRANSIENT = frozenset(
    {
        FailureKind.CONNECT,
        FailureKind.TIMEOUT,
        FailureKind.BROKEN,
        FailureKind.RATE_LIMIT,
        FailureKind.SERVER,
        FailureKind.GARBLED,
    },
)
# The model was reached and gave nothing usable for this batch: another model may, waiting does not help.
USELESS = frozenset(
    {
        FailureKind.EMPTY,
        FailureKind.STARVED,
        FailureKind.FILTERED,
        FailureKind.REFUSED,
        FailureKind.PROSE,
        FailureKind.LOOPED,
        FailureKind.TOO_LONG,
        FailureKind.BAD_REQUEST,
    },
)
# The request may have been worked on although no answer came: the worst case stays booked.
MAY_BE_BILLED = frozenset(
    {FailureKind.TIMEOUT, FailureKind.BROKEN, FailureKind.TOO_LONG, FailureKind.STOPPED},
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed call.

    Attributes:
        kind: what it was.
        title: one sentence for the user, screened by whoever shows it; never the key, never message text.
        hint: what to do about it.
        status: the HTTP status, 0 when there was none.
        retry_at_s: when the provider says to come back, Unix seconds; None when it does not say.
        affordable_tokens: for NO_CREDIT: how long an answer the credit still pays; 0 when unknown.
        parameter: for PARAMETER: which field of the request the endpoint does not know.
        usage: what the failed call took, where the endpoint said so; None when it did not.
    """

    kind: FailureKind
    title: str
    hint: str = ""
    status: int = 0
    retry_at_s: float | None = None
    affordable_tokens: int = 0
    parameter: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer with words in it.

    Attributes:
        text: the content, reasoning already taken out.
        cut: True when the answer ended at the token cap.
        model: the model that answered, as the endpoint names it.
        usage: tokens and cost, as far as the endpoint said.
    """

    text: str
    cut: bool = False
    model: str = ""
    usage: Usage | None = None
