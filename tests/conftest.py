"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """An adopted agent without a word said yet."""
    made = Lab(tmp_path)
    made.adopt()
    return made
