"""The scripts of developers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.bench_parts.__main__ import number, reached
from tests.packaging.machine import REPOSITORY

SCRIPTS = sorted(
    path for path in (REPOSITORY / "scripts").iterdir() if path.is_file() and path.suffix in {"", ".sh"}
)
# Not in bash 3.2, which macOS has.
LATER = ("mapfile", "readarray", "declare -A", "local -n", "${!", ",,}", "^^}", "|&", "&>>", "coproc")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_parse_and_use_no_later_bash(path: Path) -> None:
    """Every script parses, and none uses what bash 3.2 does not know."""
    subprocess.run(["bash", "-n", path], check=True)
    text = path.read_text("utf-8")
    assert [word for word in LATER if word in text] == []


@pytest.mark.parametrize(
    ("ratio", "reach", "well"),
    [
        (3.1, ">= 3", True),
        (2.9, ">= 3", False),
        (1.2, 1.2, True),
        (1.3, 1.2, False),
        (1, "< 1", False),
        (9, "-", True),
    ],
)
def test_a_figure_is_judged_by_its_reach(ratio: float, reach: float | str, well: bool) -> None:
    """At least, at most, below, or for interest only."""
    assert reached(ratio, reach) is well


def test_figures_are_shown_without_exponent() -> None:
    """Seconds, milliseconds and tokens are all read easily."""
    assert [number(one) for one in (0.01234, 12.3456, 1234.5, "MB")] == ["0.0123", "12.3", "1,234", "MB"]
