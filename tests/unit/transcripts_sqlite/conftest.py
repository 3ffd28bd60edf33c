"""Databases for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.openclaw_db import OpenClawDb, WriterProcess


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where an agent's database stands."""
    return tmp_path / "agents" / "main" / "agent" / "openclaw-agent.sqlite"


@pytest.fixture(params=[19, 23])
def gateway(request: pytest.FixtureRequest, database: Path) -> Iterator[OpenClawDb]:
    """A gateway in this process, once with each schema."""
    db = OpenClawDb(database, request.param)
    yield db
    db.close()


@pytest.fixture
def gateway23(database: Path) -> Iterator[OpenClawDb]:
    """A gateway of the newest schema in this process."""
    db = OpenClawDb(database)
    yield db
    db.close()


@pytest.fixture
def writer(database: Path) -> Iterator[WriterProcess]:
    """A gateway in a process of its own."""
    process = WriterProcess(database)
    yield process
    process.kill()
