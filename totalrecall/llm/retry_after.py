"""When a provider says to come back. Pure.

Forms met in the wild: ``Retry-After`` in seconds or as an HTTP date (RFC 9110 §10.2.3), ``retry-after-ms``,
``X-RateLimit-Reset`` in seconds or milliseconds since 1970 or as a span (``6m0s``), the same names inside
OpenRouter's ``error.metadata.headers``, and words in the message ("try again in 7.66s").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SPAN = re.compile(r"^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$")
_WORDS = re.compile(
    r"(?:try again|retry)(?:\s+\w+)?\s+(?:in|after)\s+(\d[\d.dhms]*)\s*(seconds|minutes|s\b|m\b)?",
    re.IGNORECASE,
)
_EPOCH_MS_FROM = 1e11
_EPOCH_S_FROM = 1e8


def retry_at(headers: Mapping[str, str], message: str, now_s: float) -> float | None:
    """The moment the provider named, Unix seconds; None when it named none that makes sense.

    ``headers``: lower-case names, those inside the body merged in. Nothing in the past is returned.
    """
    found = (
        _seconds(headers.get("retry-after-ms", ""), now_s, scale=0.001)
        or _moment(headers.get("retry-after", ""), now_s)
        or _moment(headers.get("x-ratelimit-reset", ""), now_s)
        or _moment(headers.get("x-ratelimit-reset-requests", ""), now_s)
        or _from_words(message, now_s)
    )
    return found if found is not None and found > now_s else None


def _moment(value: str, now_s: float) -> float | None:
    text = value.strip()
    if not text:
        return None
    return _seconds(text, now_s) or _date(text) or _span(text, now_s)


def _seconds(text: str, now_s: float, scale: float = 1.0) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if number != number or number <= 0:  # noqa: PLR0124 - NaN is the one number that differs from itself
        return None
    if number >= _EPOCH_MS_FROM:
        return number / 1000
    if number >= _EPOCH_S_FROM:
        return number
    return now_s + number * scale


def _date(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def _span(text: str, now_s: float) -> float | None:
    match = _SPAN.match(text)
    if not match or not any(match.groups()):
        return None
    days, hours, minutes, seconds, millis = (float(part or 0) for part in match.groups())
    return now_s + days * 86_400 + hours * 3_600 + minutes * 60 + seconds + millis / 1000


def _from_words(message: str, now_s: float) -> float | None:
    match = _WORDS.search(message)
    if not match:
        return None
    amount, unit = match[1].rstrip("."), (match[2] or "s").lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", amount):
        return now_s + float(amount) * (60 if unit.startswith("m") else 1)
    return _span(amount, now_s)
