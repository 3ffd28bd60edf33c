"""Printing for people, without any library: a run with nothing new has to be quick."""

from __future__ import annotations

import os
import sys

_COLOURS = {"red": 31, "green": 32, "yellow": 33}


def say(text: str, *, err: bool = False) -> None:
    """One line on stdout (the result) or stderr (the talk). Signs that the terminal lacks are replaced."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return  # closed by whoever started us (`>&-`)
    try:
        print(text, file=stream, flush=True)  # the one place that prints
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        print(text.encode(encoding, "replace").decode(encoding), file=stream, flush=True)


def paint(text: str, colour: str) -> str:
    """``text`` in a colour where a terminal shows it and ``NO_COLOR`` is not set."""
    if os.environ.get("NO_COLOR") or sys.stdout is None or not sys.stdout.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"
