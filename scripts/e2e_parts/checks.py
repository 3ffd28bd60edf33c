"""What must be true, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One statement about a run: whether it held, and in which way it did not."""

    name: str
    held: bool
    detail: str = ""


@dataclass
class Checks:
    """The checks of one run; each is printed when it is made."""

    run: str
    made: list[Check] = field(default_factory=list)

    def that(self, name: str, faults: Iterable[str] | bool, detail: str = "") -> None:
        """Note whether it held: a list of faults must be empty, a truth must be true."""
        if isinstance(faults, bool):
            held, said = faults, detail
        else:
            found = list(faults)
            held, said = not found, "; ".join(found) or detail
        self.made.append(Check(name, held, said))
        print(f"  {'ok   ' if held else 'FAULT'} {name}{f': {said}' if said else ''}", flush=True)

    @property
    def faults(self) -> int:
        """How many did not hold."""
        return sum(not check.held for check in self.made)
