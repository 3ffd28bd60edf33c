"""Not calling for a while: back-off per model, kept across restarts. Pure but for the book's protocol."""

from __future__ import annotations

import hashlib
from typing import Protocol

from totalrecall.domain.spend import Pause

_MIN_S = 60.0
_FIRST_BACKOFF_S = 60.0
_MAX_BACKOFF_S = 3_600.0
# A provider that names a moment further away than this is not believed (R055).
MAX_WAIT_S = 26 * 3_600.0
PAYMENT_PAUSE_S = 3_600.0
AUTH_PAUSE_S = 6 * 3_600.0
MISSING_PAUSE_S = 6 * 3_600.0


class PauseBook(Protocol):
    """Where pauses are kept. A subject is an endpoint and model, or an endpoint and key."""

    def paused(self, subject: str) -> Pause | None:
        """The pause of a subject, also one that is over (its count of failures still matters)."""

    def pause(self, subject: str, pause: Pause) -> None:
        """Sets or replaces the pause of a subject."""

    def clear(self, subject: str) -> None:
        """Forgets the pause of a subject: it works again."""


def model_subject(url: str, model: str) -> str:
    """The name under which the back-off of one model at one endpoint is kept."""
    return f"model {model} at {_host_of(url)}"


def key_subject(url: str, key: str) -> str:
    """The name under which a refused key is kept: a new key is a new subject, so it is tried at once (R063).

    Four bytes of a hash stand for the key, too few to find it again.
    """
    mark = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"key {mark} at {_host_of(url)}"


def backoff(previous: Pause | None, now_s: float, reason: str, told_s: float | None) -> Pause:
    """The next pause after a failure that outlived its retries.

    ``told_s``: the moment that the provider named (Unix seconds), obeyed up to ``MAX_WAIT_S``. Without one:
    1, 2, 4 … 60 minutes.
    """
    failures = (previous.failures if previous else 0) + 1
    if told_s is not None:
        until_s = min(max(told_s, now_s + 1.0), now_s + MAX_WAIT_S)
    else:
        until_s = now_s + min(_FIRST_BACKOFF_S * 2 ** min(failures - 1, 12), _MAX_BACKOFF_S)
    return Pause(until_s, reason, failures)


def fixed_pause(previous: Pause | None, now_s: float, reason: str, length_s: float) -> Pause:
    """A pause of a given length (at least a minute), counting the failures in a row."""
    return Pause(now_s + max(length_s, _MIN_S), reason, (previous.failures if previous else 0) + 1)


def still_paused(pause: Pause | None, now_s: float) -> bool:
    """True while the pause runs. One further away than any real pause comes from a clock that jumped."""
    return pause is not None and now_s < pause.until_s <= now_s + MAX_WAIT_S


def _host_of(url: str) -> str:
    return url.split("://", 1)[-1].split("/", 1)[0]
