"""Screening in MB/s, beside one ``re`` alternation of the same rules."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from totalrecall.privacy.rules import RULES
from totalrecall.privacy.screening import screen
from totalrecall.privacy.tokens import TOKENS, plain_pattern

Row = tuple[str, str, str, str, str]

_PROSE = (
    "We moved the meeting to Tuesday and decided that deploys go through staging first, since the last two "
    "went wrong. Anna writes the notes; the host stays stage-2, port 8443, see docs/deploy.md.\n"
)
_REACH = "1 MB; ours has decoded and wrapped views and judges values, the alternation has neither"


def rows() -> list[Row]:
    """One row per kind of text: name, ours, yardstick, ratio, and what the comparison covers."""
    texts = {
        "screening, clean prose": _PROSE,
        "screening, a key in each kB": _PROSE * 4 + "ghp_" + "a1B2c3D4e5" * 4 + " is for CI\n",
        "screening, hostile: names without values": "token is password: api_key= ",
        "screening, hostile: quotes and escapes": 'password=\\"\\\\" ',
        "screening, hostile: digits": "4 1 2 DE12 ",
    }
    return [_row(name, seed * (1_000_000 // len(seed) + 1)) for name, seed in texts.items()]


def _row(name: str, text: str) -> Row:
    text = text[:1_000_000]
    alternation = _alternation()
    ours, theirs = _seconds(lambda: screen(text)), _seconds(lambda: alternation.sub("x", text))
    return (name, f"{1 / ours:.1f} MB/s", f"{1 / theirs:.1f} MB/s", f"{theirs / ours:.1f}x", _REACH)


def _alternation() -> re.Pattern[str]:
    sources = [plain_pattern(token).pattern for token in TOKENS] + [rule.source for rule in RULES]
    parts = []
    for source in sources:
        insensitive = source.startswith("(?i)")
        bare = re.sub(r"\(\?P<\w+>", "(?:", source.removeprefix("(?i)")).replace("(?P=esc)", r"\\+")
        parts.append(f"(?i:{bare})" if insensitive else f"(?:{bare})")
    return re.compile("|".join(parts))


def _seconds(work: Callable[[], object]) -> float:
    work()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
