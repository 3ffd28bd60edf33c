"""What Total Recall writes into daily logs: task snapshots and records of distillation. Pure."""

from __future__ import annotations

import re

_SNAPSHOT = re.compile(
    r"(?:\r?\n)*(?:^---\r?\n\s*)?(?:^## Task Snapshot -- [^\n]*\n\s*)?^<!-- BIG-MEMORY-SNAPSHOT v\d+ -->.*?"
    r"^<!-- /BIG-MEMORY-SNAPSHOT -->[^\n]*\n?",
    re.MULTILINE | re.DOTALL,
)
_RECORD = re.compile(
    r"(?:\r?\n)*^## (?:Memory Distill|记忆蒸馏) -- [^\n]*\n(?:\r?\n)*(?:^- [^\n]*(?:\n|\Z))*", re.MULTILINE
)


def without_our_sections(text: str) -> str:
    """The log without snapshots and records; what the agent or a person wrote around them stays."""
    return _RECORD.sub("\n", _SNAPSHOT.sub("\n", text)) if _has_ours(text) else text


def _has_ours(text: str) -> bool:
    return _SNAPSHOT.search(text) is not None or _RECORD.search(text) is not None
