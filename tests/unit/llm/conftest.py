"""A server, an engine on it, and batches to compress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.fakes.model_server import ModelServer, model_server
from totalrecall.domain.batch import Batch, Message
from totalrecall.domain.event import Role
from totalrecall.domain.note import Note
from totalrecall.domain.spend import SpendLimits
from totalrecall.ledger.spend import SpendLedger
from totalrecall.llm.attempts import RetryLimits
from totalrecall.llm.chain import Books, ChainSettings, ModelChain
from totalrecall.llm.endpoint import endpoint_from
from totalrecall.llm.engine import CompressionRequest
from totalrecall.llm.engine_llm import LlmEngine
from totalrecall.llm.openrouter import CallLimits, Surroundings
from totalrecall.llm.prompt import system_prompt

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 2, 14, 18, 5, tzinfo=ZONE)
PROMPT = (Path(__file__).parents[3] / "prompts" / "observer-system.txt").read_text(encoding="utf-8")
QUICK = RetryLimits(attempts=3, total_s=5.0, first_wait_s=0.01, max_wait_s=0.5)


@dataclass
class Rig:
    """Builds chains and engines on one server and one spend ledger, with a clock that tests turn."""

    server: ModelServer
    folder: Path
    now: datetime = NOW
    models: tuple[str, ...] = ("maker/one", "maker/two")
    limits: SpendLimits = field(default_factory=SpendLimits)
    retry: RetryLimits = QUICK
    call_limits: CallLimits = field(default_factory=lambda: CallLimits(deadline_s=5.0))
    should_stop: Callable[[], bool] = lambda: False
    key: str = "k-1"
    screen: Callable[[str], str] = lambda text: text

    @property
    def book(self) -> SpendLedger:
        """The ledger, opened anew each time, as after a restart."""
        return SpendLedger(self.folder / "state" / "spend.sqlite")

    def around(self) -> Surroundings:
        """The clock and the stop sign of the rig."""
        return Surroundings({}, self.now_s, self.should_stop, self.call_limits)

    def now_s(self) -> float:
        """The clock of the rig, Unix seconds; it moves while a chain exists."""
        return self.now.timestamp()

    def chain(self, **endpoint_fields: Any) -> ModelChain:
        """A fresh chain; ``local=False`` makes prices count although the server is on the loopback."""
        endpoint = replace(endpoint_from(self.server.url, self.key), **{"local": False, **endpoint_fields})
        settings = ChainSettings(endpoint, self.models, self.limits, self.retry)
        return ModelChain(settings, Books(self.book, self.book), self.around(), lambda: self.now)

    def engine(self, **endpoint_fields: Any) -> LlmEngine:
        """A fresh engine with the shipped prompt."""
        return LlmEngine(self.chain(**endpoint_fields), system_prompt(PROMPT), b"salt", self.screen)

    def later(self, **span: float) -> None:
        """Turns the clock."""
        self.now += timedelta(**span)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model endpoint on the loopback."""
    with model_server() as running:
        yield running


@pytest.fixture
def rig(server: ModelServer, tmp_path: Path) -> Rig:
    """Everything that an engine needs."""
    return Rig(server, tmp_path)


def message(number: int, text: str, role: Role = Role.USER, **fields: Any) -> Message:
    """A message a minute after the one before."""
    at = fields.pop("at", datetime(2026, 2, 14, 14, 0, tzinfo=ZONE) + timedelta(minutes=number))
    return Message(number, number.to_bytes(16, "big"), role, at, text, **fields)


def batch(*texts: str | Message, **fields: Any) -> Batch:
    """A batch of users' messages, or of given ones."""
    made = tuple(one if isinstance(one, Message) else message(at, one) for at, one in enumerate(texts, 1))
    return Batch("3fa9c2d1", "main", "s-1", "agent:main:main", made, **fields)


def request(
    *texts: str | Message, known: Sequence[Note] = (), language: str = "auto", **fields: Any
) -> CompressionRequest:
    """A request for a batch."""
    return CompressionRequest(batch(*texts, **fields), known, NOW, language)
