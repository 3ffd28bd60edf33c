"""Tool calls and their results as one line each: ``exec npm test: error: 3 failing``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby

from totalrecall.domain.event import ToolCall, ToolResult

MOST_LINES = 12
"""Lines that one message gets at most; failures are kept before successes."""


@dataclass(slots=True)
class _Line:
    """One call: what it was, and how it ended if that is known."""

    what: str
    ended: bool = False
    failed: bool = False
    error: str = ""

    def render(self, times: int) -> str:
        again = f" (×{times})" if times > 1 else ""
        if not self.ended:
            return self.what + again
        return f"{self.what}: error: {self.error}{again}" if self.failed else f"{self.what}: ok{again}"


@dataclass(slots=True)
class ToolLines:
    """Collects calls and results between two messages and gives them out as lines."""

    lines: list[_Line] = field(default_factory=list)
    open_calls: dict[str, _Line] = field(default_factory=dict)

    def call(self, call: ToolCall) -> None:
        """Add a call; its result may follow, here or never."""
        line = _Line(" ".join(part for part in (call.name or "tool", call.target) if part))
        self.lines.append(line)
        if call.call_id:
            self.open_calls[call.call_id] = line

    def result(self, result: ToolResult) -> None:
        """Add how a call ended. The success of a call nobody has seen says nothing and is left out."""
        line = self.open_calls.pop(result.call_id, None)
        if line is None:
            if result.ok:
                return
            line = _Line(result.name or "tool")
            self.lines.append(line)
        line.ended, line.failed, line.error = True, not result.ok, result.error_line

    def take(self, screen: Callable[[str], str]) -> tuple[str, ...]:
        """The lines so far, screened, oldest first, and begin anew.

        The same call with the same end several times running is one line. Of more than ``MOST_LINES`` the
        failures stay first, then the latest; a last line counts the rest.
        """
        runs = [(line, len(list(same))) for line, same in groupby(self.lines)]
        self.lines, self.open_calls = [], {}
        if len(runs) <= MOST_LINES:
            return tuple(screen(line.render(times)) for line, times in runs)
        by_weight = sorted(range(len(runs)), key=lambda at: (runs[at][0].failed, at))
        chosen = [runs[at] for at in sorted(by_weight[-(MOST_LINES - 1) :])]
        left_out = [runs[at] for at in by_weight[: -(MOST_LINES - 1)]]
        calls = sum(times for _, times in left_out)
        failed = sum(times for line, times in left_out if line.failed)
        rest = f"… {calls} more calls" + (f", {failed} failed" if failed else "")
        return (*(screen(line.render(times)) for line, times in chosen), rest)
