"""Lines for those who want no service: cron calls the one-shot commands. Pure but for finding the program."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from totalrecall.service.plan import taken_along


def command_path(executable: Path, home_dir: Path) -> str:
    """How to call this program from anywhere: absolute, quoted for a shell.

    The link in ``~/.local/bin`` if it is ours, else the script beside the interpreter, else ``-m``.
    """
    beside = executable.parent / "totalrecall"
    link = home_dir / ".local" / "bin" / "totalrecall"
    if beside.exists():
        return shlex.quote(str(link if link.exists() and link.resolve() == beside.resolve() else beside))
    return f"{shlex.quote(str(executable))} -m totalrecall"


def cron_lines(command: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Lines for ``crontab -e``. A ``%`` would end the command there, so it is escaped (R115)."""
    where = "".join(f"{name}={shlex.quote(value)} " for name, value in taken_along(env).items())
    line = f"{where}{command}".replace("%", r"\%")
    return (
        f"*/15 * * * * {line} --run-observer",
        f"7 * * * * {line} --run-reflector",
        f"@reboot {line} --run-recovery",
    )
