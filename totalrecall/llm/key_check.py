"""Whether a key works, asked in a way that costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from totalrecall.llm.body_text import decoded, json_in_body
from totalrecall.llm.endpoint import Endpoint
from totalrecall.llm.failure import Failure, FailureKind
from totalrecall.llm.openrouter import Answer, Surroundings, look
from totalrecall.llm.wire import read_answer

_CHAT = "/chat/completions"
# The endpoint has no such page: some local servers offer nothing but chat.
_NO_SUCH_PAGE = frozenset({404, 405, 501})


@dataclass(frozen=True, slots=True)
class KeyWorks:
    """The endpoint takes the key; ``said`` is one sentence about it."""

    said: str


def check_key(endpoint: Endpoint, around: Surroundings) -> KeyWorks | Failure:
    """Whether the endpoint takes the key. OpenRouter has a page for it; elsewhere the models are listed."""
    got = look(endpoint, check_url(endpoint), around)
    if isinstance(got, Failure):
        return got
    found = read_check(got, endpoint, around.now_s())
    # Endpoints quote in their errors what they were sent.
    return replace(found, title=around.screen(found.title)) if isinstance(found, Failure) else found


def check_url(endpoint: Endpoint) -> str:
    """The page that is asked for."""
    parts = urlsplit(endpoint.url)
    page = "/key" if endpoint.openrouter else "/models"
    path = parts.path.removesuffix(_CHAT) + page
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def read_check(got: Answer, endpoint: Endpoint, now_s: float) -> KeyWorks | Failure:
    """What the answer says about the key. Pure."""
    if got.status in _NO_SUCH_PAGE and not endpoint.openrouter:
        return KeyWorks(f"{endpoint.host} answers; it has no page that would show whether the key works.")
    data = json_in_body(decoded(got.body, got.headers.get("content-type", "")))
    if not 200 <= got.status < 300 or data is None:
        failure = read_answer(got.status, got.headers, got.body, "", now_s)
        return failure if isinstance(failure, Failure) else KeyWorks(f"{endpoint.host} answers.")
    if not endpoint.openrouter:
        return KeyWorks(f"{endpoint.host} takes the key." if endpoint.key else f"{endpoint.host} answers.")
    return _openrouter_key(data)


def _openrouter_key(data: Any) -> KeyWorks | Failure:
    known = data.get("data") if isinstance(data, Mapping) else None
    if not isinstance(known, Mapping):
        return Failure(FailureKind.GARBLED, "OpenRouter said nothing about the key.")
    left = known.get("limit_remaining")
    if not isinstance(left, int | float) or isinstance(left, bool):
        return KeyWorks("OpenRouter takes the key, which has no limit of its own.")
    if left <= 0:
        return Failure(
            FailureKind.NO_CREDIT,
            "OpenRouter knows the key, but its limit is used up.",
            "Raise the key's limit at https://openrouter.ai/settings/keys; until then messages wait.",
        )
    return KeyWorks(f"OpenRouter takes the key; ${left:.2f} of its limit is left.")
