"""What tests assert after every run: the notes, and that the recount adds up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tests.fakes.engine import EchoEngine
from tests.lab import Lab
from totalrecall.domain.state import MessageState
from totalrecall.jobs.verify import Coverage, verify

_TOKEN = re.compile(r"\btok\d{5}\b")


def token(number: int) -> str:
    """A word that stands in one message only."""
    return f"tok{number:05d}"


def echo(lab: Lab) -> EchoEngine:
    """The lab's engine, for tests that look at what it was asked or have it fail."""
    assert isinstance(lab.engine, EchoEngine)
    return lab.engine


def tokens_noted(text: str) -> Counter[str]:
    """How often each token stands in the notes."""
    return Counter(_TOKEN.findall(text))


def recount(lab: Lab) -> Coverage:
    """The recount of the sources."""
    with lab.context() as ctx:
        return verify(ctx)


def assert_whole(lab: Lab, expected: Iterable[str], *, pending: int = 0) -> Coverage:
    """Each token is noted exactly once, no other one is, and every message is accounted for."""
    assert tokens_noted(lab.notes) == Counter(expected)
    found = recount(lab)
    assert found.adds_up, found
    assert found.states.get(MessageState.PENDING, 0) == pending, found
    return found
