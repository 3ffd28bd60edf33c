"""What stands where a secret stood: ``⟦removed: github token⟧``.

The brackets are U+27E6 and U+27E7: nobody and no program takes this for a value by accident, and it
means nothing to  Markdown, HTML comments or the note format.
"""

from __future__ import annotations

import re
from functools import cache

OPEN = "⟦"
CLOSE = "⟧"
_HEAD = "removed: "

USER_PATTERN = "user pattern"
DENIED = "known secret"
UNSCREENED = "text that could not be screened"
_RESERVED = frozenset({USER_PATTERN, DENIED, UNSCREENED})


def placeholder(kind: str) -> str:
    """The text that replaces a secret of this kind."""
    return f"{OPEN}{_HEAD}{kind}{CLOSE}"


@cache
def placeholder_pattern(kinds: frozenset[str]) -> re.Pattern[str]:
    """Exactly the placeholders that screening writes for these kinds and for the reserved ones.

    Only known kinds count, so that a secret between such brackets is still screened.
    """
    names = "|".join(re.escape(kind) for kind in sorted(kinds | _RESERVED))
    return re.compile(f"{OPEN}{_HEAD}(?:{names}){CLOSE}")


def has_placeholder(text: str) -> bool:
    """Whether screening took something out of this text (distillation skips such entries whole)."""
    return f"{OPEN}{_HEAD}" in text
