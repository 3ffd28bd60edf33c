"""Which values of OpenClaw's config are secrets: they must never stand in a note, a log or a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_NAME = re.compile(r"(key|token|secret|password|passwd|passphrase|credential)s?$", re.IGNORECASE)
# ``${NAME}`` points into the environment, whose secrets are known by themselves.
_REFERENCE = re.compile(r"^\$\{?\w+\}?$")
MIN_CHARS = 8


def secret_values(tree: object) -> tuple[str, ...]:
    """Every string under a name that means a secret, at any depth, each once, in order of appearance."""
    return tuple(dict.fromkeys(_walk(tree, secret=False)))


def is_secret_name(name: str) -> bool:
    """Whether a variable or field of that name holds a secret."""
    return bool(_NAME.search(name))


def _walk(tree: object, *, secret: bool) -> Iterator[str]:
    if isinstance(tree, Mapping):
        for name, value in tree.items():
            yield from _walk(value, secret=is_secret_name(str(name)))
    elif isinstance(tree, list):
        for value in tree:
            yield from _walk(value, secret=secret)
    elif secret and isinstance(tree, str) and len(tree) >= MIN_CHARS and not _REFERENCE.match(tree):
        yield tree
