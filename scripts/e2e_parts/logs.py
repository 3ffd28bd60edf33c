"""What an OpenClaw log says that concerns us."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_LOUD = frozenset({"WARN", "ERROR", "FATAL"})
_US = re.compile(r"total[-_ ]?recall(?!-e2e)|observations\.md|task-snapshot", re.IGNORECASE)
# Trouble that a hook, a config entry or a reader of the database can make without being named.
_OURS_PERHAPS = re.compile(
    r"unrecogni[sz]ed key|invalid config|config (?:is )?invalid|hook error|hooks? .{0,40}failed"
    r"|failed to load hook|subscribes to event|slow hook|skipping bootstrap file"
    r"|SQLITE_BUSY|database is locked|database disk image",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: its level in capitals, and its words."""

    level: str
    text: str


def lines_of(logged: str) -> list[Line]:
    """The JSON lines of OpenClaw's log; a line that is none counts as an error."""
    found: list[Line] = []
    for raw in filter(None, logged.splitlines()):
        try:
            entry = json.loads(raw)
            level = str(entry.get("_meta", {}).get("logLevelName", "ERROR"))
        except (ValueError, AttributeError):
            found.append(Line("ERROR", raw))
            continue
        said = [str(value) for name, value in sorted(entry.items()) if name.isdigit()]
        found.append(Line(level, " ".join([*said, str(entry.get("message", ""))])))
    return found


def complaints(logged: str, printed: str) -> list[str]:
    """Lines about us: loud ones that name us, and any with which hooks and configs are blamed."""
    loud = [line.text for line in lines_of(logged) if line.level in _LOUD and _US.search(line.text)]
    blamed = [line.text for line in lines_of(logged) if _OURS_PERHAPS.search(line.text)]
    spoken = [line for line in printed.splitlines() if _OURS_PERHAPS.search(line)]
    return list(dict.fromkeys(text.strip()[:300] for text in (*loud, *blamed, *spoken)))


def own_errors(logged: str) -> list[str]:
    """Lines of our own logs that tell of an error, or that are no line of a log at all."""
    found: list[str] = []
    for raw in filter(None, logged.splitlines()):
        try:
            entry = json.loads(raw)
        except ValueError:
            found.append(raw[:300])
            continue
        if entry.get("level") in {"error", "critical"}:
            found.append(f"{entry.get('event')}: {entry.get('error') or entry.get('reason')}"[:300])
    return list(dict.fromkeys(found))


def loud_kinds(logged: str) -> set[str]:
    """The warnings and errors, with everything that changes from run to run left out."""
    return {
        re.sub(r"[0-9a-f-]{8,}|\d+", "#", line.text)[:160] for line in lines_of(logged) if line.level in _LOUD
    }
