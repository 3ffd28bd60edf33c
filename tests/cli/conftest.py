"""What the tests of the command line share."""

from __future__ import annotations

import pytest

from tests.cli.shell import Run, shell_in
from tests.lab import Lab


@pytest.fixture
def shell(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in the lab's home; the exit code with what was printed on stdout and stderr."""
    return shell_in(lab, monkeypatch, capsys)
