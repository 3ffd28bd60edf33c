"""How the tool calls of a turn ended, from the lines that stand beside its messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

_SHELLS = ("exec ", "bash ", "shell ", "run ", "terminal ")


@dataclass(frozen=True, slots=True)
class Run:
    """One call: the command or target, whether it failed, and how."""

    what: str
    failed: bool
    error: str = ""

    @property
    def failure(self) -> str:
        """``npm test: 3 failing``."""
        return f"{self.what}: {self.error}" if self.error else self.what


@cache
def _failed() -> re.Pattern[str]:
    # The line of a failed call: "exec npm test: error: 3 failing"; what a tool printed may tell it, too.
    return re.compile(
        r":\s*(?:error\b:?|failed\b:?|exit (?:code )?[1-9]\d*)|\b(?:deploy|build|test|command)s? failed\b",
        re.IGNORECASE,
    )


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(r"(?:: ok)?(?: \(×\d+\))?$")


def runs(lines: Sequence[str]) -> list[Run]:
    """The calls of these lines, in order; ``exec npm test: error: 3 failing`` gives ``npm test``, failed."""
    return [_run(line[:600]) for line in lines if line and not line.startswith("… ")]


def _run(line: str) -> Run:
    match = _failed().search(line)
    what = line[: match.start()] if match else _tail().sub("", line)
    for shell in _SHELLS:
        what = what.removeprefix(shell)
    if match is None:
        return Run(what, failed=False)
    error = (
        line[match.end() :]
        if match[0].casefold().startswith((": error", ":error"))
        else match[0].lstrip(": ")
    )
    return Run(what.strip(": "), failed=True, error=_tail().sub("", error).strip(" :"))


def unresolved(calls: Sequence[Run]) -> list[Run]:
    """The failed calls that did not succeed later, the last of each command."""
    last = {call.what: call for call in calls}
    return [call for call in last.values() if call.failed]
