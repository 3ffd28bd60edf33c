"""systemctl, loginctl and launchctl as programs of their own that play a machine's state, kept in a folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

# Each call is one line in `calls`. What stands in the folder is the machine's state: `active`, `enabled`, `linger`,
# `loaded`; `no-manager`, `crashes` and `bad-setting` say how it misbehaves.
_SYSTEMCTL = r"""#!/bin/sh
cd "$(dirname "$0")/../state" || exit 9
echo "systemctl $*" >> calls
[ -e no-manager ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
units="$HOME/.config/systemd/user"
case "$*" in
  "--user show --property=UnitPath") echo "UnitPath=/etc/systemd/user $units /usr/lib/systemd/user" ;;
  "--user daemon-reload" | "--user reset-failed total-recall.service") ;;
  "--user enable total-recall.service")
    [ -e masked ] && { echo "Unit file is masked." >&2; exit 1; }
    [ -e "$units/total-recall.service" ] || { echo "Unit file does not exist." >&2; exit 1; }
    mkdir -p "$units/default.target.wants"
    ln -sf "$units/total-recall.service" "$units/default.target.wants/"; touch enabled ;;
  "--user restart total-recall.service")
    if [ -e crashes ] || [ -e bad-setting ]; then
      rm -f active; touch failed; echo "Job for total-recall.service failed." >&2; exit 1
    fi
    rm -f failed; touch active ;;
  "--user disable --now total-recall.service")
    rm -f active failed enabled "$units/default.target.wants/total-recall.service" ;;
  "--user show total-recall.service --property="*)
    status=0; result=success; state=inactive
    [ -e failed ] && { state=failed; result=exit-code; status=1; }
    [ -e bad-setting ] && status=78
    [ -e active ] && state=active
    [ -e starting ] && state=activating
    [ -e auto-restart ] && echo "SubState=auto-restart"
    echo "ActiveState=$state"; echo "Result=$result"; echo "ExecMainStatus=$status"
    echo "NRestarts=$(cat restarts 2>/dev/null || echo 0)"
    [ -e active ] && echo "StatusText=1 agent, nothing pending."
    [ -e enabled ] && echo "UnitFileState=enabled" || echo "UnitFileState=disabled" ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""
_LOGINCTL = r"""#!/bin/sh
cd "$(dirname "$0")/../state" || exit 9
echo "loginctl $*" >> calls
case "$*" in
  "show-user "*" --property=Linger --value")
    [ -e no-logind ] && { echo "Failed to connect to bus: No such file or directory" >&2; exit 1; }
    [ -e unknown-user ] && { echo "Failed to get user: User ID 1000 is not logged in or lingering" >&2; exit 1; }
    [ -e linger ] && echo yes || echo no ;;
  enable-linger)
    [ -e linger-refused ] && { echo "Could not enable linger: Access denied" >&2; exit 1; }
    touch linger ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""
_LAUNCHCTL = r"""#!/bin/sh
cd "$(dirname "$0")/../state" || exit 9
echo "launchctl $*" >> calls
case "$1" in
  bootout) [ -e loaded ] || exit 3; rm -f loaded; touch leaving ;;
  enable) ;;
  bootstrap)
    [ -e no-domain ] && { echo "Bootstrap failed: 125: Domain does not support specified action" >&2; exit 125; }
    [ -e broken ] && { echo "Bootstrap failed: 22: Invalid argument" >&2; exit 22; }
    [ -e leaving ] && { rm leaving; echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }
    touch loaded ;;
  print)
    [ -e loaded ] || { echo "Could not find service" >&2; exit 113; }
    echo "$2 = {"
    if [ -e bad-setting ]; then printf '\tstate = spawn scheduled\n\tlast exit code = 78: EX_CONFIG\n'
    else printf '\tstate = running\n\tpid = 4711\n\tlast exit code = (never exited)\n'; fi
    printf '\tspawn type = daemon (3)\n\tendpoints = {\n\t\tstate = idle\n\t\tpid = 1\n\t}\n}\n' ;;
  print-disabled) [ -e disabled ] && printf '\t"com.totalrecall.agent" => disabled\n' || true ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Tools:
    """A machine under ``folder``: its home, its tools, its state.

    Attributes:
        folder: all of it.
        home: the user's home folder.
    """

    folder: Path
    home: Path

    @property
    def env(self) -> dict[str, str]:
        """The environment of a login shell there."""
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, "XDG_RUNTIME_DIR": str(self.folder)}

    def set(self, *names: str) -> None:
        """Let these hold from now on."""
        for name in names:
            (self.folder / "state" / name).touch()

    def unset(self, *names: str) -> None:
        """Let these hold no longer."""
        for name in names:
            (self.folder / "state" / name).unlink()

    def has(self, name: str) -> bool:
        """Whether this holds."""
        return (self.folder / "state" / name).exists()

    def calls(self) -> list[str]:
        """What was called, oldest first, but for questions."""
        path = self.folder / "state" / "calls"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [line for line in lines if " show" not in line and " print" not in line]

    def write(self, name: str, text: str) -> None:
        """A value of the machine's state."""
        (self.folder / "state" / name).write_text(text, encoding="utf-8")


def make_tools(folder: Path, names: tuple[str, ...] = ("systemctl", "loginctl", "launchctl")) -> Tools:
    """A machine where these tools stand on the path, all well, nothing installed."""
    for part in ("bin", "state", "home"):
        (folder / part).mkdir(parents=True)
    texts = {"systemctl": _SYSTEMCTL, "loginctl": _LOGINCTL, "launchctl": _LAUNCHCTL}
    for name in names:
        path = folder / "bin" / name
        path.write_text(texts[name], encoding="utf-8")
        path.chmod(0o755)
    return Tools(folder, folder / "home")


def calls_to(tools: Tools, tool: str) -> list[str]:
    """What was called of one tool, without its name and ``--user``."""
    words = (line.split(" ", 1) for line in tools.calls())
    return [rest.removeprefix("--user ") for name, rest in words if name == tool]


UID = os.getuid()
