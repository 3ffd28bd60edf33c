"""The one file that a service manager reads: written, compared, removed. Only when it is ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from totalrecall.errors import BusyError, ConfigError, MemoryFileError
from totalrecall.files import atomic
from totalrecall.service.plan import MARK, ServicePlan


@dataclass(frozen=True, slots=True)
class UnitFile:
    """Where the file is, and how its text is made and read back.

    Attributes:
        path: where it stands, or would.
        render: plan to text.
        environment_in: text to the environment that it sets.
        program_in: text to the program that it starts.
    """

    path: Path
    render: Callable[[ServicePlan], str]
    environment_in: Callable[[str], dict[str, str]]
    program_in: Callable[[str], str]

    def text(self) -> str | None:
        """What stands there, None when nothing does or it cannot be read."""
        try:
            content = atomic.read_state(self.path).content
        except MemoryFileError:
            return None
        return None if content is None else content.decode("utf-8", "replace")

    def write(self, plan: ServicePlan) -> bool:
        """Put the plan's text there; False when it stood there already.

        Raises:
            ConfigError: somebody else's file stands there.
            MemoryFileError: it cannot be written.
            BusyError: it changed just now.
        """
        before = atomic.read_state(self.path)
        content = self.render(plan).encode("utf-8")
        if before.content == content:
            return False
        if before.content and MARK.encode() not in before.content:
            raise ConfigError(
                f"{self.path} was not written by Total Recall.",
                "Move it away, then run 'totalrecall service install' again. Nothing was changed.",
            )
        if isinstance(atomic.replace(self.path, content, expected=before), atomic.Conflict):
            raise BusyError(f"{self.path} was changed by somebody else just now.", "Run it again.")
        return True

    def remove(self) -> bool:
        """Take the file away if it is ours; False when there is none, or it is somebody else's."""
        text = self.text()
        if text is None or MARK not in text:
            return False
        self.path.unlink()
        return True

    def trouble(self, plan: ServicePlan) -> str:
        """Why the file should be written anew, "" when it is as this version would write it.

        What it took along from the shell of the installation counts as meant, whatever this shell has.
        """
        text = self.text()
        if text is None:
            return ""
        if MARK not in text:
            return "it was written by hand"
        program = self.program_in(text)
        if not Path(program).exists():
            return f"it starts {program}, which is gone"
        if program != plan.program[0]:
            return f"it starts another installation ({program})"
        same = self.render(replace(plan, environment=self.environment_in(text)))
        return "" if same == text else "it was written by another version, or edited"
