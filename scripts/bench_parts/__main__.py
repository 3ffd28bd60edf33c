"""Runs the parts and prints a table of each. Exits with 3 when a figure misses its reach."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from scripts.bench_parts._part import MeasuredRow, rows_of

HEADS = ("measure", "ours", "yardstick", "ratio", "reach", "")


def main(wanted: list[str]) -> int:
    """The parts of these names, or all, a table each as soon as it is measured; the exit code.

    ``name=value`` gives the part its ``BENCH_NAME``: ``soak=600`` is a soak of ten minutes.
    """
    for one in wanted:
        name, given, value = one.partition("=")
        if given:
            os.environ[f"BENCH_{name.upper()}"] = value
    wanted = [one.partition("=")[0] for one in wanted]
    parts = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    unknown = sorted(set(wanted) - set(parts))
    if unknown:
        print(f"unknown part: {', '.join(unknown)} (there are: {', '.join(parts)})", file=sys.stderr)
        return 2
    codes = {_shown(part) for part in wanted or parts}
    return max(codes)


def _shown(part: str) -> int:
    """Print one part's table: 0, 3 when a figure misses its reach, 1 when it could not be measured."""
    lines: list[tuple[str, ...]] = []
    missed = 0
    try:
        rows = measured(part)
    except Exception as error:  # noqa: BLE001 -- whatever a part fails with, the other parts are measured
        print(f"{part} could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    for name, ours, yardstick, ratio, reach in rows:
        well = isinstance(ratio, str) or reached(ratio, reach)
        missed += not well
        shown = reach if isinstance(reach, str) else f"<= {reach:g}"
        lines.append(
            (str(name), number(ours), number(yardstick), number(ratio), shown, "" if well else "MISSED")
        )
    widths = [max(len(line[place]) for line in (HEADS, *lines)) for place in range(len(HEADS))]
    for line in (HEADS, *lines):
        row = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(row.rstrip(), flush=True)
    print()
    return 3 if missed else 0


def measured(part: str) -> list[MeasuredRow]:
    """The rows of one part, taken in a process of its own: no part measures another's leavings."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(rows_of, part).result()


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
    if sign not in {">=", "<=", "<", ">"}:
        return True
    limit = float(bound.split()[0])
    return {">=": ratio >= limit, "<=": ratio <= limit, "<": ratio < limit, ">": ratio > limit}[sign]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
