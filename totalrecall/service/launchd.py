"""The service as a launchd agent of the user."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from totalrecall.errors import ConfigError, ServiceError
from totalrecall.files.atomic import make_folder
from totalrecall.service.host import Installed, Removed, ServiceHost
from totalrecall.service.plan import LABEL
from totalrecall.service.plist import environment_in, program_in, render_plist
from totalrecall.service.programs import Ran
from totalrecall.service.status import ServiceKind, ServiceStatus
from totalrecall.service.unit_file import UnitFile

# launchd is still busy with the agent that was just taken out; the same call works a moment later.
_BUSY = {5, 37}
_NO_DOMAIN = 125
_LOOKS = 20
_CONFIG_EXIT = "78"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What ``launchctl print`` says: known at all, running with this process, last exit code."""

    loaded: bool
    pid: str = ""
    last_exit: str = ""


class Launchd:
    """The launchd of a user who is logged in at the screen."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        path = host.home_dir / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        self._file = UnitFile(path, render_plist, environment_in, program_in)
        self._domain = f"gui/{host.uid}"
        self._target = f"{self._domain}/{LABEL}"

    def status(self) -> ServiceStatus:
        """How the agent stands, as launchd says."""
        seen, installed = self._seen(), self._file.text() is not None
        trouble = self._file.trouble(self._host.plan)
        found = ServiceStatus(
            ServiceKind.LAUNCHD,
            installed=installed,
            enabled=installed and not self._disabled(),
            active=bool(seen.pid),
            outdated=bool(trouble),
            path=self._file.path,
        )
        detail, remedy = self._said(found, seen, trouble)
        return replace(found, detail=detail, remedy=remedy)

    def render(self) -> str:
        """The property list."""
        return render_plist(self._host.plan)

    def install(self) -> Installed:
        """The agent is written, loaded, and runs."""
        plan = self._host.plan
        changed = self._file.write(plan)
        make_folder(plan.output_file.parent)
        self._host.run(["launchctl", "bootout", self._target])
        self._host.run(["launchctl", "enable", self._target])
        self._bootstrap()
        self._wait()
        return Installed(self._file.path, changed, self.status())

    def uninstall(self) -> Removed:
        """The agent is stopped, unloaded and gone."""
        if self._file.text() is not None or self._seen().loaded:
            self._host.run(["launchctl", "bootout", self._target])
        removed: tuple[Path, ...] = (self._file.path,) if self._file.remove() else ()
        output = self._host.plan.output_file
        if removed and output.is_file():
            output.unlink()
            removed = (*removed, output)
        return Removed(removed, (self._file.path,) if self._file.path.exists() else ())

    def _bootstrap(self) -> None:
        for _ in range(_LOOKS):
            done = self._host.run(["launchctl", "bootstrap", self._domain, str(self._file.path)])
            if done.ok or self._seen().loaded:
                return
            if done.code not in _BUSY:
                break
            time.sleep(self._host.pause_s)
        raise self._refused(done)

    def _refused(self, done: Ran) -> ServiceError:
        if done.code == _NO_DOMAIN:
            return ServiceError(
                "launchd runs agents only for a user who is logged in at the screen.",
                "The agent is in place and starts at your next login there.",
            )
        return ServiceError(
            f"launchd refuses the agent: {done.said or done.code}.",
            f"plutil -lint '{self._file.path}' checks the file.",
        )

    def _wait(self) -> None:
        """Until it runs and goes on running; launchd has no way for a program to say that it is ready."""
        before = _Seen(loaded=True)
        for _ in range(_LOOKS):
            seen = self._seen()
            if seen.pid and seen.pid == before.pid:
                return
            if seen.last_exit not in {"", "0"} and not seen.pid:
                break
            before = seen
            time.sleep(self._host.pause_s)
        seen = self._seen()
        raise (ConfigError if seen.last_exit == _CONFIG_EXIT else ServiceError)(*self._down(seen))

    def _seen(self) -> _Seen:
        shown = self._host.run(["launchctl", "print", self._target])
        if not shown.ok:
            return _Seen(loaded=False)
        running = _field(shown.out, "state") == "running"
        exit_code = re.match(r"\d+", _field(shown.out, "last exit code"))
        return _Seen(True, _field(shown.out, "pid") if running else "", exit_code[0] if exit_code else "")

    def _disabled(self) -> bool:
        shown = self._host.run(["launchctl", "print-disabled", self._domain])
        return bool(re.search(rf'"{re.escape(LABEL)}" => (disabled|true)', shown.out))

    def _said(self, found: ServiceStatus, seen: _Seen, trouble: str) -> tuple[str, str]:
        if not found.installed:
            return "The service is not installed.", "totalrecall service install"
        if not found.active:
            return self._down(seen)
        if trouble:
            return (
                f"The service runs, but its plist is out of date: {trouble}.",
                "totalrecall service install",
            )
        if not found.enabled:
            return "The service runs, but is switched off for the next login.", "totalrecall service install"
        return "The service runs.", ""

    def _down(self, seen: _Seen) -> tuple[str, str]:
        if not seen.loaded:
            return "The service is installed, but launchd has not loaded it.", "totalrecall service install"
        if seen.last_exit == _CONFIG_EXIT:
            return (
                "A setting keeps the service from starting; it is tried once a minute.",
                "totalrecall doctor",
            )
        what = f" (last exit code {seen.last_exit})" if seen.last_exit else ""
        return f"The service does not run{what}.", f"What it said: tail '{self._host.plan.output_file}'"


def _field(shown: str, name: str) -> str:
    """A field of the agent itself: those of its parts stand further in."""
    found = re.search(rf"^\t{re.escape(name)} = (.*)$", shown, re.MULTILINE)
    return found[1].strip() if found else ""
