"""A reflector on a model server of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer, model_server
from tests.unit.llm.conftest import Rig
from tests.unit.reflection.notes import TODAY
from totalrecall.domain.spend import SpendLimits
from totalrecall.llm.access import ModelAccess
from totalrecall.llm.prompt_files import REFLECTOR, load_prompt
from totalrecall.llm.reflection.model import ModelReflector
from totalrecall.llm.reflection.types import Item, Reflection, ReflectionRefused, ReflectionRequest

PLENTY = SpendLimits(usd_day=50, usd_month=50, calls_per_hour=5_000)


@dataclass
class Desk:
    """Asks the model server to consolidate."""

    server: ModelServer
    rig: Rig
    screen: Callable[[str], str] = lambda text: text
    users: list[str] = field(default_factory=list)

    def reflect(self, log: tuple[Item, ...], word_limit: int = 8_000) -> Reflection | ReflectionRefused:
        """The outcome for a log; what was sent is in ``sent`` afterwards."""
        access = ModelAccess("reflect", self.rig.chain(), b"salt", ())
        reflector = ModelReflector(access, load_prompt(REFLECTOR), self.screen)
        return reflector.reflect(ReflectionRequest(log, TODAY, "main", word_limit))

    @property
    def sent(self) -> list[tuple[str, str, str]]:
        """Model, system text and user text of each request."""
        return [
            (one["model"], one["messages"][0]["content"], one["messages"][1]["content"])
            for one in self.server.requests
        ]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A reflector with two models and money enough."""
    with model_server() as server:
        yield Desk(server, Rig(server, tmp_path, limits=PLENTY))
