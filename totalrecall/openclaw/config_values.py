"""Values in a parsed config, by their path. Pure."""

from __future__ import annotations

from collections.abc import Sequence

KeyPath = tuple[str, ...]
MISSING = object()


def value_at(tree: object, path: Sequence[str]) -> object:
    """The value at ``path``, ``MISSING`` when there is none."""
    for key in path:
        if not isinstance(tree, dict) or key not in tree:
            return MISSING
        tree = tree[key]
    return tree
