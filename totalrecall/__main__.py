"""``python -m totalrecall`` and the command ``totalrecall``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code (README, "Exit codes")."""
    from totalrecall.cli.main import run

    sys.exit(run(sys.argv[1:]))


def session_state() -> None:
    """The command ``session-state``: the same as ``totalrecall state``."""
    from totalrecall.cli.main import run

    sys.exit(run(["state", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
