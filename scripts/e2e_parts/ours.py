"""Our own program in a sandbox, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from scripts.e2e_parts.facts import Fact, counted
from scripts.e2e_parts.model import NOTES_MODEL, ScriptedModel
from scripts.e2e_parts.sandbox import POLL_S, Ran, Sandbox

COMMAND_LIMIT_S = 120.0
# A minute is the least after which a session counts as quiet, and a model that was away rests for one or two.
NOTED_LIMIT_S = 180.0


@dataclass
class TotalRecall:
    """The program that was installed beside this Python.

    Attributes:
        box: whose home it works in.
        service: the running ``totalrecall run``, None while there is none.
    """

    box: Sandbox
    service: subprocess.Popen[bytes] | None = None

    @property
    def program(self) -> Path:
        """Its command."""
        return Path(sys.executable).with_name("totalrecall")

    def configure(self, settings: dict[str, str]) -> None:
        """Write ``.env`` of the config folder, so that a process of the hook sees the settings too."""
        folder = self.box.home / ".config" / "total-recall"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}={value}\n" for name, value in settings.items()]
        (folder / ".env").write_text("".join(lines), encoding="utf-8")
        (folder / ".env").chmod(0o600)

    def call(self, *arguments: str, limit_s: float = COMMAND_LIMIT_S) -> Ran:
        """One command."""
        return self.box.run([str(self.program), *arguments], limit_s)

    def start_service(self) -> None:
        """Start ``totalrecall run``."""
        self.service = self.box.start([str(self.program), "run"], "service")

    def stop_service(self) -> tuple[int, float]:
        """Its exit code and the seconds it took to end; 0 and 0 when there was none."""
        if self.service is None:
            return 0, 0.0
        code, took_s = self.box.stop(self.service)
        self.service = None
        return code, took_s

    def notes(self) -> str:
        """The text of the notes, "" while there are none."""
        try:
            return self.box.notes_path.read_text("utf-8")
        except FileNotFoundError:
            return ""

    def wait_for(self, facts: list[Fact], limit_s: float = NOTED_LIMIT_S) -> float | None:
        """The seconds until every fact stood in the notes; None when one never did."""
        began = time.monotonic()
        while time.monotonic() - began < limit_s:
            if min(counted(facts, self.notes()).values(), default=1) > 0:
                return time.monotonic() - began
            time.sleep(POLL_S)
        return None

    def logged(self) -> str:
        """Everything that it logged so far: the service on stderr, and all jobs in the workspace."""
        paths = [self.box.logs / "service.log", *sorted((self.box.workspace / "logs").glob("*.log"))]
        return "".join(path.read_text("utf-8", "replace") for path in paths if path.exists())


def model_settings(model: ScriptedModel) -> dict[str, str]:
    """Settings with which the scripted model writes the notes."""
    return {
        "LLM_BASE_URL": model.url,
        "LLM_API_KEY": "local",
        "OBSERVER_MODEL": NOTES_MODEL,
        "OBSERVER_FALLBACK_MODEL": NOTES_MODEL,
        "TOTALRECALL_ENGINE": "llm",
    }
