"""One part of the measurements, as a process of its own runs it."""

from __future__ import annotations

import importlib

# Name, ours, yardstick, ratio, reach; a part may give its figures with their units, as text.
MeasuredRow = tuple[str, float | str, float | str, float | str, float | str]


def rows_of(part: str) -> list[MeasuredRow]:
    """The rows of the module ``part`` of this folder, as plain tuples."""
    module = importlib.import_module(f"scripts.bench_parts.{part}")
    return [tuple(row) for row in module.rows()]
