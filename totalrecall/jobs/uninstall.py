"""Taking the program away again. The memory stays: notes, settings and bookkeeping are never touched here."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from totalrecall.errors import MemoryFileError

LINKS = ("totalrecall", "session-state")


@dataclass(frozen=True, slots=True)
class Program:
    """What ``scripts/setup.sh`` made.

    Attributes:
        links: ``totalrecall`` and ``session-state`` in ``~/.local/bin``, as far as they are there and ours.
        sample: the sample agent's folder, None when there is none.
        venv: the private environment, None when this program does not run from it.
    """

    links: tuple[Path, ...]
    sample: Path | None
    venv: Path | None

    @property
    def parts(self) -> tuple[Path, ...]:
        """What stands there, in the order of removal: the environment that runs this very program last."""
        return (*self.links, *(one for one in (self.sample, self.venv) if one is not None))


def find_program(data_dir: Path, home_dir: Path, prefix: Path) -> Program:
    """What was made for this user, where the program that runs now (``prefix``) is that one."""
    venv, bin_dir, sample = data_dir / "venv", home_dir / ".local" / "bin", data_dir / "sample"
    ours = venv.is_dir() and prefix.resolve() == venv.resolve()
    links = [bin_dir / name for name in LINKS] if ours else []
    return Program(
        links=tuple(one for one in links if one.is_symlink() and one.readlink() == venv / "bin" / one.name),
        sample=sample if sample.is_dir() else None,
        venv=venv if ours else None,
    )


def remove_program(program: Program, data_dir: Path) -> tuple[Path, ...]:
    """What was removed. Nothing may be imported afterwards: the environment may be gone.

    Raises:
        MemoryFileError: something cannot be removed.
    """
    removed = []
    for path in program.parts:
        try:
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)
        except OSError as error:
            raise MemoryFileError(
                f"Cannot remove {error.filename or path}: {error.strerror or error}.",
                f"Remove it by hand: rm -r '{path}'",
            ) from error
        removed.append(path)
    if data_dir.is_dir() and not any(data_dir.iterdir()):
        data_dir.rmdir()
    return tuple(removed)
