"""The bytes of a request, and what the bytes of an answer mean. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from totalrecall.domain.note import Usage
from totalrecall.llm.body_text import content_text, decoded, json_in_body
from totalrecall.llm.classify import failure_of, reported
from totalrecall.llm.failure import Completion, Failure, FailureKind
from totalrecall.llm.prices import Price
from totalrecall.llm.reply import without_reasoning

_TEMPERATURE = 0.1
# OpenRouter may route to a dearer provider of the same model; twice the list price is the end.
_PRICE_HEADROOM = 2.0
_MAX_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call: two messages and how they are asked.

    Attributes:
        model: as the endpoint names it.
        system: byte-stable, so that providers cache it; always first.
        user: everything that changes.
        max_tokens: always sent: without it the credit is checked against the model's maximum (R054).
        openrouter: add OpenRouter's own options.
        price: of the model, for OpenRouter's price ceiling; None sends no ceiling.
        leave_out: fields that this endpoint turned out not to take.
    """

    model: str
    system: str
    user: str
    max_tokens: int
    openrouter: bool = False
    price: Price | None = None
    leave_out: frozenset[str] = frozenset()


def body_of(request: ChatRequest) -> bytes:
    """The request body, byte for byte; the same request gives the same bytes."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "temperature": _TEMPERATURE,
        "max_tokens": request.max_tokens,
    }
    if "max_tokens" in request.leave_out:
        body["max_completion_tokens"] = body.pop("max_tokens")
    if request.openrouter:
        provider: dict[str, Any] = {"data_collection": "deny", "require_parameters": True}
        if request.price is not None and request.price.usd_out > 0:
            provider["max_price"] = {
                "prompt": round(request.price.usd_in * _PRICE_HEADROOM, 4),
                "completion": round(request.price.usd_out * _PRICE_HEADROOM, 4),
            }
        if "require_parameters" in request.leave_out:
            del provider["require_parameters"]
        body["provider"] = provider
        body["reasoning"] = {"effort": "low", "exclude": True}
        body["usage"] = {"include": True}
    for name in request.leave_out & {"temperature", "reasoning", "usage"}:
        body.pop(name, None)
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def read_answer(
    status: int, headers: Mapping[str, str], body: bytes, model: str, now_s: float
) -> Completion | Failure:
    """What an HTTP answer means; ``headers`` with lower-case names, ``body`` decompressed."""
    if 300 <= status < 400:
        return Failure(
            FailureKind.REDIRECT,
            f"The model endpoint has moved (HTTP {status}); the key is not sent after it.",
            "Set LLM_BASE_URL to the new address; often only http:// must become https://.",
            status,
        )
    text = decoded(body, headers.get("content-type", ""))
    data = json_in_body(text)
    if status >= 400:
        said = reported(_error_in(data) if data is not None else _plain(text), status, headers)
        return replace(failure_of(said, model, now_s), usage=_usage_in(data))
    if not text.strip():
        return Failure(FailureKind.GARBLED, "The model endpoint sent an empty body.", status=status)
    if data is None:
        what = "a web page" if re.match(r"\s*<", text) else "something that is no JSON"
        return Failure(
            FailureKind.GARBLED, f"The model endpoint sent {what} (HTTP {status}).", _HTML_HINT, status
        )
    return _completion_in(data, Exchange(status, headers, model, now_s))


_HTML_HINT = "If it stays so: check LLM_BASE_URL, and whether a proxy or a log-in page stands between."


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is known of an answer besides its body."""

    status: int
    headers: Mapping[str, str]
    model: str
    now_s: float


def _completion_in(data: Any, known: Exchange) -> Completion | Failure:
    usage = _usage_in(data)
    if isinstance(data, Mapping) and data.get("error"):
        said = reported(data["error"], known.status, known.headers)
        return replace(failure_of(said, known.model, known.now_s), usage=usage)
    choices = data.get("choices") if isinstance(data, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return Failure(FailureKind.GARBLED, "The answer holds no choice.", status=known.status, usage=usage)
    choice = choices[0]
    finish = str(choice.get("finish_reason") or choice.get("native_finish_reason") or "").lower()
    if choice.get("error") or finish == "error":
        said = reported(choice.get("error"), known.status, known.headers)
        said = replace(said, status=said.status if said.status >= 400 else 502)
        return replace(failure_of(said, known.model, known.now_s), usage=usage)
    named = data.get("model")
    return _words_of(choice, finish, usage, named if isinstance(named, str) and named else known.model)


def _words_of(
    choice: Mapping[str, Any], finish: str, usage: Usage | None, model: str
) -> Completion | Failure:
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {"content": choice.get("text")}
    text = without_reasoning(content_text(message.get("content"))).strip("\ufeff\x00 \t\r\n")
    cut = finish in {"length", "max_tokens", "max_output_tokens"}
    if finish in {"content_filter", "safety", "prohibited_content", "blocklist", "recitation"}:
        return Failure(
            FailureKind.FILTERED, f"{model}: the provider's filter stopped the answer.", usage=usage
        )
    if not text and message.get("refusal"):
        return Failure(FailureKind.REFUSED, f"{model} refuses to answer.", usage=usage)
    if not text and cut:
        return Failure(FailureKind.STARVED, f"{model} used up its tokens before the first word.", usage=usage)
    if not text:
        # Reasoning without content comes here too. It is not read, so that it cannot be stored (R052).
        return Failure(FailureKind.EMPTY, f"{model} sent an answer without words.", usage=usage)
    return Completion(text, cut, model, usage)


def _usage_in(data: Any) -> Usage | None:
    usage = data.get("usage") if isinstance(data, Mapping) else None
    if not isinstance(usage, Mapping):
        return None
    tokens_in = _count(usage.get("prompt_tokens", usage.get("input_tokens")))
    tokens_out = _count(usage.get("completion_tokens", usage.get("output_tokens")))
    cost = usage.get("cost")
    priced = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e6
    if tokens_in is None and tokens_out is None and not priced:
        return None
    return Usage(1, tokens_in or 0, tokens_out or 0, float(cost) if priced and cost is not None else None)


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MAX_TOKENS:
        return None
    return int(value)


def _error_in(data: Any) -> Any:
    if isinstance(data, list) and data:
        data = data[0]
    if isinstance(data, Mapping):
        return data.get("error") or data
    return data


def _plain(text: str) -> str:
    """The words of an error page, without its markup."""
    return " ".join(
        re.sub(
            r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text[:20_000], flags=re.DOTALL | re.IGNORECASE
        ).split()
    )[:300]
