"""One part of the measurements, as a process of its own runs it."""

from __future__ import annotations

import importlib
from typing import NamedTuple


class Row(NamedTuple):
    """One figure beside its yardstick, and what it must reach; figures with their units are text."""

    name: str
    ours: float | str
    yardstick: float | str
    ratio: float | str
    reach: float | str


# A row as it comes back from another process.
MeasuredRow = tuple[str, float | str, float | str, float | str, float | str]


def rows_of(part: str) -> list[MeasuredRow]:
    """The rows of the module ``part`` of this folder, as plain tuples."""
    module = importlib.import_module(f"scripts.bench_parts.{part}")
    return [tuple(row) for row in module.rows()]
