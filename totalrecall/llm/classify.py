"""From a status and a body's error to the kind of failure. Pure.

The same classes hold for an HTTP status, an error inside HTTP 200, and an error inside a choice (R051).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from totalrecall.llm.failure import Failure, FailureKind
from totalrecall.llm.retry_after import retry_at

_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|context_length_exceeded|too many (?:input )?tokens"
    r"|prompt is too long|(?:input|prompt|request) (?:is )?too (?:long|large)|exceeds? (?:the )?(?:max\w*"
    r"|model)"
    r"|reduce the length|string too long|n_ctx|token limit",
    re.IGNORECASE,
)
_AFFORD = re.compile(r"can only afford (\d+)", re.IGNORECASE)
_PARAMETER = re.compile(
    r"\b(max_tokens|temperature|usage|provider|reasoning)\b.{0,80}(?:not supported|unsupported"
    r"|unrecognized|unknown"
    r"|not permitted|extra inputs)|(?:not supported|unsupported|unrecognized|unknown|does not support|not "
    r"permitted"
    r"|extra inputs).{0,80}?\b(max_tokens|temperature|usage|provider|reasoning)\b",
    re.IGNORECASE | re.DOTALL,
)
_POLICY = re.compile(r"data policy|privacy|data_collection|data collection|guardrail", re.IGNORECASE)
_PRICE = re.compile(r"max[_ ]price|price", re.IGNORECASE)
_REQUIRED = re.compile(
    r"support.{0,40}param|param.{0,40}support|require_parameters|requested parameters", re.IGNORECASE
)
_NO_ENDPOINT = re.compile(r"no (?:allowed )?(?:endpoints?|providers?)", re.IGNORECASE)
_MODEL = re.compile(r"model|endpoint|deployment", re.IGNORECASE)
_FILTER = re.compile(r"content[_ ]?(?:filter|policy)|moderation|flagged|safety", re.IGNORECASE)
_NOT_A_KEY = re.compile(
    r"(?:incorrect|invalid|missing|no|expired|disabled)\W+(?:\w+\W+){0,2}(?:api[_ ]?key|auth\w*"
    r"|credential\w*)",
    re.IGNORECASE,
)
_DAILY = re.compile(r"per[- _]?day|daily|quota", re.IGNORECASE)
_USED_UP = re.compile(r"(?:key|spend\w*|usage|credit|budget) limit|credits?\b|quota", re.IGNORECASE)
_MESSAGE_CHARS = 200


@dataclass(frozen=True, slots=True)
class Reported:
    """What an endpoint says about an error.

    Attributes:
        status: the HTTP status or the code inside the body.
        message: its words, shortened; they may quote the request, so screening stands before any showing.
        headers: lower-case names; those that OpenRouter puts into ``error.metadata`` are merged in.
    """

    status: int
    message: str
    headers: Mapping[str, str]


def reported(error: Any, status: int, headers: Mapping[str, str]) -> Reported:
    """An error in any of the shapes in use: an object with code and message, a string, a list, nothing."""
    if isinstance(error, list) and error:
        error = error[0]
    if not isinstance(error, Mapping):
        return Reported(status, str(error or "")[:_MESSAGE_CHARS], headers)
    metadata = error.get("metadata")
    merged = dict(headers)
    words = str(error.get("message") or error.get("detail") or "")
    if isinstance(metadata, Mapping):
        inner = metadata.get("headers")
        if isinstance(inner, Mapping):
            merged.update({str(name).lower(): str(value) for name, value in inner.items()})
        if metadata.get("retry_after") is not None:
            merged.setdefault("retry-after", str(metadata["retry_after"]))
        words = f"{words} {metadata.get('raw') or ''}".strip()
    code = _status_in(error.get("code")) or _status_in(error.get("status"))
    kind = error.get("type") or error.get("code")
    if isinstance(kind, str) and not kind.isdigit():
        words = f"{words} ({kind})"
    in_body = status in {0, 200}
    return Reported((code or 500) if in_body else status, words[: 2 * _MESSAGE_CHARS], merged)


def failure_of(said: Reported, model: str, now_s: float) -> Failure:
    """The failure that this report means."""
    status, words = said.status, said.message
    when = retry_at(said.headers, words, now_s)
    quote = f" It says: {_short(words)}" if words.strip() else ""
    if status == 401 or (status in {400, 403} and _NOT_A_KEY.search(words)):
        return Failure(
            FailureKind.KEY_REFUSED,
            f"The model endpoint refuses the key (HTTP {status}).{quote}",
            status=status,
        )
    if status == 402:
        match = _AFFORD.search(words)
        return Failure(
            FailureKind.NO_CREDIT,
            f"The account at the model endpoint has no credit left.{quote}",
            "Add credit there. Messages wait, and it is tried again every hour.",
            status,
            affordable_tokens=int(match[1]) if match else 0,
        )
    if status in {404, 410}:
        return _missing(words, model, status, quote)
    if status >= 500 or status in {408, 429}:
        return _passing(said, model, when, quote)
    return _rejected(words, model, status, quote)


def _passing(said: Reported, model: str, when: float | None, quote: str) -> Failure:
    """408, 429 and 5xx: trouble that may be over in a moment, or at the moment that the provider names."""
    status, words = said.status, said.message
    if status in {408, 504}:
        return Failure(
            FailureKind.TIMEOUT,
            f"The endpoint gave up waiting (HTTP {status}).",
            status=status,
            retry_at_s=when,
        )
    if status == 429 or (status == 503 and when is not None):
        span = "for today" if _DAILY.search(words) else "for now"
        return Failure(
            FailureKind.RATE_LIMIT,
            f"{model}: no more calls {span} (HTTP {status}).{quote}",
            status=status,
            retry_at_s=when,
        )
    if _CONTEXT.search(words):
        return Failure(FailureKind.CONTEXT_SIZE, f"The request is too long for {model}.", status=status)
    return Failure(
        FailureKind.SERVER,
        f"The model endpoint is in trouble (HTTP {status}).{quote}",
        status=status,
        retry_at_s=when,
    )


def _rejected(words: str, model: str, status: int, quote: str) -> Failure:
    """400, 403, 413, 422 and their rare relatives: the request itself is not wanted."""
    if status == 413 or _CONTEXT.search(words):
        return Failure(FailureKind.CONTEXT_SIZE, f"The request is too long for {model}.", status=status)
    if _FILTER.search(words):
        return Failure(
            FailureKind.FILTERED, f"{model}: the provider's filter refuses the request.", status=status
        )
    if status == 403:
        return _forbidden(words, model, quote)
    if match := _PARAMETER.search(words):
        name = (match[1] or match[2]).lower()
        return Failure(
            FailureKind.PARAMETER, f"{model} does not take {name}.{quote}", status=status, parameter=name
        )
    if re.search(r"model", words, re.IGNORECASE) and re.search(
        r"not (?:a )?(?:valid|found|exist)|unknown|invalid|does not exist", words, re.IGNORECASE
    ):
        return _missing(words, model, status, quote)
    return Failure(
        FailureKind.BAD_REQUEST,
        f"{model}: the endpoint rejects the request (HTTP {status}).{quote}",
        status=status,
    )


def _forbidden(words: str, model: str, quote: str) -> Failure:
    """403: the limit of a key is used up, or the endpoint does not serve this account, place or model."""
    if _USED_UP.search(words):
        title = f"The limit of the key or account is used up.{quote}"
        return Failure(FailureKind.NO_CREDIT, title, status=403)
    title = f"{model}: the endpoint forbids the request (HTTP 403).{quote}"
    return Failure(FailureKind.FORBIDDEN, title, status=403)


def _missing(words: str, model: str, status: int, quote: str) -> Failure:
    """404: a retired model, our own options that leave no provider, or a wrong address (R058)."""
    if _REQUIRED.search(words):
        return Failure(
            FailureKind.PARAMETER, f"No provider of {model} takes every parameter.{quote}", status=status,
            parameter="require_parameters",
        )  # fmt: skip
    if _NO_ENDPOINT.search(words) or _POLICY.search(words):
        if _POLICY.search(words):
            setting = "provider.data_collection=deny (or the privacy settings of the account)"
        elif _PRICE.search(words):
            setting = "the price ceiling (provider.max_price)"
        else:
            setting = ""
        if setting:
            return Failure(
                FailureKind.SETTINGS_EXCLUDE,
                f"{model}: {setting} leaves no provider.{quote}",
                "Choose a model with a provider that fits, in OBSERVER_MODEL or OBSERVER_FALLBACK_MODEL.",
                status,
            )
    if not words.strip() or not _MODEL.search(words):
        return Failure(
            FailureKind.BAD_URL,
            f"The model endpoint knows no chat completions at this address (HTTP {status}).{quote}",
            "Check LLM_BASE_URL; it usually ends in /v1.",
            status,
        )
    return Failure(
        FailureKind.MODEL_MISSING,
        f"The model {model} does not exist there (any more).{quote}",
        "Set OBSERVER_MODEL or OBSERVER_FALLBACK_MODEL to another one.",
        status,
    )


def _status_in(code: Any) -> int:
    if isinstance(code, bool):
        return 0
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code <= 599 else 0


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= _MESSAGE_CHARS else flat[: _MESSAGE_CHARS - 1] + "…"
