"""Fixtures of the JSONL store's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.transcripts_jsonl.agent import Agent


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent with an empty sessions folder."""
    folder = tmp_path / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    return Agent(folder)
