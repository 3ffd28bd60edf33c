"""Node and the releases of OpenClaw, installed once into a cache folder from the npm registry."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

NODE_VERSION = "24.22.3"
INSTALL_LIMIT_S = 900.0
# Names of npm's node packages for what Python calls systems and machines.
_SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
_MACHINES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}


class NoNodeError(Exception):
    """There is no Node on this machine, or none could be installed."""


@dataclass(frozen=True, slots=True)
class Release:
    """One installed OpenClaw.

    Attributes:
        version: as npm names it.
        node: the interpreter it runs with.
        program: its ``openclaw.mjs``.
        in_sqlite: whether its transcripts are rows of a database; else they are session files.
    """

    version: str
    node: Path
    program: Path
    in_sqlite: bool

    @property
    def path(self) -> tuple[str, ...]:
        """The folders with ``node`` and ``openclaw``, as a user has them on the ``PATH``."""
        return (str(self.node.parent), str(self.program.parent.parent / ".bin"))

    def command(self, *arguments: str) -> list[str]:
        """The command line of ``openclaw`` with these arguments."""
        return [str(self.node), str(self.program), *arguments]


def default_cache() -> Path:
    """``$XDG_CACHE_HOME/total-recall-e2e``, else under ``~/.cache``."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "total-recall-e2e"


def install_node(cache: Path) -> Path:
    """The path of a Node that every release here runs with. Raises ``NoNodeError``."""
    npm = shutil.which("npm")
    if npm is None:
        raise NoNodeError(
            "Node is not there: no npm on the PATH. Install Node with npm, then run this again."
        )
    system, machine = _SYSTEMS.get(platform.system()), _MACHINES.get(platform.machine())
    if system is None or machine is None:
        raise NoNodeError(f"Node is not there for {platform.system()} on {platform.machine()}.")
    package = f"node-{system}-{machine}"
    folder = cache / f"node-{NODE_VERSION}"
    node = folder / "node_modules" / package / "bin" / "node"
    if not node.exists():
        _npm_install(npm, folder, f"{package}@{NODE_VERSION}", os.environ.get("PATH", ""))
    if not node.exists():
        raise NoNodeError(f"Node is not there: {package} was installed without {node}.")
    return node


def install_release(cache: Path, node: Path, version: str) -> Release:
    """That release of OpenClaw, ready to run. Raises ``NoNodeError`` when npm cannot install it."""
    npm = shutil.which("npm") or "npm"
    folder = cache / f"openclaw-{version}"
    program = folder / "node_modules" / "openclaw" / "openclaw.mjs"
    done = folder / ".installed"
    if not (program.exists() and done.exists()):
        # npm's own Node may be older than the release wants: its scripts see the one it will run with.
        _npm_install(
            npm, folder, f"openclaw@{version}", f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        )
        done.touch()
    return Release(version, node, program, in_sqlite=_calendar(version) >= (2026, 7, 36))


def _calendar(version: str) -> tuple[int, ...]:
    """Year, month and patch. The session files end with 2026.7.35; 2026.8.1 is the first with rows."""
    return tuple(int(part) for part in version.partition("-")[0].split(".")[:3])


def _npm_install(npm: str, folder: Path, package: str, path: str) -> None:
    print(f"installing {package} into {folder} (once)", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        npm,
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--loglevel",
        "error",
        package,
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=INSTALL_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise NoNodeError(f"npm could not install {package}:\n{done.stderr[-2_000:]}")
