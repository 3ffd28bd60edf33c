"""Which files the tools of a talk were used on. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from totalrecall.domain.event import Event, ToolCall
from totalrecall.domain.task_talk import Touch
from totalrecall.transcripts.batch import Classified
from totalrecall.transcripts.noise import Keep, NotSpeech

_READS = frozenset({"read", "read_file", "view", "open_file", "cat"})
_CHANGES = frozenset(
    {
        "write", "write_file", "create_file", "edit", "edit_file", "multi_edit", "multiedit", "str_replace",
        "str_replace_editor", "apply_patch", "patch", "insert", "replace", "update_file", "notebook_edit",
    }
)  # fmt: skip
# What the agent writes down to remember is no file of the task.
_MEMORY = re.compile(
    r"(?:^|/)(?:memory/.*|(?:MEMORY|SESSION_STATE|HEARTBEAT|USER|SOUL|IDENTITY|AGENTS|TOOLS|BOOTSTRAP)\.md)$"
)


def touches_in(kept: Sequence[Classified], workspace: str, screen: Callable[[str], str]) -> tuple[Touch, ...]:
    """The files that were read or changed, in order, as they are called from the workspace."""
    failed = {
        result.call_id for one in kept if (result := one.event.tool_result) is not None and not result.ok
    }
    found = []
    for event, call in _calls(kept):
        name = call.name.casefold()
        if name not in _READS and name not in _CHANGES:
            continue
        path = call.target.removeprefix(f"{workspace}/").removeprefix("./").strip()
        if path and not path.endswith("…") and not _MEMORY.search(path):
            bad = bool(call.call_id) and call.call_id in failed
            at = None if event.at_ms is None else datetime.fromtimestamp(event.at_ms / 1000, UTC)
            found.append(Touch(screen(path), name in _CHANGES, bad, at))
    return tuple(found)


def calls_in(kept: Sequence[Classified]) -> int:
    """How many calls of tools belong to the talk."""
    return sum(1 for _ in _calls(kept))


def _calls(kept: Sequence[Classified]) -> Iterator[tuple[Event, ToolCall]]:
    for one in kept:
        if isinstance(one.verdict, Keep) or (isinstance(one.verdict, NotSpeech) and one.verdict.tools):
            yield from ((one.event, call) for call in one.event.tool_calls)
