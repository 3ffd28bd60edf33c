"""Results for people and for programs. stdout is the result, stderr the talk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import PurePath
from typing import Any

from totalrecall.cli.talk import paint, say
from totalrecall.errors import TotalRecallError


def emit_json(value: object) -> None:
    """``value`` on stdout as JSON: dataclasses as objects, times as ISO 8601, hashes as hex."""
    say(json.dumps(plain(value), ensure_ascii=False, indent=2))


def plain(value: object) -> Any:
    """``value`` in JSON's own types."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str | bytes):
        return [plain(one) for one in value]
    return _leaf(value)


def _leaf(value: object) -> Any:
    if isinstance(value, TotalRecallError):
        return {"error": type(value).__name__, "title": value.title, "hint": value.hint}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, PurePath) else value


def error_lines(error: TotalRecallError, agent: str = "") -> list[str]:
    """Two lines: what happened, and what to do about it."""
    where = f"{agent}: " if agent else ""
    lines = [f"{paint('error:', 'red')} {where}{error.title}"]
    if error.hint:
        lines += [f"  {line}" for line in error.hint.splitlines()]
    return lines


def table(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> str:
    """Columns padded to their widest cell, for terminals and pipes alike."""
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    lines = [heads, *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def count(number: int, noun: str) -> str:
    """``1 message``, ``2 messages``, ``1,204 messages``, ``3 batches``."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{number:,} {noun[:-1]}ies"
    return f"{number:,} {noun}{'es' if noun.endswith(('ch', 's')) else 's'}"


def ago(past_ms: int | None, now_ms: int) -> str:
    """How long ago, in one unit: ``12 s ago``, ``3 h ago``, ``never``."""
    if past_ms is None or past_ms <= 0:
        return "never"
    return f"{span(now_ms - past_ms)} ago"


def span(length_ms: int) -> str:
    """How long, in one unit: ``12 s``, ``3 h``."""
    seconds = max(0, length_ms // 1000)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
