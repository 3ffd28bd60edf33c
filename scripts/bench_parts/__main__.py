"""Runs the parts and prints one table. Exits with 3 when a figure misses its reach."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HEADS = ("measure", "ours", "yardstick", "ratio", "reach", "")


def main(wanted: list[str]) -> int:
    """The parts of these names, or all; the exit code."""
    parts = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    unknown = sorted(set(wanted) - set(parts))
    if unknown:
        print(f"unknown part: {', '.join(unknown)} (there are: {', '.join(parts)})", file=sys.stderr)
        return 2
    lines: list[tuple[str, ...]] = []
    missed = 0
    for part in wanted or parts:
        for row in importlib.import_module(f"{__package__}.{part}").rows():
            name, ours, yardstick, ratio, reach = row
            well = reached(float(ratio), reach)
            missed += not well
            shown = reach if isinstance(reach, str) else f"<= {reach:g}"
            lines.append(
                (str(name), number(ours), number(yardstick), number(ratio), shown, "" if well else "MISSED")
            )
        print(f"{part} measured", file=sys.stderr)
    widths = [max(len(line[place]) for line in (HEADS, *lines)) for place in range(len(HEADS))]
    for line in (HEADS, *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return 3 if missed else 0


def number(value: float | str) -> str:
    """Three significant digits, without an exponent."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def reached(ratio: float, reach: float | str) -> bool:
    """Whether the ratio is good enough: at most a number, or ``>= 3``, ``< 1`` as it says."""
    if isinstance(reach, int | float):
        return ratio <= reach
    sign, _, bound = reach.partition(" ")
    if not bound:
        return True
    limit = float(bound.split()[0])
    return {">=": ratio >= limit, "<=": ratio <= limit, "<": ratio < limit, ">": ratio > limit}[sign]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
