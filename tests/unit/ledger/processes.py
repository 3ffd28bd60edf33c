"""Running a piece of code against a ledger in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

START = """
import os, sys
from pathlib import Path
from tests.unit.ledger.rows_for_tests import NOW, answer, batch, identity, ids, seen, session
from totalrecall.domain.state import MessageState
from totalrecall.errors import BusyError, LedgerError
from totalrecall.ledger.ledger import Ledger
from totalrecall.ledger.rows import Adoption
folder = Path(sys.argv[1])
"""
ROOT = Path(__file__).parents[3]


def start(code: str, folder: Path) -> subprocess.Popen[str]:
    """A process that runs ``code`` with ``folder`` as the ledger's folder."""
    command = [sys.executable, "-c", START + textwrap.dedent(code), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def run(code: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, output and errors of a process that runs ``code``."""
    with start(code, folder) as process:
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err
