"""Times as transcripts write them, in milliseconds since 1970 UTC."""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH_ORDINAL = datetime(1970, 1, 1, tzinfo=UTC).toordinal()
# A message before 2000 or after 2100 is a broken clock or a number that is no time: better no time at all.
_FIRST_MS = 946_684_800_000
_LAST_MS = 4_102_444_800_000
_MAX_CHARS = 40


def milliseconds(value: object) -> int | None:
    """``value`` as milliseconds since 1970 UTC; None when it is no time between 2000 and 2100.

    Understands ISO 8601 with or without fraction, zone (none means UTC) or ``T``, and numbers or numeric
    strings of seconds, milliseconds, microseconds or nanoseconds: the ranges do not overlap.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_text(text: str) -> int | None:
    text = text.strip()
    if not text or len(text) > _MAX_CHARS:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _from_numeric_text(text)
    if text.isdigit():  # "20260214" is ISO's basic form and "1767258130" is not: trust the number first
        return _from_numeric_text(text) or _of_moment(moment)
    return _of_moment(moment)


def _from_numeric_text(text: str) -> int | None:
    try:
        return _from_number(float(text))
    except ValueError:
        return None


def _of_moment(moment: datetime) -> int | None:
    seconds = (moment.toordinal() - _EPOCH_ORDINAL) * 86_400
    seconds += moment.hour * 3_600 + moment.minute * 60 + moment.second
    offset = moment.utcoffset()
    at_ms = seconds * 1_000 + moment.microsecond // 1_000
    if offset:
        at_ms -= int(offset.total_seconds() * 1_000)
    return at_ms if _FIRST_MS <= at_ms < _LAST_MS else None


def _from_number(number: float) -> int | None:
    for multiply, divide in ((1, 1), (1_000, 1), (1, 1_000), (1, 1_000_000)):
        at_ms = number * multiply / divide
        if _FIRST_MS <= at_ms < _LAST_MS:
            return int(at_ms)
    return None
